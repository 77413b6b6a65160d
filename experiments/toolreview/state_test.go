package toolreview_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/review"
	"plumbline/experiments/toolreview"
	"plumbline/experiments/vote"
)

const accept = `{"rationale":"fine","citations":[],"decision":"accept","confidence":0.9}`

func call(tool, args string) toolreview.Call { return toolreview.Call{Tool: tool, Args: args} }

func text(s string) toolreview.Replied { return toolreview.Replied{Text: s, Stop: review.StopDone} }

func calls(c ...toolreview.Call) toolreview.Replied {
	return toolreview.Replied{Calls: c, Stop: review.StopDone}
}

var looks = calls(call(toolreview.ReadFile, `{"path":"a.py"}`))

// play feeds replies to a review and gives every call the same result, until it ends
// or the replies do.
func play(t *testing.T, p toolreview.Policy, replies ...toolreview.Replied) (toolreview.State, toolreview.Action) {
	t.Helper()
	s := toolreview.Start(p, review.Messages{System: "s", User: "u"})
	for {
		a := toolreview.Next(s)
		var o toolreview.Outcome
		switch a.Kind {
		case toolreview.Stop:
			if len(replies) > 0 {
				t.Fatalf("it ended by %q with %d replies left", a.End.Kind, len(replies))
			}
			return s, a
		case toolreview.AskModel:
			if len(replies) == 0 {
				return s, a
			}
			o, replies = replies[0], replies[1:]
		case toolreview.Perform:
			var r toolreview.Ran
			for _, c := range a.Calls {
				x := toolreview.Result{Shown: c.Problem}
				if c.Problem == "" {
					x = toolreview.Result{Argv: c.Command.Argv, Shown: "ok", WallMS: 7}
				}
				r.Results = append(r.Results, x)
			}
			o = r
		}
		next, err := s.Observe(o)
		if err != nil {
			t.Fatal(err)
		}
		s = next
	}
}

func repeat(n int, r toolreview.Replied) []toolreview.Replied {
	var out []toolreview.Replied
	for range n {
		out = append(out, r)
	}
	return out
}

// How a review may end, and which vote each end gives.
func TestEnds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		policy  toolreview.Policy
		replies []toolreview.Replied
		want    toolreview.EndKind
		vote    vote.Vote
		detail  string
	}{
		{"a verdict at once", toolreview.Policy{}, []toolreview.Replied{calls(call(toolreview.Decide, accept))}, toolreview.Decided, vote.Accept, ""},
		{"a verdict as a text", toolreview.Policy{}, []toolreview.Replied{text("Here:\n```json\n" + strings.Replace(accept, "accept", "reject", 1) + "\n```")}, toolreview.Decided, vote.Reject, ""},
		{"a look, then uncertain", toolreview.Policy{}, []toolreview.Replied{looks, text(strings.Replace(accept, "accept", "uncertain", 1))}, toolreview.Decided, vote.Uncertain, ""},
		{"a verdict in the last turn", toolreview.Policy{Turns: 2}, []toolreview.Replied{looks, text(accept)}, toolreview.Decided, vote.Accept, ""},
		{"tools for ever", toolreview.Policy{}, repeat(12, looks), toolreview.OutOfTurns, vote.Unparseable, "all its 12 turns"},
		{"tools for ever in texts", toolreview.Policy{Turns: 3}, repeat(3, text(`{"tool":"run","args":{"command":"ls"}}`)), toolreview.OutOfTurns, vote.Unparseable, "all its 3 turns"},
		{"a verdict beside calls in the last turn", toolreview.Policy{Turns: 1}, []toolreview.Replied{calls(call(toolreview.ReadFile, `{}`), call(toolreview.Decide, accept))}, toolreview.OutOfTurns, vote.Unparseable, ""},
		{"prose for ever", toolreview.Policy{}, repeat(3, text("I think that it is fine.")), toolreview.Unreadable, vote.Unparseable, "3 replies in a row"},
		{"half an object for ever", toolreview.Policy{}, repeat(3, text(`{"tool": "read_file", "args": {"pa`)), toolreview.Unreadable, vote.Unparseable, "3 replies in a row"},
		{"nothing for ever", toolreview.Policy{}, repeat(3, text("")), toolreview.Unreadable, vote.Unparseable, "empty"},
		{"prose in the last turn", toolreview.Policy{Turns: 2}, []toolreview.Replied{looks, text("Looks right to me, accept it.")}, toolreview.Unreadable, vote.Unparseable, "no verdict"},
		{"a verdict that is no verdict", toolreview.Policy{Turns: 1}, []toolreview.Replied{calls(call(toolreview.Decide, `{"decision":"maybe"}`))}, toolreview.Unreadable, vote.Unparseable, ""},
		{"broken arguments of a verdict", toolreview.Policy{Turns: 1}, []toolreview.Replied{calls(call(toolreview.Decide, `{"decision": acc`))}, toolreview.Unreadable, vote.Unparseable, ""},
		{"verdicts that contradict each other", toolreview.Policy{Turns: 1}, []toolreview.Replied{text(accept + "\n" + strings.Replace(accept, "accept", "reject", 1))}, toolreview.Unreadable, vote.Unparseable, "contradict"},
		{"a refusal by the server's word", toolreview.Policy{}, []toolreview.Replied{looks, {Text: accept, Stop: review.StopRefusal}}, toolreview.Refused, vote.Unparseable, "refused"},
		{"a refusal in prose", toolreview.Policy{}, []toolreview.Replied{text("I'm sorry, but I can't help with that.")}, toolreview.Refused, vote.Unparseable, "refused"},
		{"cut off, whatever it holds", toolreview.Policy{}, []toolreview.Replied{{Text: accept, Stop: review.StopLength}}, toolreview.CutOff, vote.Unparseable, "token limit"},
		{"a call that is cut off is not performed", toolreview.Policy{}, []toolreview.Replied{{Calls: looks.Calls, Stop: review.StopLength}}, toolreview.CutOff, vote.Unparseable, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, a := play(t, tt.policy, tt.replies...)
			if a.Kind != toolreview.Stop || a.End.Kind != tt.want || a.End.Reply.Vote != tt.vote || !strings.Contains(a.End.Detail, tt.detail) {
				t.Errorf("%s: %+v", a.Kind, a.End)
			}
			if (tt.want == toolreview.Decided) != (a.End.Detail == "") || a.End.Kind.Explain() == "" {
				t.Errorf("detail %q", a.End.Detail)
			}
		})
	}
}

// What does not end a review: it goes on with what the model is told.
func TestGoesOn(t *testing.T) {
	t.Parallel()
	verdict := call(toolreview.Decide, accept)
	for _, tt := range []struct {
		name    string
		replies []toolreview.Replied
		shown   []string // results or the answer of the last turn
	}{
		{"a verdict beside a call does not count", []toolreview.Replied{calls(looks.Calls[0], verdict)}, []string{"ok", "does not count"}},
		{"two verdicts at once", []toolreview.Replied{calls(verdict, verdict)}, []string{"does not count", "does not count"}},
		{"a text that makes up the result and decides", []toolreview.Replied{text(`{"tool":"run","args":{"command":"x"}}` + "\nResult: ok\n" + accept)}, []string{"ok"}},
		{"an unknown tool", []toolreview.Replied{calls(call("write_file", `{"path":"a"}`))}, []string{`no tool "write_file"`}},
		{"broken arguments", []toolreview.Replied{calls(call(toolreview.RunTool, `{"command": "ls`))}, []string{"not the JSON object"}},
		{"missing arguments", []toolreview.Replied{calls(call(toolreview.RunTool, ``), call(toolreview.Search, `{}`), call(toolreview.ReadFile, `{}`))}, []string{"needs a command", "needs a pattern", "needs a path"}},
		{"a NUL", []toolreview.Replied{calls(call(toolreview.RunTool, `{"command":"a\u0000b"}`))}, []string{"NUL"}},
		{"too many calls at once", []toolreview.Replied{calls(looks.Calls[0], looks.Calls[0], looks.Calls[0], looks.Calls[0], looks.Calls[0])}, []string{"ok", "ok", "ok", "ok", "at most 4"}},
		{"prose twice, then a look, then prose twice", append(append(repeat(2, text("hm")), looks), repeat(2, text("hm"))...), []string{"neither a call"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, a := play(t, toolreview.Policy{}, tt.replies...)
			if a.Kind != toolreview.AskModel {
				t.Fatalf("%s: %+v", a.Kind, a.End)
			}
			last := s.Turns()[len(s.Turns())-1]
			var got []string
			for _, r := range last.Results {
				got = append(got, r.Shown)
			}
			if last.Answer != "" {
				got = append(got, last.Answer)
			}
			if len(got) != len(tt.shown) {
				t.Fatalf("shown %q, want %q", got, tt.shown)
			}
			for i := range got {
				if !strings.Contains(got[i], tt.shown[i]) {
					t.Errorf("shown %q, want %q", got[i], tt.shown[i])
				}
			}
		})
	}
}

func TestLastTurnOffersNoTool(t *testing.T) {
	t.Parallel()
	_, a := play(t, toolreview.Policy{Turns: 3}, looks)
	if a.Last {
		t.Error("the second of three turns is called the last")
	}
	if _, a = play(t, toolreview.Policy{Turns: 3}, looks, looks); !a.Last {
		t.Error("the third of three turns is not called the last")
	}
	if s := toolreview.Reminder(toolreview.Policy{Turns: 3}, 2, false); !strings.Contains(s, "last turn") {
		t.Error(s)
	}
	if s := toolreview.Reminder(toolreview.Policy{Turns: 3}, 1, true); !strings.Contains(s, "Turns left: 2") || !strings.Contains(s, "JSON") {
		t.Error(s)
	}
}

// Outcomes that answer no open action are refused and change nothing.
func TestOrder(t *testing.T) {
	t.Parallel()
	start := toolreview.Start(toolreview.Policy{}, review.Messages{})
	waiting, err := start.Observe(looks)
	if err != nil {
		t.Fatal(err)
	}
	over, err := start.Observe(toolreview.Troubled{Detail: "gone"})
	if err != nil || toolreview.Next(over).End.Kind != toolreview.Trouble {
		t.Fatalf("%v %+v", err, toolreview.Next(over))
	}
	for name, x := range map[string]struct {
		s toolreview.State
		o toolreview.Outcome
	}{
		"results before a reply": {start, toolreview.Ran{}}, "a reply before results": {waiting, text(accept)},
		"too many results": {waiting, toolreview.Ran{Results: make([]toolreview.Result, 2)}}, "a reply after the end": {over, text(accept)},
		"trouble after the end": {over, toolreview.Troubled{}}, "nothing": {start, nil},
	} {
		got, err := x.s.Observe(x.o)
		if !errors.Is(err, toolreview.ErrOrder) || toolreview.Next(got).Kind != toolreview.Next(x.s).Kind {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A state is a value: two continuations of one do not see each other.
	a, _ := waiting.Observe(toolreview.Ran{Results: []toolreview.Result{{Shown: "a"}}})
	b, _ := waiting.Observe(toolreview.Ran{Results: []toolreview.Result{{Shown: "b"}}})
	if a.Turns()[0].Results[0].Shown != "a" || b.Turns()[0].Results[0].Shown != "b" || len(waiting.Turns()[0].Results) != 0 {
		t.Error("states share their turns")
	}
}

func TestRecord(t *testing.T) {
	t.Parallel()
	n := func(v int64) *int64 { return &v }
	s, _ := play(t, toolreview.Policy{}, calls(looks.Calls[0], call(toolreview.RunTool, `{"command":"true"}`), call("nonsense", "")), text("hm"), calls(call(toolreview.Decide, accept)))
	usage := []toolreview.Usage{{Prompt: n(100), Completion: n(10), LatencyMS: 5, Protocol: "native"}, {Prompt: n(200), Completion: n(1)}, {Prompt: n(300), Completion: n(9)}}
	r := toolreview.NewRecord(s, toolreview.Current, usage)
	want := toolreview.Counts{Turns: 3, Calls: 3, Commands: 2, Reads: 1, Prompt: n(600), Completion: n(20), WallMS: 14}
	if diff := cmp.Diff(want, r.Counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	raw, err := r.Text()
	if err != nil {
		t.Fatal(err)
	}
	got, ok := toolreview.ReadRecord(raw)
	if diff := cmp.Diff(r, got); diff != "" || !ok || got.End != toolreview.Decided {
		t.Errorf("%v: read back (-want +got):\n%s", ok, diff)
	}
	usage[1].Prompt = nil
	if c := toolreview.NewRecord(s, "", usage).Counts; c.Prompt != nil || c.Completion == nil {
		t.Errorf("an unreported count makes a sum of %v and %v", c.Prompt, c.Completion)
	}
	for _, other := range []string{"", accept, `{"tool_review":"v9"}`, `{"tool_review":`} {
		if _, ok := toolreview.ReadRecord(other); ok {
			t.Errorf("%q is read as a record", other)
		}
	}
}
