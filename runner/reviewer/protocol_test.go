package reviewer

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/review"
	"plumbline/experiments/vote"
	"plumbline/runner/reviewer/reviewertest"
)

func n64(n int64) *int64     { return &n }
func f64(x float64) *float64 { return &x }

// askOnce answers one request with this body.
func askOnce(t *testing.T, spec func(*reviewertest.Server) Spec, body string, price *Price) (Answer, error) {
	t.Helper()
	srv := reviewertest.New(t, reviewertest.Options{Fault: reviewertest.Always(reviewertest.RawBody(200, "application/json", body))})
	d, _ := testDeps(t)
	s := spec(srv)
	s.Price, s.MaxAttempts = price, 1
	return mustNew(t, s, d).Ask(t.Context(), testRequest(t, 0))
}

var testPrice = &Price{Version: "2026-01", InputPerMTok: f64(2), OutputPerMTok: f64(8), CachedInputPerMTok: f64(0.5), CacheWritePerMTok: f64(2.5)}

func TestUsageAndCost(t *testing.T) {
	const choice = `"choices":[{"finish_reason":"stop","message":{"content":"{\"decision\":\"accept\"}"}}]`
	const content = `"type":"message","content":[{"type":"text","text":"{\"decision\":\"accept\"}"}],"stop_reason":"end_turn"`
	tests := []struct {
		name  string
		spec  func(*reviewertest.Server) Spec
		body  string
		price *Price
		usage Usage
		cost  *float64
	}{
		{"openai, cached inside prompt", openAISpec, `{` + choice + `,"usage":{"prompt_tokens":1000,"completion_tokens":200,"prompt_tokens_details":{"cached_tokens":600},"completion_tokens_details":{"reasoning_tokens":150}}}`,
			testPrice, Usage{PromptTokens: n64(1000), CompletionTokens: n64(200), CachedTokens: n64(600), ReasoningTokens: n64(150)}, f64((400*2 + 600*0.5 + 200*8) / 1e6)},
		{"anthropic, cached beside input", anthropicSpec, `{` + content + `,"usage":{"input_tokens":300,"output_tokens":200,"cache_read_input_tokens":600,"cache_creation_input_tokens":100}}`,
			testPrice, Usage{PromptTokens: n64(1000), CompletionTokens: n64(200), CachedTokens: n64(600), CacheWriteTokens: n64(100)}, f64((300*2 + 600*0.5 + 100*2.5 + 200*8) / 1e6)},
		{"no usage is unknown, not 0", openAISpec, `{` + choice + `}`, testPrice, Usage{}, nil},
		{"no price is unknown, not 0", openAISpec, `{` + choice + `,"usage":{"prompt_tokens":10,"completion_tokens":2}}`, nil, Usage{PromptTokens: n64(10), CompletionTokens: n64(2)}, nil},
		{"a missing part of the price", openAISpec, `{` + choice + `,"usage":{"prompt_tokens":10,"completion_tokens":2}}`, &Price{Version: "x", InputPerMTok: f64(1)}, Usage{PromptTokens: n64(10), CompletionTokens: n64(2)}, nil},
		{"a free model costs 0", openAISpec, `{` + choice + `,"usage":{"prompt_tokens":10,"completion_tokens":2}}`, &Price{Version: "x", InputPerMTok: f64(0), OutputPerMTok: f64(0)}, Usage{PromptTokens: n64(10), CompletionTokens: n64(2)}, f64(0)},
		{"no cached price: the input price", openAISpec, `{` + choice + `,"usage":{"prompt_tokens":10,"completion_tokens":0,"prompt_tokens_details":{"cached_tokens":5}}}`, &Price{Version: "x", InputPerMTok: f64(1)}, Usage{PromptTokens: n64(10), CompletionTokens: n64(0), CachedTokens: n64(5)}, f64(10 / 1e6)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := askOnce(t, tt.spec, tt.body, tt.price)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.usage, a.Usage); diff != "" {
				t.Error(diff)
			}
			if (a.CostUSD == nil) != (tt.cost == nil) || tt.cost != nil && (*a.CostUSD-*tt.cost > 1e-15 || *tt.cost-*a.CostUSD > 1e-15) {
				t.Errorf("cost %v, want %v", show(a.CostUSD), show(tt.cost))
			}
			if tt.price != nil && a.PriceVersion != tt.price.Version {
				t.Errorf("price version %q", a.PriceVersion)
			}
		})
	}
}

func show(x *float64) any {
	if x == nil {
		return "unknown"
	}
	return *x
}

func TestStops(t *testing.T) {
	yes := `{\"rationale\":\"r\",\"decision\":\"accept\"}`
	tests := []struct {
		name    string
		spec    func(*reviewertest.Server) Spec
		body    string
		vote    vote.Vote
		stop    review.Stop
		problem string
		raw     string
	}{
		{"done", openAISpec, `{"choices":[{"finish_reason":"stop","message":{"content":"` + yes + `"}}]}`, vote.Accept, review.StopDone, "", `{"rationale":"r","decision":"accept"}`},
		{"no reason given", openAISpec, `{"choices":[{"message":{"content":"` + yes + `","reasoning_content":"hm"}}]}`, vote.Accept, review.StopUnknown, "", `{"rationale":"r","decision":"accept"}`},
		{"content in parts", openAISpec, `{"choices":[{"finish_reason":"stop","message":{"content":[{"type":"text","text":"` + yes + `"}]}}]}`, vote.Accept, review.StopDone, "", `{"rationale":"r","decision":"accept"}`},
		{"tool call", openAISpec, `{"choices":[{"finish_reason":"tool_calls","message":{"content":null,"tool_calls":[{"function":{"name":"f","arguments":"` + yes + `"}}]}}]}`, vote.Accept, review.StopDone, "", `{"rationale":"r","decision":"accept"}`},
		{"token limit, although a verdict is there", openAISpec, `{"choices":[{"finish_reason":"length","message":{"content":"` + yes + `"}}]}`, vote.Unparseable, review.StopLength, "the reply was cut off at the token limit", `{"rationale":"r","decision":"accept"}`},
		{"refusal field", openAISpec, `{"choices":[{"finish_reason":"stop","message":{"content":null,"refusal":"I will not."}}]}`, vote.Unparseable, review.StopRefusal, "the model refused to answer", "I will not."},
		{"null content", openAISpec, `{"choices":[{"finish_reason":"stop","message":{"content":null}}]}`, vote.Unparseable, review.StopDone, "the reply is empty", ""},
		{"anthropic text behind thinking", anthropicSpec, `{"type":"message","content":[{"type":"thinking","thinking":"{\"decision\":\"reject\"}"},{"type":"text","text":"` + yes + `"}],"stop_reason":"end_turn"}`, vote.Accept, review.StopDone, "", `{"rationale":"r","decision":"accept"}`},
		{"anthropic tool", anthropicSpec, `{"type":"message","content":[{"type":"text","text":"so:"},{"type":"tool_use","input":{"decision":"reject"}}],"stop_reason":"tool_use"}`, vote.Reject, review.StopDone, "", `{"decision":"reject"}`},
		{"anthropic token limit", anthropicSpec, `{"type":"message","content":[],"stop_reason":"max_tokens"}`, vote.Unparseable, review.StopLength, "the reply was cut off at the token limit", ""},
		{"anthropic refusal", anthropicSpec, `{"type":"message","content":[],"stop_reason":"refusal"}`, vote.Unparseable, review.StopRefusal, "the model refused to answer", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := askOnce(t, tt.spec, tt.body, nil)
			if err != nil {
				t.Fatal(err)
			}
			if a.Reply.Vote != tt.vote || a.Stop != tt.stop || a.Reply.Problem != tt.problem || a.Raw != tt.raw {
				t.Errorf("%s, stop %q, problem %q, raw %q", a.Reply.Vote, a.Stop, a.Reply.Problem, a.Raw)
			}
		})
	}
	_, err := askOnce(t, openAISpec, `{"choices":[{"finish_reason":"content_filter","message":{"content":""}}]}`, nil)
	if e := asError(t, err); e.Class != ClassContentFilter || !e.Permanent {
		t.Errorf("%+v", e)
	}
	_, err = askOnce(t, anthropicSpec, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, nil)
	if e := asError(t, err); e.Class != ClassRateLimited || e.Permanent {
		t.Errorf("%+v", e)
	}
}

// A server that refuses schemas, then objects, then settings is asked once for each
// and never again.
func TestFallsBackAndRemembers(t *testing.T) {
	srv := reviewertest.New(t, reviewertest.Options{Fault: func(c reviewertest.Call) reviewertest.Fault {
		switch {
		case strings.Contains(string(c.Body.ResponseFormat), "json_schema"):
			return reviewertest.Status(400, "response_format of type json_schema is not supported")
		case len(c.Body.ResponseFormat) > 0:
			return reviewertest.Status(422, "unknown field response_format")
		case c.Body.Temperature != nil:
			return reviewertest.Refuse("temperature")
		case c.Body.MaxTokens > 0:
			return reviewertest.Status(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
		}
		return nil
	}})
	d, w := testDeps(t)
	spec := openAISpec(srv)
	spec.Temperature, spec.MaxAttempts = f64(0.8), 1
	r := mustNew(t, spec, d)
	a, err := r.Ask(t.Context(), testRequest(t, 0))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Applied{Structured: StructuredPlain, Dropped: []string{"temperature"}}, a.Applied); diff != "" {
		t.Error(diff)
	}
	if a.Attempts != 5 || len(w.all) != 0 {
		t.Errorf("%d calls, waits %v", a.Attempts, w.all)
	}
	before := srv.Stats().Requests
	if _, err := mustNew(t, spec, d).Ask(t.Context(), testRequest(t, 1)); err != nil {
		t.Fatal(err)
	}
	if got := srv.Stats().Requests - before; got != 1 {
		t.Errorf("%d requests once all is known, want 1", got)
	}
	calls := srv.Calls()
	if last := calls[len(calls)-1].Body; last.MaxCompletion != DefaultMaxTokens || last.MaxTokens != 0 {
		t.Errorf("last request %+v", last)
	}
	spec.Structured = StructuredSchema
	_, err = mustNew(t, spec, d).Ask(t.Context(), testRequest(t, 2))
	if e := asError(t, err); e.Class != ClassBadRequest || !e.Permanent {
		t.Errorf("an explicit mode was given up: %+v", e)
	}
}

func TestAnthropicFallsBackToPlainText(t *testing.T) {
	srv := reviewertest.New(t, reviewertest.Options{Fault: func(c reviewertest.Call) reviewertest.Fault {
		if len(c.Body.Tools) > 0 {
			return reviewertest.Status(400, "tool_choice forces tool use is not compatible with this model")
		}
		return nil
	}})
	d, _ := testDeps(t)
	a, err := mustNew(t, anthropicSpec(srv), d).Ask(t.Context(), testRequest(t, 0))
	if err != nil {
		t.Fatal(err)
	}
	if a.Applied.Structured != StructuredPlain || a.Attempts != 2 || a.Reply.Vote == vote.Unparseable {
		t.Errorf("%+v", a)
	}
}

// What is sent: the prompt as it is, the settings, a seed of its own for each vote,
// and nothing of the truth.
func TestRequestBodies(t *testing.T) {
	for name, make := range map[string]func(*reviewertest.Server) Spec{"openai": openAISpec, "anthropic": anthropicSpec} {
		t.Run(name, func(t *testing.T) {
			srv := reviewertest.New(t, reviewertest.Options{Key: testKey})
			d, _ := testDeps(t)
			spec := make(srv)
			spec.Key, spec.Temperature, spec.TopP, spec.Seed, spec.MaxTokens = "env:GOOD", f64(0.8), f64(0.9), n64(3), 777
			r := mustNew(t, spec, d)
			req := testRequest(t, 0)
			seeds := []int64{}
			for i := range 3 {
				req.VoteIndex = i
				a, err := r.Ask(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				if a.Applied.Seed != nil {
					seeds = append(seeds, *a.Applied.Seed)
				}
			}
			for i, c := range srv.Calls() {
				b := c.Body
				system := b.System
				if system == "" {
					system = b.Messages[0].Content
				}
				if b.Model != "m" || *b.Temperature != 0.8 || *b.TopP != 0.9 || b.MaxTokens != 777 || b.User() != req.Messages.User || system != req.Messages.System {
					t.Errorf("request %d: %s", i, c.Raw)
				}
				if strings.Contains(string(c.Raw), "defective") || strings.Contains(string(c.Raw), testKey) || strings.Contains(string(c.Raw), "trace-1") {
					t.Errorf("request %d tells too much", i)
				}
				if name == "openai" && (b.Seed == nil || *b.Seed != seeds[i]) {
					t.Errorf("request %d has seed %v, want %v", i, b.Seed, seeds)
				}
				if !json.Valid(c.Raw) {
					t.Errorf("request %d is not JSON", i)
				}
			}
			if name == "openai" {
				slices.Sort(seeds)
				if len(slices.Compact(seeds)) != 3 {
					t.Errorf("seeds repeat: %v", seeds)
				}
			}
		})
	}
}
