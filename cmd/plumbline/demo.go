package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"plumbline/experiments/evidence"
	"plumbline/experiments/simulate"
	"plumbline/experiments/trace"
	"plumbline/handlers"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/runner/reviewer"
)

type demoCmd struct {
	Addr    string `help:"Address to listen on; port 0 takes a free one." default:"127.0.0.1:8080"`
	Sandbox string `help:"Sandbox for labels and checks, see docs/sandbox.md." default:"auto"`
}

// Run starts the demo and serves until Ctrl-C. Starting again goes on with what
// was unfinished and adds nothing.
func (c *demoCmd) Run(ctx context.Context, g *Globals, std streams) error {
	l, err := listen(c.Addr, false)
	if err != nil {
		return err
	}
	a, err := newApp(ctx, g, std)
	if err != nil {
		l.Close()
		return err
	}
	p, e, err := prepareDemo(ctx, a)
	var more demoChecks
	if err == nil {
		more, err = prepareChecks(ctx, a, e, c.Sandbox)
	}
	if err == nil {
		// After the experiments, which are on recorded attempts alone.
		_, _, err = a.runner.LoadControls(ctx, models.LocalAdmin(), p.ID)
	}
	if err == nil {
		err = a.workOnAll(ctx, 4, true)
	}
	if err != nil {
		l.Close()
		return errors.Join(err, a.close())
	}
	fmt.Fprintf(std.out, "Plumbline is at %s\n", pageURL(l))
	fmt.Fprintf(std.out, "The first experiment, with simulated reviewers, is at %sexperiments/%s\n", pageURL(l), e.ID)
	more.tell(std.out, pageURL(l))
	fmt.Fprintln(std.out, "Ctrl-C ends it; starting again goes on where it was.")
	return errors.Join(a.serve(ctx, l, handlers.Config{Project: p}), a.close())
}

const demoName = "First look: simulated reviewers on the design split"

func prepareDemo(ctx context.Context, a *app) (models.Project, models.Experiment, error) {
	v := models.LocalAdmin()
	fail := func(err error) (models.Project, models.Experiment, error) {
		return models.Project{}, models.Experiment{}, fmt.Errorf("prepare the demo: %w", err)
	}
	p, err := a.store.EnsureProject(ctx, "demo", "Demo")
	if err != nil {
		return fail(err)
	}
	if err := a.ingest.CloseLost(ctx); err != nil {
		return fail(err)
	}
	d, err := a.runner.LoadBundled(ctx, v, p.ID)
	if err != nil {
		return fail(err)
	}
	versions, err := saveSimulated(ctx, a, v, p.ID)
	if err != nil {
		return fail(err)
	}
	known, err := a.store.Experiments(ctx, v, models.ExperimentFilter{DatasetID: d.ID, Limit: 500})
	if err != nil {
		return fail(err)
	}
	for _, e := range known {
		if e.Name == demoName {
			return p, e.Experiment, nil
		}
	}
	splits, err := a.store.Splits(ctx, v, d.ID)
	if err != nil {
		return fail(err)
	}
	spec := runner.LaunchSpec{DatasetID: d.ID, Name: demoName, Votes: 5, Seed: 1, Budget: 16000, OnLeak: runner.Block}
	for _, s := range splits {
		if s.Name == trace.SplitDesign {
			spec.SplitID = s.ID
		}
	}
	for _, id := range versions {
		for _, f := range []evidence.Form{evidence.Patch, evidence.Structured, evidence.Official} {
			spec.Arms = append(spec.Arms, runner.ArmSpec{ReviewerVersionID: id, Form: f})
		}
	}
	e, err := a.runner.Launch(ctx, v, spec)
	if err != nil {
		return fail(err)
	}
	return p, e, nil
}

// demoLatencyMS makes the demo's votes take about as long as an endpoint's,
// so that one can watch the experiment run.
const demoLatencyMS = 600

func saveSimulated(ctx context.Context, a *app, v models.Viewer, projectID string) ([]string, error) {
	var ids []string
	for _, preset := range simulate.Presets() {
		spec := reviewer.Spec{
			Kind: reviewer.KindSimulated, Model: preset.Name,
			Simulated: &reviewer.Simulated{Preset: preset.Name, LatencyMS: demoLatencyMS},
		}.Filled()
		raw, err := json.Marshal(spec)
		if err != nil {
			return nil, fmt.Errorf("write reviewer %s: %w", preset.Name, err)
		}
		rv, err := a.store.SaveReviewer(ctx, v, models.ReviewerDraft{
			ProjectID: projectID, Name: preset.Name, Kind: string(spec.Kind), Model: preset.Name, Spec: string(raw),
			Note: "A simulation with invented rates, for trying things out.",
		})
		if err != nil {
			return nil, err
		}
		ids = append(ids, rv.ID)
	}
	return ids, nil
}
