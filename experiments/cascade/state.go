package cascade

import (
	"errors"
	"fmt"
	"slices"

	"plumbline/experiments/vote"
)

// State is what is known of one patch under one policy. It is a value: Observe
// returns a new one and shares nothing that is written later.
type State struct {
	Policy   Policy
	Change   *Change
	Static   *Static
	Attempts []Attempt
	Votes    []vote.Vote // by index; empty where the vote is missing
	Trouble  *Failed
}

// Start is the state in which nothing is known.
func Start(p Policy) State { return State{Policy: p} }

// ErrUnasked is wrapped by Observe for an outcome of something that Next did not
// ask for. The state is unchanged then.
var ErrUnasked = errors.New("an outcome that was not asked for")

// Next is the one thing to do. It is a function of the state alone.
func Next(s State) Action {
	p := s.Policy
	if s.Trouble != nil {
		return Action{Kind: Stop, Stage: s.stage(), Trouble: s.Trouble}
	}
	if p.looks() {
		switch {
		case s.Change == nil:
			return Action{Kind: LookAtPatch, Stage: StageNoChange}
		case s.Change.None:
			return verdict(vote.Reject, StageNoChange, WhyNoChange)
		}
	}
	if p.Static != StaticOff {
		switch {
		case s.Static == nil:
			return Action{Kind: RunStatic, Stage: StageStatic}
		case s.Static.rejects(p.Static) > 0:
			return verdict(vote.Reject, StageStatic, WhyStatic)
		}
	}
	if a, ok := nextTest(s); ok {
		return a
	}
	return nextVote(s)
}

// nextTest is stage 2; false when it has nothing more to say.
func nextTest(s State) (Action, bool) {
	t := s.Policy.Tests
	if t.Attempts == 0 {
		return Action{}, false
	}
	n := len(s.Attempts)
	if n == 0 {
		return Action{Kind: Generate, Stage: StageTest, Attempt: 1}, true
	}
	last := s.Attempts[n-1]
	switch {
	case last.Discard() != "" && n < t.Attempts && !last.Flaw.final():
		return Action{Kind: Generate, Stage: StageTest, Attempt: n + 1, Feedback: feedback(last)}, true
	case last.Discard() != "":
		return Action{}, false
	case last.Base == NotRun:
		return Action{Kind: RunOnBase, Stage: StageTest, Attempt: n, TestID: last.TestID}, true
	case last.Patched == NotRun:
		return Action{Kind: RunOnPatch, Stage: StageTest, Attempt: n, TestID: last.TestID}, true
	}
	return t.after(last.Patched)
}

// feedback is what the next attempt is told: the flaw of the reply, or what the
// base said. A run on the patch has no part in it.
func feedback(a Attempt) string {
	if a.Flaw != NoFlaw {
		return string(a.Flaw)
	}
	if a.Feedback != "" {
		return a.Feedback
	}
	return string(a.Discard())
}

// after is what a kept test's outcome on the patch leads to. A test that hangs, is
// not found or breaks off on the patch has no outcome and decides nothing.
func (t TestRule) after(r Result) (Action, bool) {
	var then Then
	var why Why
	switch r {
	case Passed:
		then, why = t.OnPass, WhyTestPasses
	case FailedTest:
		then, why = t.OnFail, WhyTestFails
	case SetUp:
		then, why = t.OnBroken, WhyTestBroken
	}
	switch then {
	case ThenAccept:
		return verdict(vote.Accept, StageTest, why), true
	case ThenReject:
		return verdict(vote.Reject, StageTest, why), true
	}
	return Action{}, false
}

func nextVote(s State) Action {
	k := s.Policy.Residual.Votes
	if k == 0 {
		return verdict(vote.Uncertain, StageResidual, WhyNoReviewer)
	}
	var missing []int
	for i := range k {
		if i >= len(s.Votes) || s.Votes[i] == "" {
			missing = append(missing, i)
		}
	}
	if len(missing) > 0 {
		return Action{Kind: AskVotes, Stage: StageResidual, Votes: missing}
	}
	t := vote.CountOf(s.Votes[:k]...).Tally(s.Policy.Residual.Rule)
	if t.Tie {
		return verdict(vote.Uncertain, StageResidual, WhyTie)
	}
	return verdict(t.Decision, StageResidual, WhyVotes)
}

func verdict(d vote.Decision, s Stage, w Why) Action {
	return Action{Kind: Stop, Stage: s, Verdict: &Verdict{Decision: d, Stage: s, Why: w}}
}

// stage is how far the state has come.
func (s State) stage() Stage {
	open := s
	open.Trouble = nil
	return Next(open).Stage
}

// Observe adds the outcome of the action that Next names. An outcome of anything
// else is refused with ErrUnasked.
func (s State) Observe(o Outcome) (State, error) {
	a := Next(s)
	if f, ok := o.(Failed); ok && a.Kind != Stop {
		s.Trouble = &f
		return s, nil
	}
	switch o := o.(type) {
	case Change:
		if a.Kind == LookAtPatch {
			s.Change = &o
			return s, nil
		}
	case Static:
		if a.Kind == RunStatic {
			s.Static = &o
			return s, nil
		}
	case Generated:
		if a.Kind == Generate {
			s.Attempts = append(slices.Clone(s.Attempts), Attempt{Generated: o})
			return s, nil
		}
	case BaseRan:
		if a.Kind == RunOnBase && o.Result != NotRun {
			s.Attempts = slices.Clone(s.Attempts)
			last := &s.Attempts[len(s.Attempts)-1]
			last.Base, last.Feedback = o.Result, o.Feedback
			return s, nil
		}
	case PatchRan:
		if a.Kind == RunOnPatch && o.Result != NotRun {
			s.Attempts = slices.Clone(s.Attempts)
			s.Attempts[len(s.Attempts)-1].Patched = o.Result
			return s, nil
		}
	case Voted:
		if a.Kind == AskVotes && slices.Contains(a.Votes, o.Index) && o.Vote.Valid() {
			votes := make([]vote.Vote, s.Policy.Residual.Votes)
			copy(votes, s.Votes)
			votes[o.Index] = o.Vote
			s.Votes = votes
			return s, nil
		}
	}
	return s, fmt.Errorf("observe %T while the cascade is to %s: %w", o, a.Kind, ErrUnasked)
}

// Kept is the generated test that counts; false when there is none.
func (s State) Kept() (Attempt, bool) {
	if n := len(s.Attempts); n > 0 && s.Attempts[n-1].Kept() {
		return s.Attempts[n-1], true
	}
	return Attempt{}, false
}
