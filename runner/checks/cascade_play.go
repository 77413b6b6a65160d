package checks

import (
	"context"
	"errors"
	"fmt"

	"plumbline/experiments/cascade"
	"plumbline/experiments/vote"
	"plumbline/runner/reviewer"
	"plumbline/runner/workspace"
)

// Trail is what a cascade left behind on its way, in the order of the stages.
type Trail struct {
	Change   *cascade.Change
	Static   *StaticReport
	Attempts []TrailAttempt
	Votes    []vote.Vote
}

// TrailAttempt is one attempt with its runs; nil runs were not made.
type TrailAttempt struct {
	Attempt
	Base, Patched *GeneratedRun
}

// Voter asks the residual reviewer for votes with the given indices. Trouble is an
// outcome; the error says that the work as a whole must stop.
type Voter func(ctx context.Context, t Trail, indices []int) ([]cascade.Voted, *cascade.Failed, error)

// Play takes one patch through a policy without keeping anything. base gives the
// base tree when it is first needed; an error of it is trouble. The error is of ctx
// or of the voter.
func (b *Bench) Play(ctx context.Context, p cascade.Policy, base func(context.Context) (*workspace.Base, error), votes Voter) (cascade.State, cascade.Action, Trail, error) {
	s := cascade.Start(p)
	if f, ok := b.Look().(cascade.Failed); ok {
		s.Trouble = &f // no policy is asked about a text that is no patch
	}
	var t Trail
	for {
		a := cascade.Next(s)
		if a.Kind == cascade.Stop {
			return s, a, t, nil
		}
		if err := ctx.Err(); err != nil {
			return s, a, t, err
		}
		outcomes, err := b.do(ctx, a, base, votes, &t)
		if err != nil {
			return s, a, t, err
		}
		for _, o := range outcomes {
			next, err := s.Observe(o)
			if err != nil {
				return s, a, t, fmt.Errorf("play a cascade: %w", err)
			}
			s = next
		}
	}
}

func (b *Bench) do(ctx context.Context, a cascade.Action, base func(context.Context) (*workspace.Base, error), votes Voter, t *Trail) ([]cascade.Outcome, error) {
	one := func(o cascade.Outcome) ([]cascade.Outcome, error) { return []cascade.Outcome{o}, nil }
	if a.Kind == cascade.LookAtPatch {
		o := b.Look()
		if c, ok := o.(cascade.Change); ok {
			t.Change = &c
		}
		return one(o)
	}
	// A patch that does not apply has no verdict, whoever would give it.
	if b.patched == nil && (a.Kind != cascade.AskVotes || b.stripped != "") {
		tree, err := base(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			return one(cascade.Failed{Trouble: cascade.BaseMissing, Detail: err.Error()})
		}
		if f := b.Open(tree); f != nil {
			return one(*f)
		}
	}
	if a.Kind == cascade.AskVotes {
		got, trouble, err := votes(ctx, *t, a.Votes)
		if err != nil || trouble != nil {
			return failed(trouble), err
		}
		var out []cascade.Outcome
		for _, v := range got {
			t.Votes = append(t.Votes, v.Vote)
			out = append(out, v)
		}
		return out, nil
	}
	var run GeneratedRun
	var o cascade.Outcome
	var err error
	switch a.Kind {
	case cascade.RunStatic:
		var rep StaticReport
		if rep, o, err = b.Static(ctx); err == nil {
			t.Static = &rep
		}
	case cascade.Generate:
		return b.attempt(ctx, a, t)
	case cascade.RunOnBase:
		run, o, err = b.OnBase(ctx, a.Attempt)
		t.Attempts[a.Attempt-1].Base = &run
	case cascade.RunOnPatch:
		run, o, err = b.OnPatch(ctx, a.Attempt)
		t.Attempts[a.Attempt-1].Patched = &run
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return one(cascade.Failed{Trouble: cascade.NoSandbox, Detail: err.Error()})
	}
	return one(o)
}

func (b *Bench) attempt(ctx context.Context, a cascade.Action, t *Trail) ([]cascade.Outcome, error) {
	at, err := b.Generate(ctx, a.Attempt, a.Feedback)
	var refused *reviewer.Error
	switch {
	case errors.As(err, &refused) || errors.Is(err, ErrNotRecorded):
		return []cascade.Outcome{cascade.Failed{Trouble: cascade.GeneratorDown, Detail: err.Error()}}, nil
	case err != nil:
		return nil, err
	}
	t.Attempts = append(t.Attempts, TrailAttempt{Attempt: at})
	return []cascade.Outcome{at.Outcome}, nil
}

func failed(f *cascade.Failed) []cascade.Outcome {
	if f == nil {
		return nil
	}
	return []cascade.Outcome{*f}
}
