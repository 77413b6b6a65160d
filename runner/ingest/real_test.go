package ingest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner/ingest"
)

var admin = models.LocalAdmin()

// bench is an ingest with a dataset to import into.
type bench struct {
	store   *models.Store
	ingest  *ingest.Ingest
	dataset models.Dataset
}

func newBench(t testing.TB, s *models.Store) bench {
	t.Helper()
	ctx := context.Background()
	p, err := s.EnsureProject(ctx, "default", "Default")
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.EnsureDataset(ctx, admin, p.ID, "imported", "", false)
	if err != nil {
		t.Fatal(err)
	}
	return bench{s, ingest.New(ingest.Config{Store: s, Uploads: t.TempDir()}), d}
}

func (b bench) load(t testing.TB, o ingest.Options, paths ...string) ingest.Summary {
	t.Helper()
	rep, sum, err := b.ingest.Import(context.Background(), admin, b.dataset.ID, paths, o)
	if err != nil {
		t.Fatal(err)
	}
	if rep.State != models.ReportDone {
		t.Fatalf("the report is %s: %s", rep.State, rep.Message)
	}
	return sum
}

// traces are all traces of the dataset.
func (b bench) traces(t testing.TB) []models.TraceRow {
	t.Helper()
	var out []models.TraceRow
	for after := ""; ; {
		rows, next, err := b.store.Traces(context.Background(), admin, models.TraceFilter{DatasetID: b.dataset.ID}, models.Page{After: after, Limit: 500})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, rows...)
		if after = next; after == "" {
			return out
		}
	}
}

// realFolder finds the published files, which are test input only.
func realFolder(t testing.TB) string {
	t.Helper()
	root := os.Getenv("PLUMBLINE_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	folder := filepath.Join(root, "data", "real")
	if _, err := os.Stat(filepath.Join(folder, "expected.json")); err != nil {
		modelstest.Need(t, "published files are missing: "+err.Error())
	}
	return folder
}

// expectedTrace is what a published attempt says, read independently.
type expectedTrace struct {
	InstanceID     string   `json:"instance_id"`
	Trajectory     *string  `json:"trajectory"`
	Prediction     *string  `json:"prediction"`
	PatchFile      *string  `json:"patch_file"`
	ResolvedSource *string  `json:"resolved_source"`
	PatchSHA256    string   `json:"patch_sha256"`
	PatchState     *string  `json:"patch_state"`
	PatchAdded     *int     `json:"patch_added"`
	PatchRemoved   *int     `json:"patch_removed"`
	Resolved       *bool    `json:"resolved"`
	Steps          *int     `json:"steps"`
	Cost           *float64 `json:"cost_usd"`
	Input          *int64   `json:"input_tokens"`
	Output         *int64   `json:"output_tokens"`
}

func (e expectedTrace) where() string {
	for _, p := range []*string{e.Trajectory, e.Prediction, e.PatchFile, e.ResolvedSource} {
		if p != nil {
			return strings.SplitN(*p, " line ", 2)[0]
		}
	}
	return ""
}

func expectedTraces(t testing.TB, folder, below string) []expectedTrace {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(folder, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Traces []expectedTrace }
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	var out []expectedTrace
	for _, e := range all.Traces {
		if strings.HasPrefix(e.where(), below) {
			out = append(out, e)
		}
	}
	return out
}

// compare finds the stored trace of every expected one, and tells how many are left.
func compare(t testing.TB, want []expectedTrace, below string, rows []models.TraceRow) (left int) {
	t.Helper()
	taken := map[string]bool{}
	find := func(e expectedTrace) *models.TraceRow {
		for _, exact := range []bool{true, false} {
			for i := range rows {
				r := &rows[i]
				if taken[r.ID] || r.InstanceID != e.InstanceID || r.PatchSHA256 != e.PatchSHA256 && e.PatchSHA256 != "" {
					continue
				}
				if e.Trajectory != nil && below+r.Trajectory != *e.Trajectory || exact && !fits(e, *r) {
					continue
				}
				taken[r.ID] = true
				return r
			}
		}
		return nil
	}
	for _, e := range want {
		r := find(e)
		if r == nil {
			t.Errorf("%s (%s): no such trace is stored", e.InstanceID, e.where())
			continue
		}
		if !fits(e, *r) {
			t.Errorf("%s (%s): stored as %s %s, steps %d", e.InstanceID, e.where(), r.Label, r.OutcomeReason, r.StepCount)
		}
	}
	return len(rows) - len(taken)
}

// fits compares what both know.
func fits(e expectedTrace, r models.TraceRow) bool {
	label := trace.Label(r.Label)
	outcome := e.Resolved == nil && label == trace.Unknown ||
		e.Resolved != nil && (*e.Resolved && label == trace.Acceptable || !*e.Resolved && label == trace.Defective || label == trace.Unknown && r.OutcomeReason != "")
	return outcome && alike(e.PatchAdded, r.PatchAdded) && alike(e.PatchRemoved, r.PatchRemoved) && alike(e.Steps, r.AgentSteps) &&
		alike(e.Cost, r.CostUSD) && alike(e.Input, r.InputTokens) && alike(e.Output, r.OutputTokens)
}

func alike[T comparable](want, got *T) bool { return want == nil || got != nil && *want == *got }

func TestRealFolders(t *testing.T) {
	t.Parallel()
	folder := realFolder(t)
	tests := []struct {
		name   string
		traces int
		labels map[trace.Label]int
	}{
		{name: "sweagent-2024-verified"},
		{name: "claude-code-vexp"},
		{name: "mini-swe-agent-1x"},
		{name: "datasets"},
	}
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				b := newBench(t, s)
				d, err := s.EnsureDataset(context.Background(), admin, b.dataset.ProjectID, tt.name, "", false)
				if err != nil {
					t.Fatal(err)
				}
				b.dataset = d
				sum := b.load(t, ingest.Options{}, filepath.Join(folder, tt.name))
				rows := b.traces(t)
				want := expectedTraces(t, folder, tt.name+"/")
				fmt.Println(tt.name, len(want), len(rows), sum.Labels, sum.Read.UnknownOutcome, sum.Read.Skipped)
				if left := compare(t, want, tt.name+"/", rows); left > 0 {
					t.Errorf("%d traces are stored that nobody expects", left)
				}
			})
		}
	})
}

func TestZZ(t *testing.T) {
	folder := realFolder(t)
	b := newBench(t, modelstest.SQLite(t))
	sum := b.load(t, ingest.Options{}, folder)
	rows := b.traces(t)
	want := expectedTraces(t, folder, "")
	fmt.Println(len(want), len(rows), sum.Labels, sum.Outcomes, sum.Read.UnknownOutcome, sum.Read.Skipped, sum.Read.Attempts, sum.Read.Problems)
	fmt.Println(compare(t, want, "", rows))
	fmt.Println(len(sum.Notes), sum.Notes[:min(5, len(sum.Notes))])
	o := ingest.Options{Again: true}
	sum = b.load(t, o, folder)
	fmt.Println(sum.Outcomes, len(b.traces(t)))
	sum = b.load(t, ingest.Options{}, folder)
	fmt.Println(sum.Outcomes, sum.Same)
}
