package control

import (
	"fmt"
	"strings"
)

// rule is a fixed policy: it needs no likelihoods, though its belief is tracked.
// next returns an available action and the reason.
type rule struct {
	base
	next func(*Model, *State) (Action, string)
	look sight
}

func (r *rule) sees() sight { return r.look }

func (r *rule) Act(s State) Action {
	a, _ := r.next(&r.model, &s)
	return a
}

func (r *rule) Decide(s State) Decision {
	a, why := r.next(&r.model, &s)
	d := r.decision(&s)
	d.Action, d.Name = a, r.model.Problem.ActionName(a)
	d.Ships = a == Stop && r.model.Problem.Ships(s.Belief)
	d.Reason = why + " → " + r.model.Problem.verb(a, d.Ships)
	return d
}

// refuted handles a candidate that was verified and is defective, for all rules.
func refuted(m *Model, s *State) (Action, string) {
	if m.Allowed(s, Regenerate) {
		return Regenerate, "verification found a defect, " + left(s)
	}
	return Stop, "verification found a defect, nothing left to generate"
}

func left(s *State) string {
	if s.Regenerations == 1 {
		return "1 regeneration left"
	}
	return fmt.Sprintf("%d regenerations left", s.Regenerations)
}

func alwaysVerify(m *Model, s *State) (Action, string) {
	if s.Failed {
		return refuted(m, s)
	}
	return Verify, "the candidate in hand is verified without a look"
}

func neverAct(*Model, *State) (Action, string) { return Stop, "nothing is done" }

func bestOfLast(m *Model, s *State) (Action, string) {
	if m.Allowed(s, Regenerate) {
		return Regenerate, fmt.Sprintf("candidate %d is not the last, %s", s.Candidate+1, left(s))
	}
	if s.Failed {
		return refuted(m, s)
	}
	return Verify, "the last candidate is in hand"
}

func bestOfSelect(m *Model, s *State) (Action, string) {
	for i := range m.Problem.Critics {
		if m.Allowed(s, Ask(i)) {
			return Ask(i), "every candidate gets every critic"
		}
	}
	if m.Allowed(s, Regenerate) {
		return Regenerate, fmt.Sprintf("candidate %d is scored, %s", s.Candidate+1, left(s))
	}
	if s.BestInHand() {
		return VerifyBest, fmt.Sprintf("candidate %d in hand has the highest belief, %.2f", s.Candidate+1, s.Belief)
	}
	return VerifyBest, fmt.Sprintf("candidate %d has the highest belief, %.2f", s.Best+1, s.BestBelief)
}

// screen is the family of gates, pipelines and loops over the given critics.
type screen struct {
	critics   []int
	earlyExit bool // leave at the first fail instead of running all
	insist    bool // verify the last candidate even if it failed
}

func (c screen) next(m *Model, s *State) (Action, string) {
	if s.Failed {
		return refuted(m, s)
	}
	p := &m.Problem
	var failed []string
	open := -1
	for _, i := range c.critics {
		switch {
		case !s.Used.Has(i):
			if open < 0 {
				open = i
			}
		case !s.passed(p, i):
			failed = append(failed, p.Critics[i].Name)
		}
	}
	if open >= 0 && (len(failed) == 0 || !c.earlyExit) {
		if m.Allowed(s, Ask(open)) {
			return Ask(open), p.Critics[open].Name + " has not seen this candidate"
		}
		failed = append(failed, "no action left for "+p.Critics[open].Name)
	}
	if len(failed) == 0 {
		return Verify, c.names(p) + " passed"
	}
	why := strings.Join(failed, ", ") + " did not pass"
	switch {
	case m.Allowed(s, Regenerate):
		return Regenerate, why + ", " + left(s)
	case c.insist:
		return Verify, why + ", but this is the last candidate"
	}
	return Stop, why + ", nothing left to generate"
}

func (c screen) names(p *Problem) string {
	names := make([]string, len(c.critics))
	for k, i := range c.critics {
		names[k] = p.Critics[i].Name
	}
	return strings.Join(names, ", ")
}
