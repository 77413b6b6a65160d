package cascade_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/cascade"
	"plumbline/experiments/stats"
	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
)

// byStage says how many traces of one truth each stage decides how. What the
// counts leave over is decided by the reviewer.
type byStage struct{ noChange, testFails, testPasses int }

// published is how the 121 and the 59 traces of paper G went through the stages.
// The paper gives 36 and 24 decisions before the reviewer, 19 of 21 false
// rejections of the reviewer, and test precisions 0.82 and 0.30 (S4.1, §6.2). On
// the held-out set these admit 9 of 11 and 3 of 10 alone, which leaves 15 for the
// first two stages; the core set's 16 submissions without a change less the one of
// the design set make 15. On the Gemini set the split between failing and passing
// tests is not published; one that fits is taken.
var published = map[string]struct {
	defect, acceptable             byStage
	before, residual, abstained    int
	falseRejections, ofReviewer    int
	rejectPrecision, acceptPrecise string
}{
	"paper_heldout_121": {byStage{15, 9, 7}, byStage{0, 2, 3}, 36, 85, 13, 21, 19, "9/11 0.82", "3/10 0.30"},
	"paper_gemini_59":   {byStage{10, 8, 3}, byStage{0, 1, 2}, 24, 35, 8, 10, 9, "8/9 0.89", "2/5 0.40"},
}

type referenceClass struct {
	Accept      int `json:"accept"`
	Reject      int `json:"reject"`
	Uncertain   int `json:"uncertain"`
	Unparseable int `json:"unparseable"`
}

type referenceCase struct {
	ID    string `json:"id"`
	Input struct {
		Rows   [][2]string                `json:"rows"`
		Counts *map[string]referenceClass `json:"counts"`
	} `json:"input"`
	Expected struct {
		Counts               map[string]referenceClass `json:"counts"`
		N                    int                       `json:"n"`
		NDecided             int                       `json:"n_decided"`
		NWrongDecided        int                       `json:"n_wrong_decided"`
		Catch                *float64                  `json:"catch"`
		Miss                 *float64                  `json:"miss"`
		OverRejection        *float64                  `json:"over_rejection"`
		Coverage             *float64                  `json:"coverage"`
		SelectiveRisk        *float64                  `json:"selective_risk"`
		CatchDecided         *float64                  `json:"catch_decided"`
		OverRejectionDecided *float64                  `json:"over_rejection_decided"`
		RejectPrecision      *float64                  `json:"reject_precision"`
		AcceptPrecision      *float64                  `json:"accept_precision"`
	} `json:"expected"`
}

func referenceCases(t *testing.T) (cases []referenceCase, tolerance float64) {
	t.Helper()
	dir := os.Getenv("PLUMBLINE_REFERENCE")
	if dir == "" {
		root, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
				break
			}
			if filepath.Dir(root) == root {
				t.Fatal("no go.mod above the test")
			}
			root = filepath.Dir(root)
		}
		dir = filepath.Join(root, "..", "shared", "reference")
	}
	raw, err := os.ReadFile(filepath.Join(dir, "review_metrics.json"))
	if err != nil {
		t.Fatalf("reading the fixture: %v", err)
	}
	var file struct {
		Tolerance float64         `json:"tolerance"`
		Cases     []referenceCase `json:"cases"`
	}
	if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&file); err != nil {
		t.Fatalf("decoding the fixture: %v", err)
	}
	if len(file.Cases) == 0 {
		t.Fatal("the fixture has no cases")
	}
	return file.Cases, file.Tolerance
}

// records makes stored outcomes of traces that end in the wanted decisions.
func records(t *testing.T, label trace.Label, want vote.Counts, stages byStage) []cascade.Record {
	t.Helper()
	base := cascade.Record{Label: label, Change: &cascade.Change{}, Static: &cascade.Static{Ran: true}}
	tested := func(r cascade.Result) []cascade.Attempt {
		return []cascade.Attempt{{Generated: cascade.Generated{TestID: "t"}, Base: cascade.FailedTest, Patched: r}}
	}
	var out []cascade.Record
	add := func(n int, r cascade.Record) {
		if n < 0 {
			t.Fatalf("the stages decide more %s traces than there are", label)
		}
		for range n {
			r.Trace = fmt.Sprintf("%s-%d", label, len(out))
			out = append(out, r)
		}
	}
	unchanged := base
	unchanged.Change, unchanged.Static = &cascade.Change{None: true}, nil
	add(stages.noChange, unchanged)
	fails, passes := base, base
	fails.Attempts, passes.Attempts = tested(cascade.FailedTest), tested(cascade.Passed)
	add(stages.testFails, fails)
	add(stages.testPasses, passes)
	want.Reject -= stages.noChange + stages.testFails
	want.Accept -= stages.testPasses
	for _, d := range vote.Classes {
		voted := base
		voted.Attempts = []cascade.Attempt{
			{Generated: cascade.Generated{Flaw: cascade.NoTest}},
			{Generated: cascade.Generated{TestID: "t"}, Base: cascade.SetUp},
			{Generated: cascade.Generated{TestID: "t"}, Base: cascade.Passed},
		}
		voted.Votes = map[string][]vote.Vote{arm: {d, d, d, d, d}}
		add(want.Of(d), voted)
	}
	return out
}

func (c referenceCase) counts() map[string]referenceClass {
	if c.Input.Counts != nil {
		return *c.Input.Counts
	}
	out := map[string]referenceClass{}
	for _, r := range c.Input.Rows {
		x := out[r[0]]
		switch vote.Vote(r[1]) {
		case vote.Accept:
			x.Accept++
		case vote.Reject:
			x.Reject++
		case vote.Uncertain:
			x.Uncertain++
		default:
			x.Unparseable++
		}
		out[r[0]] = x
	}
	return out
}

// Stored outcomes of the published evaluations, replayed, give the published rates
// and the published figures of the stages.
func TestReferenceReplayPublished(t *testing.T) {
	t.Parallel()
	cases, tolerance := referenceCases(t)
	seen := 0
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			counts, pub := c.counts(), published[c.ID]
			all := append(
				records(t, trace.Defective, vote.Counts(counts["defect"]), pub.defect),
				records(t, trace.Acceptable, vote.Counts(counts["acceptable"]), pub.acceptable)...)
			p := cascade.Evaluated(arm)
			episodes, err := cascade.ReplayAll(p, all)
			if err != nil {
				t.Fatal(err)
			}
			f := cascade.Measure(p, episodes)
			want := stats.ReviewCounts{Defect: stats.Class(c.Expected.Counts["defect"]), Acceptable: stats.Class(c.Expected.Counts["acceptable"])}
			if diff := cmp.Diff(want, f.Counts); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
			if f.N != c.Expected.N || f.Verdicts != f.N || f.Counts.Decided() != c.Expected.NDecided || f.Counts.Wrong() != c.Expected.NWrongDecided {
				t.Errorf("n %d, verdicts %d, decided %d, wrong %d; want %d, %d, %d", f.N, f.Verdicts, f.Counts.Decided(), f.Counts.Wrong(), c.Expected.N, c.Expected.NDecided, c.Expected.NWrongDecided)
			}
			for m, want := range map[stats.Metric]*float64{
				stats.Catch: c.Expected.Catch, stats.Miss: c.Expected.Miss, stats.OverRejection: c.Expected.OverRejection,
				stats.Coverage: c.Expected.Coverage, stats.Risk: c.Expected.SelectiveRisk, stats.CatchDecided: c.Expected.CatchDecided,
				stats.OverRejectionDecided: c.Expected.OverRejectionDecided, stats.RejectPrecision: c.Expected.RejectPrecision, stats.AcceptPrecision: c.Expected.AcceptPrecision,
			} {
				got := f.Counts.Rate(m).Value
				if (got == nil) != (want == nil) || got != nil && math.Abs(*got-*want) > tolerance {
					t.Errorf("%s: got %v, want %v", m, got, want)
				}
			}
			if pub.before > 0 {
				seen++
				stageFigures(t, f, c.ID)
			}
		})
	}
	if seen != len(published) {
		t.Errorf("%d published evaluations in the fixture, want %d", seen, len(published))
	}
}

func stageFigures(t *testing.T, f cascade.Funnel, id string) {
	t.Helper()
	want := published[id]
	residual := f.Stages[cascade.StageResidual]
	got := want
	got.before, got.residual, got.abstained = f.Before(cascade.StageResidual), residual.Entered, residual.Abstained
	got.falseRejections, got.ofReviewer = f.Counts.Acceptable.Reject, residual.FalseRejections()
	got.rejectPrecision, got.acceptPrecise = rate(f.Tests.RejectPrecision), rate(f.Tests.AcceptPrecision)
	if got != want {
		t.Errorf("stages: got %+v, want %+v", got, want)
	}
	if f.Asked != 5*want.residual || f.Saved != 5*want.before {
		t.Errorf("votes asked %d and saved %d, want %d and %d", f.Asked, f.Saved, 5*want.residual, 5*want.before)
	}
}

func rate(r stats.Rate) string {
	if r.Value == nil {
		return r.Reason
	}
	return fmt.Sprintf("%d/%d %.2f", r.K, r.N, *r.Value)
}

// The recommended rule needs the reviewer's votes where a test passes. They were
// not asked under the evaluated rule, and a replay says so instead of guessing.
func TestReplayInventsNothing(t *testing.T) {
	t.Parallel()
	counts := vote.Counts{Accept: 15, Reject: 68, Uncertain: 6}
	all := records(t, trace.Defective, counts, byStage{15, 9, 7})
	for _, tt := range []struct {
		policy  cascade.Policy
		missing int
		kind    cascade.Kind
	}{
		{cascade.Evaluated(arm), 0, ""},
		{cascade.Recommended(arm), 7, cascade.AskVotes},
		{cascade.RulesOnly(), 0, ""},
		{cascade.TestsOnly(), 15, cascade.Generate}, // none was generated for the unchanged ones
		{cascade.ReviewOnly("structured", "weak · structured"), len(all), cascade.AskVotes},
	} {
		episodes, err := cascade.ReplayAll(tt.policy, all)
		if err != nil {
			t.Fatal(err)
		}
		f := cascade.Measure(tt.policy, episodes)
		if f.Missing != tt.missing || f.Verdicts+f.Missing != len(all) {
			t.Errorf("%s: %d missing and %d verdicts of %d, want %d missing", tt.policy.Name, f.Missing, f.Verdicts, len(all), tt.missing)
		}
		for _, e := range episodes {
			if e.Missing != nil && e.Missing.Kind != tt.kind {
				t.Errorf("%s: missing %q, want %q", tt.policy.Name, e.Missing.Kind, tt.kind)
			}
		}
	}
}
