package runner_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/belief"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
)

// Checks that are stored about the traces of an experiment are critics beside its
// votes: every state of a set has its outcome, and what it took is measured.
func TestChecksAreCritics(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		r := review(t, s)
		before, err := r.Runner.RecordedOf(ctx, admin, r.source.ID, false)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, k := range before.Table.Tasks {
			for _, c := range k.Candidates {
				ids = append(ids, c.ID)
			}
		}
		for i, x := range checkStates {
			x.store(t, s, ids[i])
		}
		rec, err := r.Runner.RecordedOf(ctx, admin, r.source.ID, false)
		if err != nil {
			t.Fatal(err)
		}
		static, test := rec.Table.Critic("static checks"), rec.Table.Critic("generated test")
		if static < 0 || test < 0 || rec.Table.Validate() != nil {
			t.Fatalf("critics %+v, %v", rec.Table.Critics, rec.Table.Validate())
		}
		for i, x := range checkStates {
			task, j, ok := rec.Find(ids[i])
			if !ok {
				t.Fatalf("candidate %s is lost", ids[i])
			}
			got := rec.Table.Tasks[task].Candidates[j].Outcomes
			if d := cmp.Diff([]belief.Outcome{x.static, x.test}, []belief.Outcome{got[static], got[test]}); d != "" {
				t.Errorf("%s: static and generated (-want +got):\n%s", x.name, d)
			}
		}
		c, ok := rec.Critic("generated")
		if !ok || c.Spent.Seconds == nil || math.Abs(*c.Spent.Seconds-0.03) > 1e-9 || c.Spent.Money == nil || *c.Spent.Money != 0.25 {
			t.Errorf("a generated test takes %+v, %v", c.Spent.Seconds, c.Spent.Money)
		}
		study, err := runner.NewStudy(&rec, runner.BeliefChoice{Critics: []string{"1-decision", "static", "generated"}})
		if err != nil || study.ProblemError != nil {
			t.Fatal(err, study.ProblemError)
		}
		e, ok := study.Estimate.Critic("static checks")
		if !ok || e.Missing != 1 || e.Unrecorded != len(ids)-5 {
			t.Errorf("static checks: %d missing, %d unrecorded of %d", e.Missing, e.Unrecorded, len(ids))
		}
	})
}

// The tests that the base passes are a critic where their counts are known.
func TestExistingTestsAreACritic(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := review(t, modelstest.SQLite(t))
	rec, err := r.Runner.RecordedOf(ctx, admin, r.source.ID, false)
	if err != nil {
		t.Fatal(err)
	}
	at := rec.Table.Critic("existing tests")
	if at < 0 {
		t.Fatalf("critics %v", rec.Table.Critics)
	}
	seen := map[string]int{}
	for _, k := range rec.Table.Tasks {
		for _, c := range k.Candidates {
			row, err := r.Store.Trace(ctx, admin, c.ID)
			if err != nil {
				t.Fatal(err)
			}
			want := belief.Unrecorded
			if row.TestsKnown && row.P2PAll > 0 {
				want = belief.Fail
				if row.P2POK == row.P2PAll {
					want = belief.Pass
				}
			}
			if c.Outcomes[at] != want {
				t.Errorf("%s: outcome %d, want %d", c.ID, c.Outcomes[at], want)
			}
			seen[fmt.Sprint(row.Label, " ", want)]++
		}
	}
	if seen["acceptable 1"] == 0 || seen["defective 0"] == 0 || seen["defective 1"] == 0 || seen["acceptable 0"] != 0 {
		t.Errorf("outcomes by label: %v", seen)
	}
}

// checkState is a set in one of its states, with what it says as critics.
type checkState struct {
	name         string
	ran          *bool
	decisive     int
	tests        []models.GeneratedTest
	static, test belief.Outcome
}

func of(b bool) *bool { return &b }

var checkStates = []checkState{
	{name: "nothing yet", static: belief.Unrecorded, test: belief.Unrecorded},
	{name: "clean and passing", ran: of(true), tests: []models.GeneratedTest{{BaseResult: "failed", PatchedResult: "passed"}}, static: belief.Pass, test: belief.Pass},
	{name: "decisive and failing", ran: of(true), decisive: 1, tests: []models.GeneratedTest{{BaseResult: "passed"}, {BaseResult: "failed", PatchedResult: "failed"}}, static: belief.Fail, test: belief.Fail},
	{name: "no tool, all discarded", ran: of(false), tests: []models.GeneratedTest{{Flaw: "no test in the reply"}, {BaseResult: "set-up"}}, static: belief.Missing, test: belief.Missing},
	{name: "the patch breaks what the test loads", ran: of(true), tests: []models.GeneratedTest{{BaseResult: "failed", PatchedResult: "set-up"}}, static: belief.Pass, test: belief.Fail},
	{name: "hangs on the patch", ran: of(true), tests: []models.GeneratedTest{{BaseResult: "failed", PatchedResult: "timeout"}}, static: belief.Pass, test: belief.Missing},
	{name: "not yet run on the patch", tests: []models.GeneratedTest{{BaseResult: "failed"}}, static: belief.Unrecorded, test: belief.Unrecorded},
}

func (x checkState) store(t *testing.T, s *models.Store, traceID string) {
	t.Helper()
	ctx := context.Background()
	set, err := s.OpenCheckSet(ctx, traceID, "one", "{}")
	if err != nil {
		t.Fatal(err)
	}
	if x.ran != nil {
		if err := s.SaveStaticCheck(ctx, set.ID, models.StaticCheck{Ran: *x.ran, Decisive: x.decisive}); err != nil {
			t.Fatal(err)
		}
	}
	for i, g := range x.tests {
		price := 0.25 / float64(len(x.tests))
		base, patched := g.BaseResult, g.PatchedResult
		g.SetID, g.Attempt, g.CostUSD, g.BaseResult, g.PatchedResult, g.LatencyMS = set.ID, i+1, &price, "", "", 30/int64(len(x.tests))
		if _, err := s.AddGeneratedTest(ctx, g, models.GeneratedTestText{}); err != nil {
			t.Fatal(err)
		}
		for side, res := range map[models.TestSide]string{models.OnBase: base, models.OnPatched: patched} {
			if res == "" {
				continue
			}
			if err := s.SaveTestRun(ctx, set.ID, i+1, side, models.TestRun{Result: res, Runs: 1}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
