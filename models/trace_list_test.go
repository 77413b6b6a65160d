package models_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"plumbline/models"
	"plumbline/models/modelstest"
)

// listTests are filters with what they select of a row.
func listTests(split string, inSplit map[string]bool) []struct {
	f    models.TraceFilter
	want func(models.TraceRow) bool
} {
	type row = models.TraceRow
	return []struct {
		f    models.TraceFilter
		want func(models.TraceRow) bool
	}{
		{models.TraceFilter{}, func(row) bool { return true }},
		{models.TraceFilter{Label: "defective"}, func(r row) bool { return r.Label == "defective" }},
		{models.TraceFilter{Bucket: "regression"}, func(r row) bool { return r.Bucket == "regression" }},
		{models.TraceFilter{Label: "defective", Without: []string{"bucket"}}, func(r row) bool { return r.Label == "defective" && r.Bucket == "" }},
		{models.TraceFilter{Agent: "2025-agent-001"}, func(r row) bool { return r.Agent == "2025-agent-001" }},
		{models.TraceFilter{Repo: "umbra/parser", PatchState: "text"}, func(r row) bool { return r.Repo == "umbra/parser" && r.PatchState == "text" }},
		{models.TraceFilter{Model: "model-1"}, func(r row) bool { return r.Model == "model-1" }},
		{models.TraceFilter{PatchState: "null"}, func(r row) bool { return r.PatchState == "null" }},
		{models.TraceFilter{Reason: "infra"}, func(r row) bool { return r.OutcomeReason == "infra" }},
		{models.TraceFilter{LabelSource: "imported"}, func(r row) bool { return r.LabelSource == "imported" }},
		{models.TraceFilter{Without: []string{"source"}}, func(r row) bool { return r.LabelSource == "" }},
		{models.TraceFilter{Without: []string{"agent"}}, func(r row) bool { return r.Agent == "" }},
		{models.TraceFilter{Text: "ACME/router-100"}, func(r row) bool { return strings.Contains(r.InstanceID, "acme/router-100") }},
		{models.TraceFilter{Text: "_"}, func(r row) bool { return strings.Contains(r.InstanceID, "_") }},
		{models.TraceFilter{SplitID: split}, func(r row) bool { return inSplit[r.ID] }},
		{models.TraceFilter{SplitID: split, Label: "unknown"}, func(r row) bool { return inSplit[r.ID] && r.Label == "unknown" }},
		{models.TraceFilter{Without: []string{"split", "bucket"}}, func(r row) bool { return !inSplit[r.ID] && r.Bucket == "" }},
	}
}

// listKeys are the sorts and the keys they sort by.
var listKeys = map[string]func(a, b models.TraceRow) int{
	"":         func(a, b models.TraceRow) int { return 0 },
	"instance": func(a, b models.TraceRow) int { return cmp.Compare(a.InstanceID, b.InstanceID) },
	"label":    func(a, b models.TraceRow) int { return cmp.Compare(a.Label, b.Label) },
	"repo":     func(a, b models.TraceRow) int { return cmp.Compare(a.Repo, b.Repo) },
	"agent":    func(a, b models.TraceRow) int { return cmp.Compare(a.Agent, b.Agent) },
	"model":    func(a, b models.TraceRow) int { return cmp.Compare(a.Model, b.Model) },
	"outcome":  func(a, b models.TraceRow) int { return cmp.Compare(a.OutcomeReason, b.OutcomeReason) },
	"steps":    func(a, b models.TraceRow) int { return cmp.Compare(a.StepCount, b.StepCount) },
	"size":     func(a, b models.TraceRow) int { return cmp.Compare(sizeOf(a), sizeOf(b)) },
	"cost":     func(a, b models.TraceRow) int { return cmp.Compare(costOf(a), costOf(b)) },
}

func sizeOf(r models.TraceRow) int {
	if r.PatchAdded == nil || r.PatchRemoved == nil {
		return -1
	}
	return *r.PatchAdded + *r.PatchRemoved
}

func costOf(r models.TraceRow) float64 {
	if r.CostUSD == nil {
		return -1
	}
	return *r.CostUSD
}

// Every filter under every sort gives exactly the traces it says in exactly that
// order, page after page, and counts them.
func TestTraceListsAgree(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		d, err := modelstest.FillTraces(ctx, s, 1100, 3)
		if err != nil {
			t.Fatal(err)
		}
		splits, err := s.SplitNames(ctx, admin, d.ID)
		if err != nil || len(splits) != 1 || splits[0].Traces != 110 {
			t.Fatalf("splits %+v, %v", splits, err)
		}
		all := allTraces(t, s, models.TraceFilter{DatasetID: d.ID}, "", 500)
		inSplit := map[string]bool{}
		for i, r := range all {
			inSplit[r.ID] = i < 1100 && i%10 == 0
		}
		for _, tt := range listTests(splits[0].ID, inSplit) {
			tt.f.DatasetID = d.ID
			var want []models.TraceRow
			for _, r := range all {
				if tt.want(r) {
					want = append(want, r)
				}
			}
			if n, err := s.CountTraces(ctx, admin, tt.f); err != nil || n != int64(len(want)) {
				t.Errorf("%+v: %d traces, want %d (%v)", tt.f, n, len(want), err)
			}
			for sort, key := range listKeys {
				for _, sign := range []int{1, -1} {
					name := strings.TrimSuffix(map[int]string{1: "", -1: "-"}[sign]+sort, " ")
					if name == "-" {
						name = "-id"
					}
					slices.SortFunc(want, func(a, b models.TraceRow) int { return sign * cmp.Or(key(a, b), cmp.Compare(a.ID, b.ID)) })
					got := allTraces(t, s, tt.f, name, 400)
					if diff := gocmp.Diff(idsOf(want), idsOf(got)); diff != "" {
						t.Fatalf("%+v sorted by %q: %s", tt.f, name, diff)
					}
				}
			}
		}
	})
}

func idsOf(rows []models.TraceRow) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = r.ID
	}
	return out
}

// allTraces goes through all pages of a list.
func allTraces(t *testing.T, s *models.Store, f models.TraceFilter, sort string, limit int) []models.TraceRow {
	t.Helper()
	var out []models.TraceRow
	for after := ""; ; {
		rows, next, err := s.Traces(context.Background(), admin, f, models.Page{Sort: sort, After: after, Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, rows...)
		if after = next; after == "" {
			return out
		}
	}
}

// The counts beside the chips, and the composition, are those of the rows.
func TestTraceCounts(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		d, err := modelstest.FillTraces(ctx, s, 1100, 4)
		if err != nil {
			t.Fatal(err)
		}
		all := allTraces(t, s, models.TraceFilter{DatasetID: d.ID}, "", 500)
		f := models.TraceFilter{DatasetID: d.ID, Label: "defective", Repo: "acme/ledger", PatchState: "null"}
		for by, key := range map[models.TraceDim]func(models.TraceRow) (string, bool){
			models.ByLabel: func(r models.TraceRow) (string, bool) { return r.Label + " " + r.Bucket, r.Repo == "acme/ledger" },
			models.ByAgent: func(r models.TraceRow) (string, bool) {
				return r.Agent + " ", r.Label == "defective" && r.Repo == "acme/ledger"
			},
			models.ByRepo: func(r models.TraceRow) (string, bool) { return r.Repo + " ", r.Label == "defective" },
		} {
			want, got := map[string]int{}, map[string]int{}
			for _, r := range all {
				if k, ok := key(r); ok {
					want[k]++
				}
			}
			counts, err := s.CountTracesBy(ctx, admin, f, by)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range counts {
				got[c.Value+" "+c.Bucket] += c.N
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("by %s: %s", by, diff)
			}
		}
		for by, key := range map[models.TraceDim]func(i int, r models.TraceRow) string{
			models.ByAgent: func(_ int, r models.TraceRow) string { return r.Agent },
			models.ByRepo:  func(_ int, r models.TraceRow) string { return r.Repo },
			models.BySplit: func(i int, r models.TraceRow) string { return map[bool]string{true: "design"}[i%10 == 0] },
		} {
			want, got := map[string]int{}, map[string]int{}
			for i, r := range all {
				want[key(i, r)+"/"+r.Label+"/"+r.Bucket]++
			}
			cells, err := s.CompositionBy(ctx, admin, d.ID, by)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cells {
				if by == models.BySplit && c.Name != "" {
					c.Name = "design"
				}
				got[c.Name+"/"+c.Label+"/"+c.Bucket] += c.N
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("composition by %s: %s", by, diff)
			}
		}
	})
}

func TestTraceListRefuses(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := setup(t, s, 2)
		f := models.TraceFilter{DatasetID: b.dataset.ID}
		odd := f
		odd.Without = []string{"id"}
		for name, ask := range map[string]func(v models.Viewer) error{
			"sort":    func(v models.Viewer) error { _, _, err := s.Traces(ctx, v, f, models.Page{Sort: "patch"}); return err },
			"without": func(v models.Viewer) error { _, err := s.CountTraces(ctx, v, odd); return err },
			"by":      func(v models.Viewer) error { _, err := s.CountTracesBy(ctx, v, f, "model"); return err },
			"made of": func(v models.Viewer) error { _, err := s.CompositionBy(ctx, v, b.dataset.ID, "label"); return err },
		} {
			if err := ask(admin); err == nil || !strings.Contains(fmt.Sprintf("%T", unwrapped(err)), "InvalidError") {
				t.Errorf("%s: %v, want an invalid request", name, err)
			}
			if err := ask(models.Viewer{}); err == nil {
				t.Errorf("%s: a stranger was answered", name)
			}
		}
	})
}

func unwrapped(err error) error {
	for {
		u, ok := err.(interface{ Unwrap() error })
		if !ok || u.Unwrap() == nil {
			return err
		}
		err = u.Unwrap()
	}
}
