// Package runnertest gives tests a runner with a real queue on a real store.
package runnertest

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"plumbline/models"
	"plumbline/runner"
	"plumbline/runner/ingest"
	"plumbline/runner/jobs"
	"plumbline/runner/reviewer"
)

// Bench is a runner on a store, with its queue; it has no worker until Work.
type Bench struct {
	Store   *models.Store
	Queue   *jobs.Queue
	Runner  *runner.Runner
	Ingest  *ingest.Ingest
	Project models.Project
}

// New migrates the queue on a migrated store and builds a runner on both.
func New(t testing.TB, s *models.Store) *Bench { return NewWith(t, s, nil) }

// NewWith is New with a change of the configuration.
func NewWith(t testing.TB, s *models.Store, configure func(*runner.Config)) *Bench {
	t.Helper()
	ctx := context.Background()
	log := slog.New(slog.DiscardHandler)
	if err := jobs.Migrate(ctx, s); err != nil {
		t.Fatal(err)
	}
	q, err := jobs.NewQueue(s, log)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.EnsureProject(ctx, "test", "Test")
	if err != nil {
		t.Fatal(err)
	}
	deps := reviewer.NewDeps()
	c := runner.Config{Store: s, Enqueue: q.EnqueueShards, Deps: deps, Log: log, Version: "test", Lease: time.Second}
	if configure != nil {
		configure(&c)
	}
	r := runner.New(c)
	t.Cleanup(func() {
		r.Close()
		deps.Close()
	})
	g := ingest.New(ingest.Config{Store: s, Enqueue: q.EnqueueImport, Uploads: t.TempDir(), Log: log})
	return &Bench{Store: s, Queue: q, Runner: r, Ingest: g, Project: p}
}

type performer struct {
	*runner.Runner
	*ingest.Ingest
}

// Work starts a worker with its sweep; the returned function stops both. The
// worker is stopped with the test too.
func (b *Bench) Work(t testing.TB, shards int) (stop func()) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	w, err := jobs.StartWorker(context.Background(), b.Store, performer{b.Runner, b.Ingest}, jobs.Options{Shards: shards, Imports: true, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	sweep, end := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		jobs.Sweep(sweep, b.Queue, b.Runner, 500*time.Millisecond, log)
	}()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		end()
		<-done
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := w.Stop(ctx); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return stop
}

// Reviewer saves a reviewer and returns its version's id.
func (b *Bench) Reviewer(t testing.TB, name string, spec reviewer.Spec) string {
	t.Helper()
	spec = spec.Filled()
	if bad := spec.Validate(); len(bad) > 0 {
		t.Fatalf("reviewer %s: %v", name, bad)
	}
	raw, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	v, err := b.Store.SaveReviewer(context.Background(), models.LocalAdmin(), models.ReviewerDraft{
		ProjectID: b.Project.ID, Name: name, Kind: string(spec.Kind), Model: spec.Model, Spec: string(raw),
	})
	if err != nil {
		t.Fatal(err)
	}
	return v.ID
}

// Wait polls an experiment's progress until ok holds, and fails after three minutes.
func (b *Bench) Wait(t testing.TB, experimentID string, ok func(models.Progress) bool) models.Progress {
	t.Helper()
	deadline := time.Now().Add(3 * time.Minute)
	for {
		p, err := b.Store.Progress(context.Background(), models.LocalAdmin(), experimentID)
		if err != nil {
			t.Fatal(err)
		}
		if ok(p) {
			return p
		}
		if time.Now().After(deadline) {
			t.Fatalf("not reached within three minutes: %+v", p)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Ended holds when nothing more will happen to an experiment.
func Ended(p models.Progress) bool {
	return p.State == models.StateDone || p.State == models.StateStopped
}
