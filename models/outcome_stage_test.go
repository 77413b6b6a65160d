package models_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/models"
	"plumbline/models/modelstest"
)

// Items of a cascade are grouped and narrowed by the stage that decided them; an
// item that no cascade judged has a group of its own.
func TestOutcomesByStage(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 6)
		e, arms := judged(t, b)
		first := models.OutcomeQuery{ExperimentID: e.ID, ArmID: arms[0].ID}
		lines, _, err := s.SearchOutcomes(ctx, admin, first, models.Page{})
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range lines {
			if l.Stage != models.NoStage {
				t.Errorf("item %d has the stage %q before any cascade", i, l.Stage)
			}
			set, err := s.OpenCheckSet(ctx, l.TraceID, "c", "{}")
			if err != nil {
				t.Fatal(err)
			}
			stage := "residual"
			if i < 2 {
				stage = "no_change"
			}
			if err := s.SaveCascadeItem(ctx, models.CascadeItem{ItemID: l.ItemID, ExperimentID: e.ID, ArmID: l.ArmID, TraceID: l.TraceID, SetID: set.ID, Stage: stage}); err != nil {
				t.Fatal(err)
			}
		}
		groups, err := s.GroupOutcomes(ctx, admin, models.OutcomeQuery{ExperimentID: e.ID, Cells: wrong}, models.GroupStage)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string][2]int{}
		for _, g := range groups {
			got[g.Name] = [2]int{g.N, g.Of}
			list, _, err := s.SearchOutcomes(ctx, admin, models.OutcomeQuery{ExperimentID: e.ID, Cells: wrong, Stage: g.Name}, models.Page{})
			if err != nil || len(list) != g.N {
				t.Errorf("the list of stage %q holds %d of %d: %v", g.Name, len(list), g.N, err)
			}
			for _, l := range list {
				if l.Stage != g.Name || l.NAccept+l.NReject+l.NUncertain+l.NUnparseable != 1 {
					t.Errorf("line %+v in the list of stage %q", l, g.Name)
				}
			}
		}
		// Wrong are A2, A3 and B1, B3, B4; the second arm went through no cascade and
		// decided five.
		if diff := cmp.Diff(map[string][2]int{"residual": {2, 4}, models.NoStage: {3, 5}}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// Stored checks come from one configuration: the one that looked at most traces.
func TestStoredChecks(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 6)
		e, _ := judged(t, b)
		if rows, from, err := s.StoredChecks(ctx, admin, e.ID); err != nil || len(rows) != 0 || from != "" {
			t.Fatalf("before any check: %v, %q, %v", rows, from, err)
		}
		before, err := s.CheckMark(ctx, admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		for config, traces := range map[string][]string{"few": b.traces[:2], "most": b.traces[1:5]} {
			for i, id := range traces {
				set, err := s.OpenCheckSet(ctx, id, config, "{}")
				if err != nil {
					t.Fatal(err)
				}
				if err := s.SavePatchCheck(ctx, set.ID, i == 0, "why"); err != nil {
					t.Fatal(err)
				}
			}
		}
		if after, err := s.CheckMark(ctx, admin, e.ID); err != nil || after == before {
			t.Errorf("the mark of the checks is %v before and %v after, %v", before, after, err)
		}
		if n, err := s.ExperimentTraces(ctx, admin, e.ID); err != nil || n != 6 {
			t.Errorf("%d traces, %v", n, err)
		}
		rows, from, err := s.StoredChecks(ctx, admin, e.ID)
		if err != nil || from != "" {
			t.Fatalf("%q, %v", from, err)
		}
		seen := map[string]bool{}
		for _, r := range rows {
			seen[r.TraceID] = r.PatchNone != nil && *r.PatchNone
			if r.StaticRan != nil {
				t.Errorf("a check that was not run has an outcome: %+v", r)
			}
		}
		want := map[string]bool{b.traces[1]: true, b.traces[2]: false, b.traces[3]: false, b.traces[4]: false}
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Error(diff)
		}
		if _, _, err := s.StoredChecks(ctx, models.Viewer{}, e.ID); err == nil {
			t.Error("a stranger reads checks")
		}
	})
}
