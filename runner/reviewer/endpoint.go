package reviewer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// maxBody bounds an answer's body.
const maxBody = 8 << 20

// endpoint sends requests of one spec: limits, time-outs, retries. What a request
// holds and what an answer means is the protocol's.
type endpoint struct {
	spec    Spec
	url     string
	key     secret
	deps    Deps
	limiter *limiter
	learned string // key of what the server refused
	proto   protocol
}

// protocol is one provider's way to ask and to answer.
type protocol interface {
	// header sets the protocol's headers; key may be empty.
	header(h http.Header, key secret)
	// body writes the request for what the server accepts.
	body(s Spec, a accepted, req Request) ([]byte, Applied, error)
	// answer reads the body of a 200. The error has a class and a message.
	answer(body []byte) (reading, *Error)
	// fault reads class and message of an error body, as far as it names them.
	fault(status int, body []byte) (class Class, message string)
	// start is the mode that auto begins with.
	start(s Spec) Structured
}

// reading is what a protocol took from an answer.
type reading struct {
	text    string
	refused bool
	length  bool
	done    bool
	model   string
	usage   Usage
}

// post makes one call. The error is sanitised and never permanent by itself for a
// class that passes: the caller decides about another attempt.
func (e *endpoint) post(ctx context.Context, body []byte) ([]byte, time.Duration, *Error) {
	own, cancel := context.WithTimeout(ctx, time.Duration(e.spec.TimeoutS*float64(time.Second)))
	defer cancel()
	req, err := http.NewRequestWithContext(own, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return nil, 0, &Error{Class: ClassBadRequest, Message: "the address is not usable", Permanent: true}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	e.proto.header(req.Header, e.key)
	start := time.Now()
	res, err := e.deps.Client.Do(req)
	if err != nil {
		return nil, time.Since(start), e.transport(ctx, err)
	}
	defer func() { _ = res.Body.Close() }() // a close error of a read body says nothing
	got, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	took := time.Since(start)
	if res.StatusCode != http.StatusOK {
		// Whatever of the body arrived is good enough for a message.
		return nil, took, e.refusal(res, got)
	}
	if err != nil {
		return nil, took, e.transport(ctx, err)
	}
	if len(got) > maxBody {
		return nil, took, &Error{Class: ClassMalformed, Status: res.StatusCode, Message: "the answer is larger than 8 MB"}
	}
	return got, took, nil
}

// transport classes an error below HTTP.
func (e *endpoint) transport(caller context.Context, err error) *Error {
	var timeout net.Error
	switch {
	case caller.Err() != nil:
		return canceled(caller.Err())
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return &Error{Class: ClassTimeout, Message: "no complete answer in time"}
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &Error{Class: ClassNetwork, Message: "the connection ended in the middle of the answer"}
	}
	// The outer error quotes the address; the inner one is enough.
	var op *net.OpError
	if errors.As(err, &op) {
		return &Error{Class: ClassNetwork, Message: sanitise(op.Op+": "+op.Err.Error(), e.key)}
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return &Error{Class: ClassNetwork, Message: sanitise(dns.Error(), e.key)}
	}
	inner := err
	for u := errors.Unwrap(inner); u != nil; u = errors.Unwrap(inner) {
		inner = u
	}
	return &Error{Class: ClassNetwork, Message: sanitise(inner.Error(), e.key)}
}

func canceled(err error) *Error {
	return &Error{Class: ClassCanceled, Message: err.Error(), cause: err}
}

// refusal classes an answer that is not a 200.
func (e *endpoint) refusal(res *http.Response, body []byte) *Error {
	class, message := e.proto.fault(res.StatusCode, body)
	out := &Error{Status: res.StatusCode, Class: class, RetryAfter: retryAfter(res.Header, e.deps.Limits.now())}
	if message == "" {
		message = string(body)
	}
	if out.Message = sanitise(message, e.key); out.Message == "" {
		out.Message = strings.ToLower(http.StatusText(res.StatusCode))
	}
	if out.Class == "" {
		out.Class = classOf(res.StatusCode)
	}
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		out.Message = "the server redirects elsewhere; set the address it redirects to"
	}
	out.Permanent = out.Permanent || permanent(out.Class)
	return out
}

func classOf(status int) Class {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return ClassAuth
	case status == http.StatusTooManyRequests || status == 529:
		return ClassRateLimited
	case status == http.StatusRequestTimeout || status == http.StatusGatewayTimeout:
		return ClassTimeout
	case status >= 500 || status == http.StatusConflict || status == http.StatusTooEarly:
		return ClassServer
	default:
		return ClassBadRequest
	}
}

func permanent(c Class) bool {
	return c == ClassAuth || c == ClassBadRequest || c == ClassContentFilter
}

// retryAfter reads Retry-After as seconds or as a date, and the finer header that
// some servers send beside it; 0 when there is none.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms := h.Get("Retry-After-Ms"); ms != "" {
		if d, err := time.ParseDuration(ms + "ms"); err == nil && d > 0 {
			return d
		}
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if v == "" {
		return 0
	}
	if d, err := time.ParseDuration(v + "s"); err == nil {
		return max(d, 0)
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}
