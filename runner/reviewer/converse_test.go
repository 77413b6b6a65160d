package reviewer

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/review"
	"plumbline/experiments/toolreview"
	"plumbline/runner/reviewer/reviewertest"
)

func conversation(turns ...toolreview.Turn) Conversation {
	native, plain := toolreview.Prompt("1 | evidence", toolreview.Policy{})
	return Conversation{Native: native, Plain: plain, Turns: turns, TraceID: "t", Seed: 1}
}

func toolSpec(s *reviewertest.Server) Spec {
	spec := openAISpec(s)
	spec.Tools = &toolreview.Policy{}
	return spec
}

func mustConverse(t *testing.T, spec Spec, d Deps) *Converser {
	t.Helper()
	c, err := NewConverser(spec, d)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// wire is what a request held.
type wire struct {
	Messages []struct {
		Role       string `json:"role"`
		Content    *string
		ToolCallID string `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
	Tools []struct {
		Type     string
		Function struct{ Name string }
	}
	ResponseFormat any `json:"response_format"`
}

func sent(t *testing.T, c reviewertest.Call) (w wire) {
	t.Helper()
	if err := json.Unmarshal(c.Raw, &w); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestConverseNative(t *testing.T) {
	t.Parallel()
	srv := reviewertest.New(t, reviewertest.Options{Fault: reviewertest.Script(
		reviewertest.Step{Text: "Let me look.", Calls: []reviewertest.ToolCall{{ID: "a", Name: "read_file", Args: `{"path":"x"}`}, {Name: "run", Args: `{"command":"ls"}`}}},
	)})
	d, _ := testDeps(t)
	c := mustConverse(t, toolSpec(srv), d)
	got, err := c.Reply(t.Context(), conversation())
	if err != nil {
		t.Fatal(err)
	}
	want := []toolreview.Call{{ID: "a_2", Tool: "read_file", Args: `{"path":"x"}`}, {Tool: "run", Args: `{"command":"ls"}`}}
	if diff := cmp.Diff(want, got.Calls); diff != "" || got.Text != "Let me look." || got.Protocol != ProtocolNative || got.Stop != review.StopDone {
		t.Errorf("%+v; calls (-want +got):\n%s", got, diff)
	}
	if got.Usage.PromptTokens == nil || *got.Usage.PromptTokens == 0 || got.Attempts != 1 {
		t.Errorf("%+v", got)
	}
	w := sent(t, srv.Calls()[0])
	if len(w.Tools) != 4 || w.ResponseFormat != nil || len(w.Messages) != 2 {
		t.Errorf("%+v", w)
	}
	// The second request holds the first reply and its results; the last offers the
	// verdict alone.
	v := conversation(toolreview.Turn{Text: "Let me look.", Native: true, Calls: []toolreview.Call{{ID: "a", Tool: "read_file", Args: `{"path":"x"}`}, {ID: "b", Tool: "run", Args: `{broken`}},
		Results: []toolreview.Result{{Shown: "one"}, {Shown: "two"}}}, toolreview.Turn{Text: "hm", Answer: "Say it."})
	v.Last = true
	if _, err := c.Reply(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	w = sent(t, srv.Calls()[1])
	var roles []string
	for _, m := range w.Messages {
		roles = append(roles, m.Role)
	}
	if diff := cmp.Diff([]string{"system", "user", "assistant", "tool", "tool", "assistant", "user"}, roles); diff != "" {
		t.Fatal(diff)
	}
	if m := w.Messages[2]; len(m.ToolCalls) != 2 || m.ToolCalls[1].ID != "b" || m.ToolCalls[1].Function.Arguments != "{}" || *m.Content != "Let me look." {
		t.Errorf("%+v", m)
	}
	if a, b := w.Messages[3], w.Messages[4]; a.ToolCallID != "a" || *a.Content != "one" || b.ToolCallID != "b" || !strings.HasPrefix(*b.Content, "two\n\nTurns left: 11") {
		t.Errorf("%+v %+v", a, b)
	}
	if !strings.HasPrefix(*w.Messages[6].Content, "Say it.\n\nTurns left: 10") || len(w.Tools) != 1 || w.Tools[0].Function.Name != toolreview.Decide {
		t.Errorf("%+v", w)
	}
}

// A server that refuses tools is asked by texts, at once and from then on.
func TestConversePlain(t *testing.T) {
	t.Parallel()
	srv := reviewertest.New(t, reviewertest.Options{Fault: reviewertest.Plain(reviewertest.Step{Text: `{"tool":"search","args":{"pattern":"x"}}`})})
	d, _ := testDeps(t)
	c := mustConverse(t, toolSpec(srv), d)
	got, err := c.Reply(t.Context(), conversation())
	if err != nil || got.Protocol != ProtocolPlain || got.Attempts != 2 || len(got.Failures) != 1 {
		t.Fatalf("%v %+v", err, got)
	}
	v := conversation(toolreview.Turn{Native: true, Calls: []toolreview.Call{{ID: "a", Tool: "read_file", Args: `{"path":"<x>"}`}}, Results: []toolreview.Result{{Shown: "one"}}})
	if got, err = c.Reply(t.Context(), v); err != nil || got.Attempts != 1 {
		t.Fatalf("%v %+v", err, got)
	}
	w := sent(t, srv.Calls()[2])
	if len(w.Tools) != 0 || len(w.Messages) != 4 || *w.Messages[2].Content != `{"tool":"read_file","args":{"path":"<x>"}}` || !strings.HasPrefix(*w.Messages[3].Content, "Result of read_file:\none") {
		t.Errorf("%+v", w)
	}
	if !strings.Contains(*w.Messages[0].Content, `{"tool": "run"`) {
		t.Error("the system message does not teach the protocol of texts")
	}
	// An answer shape of a vote that was refused before is another matter.
	spec := openAISpec(srv)
	spec.Structured = StructuredPlain
	spec.Tools = &toolreview.Policy{}
	other, _ := testDeps(t)
	if got, err = mustConverse(t, spec, other).Reply(t.Context(), conversation()); err != nil || got.Protocol != ProtocolPlain || got.Attempts != 1 {
		t.Errorf("%v %+v", err, got)
	}
}

func TestConverseAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fault reviewertest.Fault
		class Class
		stop  review.Stop
		calls int
	}{
		{"arguments as an object", reviewertest.RawBody(200, "application/json", `{"choices":[{"finish_reason":"tool_calls","message":{"content":null,"tool_calls":[{"function":{"name":"run","arguments":{"command":"ls"}}}]}}]}`), "", review.StopDone, 1},
		{"cut off", reviewertest.RawBody(200, "application/json", `{"choices":[{"finish_reason":"length","message":{"content":"x"}}]}`), "", review.StopLength, 0},
		{"a refusal", reviewertest.RawBody(200, "application/json", `{"choices":[{"finish_reason":"stop","message":{"content":null,"refusal":"no"}}]}`), "", review.StopRefusal, 0},
		{"filtered", reviewertest.RawBody(200, "application/json", `{"choices":[{"finish_reason":"content_filter","message":{"content":null}}]}`), ClassContentFilter, "", 0},
		{"calls that are no list", reviewertest.RawBody(200, "application/json", `{"choices":[{"message":{"tool_calls":"x"}}]}`), ClassMalformed, "", 0},
		{"broken JSON", reviewertest.HalfWhole(), ClassMalformed, "", 0},
		{"500 for ever", reviewertest.Status(500, "boom"), ClassServer, "", 0},
		{"401", reviewertest.Status(401, "who are you"), ClassAuth, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := reviewertest.New(t, reviewertest.Options{Fault: reviewertest.Always(tt.fault)})
			d, _ := testDeps(t)
			got, err := mustConverse(t, toolSpec(srv), d).Reply(t.Context(), conversation())
			var e *Error
			switch {
			case tt.class == "" && (err != nil || got.Stop != tt.stop || len(got.Calls) != tt.calls):
				t.Errorf("%v %+v", err, got)
			case tt.class != "" && (!errors.As(err, &e) || e.Class != tt.class):
				t.Errorf("%v", err)
			}
			if tt.calls == 1 && got.Calls[0].Args != `{"command":"ls"}` {
				t.Errorf("%+v", got.Calls)
			}
		})
	}
}

// A reviewer with tools never votes by a single answer, and only endpoints that speak
// chat completions can be one.
func TestToolSpec(t *testing.T) {
	t.Parallel()
	srv := reviewertest.New(t, reviewertest.Options{})
	d, _ := testDeps(t)
	spec := toolSpec(srv)
	if _, err := mustNew(t, spec, d).Ask(t.Context(), testRequest(t, 0)); err == nil || srv.Stats().Requests != 0 {
		t.Errorf("it voted: %v", err)
	}
	if got := spec.Filled().Tools; got.Turns != 12 || spec.Tools.Turns != 0 {
		t.Errorf("filled %+v, and the spec it is of %+v", got, spec.Tools)
	}
	plain := spec
	plain.Tools = nil
	if hash(spec.Filled(), testRequest(t, 0)) == hash(plain.Filled(), testRequest(t, 0)) {
		t.Error("tools do not change the request hash")
	}
	for _, s := range []Spec{
		{Kind: KindAnthropic, BaseURL: srv.Root, Model: "m", Tools: &toolreview.Policy{}}, {Kind: KindReplay, Tools: &toolreview.Policy{}},
		{Kind: KindOpenAI, BaseURL: srv.URL, Model: "m", Tools: &toolreview.Policy{Turns: 1000}},
	} {
		if bad := s.Validate(); len(bad) != 1 || !strings.HasPrefix(bad[0].Field, "tools") {
			t.Errorf("%s: %v", s.Kind, bad)
		}
		if _, err := NewConverser(s, d); err == nil {
			t.Errorf("a %s reviewer got tools", s.Kind)
		}
	}
	if w, err := NewCompleter(spec, 100, d); err != nil {
		t.Error(err)
	} else if _, err := w.Complete(t.Context(), Prompt{Messages: review.Messages{User: "x"}}); err != nil {
		t.Errorf("a reviewer with tools writes no tests: %v", err)
	}
}
