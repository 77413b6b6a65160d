package cascadetest

import (
	"context"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/runner/reviewer/reviewertest"
	"plumbline/runner/runnertest"
)

// A worker that shuts down while it waits for a generator which is down says nothing
// about the trace: the item stays open, the experiment runs on, and another worker
// ends it once the generator is back.
func TestShutdownIsNoTroubleOfAnItem(t *testing.T) {
	t.Parallel()
	mirrors := t.TempDir()
	commit := repository(t, filepath.Join(mirrors, "acme__calc"), map[string]string{"calc.py": "def add(a, b):\n    return a - b\n"})
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := runnertest.NewWith(t, s, func(c *runner.Config) { c.Checks = hostWith(t, mirrors) })
		d, err := s.EnsureDataset(ctx, admin, b.Project.ID, "sums", "", false)
		if err != nil {
			t.Fatal(err)
		}
		in := trace.Instance{ID: "acme__sum-1", Repo: "acme/calc", BaseCommit: commit, Issue: "The sum of two numbers is wrong."}
		if _, err := s.ImportTraces(ctx, admin, d.ID, []trace.Instance{in}, []models.TraceInput{{Trace: trace.Trace{
			InstanceID: in.ID, Agent: "a", Model: "m", PatchState: trace.PatchText, Patch: calcPatch, Outcome: trace.Outcome{Label: trace.Acceptable, From: trace.Manual},
		}}}); err != nil {
			t.Fatal(err)
		}
		var back atomic.Bool
		endpoint := reviewertest.New(t, reviewertest.Options{
			Answer: func(reviewertest.Call) string { return pyTest("self.assertEqual(add(1, 2), 3)") },
			Fault: func(reviewertest.Call) reviewertest.Fault {
				if back.Load() {
					return nil
				}
				return reviewertest.Status(http.StatusServiceUnavailable, "come back later")
			},
		})
		gen := b.Reviewer(t, "writer", reviewer.Spec{Kind: reviewer.KindOpenAI, BaseURL: endpoint.URL, Model: "m", MaxAttempts: 20})
		e := launch(t, b, "", func(s *runner.CascadeSpec) {
			s.DatasetID, s.Checks.Generator, s.Policy = d.ID, gen, s.Policy[:1]
		})
		stop := b.Work(t, 1)
		for deadline := time.Now().Add(3 * time.Minute); endpoint.Stats().Requests == 0; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the generator was not asked within three minutes")
			}
		}
		stop()
		p, err := s.Progress(ctx, admin, e.ID)
		if err != nil || p.State != models.StateRunning || p.Error != 0 || p.Done != 0 {
			t.Fatalf("after the shutdown: %+v, %v", p, err)
		}
		back.Store(true)
		b.Work(t, 1)
		if p := wait(t, b, e.ID); p.State != models.StateDone || p.Done != 1 || p.Error != 0 {
			t.Errorf("after another worker: %+v", p)
		}
	})
}
