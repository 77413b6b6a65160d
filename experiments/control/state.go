package control

import (
	"fmt"

	"plumbline/experiments/belief"
)

// Unlimited is a budget of actions without limit; the regenerations and the
// critics still end every episode.
const Unlimited = -1

// Budget limits an episode. Actions counts critic calls and regenerations (and
// verifications that may continue); Regenerations counts new candidates.
type Budget struct {
	Actions       int `json:"actions"` // Unlimited or ≥ 0
	Regenerations int `json:"regenerations"`
}

func (b Budget) valid() error {
	if b.Actions < Unlimited || b.Regenerations < 0 {
		return fmt.Errorf("a budget of %d actions and %d regenerations has no meaning", b.Actions, b.Regenerations)
	}
	return nil
}

// Mask is a set of critics; bit i is critic i.
type Mask uint16

// Has reports whether critic i is in the set.
func (m Mask) Has(i int) bool { return m>>i&1 == 1 }

// With adds critic i.
func (m Mask) With(i int) Mask { return m | 1<<i }

// full is the set of the first k critics.
func full(k int) Mask { return Mask(1<<k - 1) }

// State is all that a policy may know. It is a value: comparable, and safe to
// store and to share.
type State struct {
	Candidate     int     // index of the candidate in hand, 0 at the start
	Actions       int     // non-terminal actions left, or Unlimited
	Regenerations int     // regenerations left
	Used          Mask    // critics used on the candidate in hand
	Belief        float64 // P(candidate in hand is correct)
	// Outcomes of the used critics on the candidate in hand; Missing counts as
	// used.
	Outcomes [MaxCritics]belief.Outcome
	// Failed: the candidate in hand was verified and is defective.
	Failed bool
	// Best is the earlier candidate with the highest final belief, the lowest
	// index among equals, and BestBelief that belief; -1 before there is one.
	Best       int
	BestBelief float64
}

// Passed reports whether critic i of the problem was used and counts as a pass.
func (s *State) passed(p *Problem, i int) bool {
	return s.Used.Has(i) && p.Critics[i].Passes(s.Outcomes[i])
}

// BestInHand reports whether VerifyBest would verify the candidate in hand.
func (s State) BestInHand() bool { return s.Belief > s.BestBelief+tie }

// After says what a policy believes about a new candidate.
type After string

const (
	ByKernel  After = ""          // the belief moves by the kernel
	ToPrior   After = "prior"     // a new candidate is a fresh draw from the prior
	Unchanged After = "unchanged" // the belief stays; only in published replays
)

// Rules are the conventions of a policy's bookkeeping.
type Rules struct {
	After After
	// Repeat lets a critic be asked again on the same candidate, as the published
	// replays do: the same verdict then counts as new evidence.
	Repeat bool
}

// Model is what a policy believes about the world, and the step function that
// replay, simulation and live runs share.
type Model struct {
	Problem Problem
	Rules   Rules
}

// Start is the state with the first candidate in hand.
func (m *Model) Start(b Budget) State {
	return State{
		Actions: b.Actions, Regenerations: b.Regenerations, Belief: m.Problem.Prior,
		Best: -1, BestBelief: -1,
	}
}

// Allowed reports whether the action is available in the state.
func (m *Model) Allowed(s *State, a Action) bool {
	switch a {
	case Stop:
		return true
	case Verify:
		return !s.Failed
	case VerifyBest:
		return !s.Failed || s.Best >= 0
	case Regenerate:
		return s.Regenerations > 0 && s.Actions != 0
	}
	i, ok := a.Critic()
	return ok && i < len(m.Problem.Critics) && !s.Used.Has(i) && !s.Failed && s.Actions != 0
}

// spend takes one action from the budget.
func (s *State) spend() {
	if s.Actions > 0 {
		s.Actions--
	}
}

func (m *Model) asked(s State, i int, z belief.Outcome) (State, bool) {
	s.spend()
	var impossible bool
	s.Belief, impossible = m.Problem.Critics[i].Update(s.Belief, z)
	if !m.Rules.Repeat {
		s.Used = s.Used.With(i)
	}
	s.Outcomes[i] = z
	return s, impossible
}

func (m *Model) regenerated(s State) State {
	s.spend()
	if s.BestInHand() && !s.Failed {
		s.Best, s.BestBelief = s.Candidate, s.Belief
	}
	s.Candidate++
	s.Regenerations--
	s.Used, s.Failed = 0, false
	s.Outcomes = [MaxCritics]belief.Outcome{}
	switch m.Rules.After {
	case ToPrior:
		s.Belief = m.Problem.Prior
	case Unchanged:
	default:
		s.Belief = m.Problem.Kernel.Next(s.Belief)
	}
	return s
}

// refuted is the state after a verification of the candidate in hand that found
// a defect and may continue.
func (m *Model) refuted(s State) State {
	s.spend()
	s.Belief, s.Failed, s.Used = 0, true, full(len(m.Problem.Critics))
	return s
}

// continues reports whether a failed verification leaves the episode running.
func (m *Model) continues(s *State, a Action) bool {
	return a == Verify && m.Problem.VerifyFail == Continue && s.Actions != 0
}

// Event is an action that was performed and what came of it: the outcome of a
// critic, or Pass and Fail for a verification. Other actions have none.
type Event struct {
	Action  Action
	Outcome belief.Outcome
}

// Step is the result of an event.
type Step struct {
	State State
	Done  bool    // the episode is over
	Cost  float64 // of this action
	// Reward is what was earned: the reward of a verified or shipped correct
	// candidate, or minus the loss of shipping a defect.
	Reward float64
	// Impossible: the likelihoods exclude this outcome; the belief was kept.
	Impossible bool
}

// Observe applies an event. A stop that ships needs the truth to be worth
// something and is left at reward 0 here; the caller adds it when it is known.
// The error is for an action that is not available or an outcome that the critic
// does not have.
func (m *Model) Observe(s State, e Event) (Step, error) {
	p := &m.Problem
	if !m.Allowed(&s, e.Action) {
		return Step{}, fmt.Errorf("observe %s: the action is not available in this state", p.ActionName(e.Action))
	}
	switch e.Action {
	case Stop:
		return Step{State: s, Done: true}, nil
	case Regenerate:
		return Step{State: m.regenerated(s), Cost: p.CostRegenerate}, nil
	case Verify, VerifyBest:
		if e.Outcome != belief.Pass && e.Outcome != belief.Fail {
			return Step{}, fmt.Errorf("observe %s: it passes or fails, it has no outcome %d", p.ActionName(e.Action), e.Outcome)
		}
		out := Step{State: s, Done: true, Cost: p.CostVerify}
		switch {
		case e.Outcome == belief.Pass:
			out.Reward = p.Reward
			out.State.Belief = 1
		case m.continues(&s, e.Action):
			out.Done, out.State = false, m.refuted(s)
		default:
			out.State.Belief = 0
		}
		return out, nil
	}
	i, _ := e.Action.Critic()
	if e.Outcome != belief.Missing && (e.Outcome < 0 || int(e.Outcome) >= p.Critics[i].Outcomes()) {
		return Step{}, fmt.Errorf("observe critic %s: it has no outcome %d", p.Critics[i].Name, e.Outcome)
	}
	next, impossible := m.asked(s, i, e.Outcome)
	return Step{State: next, Cost: p.Critics[i].Cost, Impossible: impossible}, nil
}
