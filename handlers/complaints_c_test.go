package handlers

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"plumbline/experiments/stats"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner/runnertest"
	"plumbline/web/pages"
)

// fixtureArm says how the votes of its traces fall: a trace of the dataset for each
// entry, the first acceptable of them acceptable. "!" is an error, "." is not
// finished.
type fixtureArm struct {
	acceptable int
	votes      []string
}

// judgeFixture stores an experiment of K votes whose items have the given votes.
func judgeFixture(t *testing.T, b *runnertest.Bench, name string, k int, arms ...fixtureArm) (models.Experiment, []models.Arm) {
	t.Helper()
	ctx, v := context.Background(), models.LocalAdmin()
	d, err := b.Store.EnsureDataset(ctx, v, b.Project.ID, name, "", false)
	if err != nil {
		t.Fatal(err)
	}
	var instances []trace.Instance
	var inputs []models.TraceInput
	for i := range arms[0].votes {
		label := trace.Defective
		if i < arms[0].acceptable {
			label = trace.Acceptable
		}
		id := fmt.Sprintf("acme__tool-%02d", i)
		instances = append(instances, trace.Instance{ID: id, Repo: "acme/tool", Issue: "issue"})
		inputs = append(inputs, models.TraceInput{Trace: trace.Trace{InstanceID: id, Agent: "agent", PatchState: trace.PatchText, Patch: id,
			Outcome: trace.Outcome{Label: label, From: trace.Imported}}, Patch: models.PatchFacts{SHA256: id}})
	}
	if _, err := b.Store.ImportTraces(ctx, v, d.ID, instances, inputs); err != nil {
		t.Fatal(err)
	}
	rv, err := b.Store.SaveReviewer(ctx, v, models.ReviewerDraft{ProjectID: b.Project.ID, Name: "r " + name, Kind: "openai", Model: "m", Spec: "{}"})
	if err != nil {
		t.Fatal(err)
	}
	draft := models.ExperimentDraft{DatasetID: d.ID, Name: name, Kind: "review", Votes: k, Seed: 1, Config: "{}", ShardSize: 1000}
	forms := []string{"patch", "structured", "trace"}
	for i := range arms {
		draft.Arms = append(draft.Arms, models.ArmDraft{ReviewerVersionID: rv.ID, ReviewerName: "r", Form: forms[i]})
	}
	var refs []models.ShardRef
	e, err := b.Store.CreateExperiment(ctx, v, draft, func(_ context.Context, _ *sql.Tx, s []models.ShardRef) error {
		refs = append(refs, s...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	stored, err := b.Store.Arms(ctx, v, e.ID)
	if err != nil {
		t.Fatal(err)
	}
	work, err := b.Store.ClaimShard(ctx, refs[0], "test", time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	place := map[string]int{}
	lines, _, err := b.Store.SearchOutcomes(ctx, v, models.OutcomeQuery{ExperimentID: e.ID}, models.Page{Limit: 5000})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		var n int
		if _, err := fmt.Sscanf(l.InstanceID, "acme__tool-%d", &n); err != nil {
			t.Fatal(err)
		}
		place[l.ItemID] = n
	}
	words := map[rune]string{'a': "accept", 'r': "reject", 'u': "uncertain", 'x': "unparseable"}
	for _, it := range work.Items {
		arm := 0
		for i, a := range stored {
			if a.ID == it.ArmID {
				arm = i
			}
		}
		switch votes := arms[arm].votes[place[it.ID]]; votes {
		case "!":
			if err := b.Store.FailItem(ctx, it.ID, "timeout", "no answer"); err != nil {
				t.Fatal(err)
			}
		case ".":
		default:
			var batch []models.VoteInput
			for j, letter := range votes {
				batch = append(batch, models.VoteInput{Row: models.VoteRow{ItemID: it.ID, Idx: j, ExperimentID: it.ExperimentID, ArmID: it.ArmID, Vote: words[letter]}, Audit: &models.VoteAudit{Rules: 1}})
			}
			if _, err := b.Store.CommitVotes(ctx, batch); err != nil {
				t.Fatal(err)
			}
		}
	}
	return e, stored
}

func repeat(votes string, n int) []string {
	var out []string
	for range n {
		out = append(out, votes)
	}
	return out
}

// What users of other tools complain about in their aggregates: denominators that
// shrink in silence, errors that pass for answers, undefined rates that read 0 or 1,
// ties that fall somewhere, pairs that are not paired.
func TestComplaintsC(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, store *models.Store) {
		b := runnertest.New(t, store)
		ts, client := serveBench(t, b)
		s := &judgedSite{Server: ts, bench: b, client: client}

		// Eight acceptable and twelve defective traces with every mix, K = 4: in both
		// classes an error and a missing one; ties; unparseable majorities.
		mixed := fixtureArm{acceptable: 8, votes: []string{
			"aaaa", "aaar", "rrra", "aarr", "uuua", "xxxa", "!", ".",
			"rrrr", "rrra", "rruu", "aaar", "aaaa", "uuuu", "xxxx", "arux", "rrrr", "rrrx", "!", "."}}
		e, arms := judgeFixture(t, b, "mixed", 4, mixed)
		m, err := newResultCache(b.Store, b.Runner).get(t.Context(), models.LocalAdmin(), e, false)
		if err != nil {
			t.Fatal(err)
		}
		row := resultView(m, optionsOf(experimentURL(e.ID), nil)).Arms[0]
		for metric, want := range map[stats.Metric][2]int{
			stats.Catch: {4, 10}, stats.Miss: {3, 10}, stats.OverRejection: {2, 6}, stats.Coverage: {11, 16}, stats.Risk: {5, 11},
			stats.CatchDecided: {4, 7}, stats.OverRejectionDecided: {2, 4}, stats.RejectPrecision: {4, 5}, stats.AcceptPrecision: {2, 4},
			stats.ShareUncertain: {5, 16}, stats.ShareUnparseable: {2, 16}, stats.CorrectOverAll: {6, 16},
		} {
			r := row.Rates[string(metric)]
			if r.K != want[0] || r.N != want[1] || r.Value == nil || r.Lo == nil || r.Hi == nil || r.Href == "" {
				t.Errorf("%s is %d/%d, want %d/%d; value, interval and link %v %v %v %q", metric, r.K, r.N, want[0], want[1], r.Value, r.Lo, r.Hi, r.Href)
			}
		}
		if row.Errors.N != 2 || row.Missing.N != 2 || row.Errors.Of != 20 || row.Ties.K != 3 || row.Ties.N != 16 {
			t.Errorf("errors %+v, missing %+v, ties %d/%d", row.Errors, row.Missing, row.Ties.K, row.Ties.N)
		}
		page := s.get(t, experimentURL(e.ID)+"?col=all", 200)
		for _, want := range []string{"4/10", "5/11", "3/16", "2 of 20 items"} {
			if !strings.Contains(page, want) {
				t.Errorf("the page does not show %s", want)
			}
		}
		if list := s.get(t, outcomesURL(e.ID, pages.KindErrors, "arm", arms[0].ID), 200); !strings.Contains(list, "timeout: no answer") || !strings.Contains(list, " of 2 items") {
			t.Error("the two errors are not listed with their reason")
		}

		// One class only: its rates stand, those of the other are undefined with a reason.
		// All votes alike and right: the interval still has a width.
		e, _ = judgeFixture(t, b, "one class", 1, fixtureArm{acceptable: 5, votes: repeat("a", 5)})
		if m, err = newResultCache(b.Store, b.Runner).get(t.Context(), models.LocalAdmin(), e, false); err != nil {
			t.Fatal(err)
		}
		row = resultView(m, optionsOf(experimentURL(e.ID), nil)).Arms[0]
		if r := row.Rates["catch"]; r.Value != nil || r.Why == "" {
			t.Errorf("a catch without defects is %+v", r)
		}
		if r := row.Rates["correct_accept"]; r.K != 5 || r.N != 5 || r.Lo == nil || *r.Lo > 0.6 || *r.Hi != 1 {
			t.Errorf("5/5 has the interval %v to %v", r.Lo, r.Hi)
		}
		if row.Fleiss.Value != nil || row.Fleiss.Why == "" {
			t.Errorf("the agreement of single votes is %+v", row.Fleiss)
		}

		// Nothing decided: coverage 0, and a risk that is undefined, not 0.
		e, _ = judgeFixture(t, b, "nothing decided", 2, fixtureArm{acceptable: 2, votes: repeat("ar", 4)})
		if m, err = newResultCache(b.Store, b.Runner).get(t.Context(), models.LocalAdmin(), e, false); err != nil {
			t.Fatal(err)
		}
		row = resultView(m, optionsOf(experimentURL(e.ID), nil)).Arms[0]
		if c, r := row.Rates["coverage"], row.Rates["risk"]; c.K != 0 || c.N != 4 || c.Value == nil || r.Value != nil || r.Why == "" || row.Ties.K != 4 {
			t.Errorf("coverage %+v, risk %+v, ties %+v", c, r, row.Ties)
		}
		s.get(t, experimentURL(e.ID), 200)
		s.get(t, experimentURL(e.ID)+"/ladder", 200)

		// Two arms that finished different traces are compared on the common decided
		// ones, and both numbers are said.
		e, arms = judgeFixture(t, b, "two sets", 1, fixtureArm{acceptable: 3, votes: []string{"a", "r", "a", "r", "r", "!", "a", "u"}}, fixtureArm{acceptable: 3, votes: []string{"a", "a", "!", "r", "a", "r", "a", "r"}})
		l, err := b.Runner.PairOf(t.Context(), models.LocalAdmin(), arms[0].ID, arms[1].ID)
		if err != nil {
			t.Fatal(err)
		}
		c := stats.CompareAll([]stats.LabelledPair{{Label: "x", Pair: l}}, stats.Options{Seed: 1})[0]
		if c.Common != 6 || c.Flips.N() != 5 || c.OnlyFirst != 1 || c.OnlySecond != 1 {
			t.Errorf("%d common, %d decided by both, %d and %d alone", c.Common, c.Flips.N(), c.OnlyFirst, c.OnlySecond)
		}
	})
}
