package models_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"plumbline/models"
	"plumbline/models/modelstest"
)

// plays starts a control experiment of two policies, each task in a shard of its own.
func plays(t *testing.T, b bundle) (models.Experiment, []models.ShardRef) {
	t.Helper()
	ctx := context.Background()
	rv, err := b.s.SaveReviewer(ctx, admin, models.ReviewerDraft{ProjectID: b.project.ID, Name: "r", Kind: "openai", Model: "m", Spec: "{}"})
	if err != nil {
		t.Fatal(err)
	}
	d := models.ControlDraft{
		ExperimentDraft: models.ExperimentDraft{
			DatasetID: b.dataset.ID, Name: "c", Kind: models.KindControl, Votes: 1, Config: "{}", ShardSize: 1,
			Arms: []models.ArmDraft{{ReviewerVersionID: rv.ID, ReviewerName: "r", Form: "patch"}},
		},
		Policies: []string{"dp", "stop"},
	}
	for _, id := range b.traces {
		d.Tasks = append(d.Tasks, models.ControlTaskDraft{InstanceID: id, TraceIDs: []string{id}})
	}
	var refs []models.ShardRef
	e, err := b.s.CreateControl(ctx, admin, d, capture(&refs))
	if err != nil {
		t.Fatal(err)
	}
	return e, refs
}

// endEpisodes ends all episodes of a shard.
func endEpisodes(t *testing.T, s *models.Store, shardID string) {
	t.Helper()
	work, err := s.ControlWork(context.Background(), shardID)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range work {
		for _, e := range w.Episodes {
			e.State, e.Status = models.EpisodeDone, "stopped"
			if err := s.EndEpisode(context.Background(), e); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A worker that shuts down gives back whatever is not ended, be it items or
// episodes, and the experiment runs on; only a stop that was asked for stops it.
func TestReturnShard(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	opened := func(t *testing.T, b bundle, e models.Experiment, ref models.ShardRef) models.Item {
		it, _, err := b.s.OpenItem(ctx, e.ID, firstArm(t, b.s, e.ID), b.traces[0], ref.ShardID)
		if err != nil {
			t.Fatal(err)
		}
		return it
	}
	answer := func(t *testing.T, s *models.Store, items ...models.Item) {
		for _, it := range items {
			if _, err := s.CommitVotes(ctx, []models.VoteInput{ballot(it, 0, "accept")}); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := []struct {
		name     string
		control  bool
		do       func(t *testing.T, b bundle, e models.Experiment, w models.ShardWork, ref models.ShardRef)
		requeued bool
		state    string
	}{
		{name: "items are open", requeued: true, state: models.StateRunning},
		{name: "one item is open", requeued: true, state: models.StateRunning, do: func(t *testing.T, b bundle, _ models.Experiment, w models.ShardWork, _ models.ShardRef) {
			answer(t, b.s, w.Items[0])
		}},
		{name: "no item is open", state: models.StateDone, do: func(t *testing.T, b bundle, _ models.Experiment, w models.ShardWork, _ models.ShardRef) {
			answer(t, b.s, w.Items...)
		}},
		{name: "items are open and a stop was asked for", state: models.StateStopped, do: func(t *testing.T, b bundle, e models.Experiment, _ models.ShardWork, _ models.ShardRef) {
			if err := b.s.StopExperiment(ctx, admin, e.ID); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "episodes are open and nothing was asked", control: true, requeued: true, state: models.StateRunning},
		{name: "episodes are open and an item", control: true, requeued: true, state: models.StateRunning, do: func(t *testing.T, b bundle, e models.Experiment, _ models.ShardWork, ref models.ShardRef) {
			opened(t, b, e, ref)
		}},
		{name: "episodes are open and every item is answered", control: true, requeued: true, state: models.StateRunning, do: func(t *testing.T, b bundle, e models.Experiment, _ models.ShardWork, ref models.ShardRef) {
			answer(t, b.s, opened(t, b, e, ref))
		}},
		{name: "no episode is open", control: true, state: models.StateDone, do: func(t *testing.T, b bundle, _ models.Experiment, _ models.ShardWork, ref models.ShardRef) {
			endEpisodes(t, b.s, ref.ShardID)
		}},
		{name: "no episode is open and an item that none needs", control: true, state: models.StateDone, do: func(t *testing.T, b bundle, e models.Experiment, _ models.ShardWork, ref models.ShardRef) {
			opened(t, b, e, ref)
			endEpisodes(t, b.s, ref.ShardID)
		}},
		{name: "episodes are open and a stop was asked for", control: true, state: models.StateStopped, do: func(t *testing.T, b bundle, e models.Experiment, _ models.ShardWork, _ models.ShardRef) {
			if err := b.s.StopExperiment(ctx, admin, e.ID); err != nil {
				t.Fatal(err)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			modelstest.Each(t, func(t *testing.T, s *models.Store) {
				var b bundle
				var e models.Experiment
				var refs []models.ShardRef
				if tt.control {
					b = setup(t, s, 1)
					e, refs = plays(t, b)
				} else {
					b = setup(t, s, 2)
					e, refs = launch(t, b, 1)
				}
				w, err := s.ClaimShard(ctx, refs[0], "w1", s.Now().Add(time.Minute))
				if err != nil {
					t.Fatal(err)
				}
				if tt.do != nil {
					tt.do(t, b, e, w, refs[0])
				}
				var again []models.ShardRef
				if err := s.ReturnShard(ctx, refs[0], "w1", capture(&again)); err != nil {
					t.Fatal(err)
				}
				p, err := s.Progress(ctx, admin, e.ID)
				if err != nil || p.State != tt.state {
					t.Errorf("the experiment is %s, want %s (%v)", p.State, tt.state, err)
				}
				if !tt.requeued {
					if len(again) != 0 {
						t.Errorf("queued anew: %v", again)
					}
					return
				}
				if len(again) != 1 || again[0].ShardID != refs[0].ShardID || again[0].Generation != refs[0].Generation+1 {
					t.Fatalf("queued anew: %v", again)
				}
				if _, err := s.ClaimShard(ctx, again[0], "w2", s.Now().Add(time.Minute)); err != nil {
					t.Errorf("another worker cannot go on: %v", err)
				}
			})
		})
	}
}

// A worker that ends a shard late must not touch it once another worker has it,
// even if that happens while its own word waits for the database.
func TestLateEndsAreVoid(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, end := range map[string]func(*models.Store, models.ShardRef) error{
		"release": func(s *models.Store, ref models.ShardRef) error {
			if err := s.ReleaseShard(ctx, ref, "w1"); !errors.Is(err, models.ErrLeaseLost) {
				return errors.Join(errors.New("the late release was heard"), err)
			}
			return nil
		},
		"return": func(s *models.Store, ref models.ShardRef) error {
			var again []models.ShardRef
			if err := s.ReturnShard(ctx, ref, "w1", capture(&again)); err != nil || len(again) != 0 {
				return errors.Join(errors.New("the late return was heard"), err)
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			modelstest.Each(t, func(t *testing.T, s *models.Store) {
				b := setup(t, s, 2)
				e, refs := launch(t, b, 1)
				if _, err := s.ClaimShard(ctx, refs[0], "w1", s.Now().Add(-time.Second)); err != nil {
					t.Fatal(err)
				}
				late := make(chan error, 1)
				var again []models.ShardRef
				take := func(ctx context.Context, _ *sql.Tx, found []models.ShardRef) error {
					again = found
					go func() { late <- end(s, refs[0]) }()
					return waitForLock(ctx, s)
				}
				none := func(context.Context) (map[models.ShardRef]bool, error) { return nil, nil }
				if n, err := s.RequeueLost(ctx, "w2", time.Second, none, take); n != 1 || err != nil {
					t.Fatalf("requeued %d, %v", n, err)
				}
				if err := <-late; err != nil {
					t.Error(err)
				}
				if _, err := s.ClaimShard(ctx, again[0], "w2", s.Now().Add(time.Minute)); err != nil {
					t.Errorf("the next worker cannot go on: %v", err)
				}
				if p, err := s.Progress(ctx, admin, e.ID); err != nil || p.State != models.StateRunning {
					t.Errorf("progress %+v, %v", p, err)
				}
			})
		})
	}
}

// waitForLock waits until a session on PostgreSQL waits for a lock. SQLite has one
// writer, and lets nobody read in between.
func waitForLock(ctx context.Context, s *models.Store) error {
	if s.Pool() == nil {
		return nil
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		var n int
		err := s.Pool().QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n)
		if err != nil || n > 0 {
			return err
		}
	}
	return errors.New("nobody waits for a lock")
}

// Resuming a control experiment plays what is open; an item in error that no open
// episode needs keeps its error and does not hold the end up.
func TestResumeLeavesEndedEpisodesAlone(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 2)
		e, refs := plays(t, b)
		if _, err := s.ClaimShard(ctx, refs[0], "w", s.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		it, _, err := s.OpenItem(ctx, e.ID, firstArm(t, s, e.ID), b.traces[0], refs[0].ShardID)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.FailItem(ctx, it.ID, "no_evidence", "there is nothing to show"); err != nil {
			t.Fatal(err)
		}
		endEpisodes(t, s, refs[0].ShardID)
		if err := s.StopExperiment(ctx, admin, e.ID); err != nil {
			t.Fatal(err)
		}
		if err := s.ReleaseShard(ctx, refs[0], "w"); err != nil {
			t.Fatal(err)
		}
		var again []models.ShardRef
		if err := s.ResumeExperiment(ctx, admin, e.ID, capture(&again)); err != nil {
			t.Fatal(err)
		}
		if len(again) != 1 || again[0].ShardID != refs[1].ShardID {
			t.Fatalf("resumed %v, want the shard with open episodes alone", again)
		}
		if _, err := s.ClaimShard(ctx, again[0], "w", s.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		endEpisodes(t, s, again[0].ShardID)
		if err := s.ReleaseShard(ctx, again[0], "w"); err != nil {
			t.Fatal(err)
		}
		if p, err := s.Progress(ctx, admin, e.ID); err != nil || p.State != models.StateDone || p.Done != 4 {
			t.Errorf("in the end: %+v, %v", p, err)
		}
		if got, _, err := s.ItemAnswer(ctx, it.ID); err != nil || got.State != models.ItemError || got.ErrorClass != "no_evidence" {
			t.Errorf("the item is %s with %q, %v", got.State, got.ErrorClass, err)
		}
	})
}
