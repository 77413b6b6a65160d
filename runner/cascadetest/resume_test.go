package cascadetest

import (
	"context"
	"testing"
	"time"

	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/runnertest"
)

// A cascade that is stopped, and whose worker then goes away and is followed by
// another, ends as if nothing had happened: what was observed is found again, no
// attempt and no vote is doubled, and both policies share their checks.
func TestCascadeGoesOnWhereItWas(t *testing.T) {
	ctx := context.Background()
	s := modelstest.SQLite(t)
	here := host(t)
	b := runnertest.NewWith(t, s, func(c *runner.Config) { c.Checks = here })
	e := launch(t, b, part(t, b, "pathrules-1"), func(s *runner.CascadeSpec) { s.Policy = s.Policy[:2] })
	attempts := func() map[string]string {
		t.Helper()
		all, err := s.CascadeTests(ctx, admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, g := range all {
			key := g.SetID + "/" + string(rune('0'+g.Attempt))
			if _, ok := out[key]; ok {
				t.Errorf("attempt %s is stored twice", key)
			}
			out[key] = g.CreatedAt.String()
		}
		return out
	}
	until := func(what string, ok func() bool) {
		t.Helper()
		for deadline := time.Now().Add(3 * time.Minute); !ok(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: not within three minutes", what)
			}
		}
	}
	stop := b.Work(t, 2)
	until("a first attempt", func() bool { return len(attempts()) > 0 })
	if err := b.Runner.Stop(ctx, admin, e.ID); err != nil {
		t.Fatal(err)
	}
	p := b.Wait(t, e.ID, runnertest.Ended)
	if p.State != models.StateStopped || p.Missing == 0 || p.Error != 0 {
		t.Fatalf("after the stop: %+v", p)
	}
	first := attempts()
	if err := b.Runner.Resume(ctx, admin, e.ID); err != nil {
		t.Fatal(err)
	}
	until("a further attempt", func() bool { return len(attempts()) > len(first) })
	stop() // the worker goes away in the middle

	other := runnertest.NewWith(t, s, func(c *runner.Config) { c.Checks = host(t) })
	other.Work(t, 2)
	p = wait(t, other, e.ID)
	if p.State != models.StateDone || p.Error != 0 || p.Missing != 0 || p.Done != p.Total {
		t.Fatalf("after another worker: %+v", p)
	}
	last := attempts()
	for key, at := range first {
		if last[key] != at {
			t.Errorf("attempt %s was made again: %s, before %s", key, last[key], at)
		}
	}
	votes, err := s.CascadeVotes(ctx, admin, e.ID)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[3]any]bool{}
	for _, x := range votes {
		key := [3]any{x.ArmID, x.TraceID, x.Idx}
		if seen[key] {
			t.Errorf("vote %v is stored twice", key)
		}
		seen[key] = true
	}
	all, err := s.CascadeTests(ctx, admin, e.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range all {
		want := 0
		for _, r := range []string{g.BaseResult, g.PatchedResult, g.GoldResult} {
			if r != "" {
				want++
			}
		}
		if g.Runs != want || (g.PatchedResult == "") != (g.GoldResult == "") {
			t.Errorf("attempt %d in %s: %d runs, base %q, patch %q, reference %q", g.Attempt, g.SetID, g.Runs, g.BaseResult, g.PatchedResult, g.GoldResult)
		}
	}
	res, err := other.Runner.CascadeResults(ctx, admin, e.ID)
	if err != nil || res.Differing != 0 || res.Arms[0].Funnel.Verdicts != res.Traces || res.Arms[1].Funnel.Verdicts != res.Traces {
		t.Errorf("%d differ, %d traces, %+v, %v", res.Differing, res.Traces, res.Arms, err)
	}
}
