package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"plumbline/experiments/cascade"
	"plumbline/experiments/evidence"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/runner/checks"
	"plumbline/runner/sandbox"
)

// demoChecks is what the demo runs in a sandbox: labels of the bundled cases, and a
// review cascade on them.
type demoChecks struct {
	cascade string // experiment id; empty: none
	labels  string // label run id; empty: none
	without error  // why nothing is run
}

const demoCascadeName = "Review cascade: checks first, simulated reviewer last"

// prepareChecks queues the label run and the cascade, each once in the life of a
// data folder. Where no sandbox works the demo goes on without them, and a later
// start makes up for it.
func prepareChecks(ctx context.Context, a *app, first models.Experiment, box string) (demoChecks, error) {
	v := models.LocalAdmin()
	var out demoChecks
	known, err := a.store.Experiments(ctx, v, models.ExperimentFilter{DatasetID: first.DatasetID, Limit: 500})
	if err != nil {
		return out, fmt.Errorf("prepare the demo: %w", err)
	}
	for _, e := range known {
		if e.Name == demoCascadeName {
			out.cascade = e.ID
		}
	}
	runs, err := a.store.LabelRuns(ctx, v, first.DatasetID)
	if err != nil {
		return out, fmt.Errorf("prepare the demo: %w", err)
	}
	if len(runs) > 0 {
		out.labels = runs[0].ID
	}
	if a.labels == nil {
		out.without = errors.New("the folder for checks cannot be written")
		return out, nil
	}
	if out.labels == "" {
		run, err := a.labels.Start(ctx, v, checks.LabelSpec{DatasetID: first.DatasetID, Settings: checks.LabelSettings{Backend: box, Repeat: 1, Seconds: 120}})
		if errors.Is(err, sandbox.ErrUnavailable) {
			out.without = err
			return out, nil
		}
		if err != nil {
			return out, fmt.Errorf("prepare the demo: %w", err)
		}
		out.labels = run.ID
	}
	if out.cascade == "" {
		spec, err := demoCascade(ctx, a, v, first, box)
		var e models.Experiment
		if err == nil {
			e, err = a.runner.LaunchCascade(ctx, v, spec)
		}
		if err != nil {
			return out, fmt.Errorf("prepare the demo: %w", err)
		}
		out.cascade = e.ID
	}
	return out, nil
}

// demoCascade is both rules of the cascade with the first experiment's first
// reviewer on what is left, and that reviewer without checks to compare with. The
// tests come from recorded replies, which is marked wherever they are shown.
func demoCascade(ctx context.Context, a *app, v models.Viewer, first models.Experiment, box string) (runner.CascadeSpec, error) {
	arms, err := a.store.Arms(ctx, v, first.ID)
	if err != nil {
		return runner.CascadeSpec{}, err
	}
	if len(arms) == 0 {
		return runner.CascadeSpec{}, fmt.Errorf("experiment %s has no reviewer", first.ID)
	}
	id := arms[0].ReviewerVersionID
	return runner.CascadeSpec{
		LaunchSpec: runner.LaunchSpec{DatasetID: first.DatasetID, Name: demoCascadeName, Votes: 5, Seed: 1, Budget: 16000},
		Checks:     runner.ChecksSpec{Generator: runner.RecordedGenerator, Repeats: 1, TestWallS: 30, Audit: true, Sandbox: box},
		Policy: []runner.CascadeArm{
			{Policy: cascade.Recommended(""), ReviewerVersionID: id, Form: evidence.Checked},
			{Policy: cascade.Evaluated(""), ReviewerVersionID: id, Form: evidence.Checked},
			{Policy: cascade.ReviewOnly("patch only", ""), ReviewerVersionID: id, Form: evidence.Patch},
			{Policy: cascade.ReviewOnly("structured evidence", ""), ReviewerVersionID: id, Form: evidence.Structured},
		},
	}, nil
}

// tell says where the checks can be watched, or why there are none.
func (d demoChecks) tell(out io.Writer, url string) {
	if d.cascade != "" {
		fmt.Fprintf(out, "A review cascade, whose checks run here in a sandbox, is at %sexperiments/%s/funnel\n", url, d.cascade)
	}
	if d.labels != "" {
		fmt.Fprintf(out, "Labels by execution are at %slabelruns/%s\n", url, d.labels)
	}
	if d.without != nil {
		fmt.Fprintf(out, "Nothing is labelled or checked, because no sandbox works: %v. plumbline doctor tells more.\n", d.without)
	}
}
