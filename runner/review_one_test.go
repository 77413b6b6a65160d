package runner_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"plumbline/experiments/cascade"
	"plumbline/experiments/evidence"
	"plumbline/experiments/simulate"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/runner/runnertest"
)

// A freeze is a policy: its reviewer, form, votes and seed judge a patch, until the
// reviewer's settings are others.
func TestThawPolicy(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		d := design(t, s)
		doc, err := s.FreezeDocument(ctx, admin, d.freeze(t).ID)
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.Runner.ThawPolicy(ctx, admin, doc, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !p.Form.Deployable() || p.Cascade.Residual.Votes != 3 || p.Seed != 11 || p.Budget != 9000 || p.ReviewerName != "small" || p.Reviewer == nil || p.Manifest == "" || p.FrozenAt == nil {
			t.Errorf("the policy %+v", p)
		}
		raw, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := runner.ParsePolicy(raw); err != nil || again.SHA256 != p.SHA256 {
			t.Errorf("the policy as a file: %v", err)
		}
		if _, err := d.Runner.ThawPolicy(ctx, admin, doc, 1); err == nil {
			t.Error("an arm that is not there was taken")
		}
		broken := append([]byte(nil), doc...)
		for i := range len(broken) - 8 {
			if string(broken[i:i+7]) == `"seed":` {
				broken[i+8] = '9'
				break
			}
		}
		if _, err := d.Runner.ThawPolicy(ctx, admin, broken, 0); err == nil {
			t.Error("a manifest that was changed was taken")
		}
		if _, err := d.Runner.ThawPolicy(ctx, models.Viewer{}, doc, 0); err == nil {
			t.Error("a manifest was read by nobody")
		}
		if _, err := d.Runner.FreezePolicy(ctx, admin, d.e.ID, 0); err == nil {
			t.Error("a review was taken for a cascade")
		}

		host, err := runner.NewCheckHost(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		q := runner.ReviewRequest{Title: "t", Issue: "Make it 2.", Patch: "", Policy: p}
		got, err := d.Runner.ReviewOne(ctx, host, q)
		if err != nil || got.Trouble != nil || len(got.Votes) != 3 || !got.Simulated || got.Evidence == nil || got.Evidence.Form != p.Form {
			t.Errorf("the frozen reviewer: %v %+v", err, got)
		}
		again, err := d.Runner.ReviewOne(ctx, host, q)
		if err != nil || again.Verdict != got.Verdict {
			t.Errorf("the same patch gets %s and then %s: %v", got.Verdict, again.Verdict, err)
		}
	})
}

// An arm of a cascade is a policy from its launch on, with the settings of then.
func TestFreezePolicy(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := runnertest.New(t, s)
		set, err := b.Runner.LoadBundled(ctx, admin, b.Project.ID)
		if err != nil {
			t.Fatal(err)
		}
		version := b.Reviewer(t, "small", reviewer.Spec{Kind: reviewer.KindSimulated, Model: simulate.Small, Simulated: &reviewer.Simulated{Preset: simulate.Small}})
		e, err := b.Runner.LaunchCascade(ctx, admin, runner.CascadeSpec{
			LaunchSpec: runner.LaunchSpec{DatasetID: set.ID, Name: "c", Votes: 5, Seed: 3, Budget: 8000, OnLeak: runner.Block},
			Checks:     runner.ChecksSpec{Audit: true},
			Policy: []runner.CascadeArm{
				{Policy: cascade.ReviewOnly("patch alone", ""), ReviewerVersionID: version, Form: evidence.Patch},
				{Policy: cascade.Recommended(""), ReviewerVersionID: version, Form: evidence.Checked},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		// A newer version of the reviewer changes nothing.
		b.Reviewer(t, "small", reviewer.Spec{Kind: reviewer.KindSimulated, Model: simulate.Strong, Simulated: &reviewer.Simulated{Preset: simulate.Strong}})
		p, err := b.Runner.FreezePolicy(ctx, admin, e.ID, 1)
		if err != nil {
			t.Fatal(err)
		}
		if p.Name != "recommended" || p.Cascade.Tests.OnPass != cascade.GoOn || p.Form != evidence.Checked || p.Checks.Audit || p.Reviewer.Model != simulate.Small || p.Cascade.Residual.Votes != 5 || p.Experiment != e.ID {
			t.Errorf("the policy %+v", p)
		}
		for _, arm := range []int{-1, 2} {
			if _, err := b.Runner.FreezePolicy(ctx, admin, e.ID, arm); err == nil {
				t.Errorf("arm %d was taken", arm)
			}
		}
		if _, err := b.Runner.FreezePolicy(ctx, admin, "ex_nowhere", 0); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("an experiment that is not there: %v", err)
		}
	})
}

// The controlled cases are a split of the bundled dataset that no other split knows
// of, and the structured-missing form names on each what it lacks.
func TestLoadControls(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := runnertest.New(t, s)
		var d models.Dataset
		for range 2 {
			var n int
			var err error
			if d, n, err = b.Runner.LoadControls(ctx, admin, b.Project.ID); err != nil || n != 55 {
				t.Fatalf("%d controls: %v", n, err)
			}
		}
		splits, err := s.Splits(ctx, admin, d.ID)
		if err != nil {
			t.Fatal(err)
		}
		sizes, ids := map[string]int{}, map[string]string{}
		for _, x := range splits {
			sizes[x.Name], ids[x.Name] = x.Traces, x.ID
		}
		if sizes[trace.SplitDesign]+sizes[trace.SplitHeldOut] != 84 || sizes["controls"] != 55 || len(sizes) != 3 {
			t.Errorf("the splits are %v", sizes)
		}
		version := b.Reviewer(t, "strong", reviewer.Spec{Kind: reviewer.KindSimulated, Model: simulate.Strong, Simulated: &reviewer.Simulated{Preset: simulate.Strong}})
		e, err := b.Runner.Launch(ctx, admin, runner.LaunchSpec{
			DatasetID: d.ID, SplitID: ids["controls"], Name: "controlled", Votes: 1, Seed: 1, OnLeak: runner.Block,
			Arms: []runner.ArmSpec{{version, evidence.Structured}, {version, evidence.StructuredMissing}},
		})
		if err != nil {
			t.Fatal(err)
		}
		b.Work(t, 4)
		if p := b.Wait(t, e.ID, runnertest.Ended); p.Done != 110 || p.Error+p.Blocked+p.Missing > 0 {
			t.Errorf("the experiment ended as %+v", p)
		}
		res, err := b.Runner.Results(ctx, admin, e.ID, runner.ResultOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range res.Arms {
			if n := a.Counts.Defect.N(); n != 41 {
				t.Errorf("%s: %d defective traces", a.Arm.Form, n)
			}
			if n := a.Counts.Acceptable.N(); n != 14 {
				t.Errorf("%s: %d acceptable traces", a.Arm.Form, n)
			}
		}
	})
}
