package reviewertest

import (
	"net"
	"net/http"
	"strconv"
	"time"
)

// Fault is what a call gets in place of an answer.
type Fault func(w http.ResponseWriter, r *http.Request, g *Given)

// Given is what the call would have got, and the end of the server.
type Given struct {
	Answer []byte
	Quit   <-chan struct{}
}

// Status answers with a status and an error object.
func Status(code int, message string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ *Given) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		write(w, mustJSON(map[string]any{"error": map[string]any{"message": message, "type": "test_error", "code": nil}}))
	}
}

// RateLimited is a 429 with Retry-After in seconds; a negative time leaves it out.
func RateLimited(after time.Duration) Fault {
	return func(w http.ResponseWriter, r *http.Request, g *Given) {
		if after >= 0 {
			w.Header().Set("Retry-After", strconv.FormatFloat(after.Seconds(), 'f', -1, 64))
		}
		Status(http.StatusTooManyRequests, "slow down")(w, r, g)
	}
}

// RateLimitedUntil is a 429 with Retry-After as a date.
func RateLimitedUntil(at time.Time) Fault {
	return func(w http.ResponseWriter, r *http.Request, g *Given) {
		w.Header().Set("Retry-After", at.UTC().Format(http.TimeFormat))
		Status(http.StatusTooManyRequests, "slow down")(w, r, g)
	}
}

// RawBody answers with a status, a type and these bytes.
func RawBody(code int, contentType, body string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ *Given) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(code)
		write(w, body)
	}
}

// HTML answers with a web page.
func HTML(code int) Fault {
	return RawBody(code, "text/html", "<!doctype html><html><head><title>x</title><script>alert(1)</script></head><body><h1>Bad Gateway</h1><p>nginx</p></body></html>")
}

// Half sends half of the answer and cuts the connection.
func Half() Fault {
	return func(w http.ResponseWriter, _ *http.Request, g *Given) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(g.Answer)))
		write(w, string(g.Answer[:len(g.Answer)/2]))
		panic(http.ErrAbortHandler)
	}
}

// HalfWhole sends half of the answer as if it were the whole.
func HalfWhole() Fault {
	return func(w http.ResponseWriter, _ *http.Request, g *Given) {
		w.Header().Set("Content-Type", "application/json")
		write(w, string(g.Answer[:len(g.Answer)/2]))
	}
}

// Hang never answers, until the client or the server ends.
func Hang() Fault {
	return func(_ http.ResponseWriter, r *http.Request, g *Given) {
		select {
		case <-r.Context().Done():
		case <-g.Quit:
		}
	}
}

// Reset closes the connection with a TCP reset before anything is sent.
func Reset() Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ *Given) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		if tcp, is := conn.(*net.TCPConn); is {
			_ = tcp.SetLinger(0) // without it the close is only less abrupt
		}
		_ = conn.Close()
	}
}

// ErrorIn200 is a 200 that holds an error object.
func ErrorIn200(kind, message string) Fault {
	return RawBody(http.StatusOK, "application/json", mustJSON(map[string]any{"error": map[string]any{"message": message, "type": kind}}))
}

// Refuse is a 400 that names a setting.
func Refuse(setting string) Fault {
	return Status(http.StatusBadRequest, "Unsupported parameter: '"+setting+"' is not supported with this model.")
}

// Once gives each fault to the first tries of one and the same request, in order;
// after them the request is answered.
func Once(faults ...Fault) func(Call) Fault {
	return func(c Call) Fault {
		if c.Seen < len(faults) {
			return faults[c.Seen]
		}
		return nil
	}
}

// Always gives the same fault to every call.
func Always(f Fault) func(Call) Fault { return func(Call) Fault { return f } }

// write ignores what a client that went away no longer takes.
func write(w http.ResponseWriter, s string) { _, _ = w.Write([]byte(s)) }
