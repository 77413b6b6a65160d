package models_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"plumbline/models"
	"plumbline/models/modelstest"
)

// A control experiment goes through claim, steps, stop and resume; a step is
// stored once, and an ended episode stays ended.
func TestEpisodes(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 3)
		rv, err := s.SaveReviewer(ctx, admin, models.ReviewerDraft{ProjectID: b.project.ID, Name: "r", Kind: "openai", Model: "m", Spec: "{}"})
		if err != nil {
			t.Fatal(err)
		}
		var refs []models.ShardRef
		e, err := s.CreateControl(ctx, admin, models.ControlDraft{
			ExperimentDraft: models.ExperimentDraft{
				DatasetID: b.dataset.ID, Name: "c", Kind: models.KindControl, Votes: 1, Config: "{}", ShardSize: 1,
				Arms: []models.ArmDraft{{ReviewerVersionID: rv.ID, ReviewerName: "r", Form: "patch"}},
			},
			Policies: []string{"dp", "stop"},
			Tasks:    []models.ControlTaskDraft{{InstanceID: "a", TraceIDs: b.traces[:2]}, {InstanceID: "b", TraceIDs: b.traces[2:]}},
		}, capture(&refs))
		if err != nil {
			t.Fatal(err)
		}
		if e.ItemTotal != 4 || len(refs) != 2 {
			t.Fatalf("%d episodes in %d shards", e.ItemTotal, len(refs))
		}
		if _, err := s.ClaimShard(ctx, refs[0], "w", s.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		work, err := s.ControlWork(ctx, refs[0].ShardID)
		if err != nil || len(work) != 1 || len(work[0].Episodes) != 2 || len(work[0].Candidates) != 2 || work[0].Candidates[1].ID != b.traces[1] {
			t.Fatalf("work %+v (%v)", work, err)
		}
		first, second := work[0].Episodes[0], work[0].Episodes[1]
		first.State, first.Steps, first.Belief, first.Cost = models.EpisodeRunning, 1, 0.7, 2
		step := models.EpisodeStep{EpisodeID: first.ID, TraceID: b.traces[0], Action: "critic:r", Outcome: 1, Says: "pass", Source: "live", Before: 0.5, After: 0.7, Cost: 2, Decision: "{}"}
		for i, want := range []bool{true, false} {
			step.After = 0.7 + float64(i)
			if kept, err := s.TakeStep(ctx, first, step); err != nil || kept != want {
				t.Fatalf("step taken %d times: kept %v, %v", i+1, kept, err)
			}
		}
		it, voted, err := s.OpenItem(ctx, e.ID, firstArm(t, s, e.ID), b.traces[0], refs[0].ShardID)
		if err != nil || len(voted) != 0 {
			t.Fatalf("item %+v, %v", it, err)
		}
		same, _, err := s.OpenItem(ctx, e.ID, it.ArmID, b.traces[0], refs[1].ShardID)
		if err != nil || same.ID != it.ID {
			t.Errorf("asking again made another item: %+v, %v", same, err)
		}
		second.State, second.Status = models.EpisodeDone, "stopped"
		if err := s.EndEpisode(ctx, second); err != nil {
			t.Fatal(err)
		}
		second.State, second.Status = models.EpisodeError, ""
		if err := s.EndEpisode(ctx, second); err != nil {
			t.Fatal(err)
		}
		if err := s.StopExperiment(ctx, admin, e.ID); err != nil {
			t.Fatal(err)
		}
		if err := s.ReleaseShard(ctx, refs[0], "w"); err != nil {
			t.Fatal(err)
		}
		p, err := s.Progress(ctx, admin, e.ID)
		if err != nil || p.State != models.StateStopped || p.Done != 1 || p.Missing != 3 || p.Total != 4 {
			t.Fatalf("progress after the stop: %+v, %v", p, err)
		}
		list, err := s.Experiments(ctx, admin, models.ExperimentFilter{})
		if err != nil || list[0].Done != 1 {
			t.Errorf("the list counts %d episodes done (%v)", list[0].Done, err)
		}
		if err := s.SetConfig(ctx, admin, e.ID, `{"max_votes":2}`); err != nil {
			t.Error(err)
		}
		refs = nil
		if err := s.ResumeExperiment(ctx, admin, e.ID, capture(&refs)); err != nil || len(refs) != 2 {
			t.Fatalf("resumed %d shards: %v", len(refs), err)
		}
		if err := s.SetConfig(ctx, admin, e.ID, "{}"); !errors.Is(err, models.ErrConflict) {
			t.Errorf("the configuration of a running experiment is changed: %v", err)
		}
		log, steps, err := s.EpisodeLog(ctx, admin, first.ID)
		if err != nil || log.InstanceID != "a" || log.State != models.EpisodePending || log.Steps != 1 || len(steps) != 1 || steps[0].After != 0.7 {
			t.Errorf("log %+v of %d steps, %v", log, len(steps), err)
		}
		if err := s.HaltExperiment(ctx, e.ID); err != nil {
			t.Fatal(err)
		}
		if p, err := s.Progress(ctx, admin, e.ID); err != nil || p.State != models.StateStopped {
			t.Errorf("after the halt: %+v, %v", p, err)
		}
		share := models.Viewer{Name: "s", Share: e.ID}
		if _, err := s.Episodes(ctx, share, e.ID); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("a share link reads episodes: %v", err)
		}
		all, err := s.Episodes(ctx, admin, e.ID)
		if err != nil || len(all) != 4 || all[3].InstanceID != "b" || all[3].Policy != "stop" {
			t.Errorf("episodes %+v, %v", all, err)
		}
		if c, err := s.ControlCandidates(ctx, admin, e.ID); err != nil || len(c) != 3 || c[1].TraceID != b.traces[1] || c[2].TaskIdx != 1 || c[1].Label != "defective" {
			t.Errorf("candidates %v, %v", c, err)
		}
	})
}

func firstArm(t *testing.T, s *models.Store, experimentID string) string {
	t.Helper()
	arms, err := s.Arms(context.Background(), admin, experimentID)
	if err != nil {
		t.Fatal(err)
	}
	return arms[0].ID
}
