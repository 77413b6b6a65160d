package runner_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/evidence"
	"plumbline/experiments/freeze"
	"plumbline/experiments/simulate"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/runner/runnertest"
)

var admin = models.LocalAdmin()

// designed is a finished design experiment on the bundled cases.
type designed struct {
	*runnertest.Bench
	e       models.Experiment
	version string
	splits  map[string]string // id by name
}

func design(t *testing.T, s *models.Store) designed {
	t.Helper()
	ctx := context.Background()
	d := designed{Bench: runnertest.New(t, s), splits: map[string]string{}}
	set, err := d.Runner.LoadBundled(ctx, admin, d.Project.ID)
	if err != nil {
		t.Fatal(err)
	}
	splits, err := s.Splits(ctx, admin, set.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range splits {
		d.splits[x.Name] = x.ID
	}
	d.version = d.Reviewer(t, "small", reviewer.Spec{Kind: reviewer.KindSimulated, Model: simulate.Small, Simulated: &reviewer.Simulated{Preset: simulate.Small}})
	d.e, err = d.Runner.Launch(ctx, admin, runner.LaunchSpec{
		DatasetID: set.ID, SplitID: d.splits[trace.SplitDesign], Name: "forms", Votes: 3, Seed: 11, Budget: 9000, OnLeak: runner.Withhold,
		Arms: []runner.ArmSpec{{d.version, evidence.Patch}, {d.version, evidence.Structured}, {d.version, evidence.Official}},
	})
	if err != nil {
		t.Fatal(err)
	}
	d.Work(t, 4)
	if p := d.Wait(t, d.e.ID, runnertest.Ended); p.State != models.StateDone || p.Done != p.Total {
		t.Fatalf("the design experiment ended as %+v", p)
	}
	return d
}

func (d designed) freeze(t *testing.T) models.Freeze {
	t.Helper()
	f, err := d.Runner.Freeze(context.Background(), admin, runner.FreezeSpec{ExperimentID: d.e.ID, SplitIDs: []string{d.splits[trace.SplitHeldOut]}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestDesignFreezeHeldOut(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		d := design(t, s)
		for name, spec := range map[string]runner.FreezeSpec{
			"no split":            {ExperimentID: d.e.ID},
			"the design split":    {ExperimentID: d.e.ID, SplitIDs: []string{d.splits[trace.SplitDesign]}},
			"a split that is not": {ExperimentID: d.e.ID, SplitIDs: []string{"sp_none"}},
		} {
			var invalid *models.InvalidError
			if _, err := d.Runner.Freeze(ctx, admin, spec); !errors.As(err, &invalid) {
				t.Errorf("froze over %s: %v", name, err)
			}
		}
		f := d.freeze(t)
		frozen, err := d.Runner.Frozen(ctx, admin, f.ID)
		if err != nil {
			t.Fatal(err)
		}
		if len(frozen.Changes) > 0 {
			t.Errorf("changed at once: %v", frozen.Changes)
		}
		m := frozen.Manifest
		if diff := cmp.Diff(freeze.Config{Votes: 3, Seed: 11, Budget: 9000, OnLeak: "withhold", Tally: "plurality"}, m.Config); diff != "" {
			t.Error(diff)
		}
		if len(m.Arms) != 1 || !m.Arms[0].Form.Deployable() || m.Choices[0].Form != string(m.Arms[0].Form) || len(m.Choices[0].Measured) != 3 {
			t.Errorf("chose %+v from %+v", m.Arms, m.Choices)
		}
		if m.Author != "admin" || m.CodeVersion != "test" || m.Design.Name != trace.SplitDesign || len(m.Prompts) != 1 || len(m.Prompts[0].SHA256) != 64 {
			t.Errorf("manifest %+v", m)
		}

		spec := runner.HeldOutSpec{FreezeID: f.ID, SplitID: d.splits[trace.SplitHeldOut], Number: 1}
		e := d.raceForRun(t, spec)
		if e.Votes != 3 || e.Seed != 11 || e.SplitID == nil || *e.SplitID != spec.SplitID || e.ItemTotal != len(m.Evaluation[0].Traces) {
			t.Errorf("the run is not the one that was frozen: %+v", e)
		}
		if p := d.Wait(t, e.ID, runnertest.Ended); p.State != models.StateDone || p.Done != p.Total {
			t.Errorf("the run ended as %+v", p)
		}
		var invalid *models.InvalidError
		spec.Number = 2
		if _, err := d.Runner.StartHeldOut(ctx, admin, spec); !errors.As(err, &invalid) || invalid.Fields["reason"] == "" {
			t.Errorf("a second run without a reason: %v", err)
		}
		spec.Reason = "a reviewer asked for it"
		second := d.raceForRun(t, spec)
		runs, err := s.HeldOutOf(ctx, admin, second.ID)
		if err != nil || len(runs) != 2 || runs[1].Reason != spec.Reason || !strings.HasSuffix(second.Name, "run 2") {
			t.Errorf("runs %+v of %q, %v", runs, second.Name, err)
		}
		spec.SplitID = d.splits[trace.SplitDesign]
		if _, err := d.Runner.StartHeldOut(ctx, admin, spec); !errors.As(err, &invalid) {
			t.Errorf("evaluated on a split that is not frozen: %v", err)
		}
	})
}

// raceForRun starts the same run from several callers at once and returns the one
// that was started.
func (d designed) raceForRun(t *testing.T, spec runner.HeldOutSpec) (won models.Experiment) {
	t.Helper()
	const callers = 4
	var wg sync.WaitGroup
	started, errs := make([]models.Experiment, callers), make([]error, callers)
	for i := range callers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			started[i], errs[i] = d.Runner.StartHeldOut(context.Background(), admin, spec)
		}()
	}
	wg.Wait()
	n := 0
	for i, err := range errs {
		switch {
		case err == nil:
			won = started[i]
			n++
		case !errors.Is(err, models.ErrConflict):
			t.Errorf("a loser got %v", err)
		}
	}
	if n != 1 {
		t.Fatalf("%d of %d callers started run %d", n, callers, spec.Number)
	}
	return won
}

func TestAHeldOutRunStopsOverAChange(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		d := design(t, s)
		f := d.freeze(t)
		document, err := s.FreezeDocument(ctx, admin, f.ID)
		if err != nil {
			t.Fatal(err)
		}
		// refreeze stores a manifest that differs from what is stored in one thing.
		refreeze := func(change func(*freeze.Manifest)) string {
			t.Helper()
			m, _, err := freeze.Open(document)
			if err != nil {
				t.Fatal(err)
			}
			change(&m)
			doc, sha, err := freeze.Seal(m)
			if err != nil {
				t.Fatal(err)
			}
			f, err := s.CreateFreeze(ctx, admin, models.FreezeDraft{ExperimentID: d.e.ID, Document: doc, SHA256: sha})
			if err != nil {
				t.Fatal(err)
			}
			return f.ID
		}
		none := strings.Repeat("0", 64)
		broken, err := s.CreateFreeze(ctx, admin, models.FreezeDraft{ExperimentID: d.e.ID, Document: bytes.Replace(document, []byte(`"seed": 11`), []byte(`"seed": 12`), 1), SHA256: f.ManifestSHA256})
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct{ freeze, says string }{
			"prompt":   {refreeze(func(m *freeze.Manifest) { m.Prompts[0].SHA256 = none }), "prompt v1: its text is another one"},
			"reviewer": {refreeze(func(m *freeze.Manifest) { m.Reviewers[0].SpecSHA256 = none }), "reviewer version small, version 1: its settings changed"},
			"trace":    {refreeze(func(m *freeze.Manifest) { m.Evaluation[0].Traces[0].Content = none }), "patch, summary or steps changed"},
			"manifest": {broken.ID, "does not match its own hash"},
		} {
			_, err := d.Runner.StartHeldOut(ctx, admin, runner.HeldOutSpec{FreezeID: c.freeze, SplitID: d.splits[trace.SplitHeldOut], Number: 1})
			var changed *freeze.ChangedError
			if !errors.As(err, &changed) || !strings.Contains(changed.Error(), c.says) {
				t.Errorf("%s: %v", name, err)
			}
		}

		// A run that is stopped is not resumed over a change either.
		e, err := d.Runner.StartHeldOut(ctx, admin, runner.HeldOutSpec{FreezeID: f.ID, SplitID: d.splits[trace.SplitHeldOut], Number: 1})
		if err != nil {
			t.Fatal(err)
		}
		d.Wait(t, e.ID, runnertest.Ended)
		extra := d.traceOf(t, trace.SplitDesign)
		if _, err := s.AddToSplit(ctx, admin, d.e.DatasetID, trace.SplitHeldOut, []string{extra}); err != nil {
			t.Fatal(err)
		}
		var changed *freeze.ChangedError
		if err := d.Runner.Resume(ctx, admin, e.ID); !errors.As(err, &changed) || changed.Changes[0].ID != extra {
			t.Errorf("resumed over a trace that was added: %v", err)
		}
		if err := d.Runner.Resume(ctx, admin, d.e.ID); err != nil {
			t.Errorf("the design experiment cannot be resumed: %v", err)
		}
	})
}

// traceOf is a trace of a split.
func (d designed) traceOf(t *testing.T, split string) string {
	t.Helper()
	rows, _, err := d.Store.Traces(context.Background(), admin, models.TraceFilter{DatasetID: d.e.DatasetID, SplitID: d.splits[split]}, models.Page{Limit: 1})
	if err != nil || len(rows) == 0 {
		t.Fatalf("no trace in %s: %v", split, err)
	}
	return rows[0].ID
}

func TestVotesAreAuditedWhenTheyArriveAndAgainWhenAsked(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		d := design(t, s)
		atOnce, err := s.ArmAudits(ctx, admin, d.e.ID)
		if err != nil {
			t.Fatal(err)
		}
		contradictions := 0
		for _, a := range atOnce {
			if a.Unaudited > 0 {
				t.Errorf("%d votes of arm %s were not audited", a.Unaudited, a.ArmID)
			}
			contradictions += a.Items
		}
		if contradictions == 0 {
			t.Error("a simulated reviewer that ignores official results contradicts none of them")
		}
		// Votes from before there was an audit.
		var old []models.AuditedVote
		votes := 0
		if err := s.EachVote(ctx, admin, d.e.ID, func(v models.VoteDetail) error {
			votes++
			old = append(old, models.AuditedVote{ItemID: v.ItemID, Idx: v.Idx})
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if err := s.SaveAudits(ctx, admin, d.e.ID, old); err != nil {
			t.Fatal(err)
		}
		rep, err := d.Runner.Audit(ctx, admin, d.e.ID, false)
		if err != nil {
			t.Fatal(err)
		}
		if rep.Audited != votes || rep.Skipped != 0 || rep.Known != 0 || rep.Flagged == 0 {
			t.Errorf("audited %+v of %d votes", rep, votes)
		}
		later, err := s.ArmAudits(ctx, admin, d.e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(atOnce, later); diff != "" {
			t.Errorf("the audit of stored votes differs from that on arrival: %s", diff)
		}
		if rep, err = d.Runner.Audit(ctx, admin, d.e.ID, false); err != nil || rep.Known != votes || rep.Audited != 0 {
			t.Errorf("audited again: %+v, %v", rep, err)
		}
		if rep, err = d.Runner.Audit(ctx, admin, d.e.ID, true); err != nil || rep.Audited != votes {
			t.Errorf("asked to audit again: %+v, %v", rep, err)
		}
	})
}

func TestScreen(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		d := design(t, s)
		rs, err := s.Reviewers(ctx, admin, d.Project.ID)
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.Runner.Screen(ctx, admin, rs[0].Reviewer.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got.Threshold != runner.DefaultScreenThreshold || len(got.Lines) != 2 || got.Prompt != "v1" {
			t.Fatalf("screening %+v", got)
		}
		for _, l := range got.Lines {
			if l.Rate.N == 0 || l.Interval == nil || !l.Repeats || !l.Simulated || l.Unaudited != 0 {
				t.Errorf("line %+v", l)
			}
			if !l.Grounded && l.Rate.K != 0 {
				t.Errorf("%d contradictions on evidence without results", l.Rate.K)
			}
		}
		// How many of its votes go wrong differs from run to run, as ids do.
		for threshold, want := range map[float64]runner.ScreenVerdict{0.0001: runner.ScreenAbove, 0.99: runner.ScreenBelow} {
			if err := d.Runner.SetScreenThreshold(ctx, admin, threshold); err != nil {
				t.Fatal(err)
			}
			if got, err = d.Runner.Screen(ctx, admin, rs[0].Reviewer.ID); err != nil || got.Threshold != threshold || got.Verdict != want {
				t.Errorf("a reviewer that ignores official results is %s under a threshold of %v: %v", got.Verdict, threshold, err)
			}
		}
		var invalid *models.InvalidError
		for _, bad := range []float64{0, 1, -1} {
			if err := d.Runner.SetScreenThreshold(ctx, admin, bad); !errors.As(err, &invalid) {
				t.Errorf("a threshold of %v: %v", bad, err)
			}
		}
		editor := models.Viewer{Name: "bob", All: models.RoleEditor}
		if err := d.Runner.SetScreenThreshold(ctx, editor, 0.5); !errors.Is(err, models.ErrForbidden) {
			t.Errorf("an editor changed the server's threshold: %v", err)
		}
		unused := d.Reviewer(t, "unused", reviewer.Spec{Kind: reviewer.KindSimulated, Model: simulate.Small, Simulated: &reviewer.Simulated{Preset: simulate.Small}})
		found, err := s.ReviewerVersions(ctx, admin, d.Project.ID, []string{unused})
		if err != nil {
			t.Fatal(err)
		}
		if got, err = d.Runner.Screen(ctx, admin, found[0].Reviewer.ID); err != nil || got.Verdict != runner.ScreenNone || len(got.Lines) != 0 {
			t.Errorf("a reviewer without votes: %+v, %v", got, err)
		}
	})
}
