package control

import (
	"fmt"

	"plumbline/experiments/belief"
)

type replayer struct {
	options  ReplayOptions
	column   []int // of each critic of the problem
	feedback Mask  // of the critics the generator saw
}

func newReplayer(p Policy, t belief.Table, o ReplayOptions) (replayer, error) {
	r := replayer{options: o}
	critics := p.Model().Problem.Critics
	for i := range critics {
		at := t.Critic(critics[i].Name)
		if at < 0 {
			return r, fmt.Errorf("replay %s: the records have no critic %q", p.Name(), critics[i].Name)
		}
		if t.Critics[at].Outcomes != critics[i].Outcomes() {
			return r, fmt.Errorf("replay %s: critic %q has %d outcomes in the records and %d in the model",
				p.Name(), critics[i].Name, t.Critics[at].Outcomes, critics[i].Outcomes())
		}
		r.column = append(r.column, at)
	}
	for _, name := range o.Feedback {
		i := p.Model().Problem.CriticIndex(name)
		if i < 0 {
			return r, fmt.Errorf("replay %s: the feedback names %q, which is no critic of it", p.Name(), name)
		}
		r.feedback = r.feedback.With(i)
	}
	if o.Regenerations != nil && *o.Regenerations < 0 {
		return r, fmt.Errorf("replay %s: %d regenerations have no meaning", p.Name(), *o.Regenerations)
	}
	return r, nil
}

func (r *replayer) start(m *Model, k belief.Task) State {
	b := Budget{Actions: Unlimited, Regenerations: max(len(k.Candidates)-1, 0)}
	if r.options.Actions > 0 {
		b.Actions = r.options.Actions
	}
	if r.options.Regenerations != nil {
		b.Regenerations = *r.options.Regenerations
	}
	return m.Start(b)
}

func (r *replayer) play(p Policy, k belief.Task) (Episode, error) {
	m := p.Model()
	e := Episode{Task: k.ID, Group: k.Group}
	if len(k.Candidates) == 0 {
		e.Status, e.Why = Unreplayable, "no candidate was recorded"
		return e, nil
	}
	limit := r.options.Cap
	if limit <= 0 {
		limit = MaxDepth
	}
	for s := r.start(m, k); ; {
		e.FinalBelief = s.Belief
		if len(e.Events) >= limit {
			e.Status, e.Why = Capped, fmt.Sprintf("it took %d actions without an end", limit)
			break
		}
		taken := Taken{Before: s.Belief}
		a := p.Act(s)
		if r.options.Explain {
			d := p.Decide(s)
			taken.Decision = &d
		}
		taken.Action = m.Problem.ActionName(a)
		event, status, why := r.observe(m, k, &s, a)
		if status == Unreplayable {
			e.Status, e.Why = status, why
			break
		}
		if status == Censored {
			// The candidate that would have come was never made: pay and give up.
			e.Cost += m.Problem.CostRegenerate
			e.Regenerations++
			taken.After, taken.Cost = s.Belief, m.Problem.CostRegenerate
			e.Events = append(e.Events, taken)
			e.Status, e.Why = status, why
			break
		}
		step, err := m.Observe(s, event)
		if err != nil {
			return e, fmt.Errorf("replay %s on task %s: %w", p.Name(), k.ID, err)
		}
		taken.After, taken.Cost = step.State.Belief, step.Cost
		r.book(m, k, &e, &taken, &s, event, step)
		e.Events = append(e.Events, taken)
		if step.Done {
			break
		}
		s = step.State
	}
	e.Utility = e.Reward - e.Cost
	return e, nil
}

// observe looks up what the record says about an action.
func (r *replayer) observe(m *Model, k belief.Task, s *State, a Action) (Event, Status, string) {
	event := Event{Action: a}
	i, critic := a.Critic()
	switch {
	case critic && i < len(r.column):
		event.Outcome = k.Candidates[s.Candidate].Outcomes[r.column[i]]
		if event.Outcome == belief.Unrecorded {
			return event, Unreplayable, fmt.Sprintf("%s was not recorded on candidate %d", m.Problem.Critics[i].Name, s.Candidate+1)
		}
	case a == Verify || a == VerifyBest || (a == Stop && m.Problem.Ships(s.Belief) && !s.Failed):
		at := s.Candidate
		if a == VerifyBest && !s.BestInHand() {
			at = s.Best
		}
		switch k.Candidates[at].Y {
		case belief.Correct:
			event.Outcome = belief.Pass
		case belief.Defective:
			event.Outcome = belief.Fail
		default:
			return event, Unreplayable, fmt.Sprintf("candidate %d has no label", at+1)
		}
	case a == Regenerate && s.Candidate+1 >= len(k.Candidates) && m.Allowed(s, a):
		return event, Censored, fmt.Sprintf("only %d candidates were recorded", len(k.Candidates))
	}
	return event, "", ""
}

// book adds an observed event to the episode.
func (r *replayer) book(m *Model, k belief.Task, e *Episode, taken *Taken, s *State, event Event, step Step) {
	e.Cost += step.Cost
	e.Reward += step.Reward
	if step.Impossible {
		e.Impossible++
	}
	switch event.Action {
	case Stop:
		e.Status = Stopped
		if m.Problem.Ships(s.Belief) && !s.Failed {
			e.Status, taken.Outcome = Shipped, "pass"
			e.Reward += m.Problem.Reward
			if event.Outcome == belief.Fail {
				taken.Outcome = "fail"
				e.Reward -= m.Problem.Reward + *m.Problem.ShipLoss
			}
		}
	case Verify, VerifyBest:
		taken.Outcome, e.Status = "fail", Verified
		if event.Outcome == belief.Pass {
			taken.Outcome, e.Solved = "pass", true
		}
	case Regenerate:
		e.Regenerations++
		e.Mismatch = e.Mismatch || r.mismatch(k, s)
	default:
		i, _ := event.Action.Critic()
		e.CriticCalls++
		taken.Outcome = m.Problem.Critics[i].Label(event.Outcome)
	}
}

// mismatch reports whether the policy ran other critics on the candidate in hand
// than those whose feedback went into the next recorded one.
func (r *replayer) mismatch(k belief.Task, s *State) bool {
	if !r.options.Chains {
		return false
	}
	seen := r.feedback
	if r.options.Feedback == nil {
		for i, at := range r.column {
			if k.Candidates[s.Candidate].Outcomes[at] != belief.Unrecorded {
				seen = seen.With(i)
			}
		}
	}
	return seen != s.Used
}
