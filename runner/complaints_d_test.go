package runner_test

import (
	"context"
	"testing"

	"plumbline/experiments/evidence"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/runner/reviewer/reviewertest"
	"plumbline/runner/runnertest"
)

// Repeats that were none, in other tools, held against an experiment of K = 5 with
// the cache on that is run twice.
func TestComplaintsD(t *testing.T) {
	t.Parallel()
	ctx, admin := context.Background(), models.LocalAdmin()
	srv := reviewertest.New(t, reviewertest.Options{})
	b := runnertest.New(t, modelstest.SQLite(t))
	d, err := b.Runner.LoadBundled(ctx, admin, b.Project.ID)
	if err != nil {
		t.Fatal(err)
	}
	one := 1.0
	id := b.Reviewer(t, "endpoint", reviewer.Spec{
		Kind: reviewer.KindOpenAI, BaseURL: srv.URL, Model: "m", Price: &reviewer.Price{Version: "1", InputPerMTok: &one, OutputPerMTok: &one},
	})
	type run struct {
		votes, cached, distinct int
		calls                   int
		cost                    models.ArmCost
		said                    map[string]string // by item's trace and vote index
	}
	perform := func() (out run) {
		t.Helper()
		before := srv.Stats().Requests
		e, err := b.Runner.Launch(ctx, admin, runner.LaunchSpec{
			DatasetID: d.ID, Name: "repeats", Votes: 5, Seed: 4, Budget: 4000, Cache: true, Arms: []runner.ArmSpec{{ReviewerVersionID: id, Form: evidence.Patch}},
		})
		if err != nil {
			t.Fatal(err)
		}
		stop := b.Work(t, 4)
		b.Wait(t, e.ID, runnertest.Ended)
		stop()
		traceOf := map[string]string{}
		rows, _, err := b.Store.Outcomes(ctx, admin, models.OutcomeFilter{ExperimentID: e.ID}, "", 5000)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			traceOf[r.ItemID] = r.TraceID
		}
		requests := map[string]bool{}
		out.said = map[string]string{}
		if err := b.Store.EachVote(ctx, admin, e.ID, func(v models.VoteDetail) error {
			out.votes++
			if v.Cached {
				out.cached++
			}
			requests[traceOf[v.ItemID]+" "+v.RequestSHA256] = true
			out.said[traceOf[v.ItemID]+string(rune('0'+v.Idx))] = v.Vote + v.Rationale
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		out.distinct, out.calls = len(requests), srv.Stats().Requests-before
		costs, err := b.Store.ArmCosts(ctx, admin, e.ID)
		if err != nil || len(costs) != 1 {
			t.Fatalf("%d costs, %v", len(costs), err)
		}
		out.cost = costs[0]
		return out
	}
	first, second := perform(), perform()
	if first.votes == 0 {
		t.Fatal("no vote")
	}
	same := true
	for k, v := range first.said {
		same = same && second.said[k] == v
	}
	for _, row := range []struct {
		complaint, want string
		ok              bool
		got             any
	}{
		{"promptfoo#360", "five votes on a trace are five calls", first.calls == first.votes && first.distinct == first.votes, []int{first.calls, first.distinct, first.votes}},
		{"promptfoo#1431", "a cache does not switch repeats off", first.cached == 0 && first.votes%5 == 0, []int{first.cached, first.votes}},
		{"promptfoo#1888", "the second time everything is from the cache", second.calls == 0 && second.cached == second.votes && second.votes == first.votes, []int{second.calls, second.cached, second.votes}},
		{"promptfoo#1932", "what was judged once does not flicker", same, nil},
		{"cost once", "a cached vote costs nothing again, and that is known", first.cost.CostUSD > 0 && second.cost.CostUSD == 0 && second.cost.CostKnown == second.votes && second.cost.Cached == second.votes, []models.ArmCost{first.cost, second.cost}},
	} {
		if !row.ok {
			t.Errorf("%s: %s: %+v", row.complaint, row.want, row.got)
		}
	}
}
