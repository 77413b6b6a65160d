package ingest_test

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"plumbline/experiments/formats"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner/ingest"
)

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

// realCase is a folder of published files and what importing it must give.
type realCase struct {
	below    string
	expected int // attempts that were read independently
	more     int // attempts beside those, and why
	why      string
	labels   map[trace.Label]int
	buckets  map[string]int // of defective ones
	counts   models.InstanceCounts
}

var realCases = []realCase{
	{
		below: "sweagent-2024-verified/", expected: 29,
		labels: map[trace.Label]int{trace.Acceptable: 11, trace.Defective: 18}, buckets: map[string]int{"no_change": 3, "omission": 9, "regression": 6},
		counts: models.InstanceCounts{Instances: 29},
	},
	{
		below: "claude-code-vexp/", expected: 100, more: 9, why: "the evaluated patch differs from the submitted one",
		labels: map[trace.Label]int{trace.Acceptable: 73, trace.Defective: 36}, buckets: map[string]int{"no_change": 1, "omission": 13, "regression": 2},
		counts: models.InstanceCounts{Instances: 100},
	},
	{
		below: "mini-swe-agent-1x/", expected: 26, more: 27, why: "predictions whose trajectory was not published",
		labels: map[trace.Label]int{trace.Acceptable: 36, trace.Defective: 17}, buckets: map[string]int{"omission": 10, "regression": 3},
		counts: models.InstanceCounts{Instances: 53},
	},
	{below: "datasets/", labels: map[trace.Label]int{}, buckets: map[string]int{}, counts: models.InstanceCounts{Instances: 298, WithOracle: 298}},
	{
		below: "", expected: 776, more: 2122, why: "predictions and reports of attempts without a trajectory",
		labels:  map[trace.Label]int{trace.Acceptable: 827, trace.Defective: 930, trace.Unknown: 1141},
		buckets: map[string]int{"no_change": 40, "omission": 40, "regression": 19},
		counts:  models.InstanceCounts{Instances: 1219, WithOracle: 307},
	},
}

// Published files go into both databases as an independent reading of them says,
// and a second import adds nothing, read anew or recognised.
func TestRealFolders(t *testing.T) {
	t.Parallel()
	folder := realFolder(t)
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		all := newBench(t, s)
		for _, tt := range realCases {
			t.Run(cmp.Or(tt.below, "everything"), func(t *testing.T) {
				b := all.into(t, cmp.Or(tt.below, "everything"))
				path := filepath.Join(folder, tt.below)
				sum := b.load(t, ingest.Options{}, path)
				rows := b.traces(t)
				want := expectedTraces(t, folder, tt.below)
				if len(want) != tt.expected {
					t.Errorf("%d attempts are expected, want %d", len(want), tt.expected)
				}
				if left := compare(t, want, tt.below, rows); left != tt.more {
					t.Errorf("%d more traces are stored, want %d: %s", left, tt.more, tt.why)
				}
				tt.check(t, b, sum, rows)
				for _, again := range []bool{true, false} {
					sum := b.load(t, ingest.Options{Again: again}, path)
					if d := gocmp.Diff(map[models.Imported]int{models.ImportKnown: len(rows)}, sum.Outcomes, ignoreZero); d != "" {
						t.Errorf("read again: %v: %s", again, d)
					}
					if (sum.Same == "") != again {
						t.Errorf("read again %v, recognised %q", again, sum.Same)
					}
				}
				if now := b.traces(t); len(now) != len(rows) {
					t.Errorf("%d traces after importing again, want %d", len(now), len(rows))
				}
			})
		}
	})
}

var ignoreZero = cmpopts.IgnoreMapEntries(func(_ models.Imported, n int) bool { return n == 0 })

// check compares labels, defects, reasons and texts.
func (tt realCase) check(t *testing.T, b bench, sum ingest.Summary, rows []models.TraceRow) {
	t.Helper()
	labels, buckets := map[trace.Label]int{}, map[string]int{}
	for _, r := range rows {
		labels[trace.Label(r.Label)]++
		if r.Bucket != "" {
			buckets[r.Bucket]++
		}
		if r.Label == string(trace.Unknown) && r.LabelSource != "" || r.Label != string(trace.Unknown) && (r.LabelSource != string(trace.Imported) || r.OutcomeSource == "") {
			t.Errorf("%s: label %s from %q (%s)", r.InstanceID, r.Label, r.LabelSource, r.OutcomeSource)
		}
	}
	if d := gocmp.Diff(tt.labels, labels); d != "" {
		t.Error(d)
	}
	if d := gocmp.Diff(tt.buckets, buckets); d != "" {
		t.Error(d)
	}
	counts, err := b.store.CountInstances(context.Background(), admin, b.dataset.ID)
	if err != nil || counts != tt.counts {
		t.Errorf("%+v (%v), want %+v", counts, err, tt.counts)
	}
	unknown := 0
	for _, n := range sum.Read.UnknownOutcome {
		unknown += n
	}
	if unknown != labels[trace.Unknown] {
		t.Errorf("%d traces are unknown for a reason, %d are stored", unknown, labels[trace.Unknown])
	}
	b.wholeTexts(t, rows)
}

// wholeTexts wants every stored patch to be the one that was hashed, and every
// trace to have the steps it says.
func (b bench) wholeTexts(t *testing.T, rows []models.TraceRow) {
	t.Helper()
	for i, r := range rows {
		if i%7 != 0 && len(rows) > 200 { // of many, some
			continue
		}
		tr, _, err := b.store.LoadTrace(context.Background(), admin, r.ID)
		if err != nil {
			t.Fatal(err)
		}
		facts := formats.Facts(tr.PatchState, tr.Patch)
		if facts.SHA256 != r.PatchSHA256 && !strings.Contains(tr.Patch, "\ufffd") {
			t.Errorf("%s: the stored patch is another than the one read", r.InstanceID)
		}
		h := trace.NewStepsHash()
		for i := range tr.Steps {
			h.Add(&tr.Steps[i])
		}
		if len(tr.Steps) != r.StepCount || h.Sum() != r.StepsSHA256 {
			t.Errorf("%s: %d steps are stored, want %d", r.InstanceID, len(tr.Steps), r.StepCount)
		}
	}
}
