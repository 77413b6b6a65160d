package control_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"plumbline/experiments/belief"
	"plumbline/experiments/control"
)

// The published numbers of three cells of paper B's study.
type published struct {
	Cells map[string]struct {
		Benchmark, Generator string
		Comparison           struct {
			Policies map[string]row
		} `json:"policy_comparison"`
		Kernels map[string]struct {
			Fix      float64 `json:"P_fix_given_broken"`
			Break    float64 `json:"P_break_given_correct"`
			Policies map[string]row
		}
		LeaveOneOut struct {
			Folds    int `json:"n_folds"`
			Policies map[string]row
		} `json:"leave_one_instance_out"`
		Table struct {
			Decimals  int
			Prior     float64 `json:"prior_Y1"`
			GapSyntax float64 `json:"L0_gap"`
			GapTests  float64 `json:"L2_gap"`
			Reviewers map[string]struct {
				Gap      float64 `json:"L3_gap_used"`
				Policies map[string]row
			} `json:"l3_reviewers"`
		} `json:"paper_table"`
	}
}

type row struct {
	Mean float64  `json:"mean_utility"`
	Pass *float64 `json:"pass_rate"`
	Diff float64  `json:"diff_vs_always_verify"`
	Lo   float64  `json:"ci95_lo"`
	Hi   float64  `json:"ci95_hi"`
}

// realData opens a public record file of paper B's study; without it the test is
// skipped unless everything is required.
func realData(t testing.TB, name string) []byte {
	t.Helper()
	path := filepath.Join(folder(t, "PLUMBLINE_SHARED", "../shared"), "data/real/bayes-critics", name)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		why := "recorded critics are missing: " + path
		if os.Getenv("PLUMBLINE_TEST_REQUIRE") == "all" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func readCSV(t testing.TB, name string, critics ...belief.CriticColumn) belief.Table {
	t.Helper()
	got, err := belief.ReadTable(strings.NewReader(string(realData(t, name))), belief.Columns{
		Task: "instance_id", Group: []string{"benchmark", "generator"}, Candidate: "patch_id", Label: "y", Critics: critics,
	})
	if err != nil || len(got.Errors) > 0 {
		t.Fatalf("%s: %v %v", name, err, got.Errors)
	}
	return got.Table
}

func readCell(t testing.TB, benchmark, generator string) belief.Table {
	t.Helper()
	return readCSV(t, benchmark+"_"+generator+".csv",
		belief.CriticColumn{Column: "syntax"}, belief.CriticColumn{Column: "lint"},
		belief.CriticColumn{Column: "tests"}, belief.CriticColumn{Column: "llm"})
}

// withReviewer replaces the critic llm by the verdicts of another reviewer on
// the same candidates.
func withReviewer(t testing.TB, cell, verdicts belief.Table, reviewer string) belief.Table {
	t.Helper()
	at, from := cell.Critic("llm"), verdicts.Critic(reviewer)
	out := belief.Table{Critics: cell.Critics}
	for i, k := range cell.Tasks {
		next := belief.Task{ID: k.ID, Group: k.Group}
		for j, c := range k.Candidates {
			other := verdicts.Tasks[i].Candidates[j]
			if verdicts.Tasks[i].ID != k.ID || other.ID != c.ID || other.Y != c.Y {
				t.Fatalf("task %s: the verdicts belong to other candidates", k.ID)
			}
			outcomes := append([]belief.Outcome(nil), c.Outcomes...)
			outcomes[at] = other.Outcomes[from]
			next.Candidates = append(next.Candidates, belief.Candidate{ID: c.ID, Y: c.Y, Outcomes: outcomes})
		}
		out.Tasks = append(out.Tasks, next)
	}
	return out
}

// reached counts published numbers reached and compared, by kind.
type reached struct {
	t     *testing.T
	count map[string][2]int
}

func (r *reached) number(kind, what string, got, want float64, decimals int) {
	tol := 1e-9
	if decimals > 0 {
		tol += 0.5 * math.Pow10(-decimals)
	}
	n := r.count[kind]
	n[1]++
	if math.Abs(got-want) <= tol {
		n[0]++
	} else {
		r.t.Errorf("%s: %s: got %v, published %v", kind, what, got, want)
	}
	r.count[kind] = n
}

// policies compares the published rows of replays with the numbers here, and
// their intervals if asked.
func (r *reached) policies(kind, what string, got []control.Replayed, want map[string]row, decimals int, intervals bool) {
	r.t.Helper()
	seen := 0
	for _, p := range got {
		w, ok := want[p.Policy]
		if !ok {
			continue
		}
		seen++
		r.number(kind, what+" "+p.Policy+" utility", *p.MeanUtility, w.Mean, decimals)
		r.number(kind, what+" "+p.Policy+" difference", *p.MeanUtility-*got[0].MeanUtility, w.Diff, decimals)
		if w.Pass != nil {
			r.number(kind, what+" "+p.Policy+" pass rate", *p.Solve.Value, *w.Pass, decimals)
		}
		if intervals {
			iv, err := control.PublishedInterval(p, got[0], 42)
			if err != nil {
				r.t.Fatal(err)
			}
			r.number("intervals", what+" "+p.Policy+" lo", iv.Lo, w.Lo, decimals)
			r.number("intervals", what+" "+p.Policy+" hi", iv.Hi, w.Hi, decimals)
		}
	}
	if seen != len(want) {
		r.t.Errorf("%s: %d of %d published policies were played", what, seen, len(want))
	}
}

// TestPublishedReplays plays the published policies by the published rules and
// reaches the published means, pass rates, differences, the printed table and
// the bootstrap intervals: exactly, or to the four decimals printed.
func TestPublishedReplays(t *testing.T) {
	t.Parallel()
	var pub published
	if err := json.Unmarshal(realData(t, "published.json"), &pub); err != nil {
		t.Fatal(err)
	}
	reviewers := readCSV(t, "lcb_hard_reviewers.csv",
		belief.CriticColumn{Column: "llm_haiku45", Name: "haiku45"}, belief.CriticColumn{Column: "llm_gpt4omini", Name: "gpt4omini"},
		belief.CriticColumn{Column: "llm_sonnet45", Name: "sonnet45"})
	r := &reached{t, map[string][2]int{}}
	replay := func(tab belief.Table, o control.PublishedOptions) []control.Replayed {
		t.Helper()
		got, err := control.ReplayPublished(tab, o)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for key, cell := range pub.Cells {
		tab := readCell(t, cell.Benchmark, cell.Generator)
		r.policies("policies", key, replay(tab, control.PublishedOptions{}), cell.Comparison.Policies, 0, true)
		for name, k := range cell.Kernels {
			kernel := belief.Kernel{Fix: k.Fix, Break: k.Break}
			r.policies("policies", key+" "+name, replay(tab, control.PublishedOptions{Kernel: &kernel}), k.Policies, 0, true)
		}
		// The published intervals of leave-one-out come from an unknown draw.
		r.number("policies", key+" folds", float64(len(tab.Tasks)), float64(cell.LeaveOneOut.Folds), 0)
		r.policies("policies", key+" leave one out", replay(tab, control.PublishedOptions{LeaveOneOut: true}), cell.LeaveOneOut.Policies, 0, false)

		est, err := belief.Fit(tab, belief.Options{Scope: belief.AllCandidates})
		if err != nil {
			t.Fatal(err)
		}
		gap := func(e belief.Estimate, name string) float64 {
			c, _ := e.Critic(name)
			return c.Gap()
		}
		d := cell.Table.Decimals
		r.number("printed table", key+" prior", est.Prior.Value, cell.Table.Prior, d)
		r.number("printed table", key+" syntax", gap(est, "syntax"), cell.Table.GapSyntax, d)
		r.number("printed table", key+" tests", gap(est, "tests"), cell.Table.GapTests, d)
		verdicts := reviewers.Only(cell.Benchmark + "/" + cell.Generator)
		for name, want := range cell.Table.Reviewers {
			panel := tab
			if len(verdicts.Tasks) > 0 {
				panel = withReviewer(t, tab, verdicts, name)
			} else if name != "haiku45" {
				continue // their verdicts were not published
			}
			e, err := belief.Fit(panel, belief.Options{Scope: belief.AllCandidates})
			if err != nil {
				t.Fatal(err)
			}
			r.number("printed table", key+" "+name+" gap", gap(e, "llm"), want.Gap, d)
			r.policies("printed table", key+" "+name, replay(panel, control.PublishedOptions{}), want.Policies, d, len(verdicts.Tasks) > 0)
		}
	}
	want := map[string][2]int{"policies": {159, 159}, "printed table": {100, 100}, "intervals": {124, 124}}
	if d := cmp.Diff(want, r.count); d != "" {
		t.Errorf("published numbers reached of those compared (-want +got):\n%s", d)
	}
}
