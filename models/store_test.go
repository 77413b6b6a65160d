package models_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/models/modelstest"
)

var admin = models.LocalAdmin()

// bundle is a store with a project, a dataset and n labelled traces.
type bundle struct {
	s       *models.Store
	project models.Project
	dataset models.Dataset
	traces  []string
}

func setup(t *testing.T, s *models.Store, n int) bundle {
	t.Helper()
	ctx := context.Background()
	p, err := s.EnsureProject(ctx, "default", "Default")
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.EnsureDataset(ctx, admin, p.ID, "cases", "", false)
	if err != nil {
		t.Fatal(err)
	}
	b := bundle{s: s, project: p, dataset: d}
	for i := range n {
		label := trace.Acceptable
		if i%2 == 1 {
			label = trace.Defective
		}
		res, err := s.ImportTraces(ctx, admin, d.ID, []trace.Instance{instance(i)}, []models.TraceInput{attempt(i, "patch", label)})
		if err != nil {
			t.Fatal(err)
		}
		b.traces = append(b.traces, res[0].TraceID)
	}
	return b
}

func instance(i int) trace.Instance {
	return trace.Instance{
		ID: fmt.Sprintf("acme__tool-%d", i), Repo: "acme/tool", BaseCommit: "abc", Language: "python", Issue: "# Title\n\nBody",
		Oracle: trace.Oracle{GoldPatch: "gold", TestPatch: "tests", FailToPass: []string{"t::a"}, PassToPass: []string{"t::b"}},
	}
}

func attempt(i int, patch string, label trace.Label) models.TraceInput {
	return models.TraceInput{
		Trace: trace.Trace{
			InstanceID: fmt.Sprintf("acme__tool-%d", i), Agent: "agent", Model: "m", PatchState: trace.PatchText, Patch: patch, Summary: "done",
			Steps:   []trace.Step{{Kind: trace.StepAction, Action: "ls\x00", Observation: "a"}},
			Outcome: trace.Outcome{Label: label, From: trace.Imported, Source: "report.json"},
		},
		Patch: models.PatchFacts{SHA256: fmt.Sprintf("%x", patch), Files: 1},
	}
}

func TestImportTraces(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 1)
		bare := attempt(0, "patch", trace.Unknown)
		tests := []struct {
			name string
			in   models.TraceInput
			want models.Imported
		}{
			{"the same again", attempt(0, "patch", trace.Acceptable), models.ImportKnown},
			{"without outcome", bare, models.ImportKnown},
			{"another outcome", attempt(0, "patch", trace.Defective), models.ImportConflict},
			{"another patch", attempt(0, "other", trace.Unknown), models.ImportAttempt},
			{"an outcome for it", attempt(0, "other", trace.Defective), models.ImportCompleted},
			{"and again", attempt(0, "other", trace.Defective), models.ImportKnown},
		}
		for _, tt := range tests {
			res, err := s.ImportTraces(ctx, admin, b.dataset.ID, []trace.Instance{instance(0)}, []models.TraceInput{tt.in})
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			if res[0].Outcome != tt.want {
				t.Errorf("%s: outcome %s, want %s", tt.name, res[0].Outcome, tt.want)
			}
		}
		rows, _, err := s.Traces(ctx, admin, models.TraceFilter{DatasetID: b.dataset.ID}, models.Page{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range rows {
			got = append(got, fmt.Sprintf("%d %s", r.Attempt, r.Label))
		}
		if diff := cmp.Diff([]string{"1 acceptable", "2 defective"}, got); diff != "" {
			t.Error(diff)
		}
		tr, in, err := s.LoadTrace(ctx, admin, b.traces[0])
		if err != nil {
			t.Fatal(err)
		}
		if tr.Steps[0].Action != "ls\ufffd" {
			t.Errorf("NUL stored as %q", tr.Steps[0].Action)
		}
		if !in.Oracle.Empty() {
			t.Error("a loaded instance carries its oracle")
		}
	})
}

// launch makes an experiment of one arm and returns it with its shards.
func launch(t *testing.T, b bundle, votes int) (models.Experiment, []models.ShardRef) {
	t.Helper()
	ctx := context.Background()
	rv, err := b.s.SaveReviewer(ctx, admin, models.ReviewerDraft{ProjectID: b.project.ID, Name: "r", Kind: "openai", Model: "m", Spec: "{}"})
	if err != nil {
		t.Fatal(err)
	}
	var refs []models.ShardRef
	e, err := b.s.CreateExperiment(ctx, admin, models.ExperimentDraft{
		DatasetID: b.dataset.ID, Name: "e", Kind: "review", Votes: votes, Seed: 1, Config: "{}", ShardSize: 2,
		Arms: []models.ArmDraft{{ReviewerVersionID: rv.ID, ReviewerName: "r", Form: "patch"}},
	}, capture(&refs))
	if err != nil {
		t.Fatal(err)
	}
	return e, refs
}

func capture(refs *[]models.ShardRef) models.Enqueue {
	return func(_ context.Context, _ *sql.Tx, s []models.ShardRef) error {
		*refs = append(*refs, s...)
		return nil
	}
}

func ballot(it models.Item, idx int, v string) models.VoteInput {
	return models.VoteInput{Row: models.VoteRow{ItemID: it.ID, Idx: idx, ExperimentID: it.ExperimentID, ArmID: it.ArmID, Vote: v}, Raw: v}
}

func TestVotesAreCountedOnceAndDecided(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 2)
		e, refs := launch(t, b, 3)
		w, err := s.ClaimShard(ctx, refs[0], "w1", s.Now().Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		it := w.Items[0]
		kept, err := s.CommitVotes(ctx, []models.VoteInput{ballot(it, 0, "reject"), ballot(it, 1, "accept"), ballot(it, 0, "accept")})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]bool{true, true, false}, kept); diff != "" {
			t.Error(diff)
		}
		if cells, err := s.ResultCells(ctx, admin, e.ID); err != nil || len(cells) != 0 {
			t.Errorf("decided before all votes were there: %v %v", cells, err)
		}
		if _, err := s.CommitVotes(ctx, []models.VoteInput{ballot(it, 2, "reject")}); err != nil {
			t.Fatal(err)
		}
		if err := s.FailItem(ctx, it.ID, "server", "late word"); err != nil {
			t.Fatal(err)
		}
		want := []models.ResultCell{{ArmID: it.ArmID, Label: "acceptable", Decision: "reject", NAccept: 1, NReject: 2, N: 1}}
		cells, err := s.ResultCells(ctx, admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, cells); diff != "" {
			t.Error(diff)
		}
		if err := s.SetLabel(ctx, admin, models.LabelChange{TraceID: it.TraceID, Label: trace.Defective, Source: trace.Manual, Reason: "seen"}); err != nil {
			t.Fatal(err)
		}
		cells, err = s.ResultCells(ctx, admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		want[0].Label = "defective"
		if diff := cmp.Diff(want, cells); diff != "" {
			t.Errorf("a changed label does not reach the result: %s", diff)
		}
		p, err := s.Progress(ctx, admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if p.Done != 1 || p.Pending != 1 || p.Votes != 3 || p.VotesAsked != 6 {
			t.Errorf("progress %+v", p)
		}
	})
}

func TestLeases(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		s.SetClock(func() time.Time { return now })
		b := setup(t, s, 4)
		e, refs := launch(t, b, 1)
		if len(refs) != 2 {
			t.Fatalf("%d shards, want 2", len(refs))
		}
		if _, err := s.ClaimShard(ctx, refs[0], "w1", now.Add(5*time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.ClaimShard(ctx, refs[0], "w2", now.Add(5*time.Second)); !errors.Is(err, models.ErrLeaseLost) {
			t.Errorf("a second worker claimed a live lease: %v", err)
		}
		var again []models.ShardRef
		live := func(context.Context) (map[models.ShardRef]bool, error) {
			return map[models.ShardRef]bool{refs[1]: true}, nil
		}
		if n, err := s.RequeueLost(ctx, "w2", time.Second, live, capture(&again)); n != 0 || err != nil {
			t.Errorf("requeued %d live shards, %v", n, err)
		}
		now = now.Add(6 * time.Second)
		if n, err := s.RequeueLost(ctx, "w1", time.Second, live, capture(&again)); n != 0 || err != nil {
			t.Errorf("the owner itself took %d of its shards for lost, %v", n, err)
		}
		if n, err := s.RequeueLost(ctx, "w2", time.Second, live, capture(&again)); n != 1 || err != nil {
			t.Fatalf("requeued %d, want the one whose lease ran out (%v)", n, err)
		}
		if _, err := s.ClaimShard(ctx, refs[0], "w1", now.Add(time.Minute)); !errors.Is(err, models.ErrLeaseLost) {
			t.Errorf("an outdated job claimed the shard: %v", err)
		}
		// The other shard's job vanished before any worker claimed it.
		none := func(context.Context) (map[models.ShardRef]bool, error) { return nil, nil }
		again = nil
		if n, err := s.RequeueLost(ctx, "w2", time.Second, none, capture(&again)); n != 1 || err != nil {
			t.Fatalf("requeued %d waiting shards without a job, want 1 (%v)", n, err)
		}
		if err := s.StopExperiment(ctx, admin, e.ID); err != nil {
			t.Fatal(err)
		}
		p, err := s.Progress(ctx, admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if p.State != models.StateStopped || p.Missing != 4 {
			t.Errorf("after a stop with nothing in flight: %+v", p)
		}
		again = nil
		if err := s.ResumeExperiment(ctx, admin, e.ID, capture(&again)); err != nil {
			t.Fatal(err)
		}
		if len(again) != 2 {
			t.Errorf("resume queued %d shards, want 2", len(again))
		}
	})
}

func TestViewerScope(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 1)
		e, _ := launch(t, b, 1)
		stranger := models.Viewer{Name: "s", Roles: map[string]models.Role{"pr_other": models.RoleAdmin}}
		reader := models.Viewer{Name: "r", Roles: map[string]models.Role{b.project.ID: models.RoleViewer}}
		shared := models.Viewer{Share: e.ID}
		check := func(name string, want error, err error) {
			t.Helper()
			if !errors.Is(err, want) {
				t.Errorf("%s: got %v, want %v", name, err, want)
			}
		}
		_, err := s.Dataset(ctx, stranger, b.dataset.ID)
		check("a stranger's dataset", models.ErrNotFound, err)
		_, err = s.Experiment(ctx, stranger, e.ID)
		check("a stranger's experiment", models.ErrNotFound, err)
		_, err = s.Experiment(ctx, shared, e.ID)
		check("a shared experiment", nil, err)
		_, err = s.Dataset(ctx, shared, b.dataset.ID)
		check("a dataset behind a share link", models.ErrNotFound, err)
		_, err = s.Trace(ctx, shared, b.traces[0])
		check("a trace behind a share link", models.ErrNotFound, err)
		check("a stop through a share link", models.ErrForbidden, s.StopExperiment(ctx, shared, e.ID))
		check("a stop by a reader", models.ErrForbidden, s.StopExperiment(ctx, reader, e.ID))
		check("a stop by a stranger", models.ErrNotFound, s.StopExperiment(ctx, stranger, e.ID))
		tr, err := s.Trace(ctx, reader, b.traces[0])
		check("a reader's trace", nil, err)
		_, err = s.Oracle(ctx, reader, tr.InstanceRow)
		check("a reader's oracle", models.ErrForbidden, err)
		if es, err := s.Experiments(ctx, stranger, models.ExperimentFilter{}); err != nil || len(es) != 0 {
			t.Errorf("a stranger lists %d experiments, %v", len(es), err)
		}
		if es, err := s.Experiments(ctx, reader, models.ExperimentFilter{}); err != nil || len(es) != 1 {
			t.Errorf("a reader lists %d experiments, %v", len(es), err)
		}
	})
}

func TestShareLinks(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 1)
		e, _ := launch(t, b, 1)
		link, token, err := s.ShareExperiment(ctx, admin, e.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(token) < 43 || link.TokenSHA256 == token {
			t.Errorf("token %q is short or stored in the clear", token)
		}
		if v, _, err := s.OpenShare(ctx, token); err != nil || v.Share != e.ID {
			t.Errorf("open: %v %v", v, err)
		}
		if _, _, err := s.OpenShare(ctx, token+"x"); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("a wrong token: %v", err)
		}
		if err := s.RevokeShare(ctx, admin, link.ID); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.OpenShare(ctx, token); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("a revoked token: %v", err)
		}
		soon := s.Now().Add(time.Hour)
		_, token, err = s.ShareExperiment(ctx, admin, e.ID, &soon)
		if err != nil {
			t.Fatal(err)
		}
		s.SetClock(func() time.Time { return soon.Add(time.Second) })
		if _, _, err := s.OpenShare(ctx, token); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("an expired token: %v", err)
		}
	})
}

func TestTracePagesAreStable(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 7)
		for _, sort := range []string{"", "-id", "label", "-label", "cost", "-size", "instance"} {
			seen := map[string]bool{}
			after := ""
			for page := 0; ; page++ {
				rows, next, err := s.Traces(ctx, admin, models.TraceFilter{DatasetID: b.dataset.ID}, models.Page{Sort: sort, After: after, Limit: 2})
				if err != nil {
					t.Fatalf("sort %q: %v", sort, err)
				}
				for _, r := range rows {
					if seen[r.ID] {
						t.Errorf("sort %q: %s twice", sort, r.ID)
					}
					seen[r.ID] = true
				}
				if after = next; after == "" {
					break
				}
			}
			if len(seen) != 7 {
				t.Errorf("sort %q: saw %d of 7", sort, len(seen))
			}
		}
		if _, _, err := s.Traces(ctx, admin, models.TraceFilter{DatasetID: b.dataset.ID}, models.Page{Sort: "id; DROP"}); err == nil {
			t.Error("an unknown sort was accepted")
		}
	})
}

func TestLoginThrottle(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		for range 4 {
			if err := s.LoginFailed(ctx, "10.0.0.1"); err != nil {
				t.Fatal(err)
			}
		}
		if w, err := s.LoginWait(ctx, "10.0.0.1"); w != 0 || err != nil {
			t.Errorf("after four failures: wait %v, %v", w, err)
		}
		for range 3 {
			if err := s.LoginFailed(ctx, "10.0.0.1"); err != nil {
				t.Fatal(err)
			}
		}
		if w, err := s.LoginWait(ctx, "10.0.0.1"); w < 6*time.Second || err != nil {
			t.Errorf("after seven failures: wait %v, %v", w, err)
		}
		if w, _ := s.LoginWait(ctx, "10.0.0.2"); w != 0 {
			t.Errorf("another address waits %v", w)
		}
		if err := s.LoginSucceeded(ctx, "10.0.0.1"); err != nil {
			t.Fatal(err)
		}
		if w, _ := s.LoginWait(ctx, "10.0.0.1"); w != 0 {
			t.Errorf("after a success: wait %v", w)
		}
	})
}
