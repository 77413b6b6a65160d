package models_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/models/modelstest"
)

// The neighbours of every trace are those of the list, in every order.
func TestPlaceTraceAgreesWithTheList(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 7)
		for _, f := range []models.TraceFilter{{DatasetID: b.dataset.ID}, {DatasetID: b.dataset.ID, Label: "defective"}} {
			for _, sort := range []string{"", "-id", "instance", "-size", "cost"} {
				rows, _, err := s.Traces(ctx, admin, f, models.Page{Sort: sort, Limit: 100})
				if err != nil {
					t.Fatal(err)
				}
				for i, r := range rows {
					want := models.TracePlace{Place: i + 1, Total: len(rows)}
					if i > 0 {
						want.Prev = rows[i-1].ID
					}
					if i+1 < len(rows) {
						want.Next = rows[i+1].ID
					}
					got, err := s.PlaceTrace(ctx, admin, f, sort, r.ID)
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("sort %q, row %d: %s", sort, i, diff)
					}
				}
			}
		}
		got, err := s.PlaceTrace(ctx, admin, models.TraceFilter{DatasetID: b.dataset.ID, Label: "defective"}, "", b.traces[0])
		if err != nil || got.Place != 0 || got.Total != 3 {
			t.Errorf("a trace outside the list has place %+v, %v", got, err)
		}
		if _, err := s.PlaceTrace(ctx, models.Viewer{}, models.TraceFilter{DatasetID: b.dataset.ID}, "", b.traces[0]); err == nil {
			t.Error("a stranger was told a place")
		}
	})
}

func TestTraceItemsAndFacts(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 3)
		e, refs := launch(t, b, 1)
		w, err := s.ClaimShard(ctx, refs[0], "w1", s.Now().Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.CommitVotes(ctx, []models.VoteInput{ballot(w.Items[0], 0, "reject")}); err != nil {
			t.Fatal(err)
		}
		items, err := s.TraceItems(ctx, admin, w.Items[0].TraceID, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(items) != 1 || items[0].ExperimentID != e.ID || items[0].ExperimentName != "e" || items[0].Decision != "reject" || items[0].Form != "patch" || items[0].Votes != 1 {
			t.Errorf("items %+v", items)
		}
		counts, err := s.CountInstances(ctx, admin, b.dataset.ID)
		if err != nil || counts != (models.InstanceCounts{Instances: 3, WithOracle: 3}) {
			t.Errorf("counts %+v, %v", counts, err)
		}
		uses, err := s.ReviewerUses(ctx, admin, reviewerOf(t, b), 10)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]models.ReviewerUse{{ExperimentID: e.ID, ExperimentName: "e", Version: 1}}, uses); diff != "" {
			t.Error(diff)
		}
		if _, err := s.TraceItems(ctx, models.Viewer{}, b.traces[0], 0); err == nil {
			t.Error("a stranger saw items")
		}
	})
}

func reviewerOf(t *testing.T, b bundle) string {
	t.Helper()
	rs, err := b.s.Reviewers(context.Background(), admin, b.project.ID)
	if err != nil || len(rs) != 1 {
		t.Fatalf("reviewers %v, %v", rs, err)
	}
	return rs[0].Reviewer.ID
}

func TestCountFailedSteps(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 0)
		one := 1
		in := attempt(0, "patch", trace.Unknown)
		in.Trace.Steps = []trace.Step{
			{Index: 0, Kind: trace.StepAction, Action: "ls"}, {Index: 1, Kind: trace.StepAction, ExitCode: &one, Observation: "no"},
			{Index: 2, Kind: trace.StepObservation, Error: true}, {Index: 3, Kind: trace.StepError},
		}
		res, err := s.ImportTraces(ctx, admin, b.dataset.ID, nil, []models.TraceInput{in})
		if err != nil {
			t.Fatal(err)
		}
		n, err := s.CountFailedSteps(ctx, admin, res[0].TraceID)
		if err != nil || n != 3 {
			t.Errorf("%d failed steps, %v; want 3", n, err)
		}
		size, err := s.StepBytes(ctx, admin, res[0].TraceID)
		if err != nil || size < 4 {
			t.Errorf("%d bytes, %v", size, err)
		}
	})
}
