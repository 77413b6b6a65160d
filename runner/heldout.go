package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"plumbline/experiments/freeze"
	"plumbline/models"
)

// Frozen is a freeze with what its manifest says and what has changed since.
type Frozen struct {
	Freeze   models.Freeze
	Document []byte
	Manifest freeze.Manifest
	Changes  []freeze.Change // those that stop an evaluation first
}

// Stopped lists the changes that stop an evaluation.
func (f Frozen) Stopped() []freeze.Change {
	n := slices.IndexFunc(f.Changes, func(c freeze.Change) bool { return c.Note })
	if n < 0 {
		n = len(f.Changes)
	}
	return f.Changes[:n]
}

// Frozen loads a freeze and compares it with what is stored now. A manifest that
// does not match its own hash is a change; nothing else of it can be believed.
func (r *Runner) Frozen(ctx context.Context, v models.Viewer, freezeID string) (Frozen, error) {
	var f Frozen
	var err error
	if f.Freeze, err = r.store.Freeze(ctx, v, freezeID); err != nil {
		return f, err
	}
	if f.Document, err = r.store.FreezeDocument(ctx, v, freezeID); err != nil {
		return f, err
	}
	m, sha, err := freeze.Open(f.Document)
	switch {
	case err != nil:
		f.Changes = []freeze.Change{{Thing: freeze.ThingManifest, ID: freezeID, Name: freezeID, What: err.Error()}}
		return f, nil
	case sha != f.Freeze.ManifestSHA256 || m.Experiment != f.Freeze.ExperimentID:
		f.Changes = []freeze.Change{{Thing: freeze.ThingManifest, ID: freezeID, Name: freezeID, What: "it is not the one that was frozen"}}
		return f, nil
	}
	f.Manifest = m
	now, err := r.store.FreezeState(ctx, v, scopeOf(m, evaluationIDs(m)))
	if err != nil {
		return f, err
	}
	f.Changes = m.Changes(r.completeState(now))
	return f, nil
}

// completeState adds what the program itself can change.
func (r *Runner) completeState(now freeze.State) freeze.State {
	now.Prompts, now.CodeVersion = promptHashes(), r.version
	return now
}

func evaluationIDs(m freeze.Manifest) []string {
	var ids []string
	for _, s := range m.Evaluation {
		ids = append(ids, s.ID)
	}
	return ids
}

// HeldOutSpec says which run of a freeze to start.
type HeldOutSpec struct {
	FreezeID string
	SplitID  string
	Number   int    // of the run that is meant, from 1; 0 takes the next
	Reason   string // needed for every run after the first
}

// StartHeldOut starts the evaluation of a freeze on one of its splits, with the
// settings of the manifest and no others. It answers a *freeze.ChangedError that
// names what changed since the freeze, an *models.InvalidError when a reason is
// missing, and models.ErrConflict when another caller started the same run first.
func (r *Runner) StartHeldOut(ctx context.Context, v models.Viewer, spec HeldOutSpec) (models.Experiment, error) {
	f, err := r.Frozen(ctx, v, spec.FreezeID)
	if err != nil {
		return models.Experiment{}, err
	}
	if stop := f.Stopped(); len(stop) > 0 {
		return models.Experiment{}, &freeze.ChangedError{Changes: stop}
	}
	m := f.Manifest
	at := slices.IndexFunc(m.Evaluation, func(s freeze.Split) bool { return s.ID == spec.SplitID })
	if at < 0 {
		return models.Experiment{}, models.Invalid("split", "the freeze does not hold this split")
	}
	launch := launchOf(m, m.Evaluation[at], spec.Number)
	arms, snap, err := r.resolve(ctx, v, f.Freeze.ProjectID, launch)
	if err != nil {
		return models.Experiment{}, err
	}
	config, err := json.Marshal(snap)
	if err != nil {
		return models.Experiment{}, fmt.Errorf("write the configuration: %w", err)
	}
	e, _, err := r.store.StartHeldOut(ctx, v, models.HeldOutDraft{
		FreezeID: spec.FreezeID, SplitID: spec.SplitID, Number: spec.Number, Reason: spec.Reason,
		Experiment: models.ExperimentDraft{
			Name: launch.Name, Kind: "review", Votes: launch.Votes, Seed: launch.Seed, Config: string(config), CodeVersion: r.version, Arms: arms, ShardSize: shardSize,
		},
		Scope:  scopeOf(m, evaluationIDs(m)),
		Verify: func(now freeze.State) error { return m.Verify(r.completeState(now)) },
	}, r.enqueue)
	return e, err
}

// launchOf is the experiment that a manifest describes on one of its splits.
func launchOf(m freeze.Manifest, s freeze.Split, number int) LaunchSpec {
	l := LaunchSpec{
		DatasetID: m.Dataset, SplitID: s.ID, Name: m.Name + ", " + s.Name,
		Votes: m.Config.Votes, Seed: m.Config.Seed, Budget: m.Config.Budget, OnLeak: OnLeak(m.Config.OnLeak), Cache: m.Config.Cache,
	}
	if number > 1 {
		l.Name += fmt.Sprintf(", run %d", number)
	}
	for _, a := range m.Arms {
		l.Arms = append(l.Arms, ArmSpec{ReviewerVersionID: a.ReviewerVersionID, Form: a.Form})
	}
	return l
}

// checkFrozen answers a *freeze.ChangedError for a held-out run whose freeze no
// longer matches what is stored; any other experiment passes.
func (r *Runner) checkFrozen(ctx context.Context, v models.Viewer, experimentID string) error {
	runs, err := r.store.HeldOutOf(ctx, v, experimentID)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if run.ExperimentID != experimentID {
			continue
		}
		f, err := r.Frozen(ctx, v, run.FreezeID)
		if err != nil {
			return err
		}
		if stop := f.Stopped(); len(stop) > 0 {
			return &freeze.ChangedError{Changes: stop}
		}
	}
	return nil
}
