package runner

import (
	"context"
	"errors"

	"plumbline/experiments/cascade"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/runner/checks"
	"plumbline/runner/reviewer"
	"plumbline/runner/tooluse"
)

// answer asks for one vote: by a single request, or by a review with tools on the
// patched tree where the reviewer is of that kind. The error is a *reviewer.Error.
func (run *shardRun) answer(ctx context.Context, it models.Item, b built, prep prepared, req reviewer.Request) (reviewer.Answer, error) {
	if b.spec.Tools == nil {
		return b.reviewer.Ask(ctx, req)
	}
	model, err := reviewer.NewConverser(b.spec, run.deps)
	if err != nil {
		return reviewer.Answer{}, err
	}
	desk, err := run.desk(ctx, it, b)
	if err != nil {
		return reviewer.Answer{}, err
	}
	defer desk.Close()
	r, err := tooluse.Hold(ctx, model, desk, tooluse.Request{
		Evidence: prep.evidence.Text, TraceID: req.TraceID, VoteIndex: req.VoteIndex, Seed: req.Seed,
	}, run.over)
	if errors.Is(err, tooluse.ErrSandbox) {
		err = noVote(cascade.NoSandbox, err.Error())
	}
	return r.Answer, err
}

// desk lays out the base with the trace's patch. Of the instance nothing but the base
// tree is used: no test and no reference patch of its oracle.
func (run *shardRun) desk(ctx context.Context, it models.Item, b built) (*tooluse.Desk, error) {
	if run.checks == nil {
		return nil, noVote(cascade.NoSandbox, "this worker is not set up to run commands")
	}
	in, err := run.store.LoadEvidenceInput(ctx, it.TraceID, false)
	if err != nil {
		return nil, noVote(cascade.CheckFailed, err.Error())
	}
	backend, image := "", ""
	if run.work.Experiment.Kind == KindCascade {
		config, err := CascadeConfigOf(run.work.Experiment)
		if err != nil {
			return nil, noVote(cascade.CheckFailed, err.Error())
		}
		backend, image = config.Checks.Sandbox, config.Checks.Image
	}
	opened, err := run.checks.open(ctx, backend, image)
	if err != nil {
		return nil, noVote(cascade.NoSandbox, err.Error())
	}
	base, err := run.checks.Base(ctx, in.Instance)
	if err != nil {
		return nil, noVote(cascade.BaseMissing, err.Error())
	}
	diff := in.Trace.Patch
	switch in.Trace.PatchState {
	case trace.PatchText:
	case trace.PatchNoDiffFound, trace.PatchAbsent:
		return nil, noVote(cascade.PatchNotApplied, "there is no diff in the record")
	default:
		diff = "" // the agent changed nothing
	}
	tree, reason := tooluse.Patched(base, diff)
	if reason != "" {
		return nil, noVote(cascade.PatchNotApplied, reason)
	}
	desk, err := tooluse.Open(ctx, checks.Exec{Box: opened.box, Tree: tree, Image: image}, run.checks.Settings(), *b.spec.Tools)
	if err != nil {
		return nil, noVote(cascade.NoSandbox, err.Error())
	}
	return desk, nil
}

// noVote says why a review could not be held, in the words of a cascade's trouble.
// Asking again unchanged cannot help.
func noVote(t cascade.Trouble, detail string) error {
	return &reviewer.Error{Class: reviewer.Class(className(t)), Message: detail, Permanent: true}
}
