package reviewer

import (
	"testing"

	"plumbline/experiments/evidence"
	"plumbline/experiments/review"
	"plumbline/experiments/simulate"
	"plumbline/experiments/trace"
)

// The votes are those of the simulation, read from text as a model's would be, and
// every citation is a true one.
func TestSimulatedVotes(t *testing.T) {
	d, _ := testDeps(t)
	for _, p := range simulate.Presets() {
		r := mustNew(t, Spec{Kind: KindSimulated, Simulated: &Simulated{Preset: p.Name}}, d)
		cited := 0
		for i := range 60 {
			req := testRequest(t, i)
			req.Truth = []trace.Label{trace.Acceptable, trace.Defective, trace.Unknown}[i%3]
			a, err := r.Ask(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if want := p.Vote(uint64(req.Seed), req.TraceID, i, req.Truth, string(req.Form)); a.Reply.Vote != want {
				t.Errorf("%s vote %d: %s (%s), want %s", p.Name, i, a.Reply.Vote, a.Reply.Problem, want)
			}
			again, err := r.Ask(t.Context(), req)
			if err != nil || again.Raw != a.Raw || !a.Simulated {
				t.Errorf("%s vote %d is not repeated: %v", p.Name, i, err)
			}
			cited += len(a.Reply.Citations)
			for _, f := range review.Misread(a.Reply, evidence.ReadLines(req.Messages.User)) {
				if !f.Kind.Contradiction() {
					t.Errorf("%s vote %d: %s: %s", p.Name, i, f.Kind, f.Said)
				}
			}
		}
		if cited == 0 {
			t.Errorf("%s cites nothing", p.Name)
		}
	}
}
