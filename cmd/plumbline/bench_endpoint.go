package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// benchEndpoint is an OpenAI-compatible endpoint without faults that answers
// every request alike after a fixed time. It keeps nothing but the first request,
// so that its share of the process's memory stays small.
type benchEndpoint struct {
	url    string
	first  atomic.Pointer[[]byte]
	served atomic.Int64
	server *http.Server
}

func startBenchEndpoint(latency time.Duration) (*benchEndpoint, error) {
	answer, err := json.Marshal(map[string]any{
		"id": "bench", "object": "chat.completion", "model": "bench",
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{
			"role": "assistant", "content": `{"rationale":"The cited line settles it.","citations":[{"line":1,"quote":"Issue"}],"decision":"accept","confidence":0.75}`,
		}}},
		"usage": map[string]any{"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960},
	})
	if err != nil {
		return nil, fmt.Errorf("write the endpoint's answer: %w", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the endpoint: %w", err)
	}
	e := &benchEndpoint{url: "http://" + l.Addr().String() + "/v1"}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		if e.first.Load() == nil {
			if raw, err := io.ReadAll(r.Body); err == nil {
				e.first.CompareAndSwap(nil, &raw)
			}
		} else if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return // the client went away
		}
		time.Sleep(latency)
		w.Header().Set("Content-Type", "application/json")
		if _, err := w.Write(answer); err == nil {
			e.served.Add(1)
		}
	})
	e.server = &http.Server{Handler: mux}
	go e.server.Serve(l) // ends with close
	return e, nil
}

func (e *benchEndpoint) close() error { return e.server.Close() }
