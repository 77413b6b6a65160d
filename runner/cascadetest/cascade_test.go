// Package cascadetest takes the bundled cases through whole cascades, with a real
// store, queue and sandbox.
package cascadetest

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"plumbline/experiments/cascade"
	"plumbline/experiments/evidence"
	"plumbline/experiments/simulate"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/runner/runnertest"
	"plumbline/runner/sandbox"
)

var admin = models.LocalAdmin()

// host is where the checks of a test run; the compiled standard library of Go is
// kept between runs of the tests.
func host(t *testing.T) *runner.CheckHost { return hostWith(t, "") }

func hostWith(t *testing.T, mirrors string) *runner.CheckHost {
	t.Helper()
	if _, err := sandbox.Open(context.Background(), sandbox.Auto, sandbox.Options{}); err != nil {
		modelstest.Need(t, err.Error())
	}
	dir := t.TempDir()
	if cache, err := os.UserCacheDir(); err == nil {
		keep := filepath.Join(cache, "plumbline-test-gocache")
		if os.MkdirAll(keep, 0o755) == nil {
			if err := os.Mkdir(filepath.Join(dir, "go"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(keep, filepath.Join(dir, "go", runtime.Version())); err != nil {
				t.Fatal(err)
			}
		}
	}
	h, err := runner.NewCheckHost(dir, mirrors)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func simulated(t *testing.T, b *runnertest.Bench) string {
	t.Helper()
	p := simulate.Presets()[0]
	return b.Reviewer(t, p.Name, reviewer.Spec{Kind: reviewer.KindSimulated, Model: p.Name, Simulated: &reviewer.Simulated{Preset: p.Name}})
}

// part makes a split of the traces of some bundled instances.
func part(t *testing.T, b *runnertest.Bench, instances ...string) string {
	t.Helper()
	ctx := context.Background()
	d, err := b.Runner.LoadBundled(ctx, admin, b.Project.ID)
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := b.Store.Traces(ctx, admin, models.TraceFilter{DatasetID: d.ID}, models.Page{Limit: 500})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range rows {
		if slices.Contains(instances, strings.TrimPrefix(r.InstanceID, "plumbline-cases__")) {
			ids = append(ids, r.ID)
		}
	}
	if len(ids) == 0 {
		t.Fatalf("no traces of %v", instances)
	}
	split, err := b.Store.AddToSplit(ctx, admin, d.ID, "part", ids)
	if err != nil {
		t.Fatal(err)
	}
	return split.ID
}

// launch starts a cascade on the bundled cases of one split.
func launch(t *testing.T, b *runnertest.Bench, split string, change func(*runner.CascadeSpec)) models.Experiment {
	t.Helper()
	ctx := context.Background()
	d, err := b.Runner.LoadBundled(ctx, admin, b.Project.ID)
	if err != nil {
		t.Fatal(err)
	}
	id := simulated(t, b)
	spec := runner.CascadeSpec{
		LaunchSpec: runner.LaunchSpec{DatasetID: d.ID, SplitID: split, Name: "cascade", Votes: 5, Seed: 1, Budget: 16000},
		Checks:     runner.ChecksSpec{Generator: runner.RecordedGenerator, Repeats: 1, TestWallS: 40, Audit: true},
		Policy: []runner.CascadeArm{
			{Policy: cascade.Evaluated(""), ReviewerVersionID: id, Form: evidence.Checked},
			{Policy: cascade.Recommended(""), ReviewerVersionID: id, Form: evidence.Checked},
			{Policy: cascade.ReviewOnly("patch only", ""), ReviewerVersionID: id, Form: evidence.Patch},
		},
	}
	if change != nil {
		change(&spec)
	}
	e, err := b.Runner.LaunchCascade(ctx, admin, spec)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// wait is patient: on a busy machine a hundred programs take their time.
func wait(t *testing.T, b *runnertest.Bench, id string) models.Progress {
	t.Helper()
	deadline := time.Now().Add(20 * time.Minute)
	for {
		p, err := b.Store.Progress(context.Background(), admin, id)
		if err != nil {
			t.Fatal(err)
		}
		if runnertest.Ended(p) {
			return p
		}
		if time.Now().After(deadline) {
			t.Fatalf("not ended: %+v", p)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Three bundled instances through two policies and a baseline: every trace ends,
// the replay gives the stored decisions, both policies share their checks, and the
// recommended rule never accepts by a test.
func TestBundledCascade(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs a hundred programs")
	}
	b := runnertest.NewWith(t, modelstest.SQLite(t), func(c *runner.Config) { c.Checks = host(t) })
	e := launch(t, b, part(t, b, "confkit-1", "gatekeep-1", "pathrules-1"), nil)
	b.Work(t, 2)
	started := time.Now()
	p := wait(t, b, e.ID)
	t.Logf("%d items in %s", p.Done, time.Since(started).Round(time.Second))
	if p.Error != 0 || p.Blocked != 0 || p.Missing != 0 {
		t.Errorf("progress %+v", p)
		rows, _, err := b.Store.Outcomes(context.Background(), admin, models.OutcomeFilter{ExperimentID: e.ID, State: models.ItemError}, "", 20)
		t.Logf("errors %+v, %v", rows, err)
	}
	res, err := b.Runner.CascadeResults(context.Background(), admin, e.ID)
	if err != nil {
		t.Fatal(err)
	}
	if res.Differing != 0 {
		t.Errorf("%d stored decisions are not those of the replay", res.Differing)
	}
	if len(res.Arms) != 2 || len(res.Baselines) != 3 || len(res.Variants) == 0 {
		t.Fatalf("%d arms, %d baselines, %d variants", len(res.Arms), len(res.Baselines), len(res.Variants))
	}
	evaluated, recommended := res.Arms[0].Funnel, res.Arms[1].Funnel
	for _, f := range []cascade.Funnel{evaluated, recommended} {
		if f.N != res.Traces || f.Verdicts != f.N || f.Missing != 0 || len(f.Troubles) != 0 {
			t.Errorf("%s: %d of %d traces, %d verdicts, %d missing, troubles %v", f.Policy.Name, f.N, res.Traces, f.Verdicts, f.Missing, f.Troubles)
		}
		if f.Stages[cascade.StageNoChange].Decided == 0 || f.Stages[cascade.StageTest].Decided == 0 || f.Tests.Kept == 0 || len(f.Tests.Discards) == 0 {
			t.Errorf("%s: stages %+v, tests %+v", f.Policy.Name, f.Stages, f.Tests)
		}
	}
	if evaluated.Stages[cascade.StageTest].Why[cascade.WhyTestPasses] == 0 || recommended.Stages[cascade.StageTest].Why[cascade.WhyTestPasses] != 0 {
		t.Errorf("a pass accepts: evaluated %v, recommended %v", evaluated.Stages[cascade.StageTest].Why, recommended.Stages[cascade.StageTest].Why)
	}
	if evaluated.Tests.Kept != recommended.Tests.Kept || evaluated.Tests.Attempts != recommended.Tests.Attempts {
		t.Errorf("the policies have tests of their own: %+v and %+v", evaluated.Tests, recommended.Tests)
	}
	a := res.Arms[0].Audit
	if a.Unknown != 0 || a.Of(cascade.UnderSpecified) == 0 || a.Of(cascade.SoundReject) == 0 {
		t.Errorf("audit %+v", a)
	}
	for name, p := range map[string]runner.CascadePolicy{"rules only": res.Baselines[1], "tests only": res.Baselines[2]} {
		if p.Name != name || p.Measures == nil || p.Against == nil {
			t.Errorf("baseline %q is %q: %v", name, p.Name, p.Against)
		}
	}
	residualSeesChecks(t, b, e)
}

// The residual reviewer reads what the checks found, and nothing of the reference.
func residualSeesChecks(t *testing.T, b *runnertest.Bench, e models.Experiment) {
	t.Helper()
	ctx := context.Background()
	rows, err := b.Store.CascadeRows(ctx, admin, e.ID)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, r := range rows {
		if r.Stage != cascade.StageResidual.Key() {
			continue
		}
		ev, err := b.Store.Evidence(ctx, admin, r.ItemID)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(ev.Text, "static findings caused by the patch") || !strings.Contains(ev.Text, "generated test") {
			t.Errorf("evidence of %s:\n%s", r.TraceID, ev.Text)
		}
		if strings.Contains(ev.Text, "reference") && strings.Contains(ev.Text, "gold") {
			t.Errorf("evidence of %s speaks of the reference patch", r.TraceID)
		}
		if strings.Contains(ev.Text, "passed on the patched tree") {
			seen++
		}
	}
	if seen == 0 {
		t.Error("no residual evidence shows a passing test, which the recommended rule passes on")
	}
}
