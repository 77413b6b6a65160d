package models_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plumbline/models"
	"plumbline/models/modelstest"
)

// judged is an experiment of two arms over six traces (0, 2, 4 acceptable, 1, 3, 5
// defective) with one vote each; the last trace of the second arm has none.
func judged(t *testing.T, b bundle) (models.Experiment, []models.Arm) {
	t.Helper()
	ctx := context.Background()
	rv, err := b.s.SaveReviewer(ctx, admin, models.ReviewerDraft{ProjectID: b.project.ID, Name: "r", Kind: "openai", Model: "m", Spec: "{}"})
	if err != nil {
		t.Fatal(err)
	}
	var refs []models.ShardRef
	e, err := b.s.CreateExperiment(ctx, admin, models.ExperimentDraft{
		DatasetID: b.dataset.ID, Name: "e", Kind: "review", Votes: 1, Seed: 1, Config: "{}", ShardSize: 100,
		Arms: []models.ArmDraft{{ReviewerVersionID: rv.ID, ReviewerName: "r", Form: "patch"}, {ReviewerVersionID: rv.ID, ReviewerName: "r", Form: "structured"}},
	}, capture(&refs))
	if err != nil {
		t.Fatal(err)
	}
	arms, err := b.s.Arms(ctx, admin, e.ID)
	if err != nil {
		t.Fatal(err)
	}
	w, err := b.s.ClaimShard(ctx, refs[0], "w", b.s.Now().Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	place := map[string]int{}
	for i, id := range b.traces {
		place[id] = i
	}
	votes := map[int][6]string{
		0: {"accept", "reject", "reject", "accept", "uncertain", "reject"},
		1: {"accept", "accept", "accept", "accept", "unparseable", ""},
	}
	for _, it := range w.Items {
		arm := 0
		if it.ArmID == arms[1].ID {
			arm = 1
		}
		if v := votes[arm][place[it.TraceID]]; v != "" {
			if _, err := b.s.CommitVotes(ctx, []models.VoteInput{ballot(it, 0, v)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return e, arms
}

var wrong = []models.OutcomeCell{
	{Label: "acceptable", Decisions: []string{"reject", "unparseable"}},
	{Label: "defective", Decisions: []string{"accept", "unparseable"}},
}

func TestSearchOutcomes(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 6)
		e, arms := judged(t, b)
		names := func(lines []models.OutcomeLine) (out []string) {
			for _, l := range lines {
				arm := "A"
				if l.ArmID == arms[1].ID {
					arm = "B"
				}
				out = append(out, arm+l.InstanceID[len("acme__tool-"):])
			}
			return out
		}
		for _, tt := range []struct {
			name string
			q    models.OutcomeQuery
			sort string
			want []string
		}{
			{"wrong", models.OutcomeQuery{Cells: wrong}, "", []string{"B1", "A2", "A3", "B3", "B4"}},
			{"wrong of one arm, backwards", models.OutcomeQuery{ArmID: arms[0].ID, Cells: wrong}, "-instance", []string{"A3", "A2"}},
			{"undecided", models.OutcomeQuery{States: []string{models.ItemPending, models.ItemRunning}}, "", []string{"B5"}},
			{"by arm", models.OutcomeQuery{Cells: []models.OutcomeCell{{Decisions: []string{"uncertain", "unparseable"}}}}, "arm", []string{"A4", "B4"}},
			{"by votes", models.OutcomeQuery{Patterns: []models.VotePattern{{Reject: 1}}}, "", []string{"A1", "A2", "A5"}},
			{"by size", models.OutcomeQuery{ArmID: arms[0].ID, Size: "not countable", Repo: "acme/tool", Agent: "agent"}, "", []string{"A0", "A1", "A2", "A3", "A4", "A5"}},
			{"no patch of that size", models.OutcomeQuery{Size: "over 200 lines"}, "", nil},
			{"right here, wrong there", models.OutcomeQuery{ArmID: arms[0].ID, Cells: []models.OutcomeCell{{Label: "defective", Decisions: []string{"reject"}}},
				Against: arms[1].ID, AgainstCells: wrong}, "", []string{"A1"}},
		} {
			tt.q.ExperimentID = e.ID
			// Pages of two rows hold the same as one page.
			var got []models.OutcomeLine
			after := ""
			for {
				rows, next, err := s.SearchOutcomes(ctx, admin, tt.q, models.Page{Sort: tt.sort, After: after, Limit: 2})
				if err != nil {
					t.Fatalf("%s: %v", tt.name, err)
				}
				got = append(got, rows...)
				if after = next; next == "" {
					break
				}
			}
			if diff := cmp.Diff(tt.want, names(got)); diff != "" {
				t.Errorf("%s: %s", tt.name, diff)
			}
			for i, l := range got {
				p, err := s.PlaceOutcome(ctx, admin, tt.q, tt.sort, l.ItemID)
				if err != nil {
					t.Fatal(err)
				}
				if p.Place != i+1 || p.Total != len(got) || (i > 0 && p.Prev.ItemID != got[i-1].ItemID) || (i == 0 && p.Prev.ItemID != "") ||
					(i+1 < len(got) && p.Next.ItemID != got[i+1].ItemID) || (i+1 == len(got) && p.Next.ItemID != "") {
					t.Errorf("%s: place of %s is %+v", tt.name, l.ItemID, p)
				}
			}
		}
		if _, _, err := s.SearchOutcomes(ctx, admin, models.OutcomeQuery{ExperimentID: e.ID}, models.Page{Sort: "label; DROP TABLE items"}); err == nil {
			t.Error("an unknown sort column was taken")
		}
		if _, _, err := s.SearchOutcomes(ctx, models.Viewer{}, models.OutcomeQuery{ExperimentID: e.ID}, models.Page{}); err == nil {
			t.Error("a viewer without a role sees items")
		}
	})
}

func TestGroupOutcomes(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 6)
		e, arms := judged(t, b)
		q := models.OutcomeQuery{ExperimentID: e.ID, ArmID: arms[1].ID, Cells: wrong}
		for by, want := range map[string][]models.OutcomeGroup{
			models.GroupRepo: {{Name: "acme/tool", N: 3, Of: 5}},
			models.GroupSize: {{Name: "not countable", N: 3, Of: 5}},
			models.GroupVotes: {
				{Pattern: models.VotePattern{Unparseable: 1}, N: 1, Of: 1}, {Pattern: models.VotePattern{Accept: 1}, N: 2, Of: 4},
			},
		} {
			got, err := s.GroupOutcomes(ctx, admin, q, by)
			if err != nil {
				t.Fatalf("%s: %v", by, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", by, diff)
			}
		}
		facets, err := s.OutcomeFacets(ctx, admin, q, 10)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]models.OutcomeFacet{
			{ArmID: arms[1].ID, Repo: "acme/tool", Agent: "agent", Label: "defective", Size: "not countable", Stage: models.NoStage, N: 2},
			{ArmID: arms[1].ID, Repo: "acme/tool", Agent: "agent", Label: "acceptable", Size: "not countable", Stage: models.NoStage, N: 1},
		}, facets); diff != "" {
			t.Error(diff)
		}
		if _, err := s.GroupOutcomes(ctx, admin, q, "nothing"); err == nil {
			t.Error("an unknown grouping was taken")
		}
		counts, err := s.CountOutcomeCells(ctx, admin, q)
		if err != nil {
			t.Fatal(err)
		}
		// A filter that leaves nothing out takes another road to the same counts.
		filtered := q
		filtered.Agent = "agent"
		same, err := s.CountOutcomeCells(ctx, admin, filtered)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(counts, same); diff != "" {
			t.Error(diff)
		}
		var got []string
		for _, c := range counts {
			got = append(got, fmt.Sprintf("%s %s %s %d", c.State, c.Label, c.Decision, c.N))
		}
		want := []string{"done acceptable accept 2", "done acceptable unparseable 1", "done defective accept 2", "pending defective  1"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPairCellsAndFlips(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 6)
		_, arms := judged(t, b)
		cells, onlyFirst, onlySecond, err := s.PairCells(ctx, admin, arms[0].ID, arms[1].ID)
		if err != nil {
			t.Fatal(err)
		}
		want := []models.PairCell{
			{"acceptable", "accept", "accept", 1}, {"acceptable", "reject", "accept", 1}, {"acceptable", "uncertain", "unparseable", 1},
			{"defective", "accept", "accept", 1}, {"defective", "reject", "accept", 1},
		}
		if diff := cmp.Diff(want, cells); diff != "" {
			t.Error(diff)
		}
		if onlyFirst != 1 || onlySecond != 0 {
			t.Errorf("alone: %d and %d, want 1 and 0", onlyFirst, onlySecond)
		}
		flips, err := s.Flips(ctx, admin, arms[0].ID, arms[1].ID, 10)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range flips {
			got = append(got, f.InstanceID+" "+f.First+" "+f.Second)
		}
		if diff := cmp.Diff([]string{"acme__tool-1 reject accept", "acme__tool-2 reject accept"}, got); diff != "" {
			t.Error(diff)
		}
		if _, _, _, err := s.PairCells(ctx, models.Viewer{}, arms[0].ID, arms[1].ID); err == nil {
			t.Error("a viewer without a role compares arms")
		}
		choices, err := s.ArmChoices(ctx, admin, 10)
		if err != nil || len(choices) != 2 || choices[0].DatasetName != "cases" {
			t.Errorf("choices %+v, %v", choices, err)
		}
	})
}

func TestResultGroups(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 6)
		e, arms := judged(t, b)
		cells, err := s.UnfinishedCells(ctx, admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]models.UnfinishedCell{{ArmID: arms[1].ID, State: models.ItemPending, Label: "defective", N: 1}}, cells); diff != "" {
			t.Error(diff)
		}
		groups, err := s.WrongGroups(ctx, admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]models.WrongGroup{{Repo: "acme/tool", Agent: "agent", Misses: 3, Rejections: 2, Decided: 10}}, groups); diff != "" {
			t.Error(diff)
		}
		if texts, digest, err := s.EvidenceDigest(ctx, admin, e.ID); err != nil || texts != 0 || len(digest) != 64 {
			t.Errorf("evidence of nothing: %d %q %v", texts, digest, err)
		}
	})
}
