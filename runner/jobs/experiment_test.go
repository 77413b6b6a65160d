package jobs_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"plumbline/experiments/evidence"
	"plumbline/experiments/simulate"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/runner/reviewer/reviewertest"
	"plumbline/runner/runnertest"
)

var admin = models.LocalAdmin()

func launch(t *testing.T, b *runnertest.Bench, latencyMS float64) models.Experiment {
	t.Helper()
	ctx := context.Background()
	d, err := b.Runner.LoadBundled(ctx, admin, b.Project.ID)
	if err != nil {
		t.Fatal(err)
	}
	id := b.Reviewer(t, "sim", reviewer.Spec{Kind: reviewer.KindSimulated, Model: simulate.Small, Simulated: &reviewer.Simulated{Preset: simulate.Small, LatencyMS: latencyMS}})
	e, err := b.Runner.Launch(ctx, admin, runner.LaunchSpec{
		DatasetID: d.ID, Name: "e", Votes: 3, Seed: 7, Budget: 8000,
		Arms: []runner.ArmSpec{{ReviewerVersionID: id, Form: evidence.Patch}, {ReviewerVersionID: id, Form: evidence.Official}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestExperimentRunsToItsEnd(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		b := runnertest.New(t, s)
		e := launch(t, b, 0)
		b.Work(t, 4)
		p := b.Wait(t, e.ID, runnertest.Ended)
		if p.State != models.StateDone || p.Done != p.Total || p.Votes != p.VotesAsked || p.Total == 0 {
			t.Fatalf("progress %+v", p)
		}
		res, err := b.Runner.Results(context.Background(), admin, e.ID, runner.ResultOptions{ByInstance: true})
		if err != nil {
			t.Fatal(err)
		}
		if !res.SharedInstances {
			t.Error("several attempts share an instance, and the result does not say so")
		}
		for _, a := range res.Arms {
			if got := a.Counts.N() + a.Unknown.N(); got != p.Total/2 {
				t.Errorf("arm %s counts %d of %d traces", a.Arm.Form, got, p.Total/2)
			}
			if a.Cost.Votes != p.Total/2*3 {
				t.Errorf("arm %s has %d votes", a.Arm.Form, a.Cost.Votes)
			}
			if a.ByInstance == nil || a.Measures == nil {
				t.Error("an arm has no measures")
			}
		}
	})
}

func TestStopLetsCallsEndAndResumeAsksForTheRest(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := runnertest.New(t, s)
		e := launch(t, b, 20)
		b.Work(t, 2)
		b.Wait(t, e.ID, func(p models.Progress) bool { return p.Votes >= 20 })
		if err := b.Runner.Stop(ctx, admin, e.ID); err != nil {
			t.Fatal(err)
		}
		p := b.Wait(t, e.ID, runnertest.Ended)
		if p.State != models.StateStopped || p.Missing == 0 || p.Votes >= p.VotesAsked {
			t.Fatalf("after the stop: %+v", p)
		}
		before := p.Votes
		if err := b.Runner.Resume(ctx, admin, e.ID); err != nil {
			t.Fatal(err)
		}
		p = b.Wait(t, e.ID, runnertest.Ended)
		if p.State != models.StateDone || p.Votes != p.VotesAsked || p.Missing != 0 {
			t.Errorf("after the resume: %+v (had %d votes)", p, before)
		}
	})
}

func TestAWorkerThatShutsDownGivesItsWorkBack(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		b := runnertest.New(t, s)
		e := launch(t, b, 20)
		stop := b.Work(t, 2)
		b.Wait(t, e.ID, func(p models.Progress) bool { return p.Votes >= 10 })
		stop()
		p, err := s.Progress(context.Background(), admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if p.State != models.StateRunning || p.Votes == p.VotesAsked {
			t.Fatalf("after the shutdown: %+v", p)
		}
		b.Work(t, 2)
		p = b.Wait(t, e.ID, runnertest.Ended)
		if p.State != models.StateDone || p.Votes != p.VotesAsked {
			t.Errorf("after another worker: %+v", p)
		}
	})
}

// A worker that shuts down while it waits for an endpoint which is down fails no
// item: another worker goes on with them once the endpoint is back.
func TestAShutdownFailsNoItem(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := runnertest.New(t, s)
		d, err := b.Runner.LoadBundled(ctx, admin, b.Project.ID)
		if err != nil {
			t.Fatal(err)
		}
		var back atomic.Bool
		endpoint := reviewertest.New(t, reviewertest.Options{Fault: func(reviewertest.Call) reviewertest.Fault {
			if back.Load() {
				return nil
			}
			return reviewertest.Status(http.StatusServiceUnavailable, "come back later")
		}})
		id := b.Reviewer(t, "endpoint", reviewer.Spec{Kind: reviewer.KindOpenAI, BaseURL: endpoint.URL, Model: "m", MaxAttempts: 20, Concurrency: 8})
		e, err := b.Runner.Launch(ctx, admin, runner.LaunchSpec{
			DatasetID: d.ID, Name: "e", Votes: 1, Seed: 7, Budget: 8000, Arms: []runner.ArmSpec{{ReviewerVersionID: id, Form: evidence.Patch}},
		})
		if err != nil {
			t.Fatal(err)
		}
		stop := b.Work(t, 2)
		for deadline := time.Now().Add(3 * time.Minute); endpoint.Stats().Requests < 8; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the endpoint was not asked within three minutes")
			}
		}
		stop()
		p, err := s.Progress(ctx, admin, e.ID)
		if err != nil || p.State != models.StateRunning || p.Error != 0 || p.Done != 0 {
			t.Fatalf("after the shutdown: %+v, %v", p, err)
		}
		back.Store(true)
		b.Work(t, 2)
		if p := b.Wait(t, e.ID, runnertest.Ended); p.State != models.StateDone || p.Done != p.Total || p.Votes != int64(p.Total) {
			t.Errorf("after another worker: %+v", p)
		}
	})
}
