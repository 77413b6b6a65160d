package handlers_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"plumbline/experiments/trace"
	"plumbline/models"
)

// page measures the time to the last byte of a page and its size.
func (s *site) page(b *testing.B, path string) {
	b.Helper()
	size := 0
	for b.Loop() {
		code, text, _ := s.ask(b, http.MethodGet, path, "", nil)
		if code != http.StatusOK {
			b.Fatalf("GET %s: %d", path, code)
		}
		size = len(text)
	}
	b.ReportMetric(float64(size), "page-bytes")
}

// BenchmarkTracesList100k is the list of a dataset of 100,000 traces.
func BenchmarkTracesList100k(b *testing.B) {
	s := newSite(b, nil)
	ctx := context.Background()
	d, err := s.Store.EnsureDataset(ctx, admin, s.Project.ID, "large", "", false)
	if err != nil {
		b.Fatal(err)
	}
	labels := []trace.Label{trace.Acceptable, trace.Defective, trace.Unknown}
	for at := 0; at < 100_000; at += 1000 {
		in := make([]models.TraceInput, 1000)
		for i := range in {
			n := at + i
			cost := float64(n%997) / 100
			in[i] = models.TraceInput{Trace: trace.Trace{
				InstanceID: fmt.Sprintf("org__repo-%d", n/20), Agent: fmt.Sprintf("agent-%d", n%20), Model: "m", PatchState: trace.PatchText, Patch: "x",
				Usage: trace.Usage{CostUSD: &cost}, Outcome: trace.Outcome{Label: labels[n%3], Reason: "unresolved"},
			}, Patch: models.PatchFacts{SHA256: fmt.Sprint(n), Files: 1}}
		}
		if _, err := s.Store.ImportTraces(ctx, admin, d.ID, nil, in); err != nil {
			b.Fatal(err)
		}
	}
	for _, q := range []string{"", "?label=defective", "?sort=-cost", "?agent=agent-3&label=acceptable&sort=instance", "?q=repo-49", "?state=empty"} {
		b.Run("list"+q, func(b *testing.B) { s.page(b, "/datasets/"+d.ID+"/traces"+q) })
	}
	b.Run("dataset", func(b *testing.B) { s.page(b, "/datasets/"+d.ID) })
}

// BenchmarkLargeTrace is the page of a trajectory of 33,000 steps and 127 MB, with a patch of
// 20,000 lines.
func BenchmarkLargeTrace(b *testing.B) {
	s := newSite(b, nil)
	var patch strings.Builder
	patch.WriteString("--- /dev/null\n+++ b/a.go\n@@ -0,0 +1,20000 @@\n")
	for i := range 20_000 {
		fmt.Fprintf(&patch, "+	value%d := compute(%d)\n", i, i)
	}
	in := trace.Trace{InstanceID: "org__big-1", Agent: "a", PatchState: trace.PatchText, Patch: patch.String(), Summary: "done"}
	seen := strings.Repeat("PASS tests/unit/test_parser.py::test_case\n", 64)
	for i := range 33_000 {
		in.Steps = append(in.Steps, trace.Step{Index: i, Kind: trace.StepAction, Tool: "bash", Action: "python -m pytest -x -q", Observation: seen})
	}
	in.Steps[20_000].Observation = strings.Repeat(seen, 15_000) // 40 MB
	res, err := s.Store.ImportTraces(context.Background(), admin, s.dataset.ID, []trace.Instance{{ID: in.InstanceID, Issue: "# Title\n\nText"}}, []models.TraceInput{{Trace: in, Patch: models.PatchFacts{SHA256: "x", Files: 1}}})
	if err != nil {
		b.Fatal(err)
	}
	for _, q := range []string{"tab=issue", "tab=diff", "tab=diff&at=f1R15000", "tab=steps&step=1", "tab=steps&step=30000", "tab=steps&step=20001", "tab=steps&step=20001&line=500000"} {
		b.Run(q, func(b *testing.B) { s.page(b, "/traces/"+res[0].TraceID+"?"+q) })
	}
	// A trace whose patch and whose step are one line of 5.6 MB.
	line := strings.Repeat("{\"value\": 12345678}, ", 5_600_000/21)
	long := trace.Trace{
		InstanceID: "org__long-1", Agent: "a", PatchState: trace.PatchText, Patch: "--- a/a.json\n+++ b/a.json\n@@ -0,0 +1 @@\n+" + line + "\n",
		Steps: []trace.Step{{Kind: trace.StepAction, Tool: "bash", Action: "cat a.json", Observation: line}},
	}
	res, err = s.Store.ImportTraces(context.Background(), admin, s.dataset.ID, nil, []models.TraceInput{{Trace: long, Patch: models.PatchFacts{SHA256: "y", Files: 1}}})
	if err != nil {
		b.Fatal(err)
	}
	for _, q := range []string{"tab=diff", "tab=steps&step=1"} {
		b.Run("line of 5.6 MB, "+q, func(b *testing.B) { s.page(b, "/traces/"+res[0].TraceID+"?"+q) })
	}
}
