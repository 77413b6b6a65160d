package reviewertest

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Options say how the endpoint behaves; the zero value answers every request at once.
type Options struct {
	Latency time.Duration // before each answer
	Key     string        // when set, a request without it gets 401
	Model   string        // reported; empty: the requested one

	// Answer is the text of an answer; nil: Decision.
	Answer func(Call) string
	// Fault decides what a call gets in place of an answer; nil, or a nil result: the
	// answer.
	Fault func(Call) Fault

	NoUsage bool // leave usage out, as some compatible servers do
}

// Call is one request as the endpoint sees it.
type Call struct {
	N    int // 0-based, over all requests
	Seen int // how often this very body was seen before
	Path string
	Body Body
	Raw  []byte
}

// Body is what both protocols ask with.
type Body struct {
	Model          string          `json:"model"`
	System         string          `json:"system"`
	Messages       []Message       `json:"messages"`
	Temperature    *float64        `json:"temperature"`
	TopP           *float64        `json:"top_p"`
	MaxTokens      int             `json:"max_tokens"`
	MaxCompletion  int             `json:"max_completion_tokens"`
	Seed           *int64          `json:"seed"`
	ResponseFormat json.RawMessage `json:"response_format"`
	Tools          json.RawMessage `json:"tools"`
}

// Message of a chat.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// User is the last user message.
func (b Body) User() string {
	for i := len(b.Messages) - 1; i >= 0; i-- {
		if b.Messages[i].Role == "user" {
			return b.Messages[i].Content
		}
	}
	return ""
}

// Stats counts since the start.
type Stats struct {
	Requests    int
	Answered    int // with a 200 and a whole body
	Faults      int
	Denied      int // without the right key
	MaxInFlight int
}

// Server is a running endpoint.
type Server struct {
	URL  string // base address for OpenAI-compatible clients, with /v1
	Root string // base address for Anthropic clients, without /v1

	opts Options
	http *httptest.Server
	quit chan struct{}

	mu       sync.Mutex
	stats    Stats
	inFlight int
	conns    int
	seen     map[string]int
	calls    []Call
}

// Start runs an endpoint until Close.
func Start(opts Options) *Server {
	s := &Server{opts: opts, quit: make(chan struct{}), seen: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.serve)
	mux.HandleFunc("POST /v1/messages", s.serve)
	mux.HandleFunc("GET /v1/models", s.models)
	s.http = httptest.NewUnstartedServer(mux)
	s.http.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.mu.Lock()
			s.conns++
			s.mu.Unlock()
		}
	}
	s.http.Start()
	s.Root = s.http.URL
	s.URL = s.http.URL + "/v1"
	return s
}

// New runs an endpoint for one test.
func New(t testing.TB, opts Options) *Server {
	t.Helper()
	s := Start(opts)
	t.Cleanup(s.Close)
	return s
}

// Close ends the endpoint and every request that hangs in it.
func (s *Server) Close() {
	s.mu.Lock()
	select {
	case <-s.quit:
	default:
		close(s.quit)
	}
	s.mu.Unlock()
	s.http.Close()
}

// Stats as of now.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

// Connections is how many were opened.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns
}

// Calls in the order of their arrival.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Call(nil), s.calls...)
}

func (s *Server) enter() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Requests++
	s.inFlight++
	s.stats.MaxInFlight = max(s.stats.MaxInFlight, s.inFlight)
}

func (s *Server) count(field func(*Stats) *int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*field(&s.stats)++
}

func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight--
}

// note numbers a call and keeps it.
func (s *Server) note(path string, raw []byte) (Call, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := Call{N: len(s.calls), Seen: s.seen[string(raw)], Path: path, Raw: raw}
	s.seen[string(raw)]++
	err := json.Unmarshal(raw, &c.Body)
	s.calls = append(s.calls, c)
	return c, err
}

// admit checks the key; like some real endpoints it sends a wrong one back.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) bool {
	if s.opts.Key == "" || r.Header.Get("Authorization") == "Bearer "+s.opts.Key || r.Header.Get("X-Api-Key") == s.opts.Key {
		return true
	}
	s.count(func(x *Stats) *int { return &x.Denied })
	sent := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") + r.Header.Get("X-Api-Key")
	Status(http.StatusUnauthorized, "Incorrect API key provided: "+sent)(w, r, nil)
	return false
}

func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	if s.admit(w, r) {
		w.Header().Set("Content-Type", "application/json")
		write(w, `{"object":"list","data":[{"id":"test","object":"model"}]}`)
	}
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.enter()
	defer s.leave()
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	c, err := s.note(r.URL.Path, raw)
	if err != nil {
		s.count(func(x *Stats) *int { return &x.Faults })
		Status(http.StatusBadRequest, "the body is not JSON")(w, r, nil)
		return
	}
	if !s.admit(w, r) {
		return
	}
	if s.opts.Latency > 0 {
		t := time.NewTimer(s.opts.Latency)
		select {
		case <-t.C:
		case <-r.Context().Done():
			t.Stop()
			return
		}
	}
	answer := s.answer(c)
	if s.opts.Fault != nil {
		if f := s.opts.Fault(c); f != nil {
			s.count(func(x *Stats) *int { return &x.Faults })
			f(w, r, &Given{answer, s.quit})
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	if _, err := w.Write(answer); err == nil {
		s.count(func(x *Stats) *int { return &x.Answered })
	}
}
