package belief_test

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
)

// The recorded critics of three cells of paper B's study and the numbers its
// authors published for them.
type published struct {
	Cells map[string]struct {
		Benchmark, Generator string
		LikelihoodTables     struct {
			Records   int              `json:"n_records"`
			Evaluated int              `json:"n_evaluated"`
			Resolved  int              `json:"n_resolved"`
			Prior     float64          `json:"prior_Y1"`
			Critics   map[string]rates `json:"critic_likelihoods"`
		} `json:"likelihood_tables"`
		Independence struct {
			N    int     `json:"n_total"`
			N0   int     `json:"n_Y0"`
			N1   int     `json:"n_Y1"`
			Y0   float64 `json:"Y0_chi2"`
			Y1   float64 `json:"Y1_chi2"`
			Both float64 `json:"pooled_chi2"`
		} `json:"critic_independence"`
		Kernels map[string]struct {
			Counts map[string]int `json:"raw_counts"`
			Pairs  int            `json:"n_pairs"`
			Fix    float64        `json:"P_fix_given_broken"`
			Break  float64        `json:"P_break_given_correct"`
		}
		Reviewers *struct {
			Each      map[string]rates                    `json:"per_reviewer"`
			Agreement map[string]struct{ Y1, Y0 float64 } `json:"pairwise_agreement"`
		}
	}
}

type rates struct {
	PassCorrect    float64 `json:"P_pass_given_Y1"`
	PassDefect     float64 `json:"P_pass_given_Y0"`
	Gap            float64
	TP, FN, FP, TN int
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

var lcbColumns = belief.Columns{
	Task: "instance_id", Group: []string{"benchmark", "generator"}, Candidate: "patch_id", Label: "y",
	Critics: []belief.CriticColumn{{Column: "syntax"}, {Column: "lint"}, {Column: "tests"}, {Column: "llm"}},
	Scores:  []string{"diff_chars"},
}

func readCSV(t testing.TB, name string, want belief.Columns) belief.Table {
	t.Helper()
	got, err := belief.ReadTable(strings.NewReader(string(realData(t, name))), want)
	if err != nil || len(got.Errors) > 0 {
		t.Fatalf("%s: %v %v", name, err, got.Errors)
	}
	return got.Table
}

// pairs makes a table with the given transitions, one task a pair.
func pairs(counts map[string]int) belief.Table {
	var out belief.Table
	for pair, n := range counts {
		k := belief.Task{ID: pair, Candidates: []belief.Candidate{{Y: belief.LabelOf(pair[0] == '1')}, {Y: belief.LabelOf(pair[3] == '1')}}}
		for range n {
			out.Tasks = append(out.Tasks, k)
		}
	}
	return out
}

// tallyOf counts how many published numbers of a kind are reached.
type tallyOf struct {
	t     *testing.T
	count map[string][2]int // reached, compared
}

func (c *tallyOf) number(kind, what string, got, want, tol float64) {
	n := c.count[kind]
	n[1]++
	if math.Abs(got-want) <= tol {
		n[0]++
	} else {
		c.t.Errorf("%s: %s: got %v, published %v", kind, what, got, want)
	}
	c.count[kind] = n
}

func (c *tallyOf) rates(kind, what string, got belief.CriticEstimate, want rates) {
	c.number(kind, what+" TP", float64(got.CountCorrect[1]), float64(want.TP), 0)
	c.number(kind, what+" FN", float64(got.CountCorrect[0]), float64(want.FN), 0)
	c.number(kind, what+" FP", float64(got.CountDefect[1]), float64(want.FP), 0)
	c.number(kind, what+" TN", float64(got.CountDefect[0]), float64(want.TN), 0)
	c.number(kind, what+" pass given correct", got.PassCorrect.Value, want.PassCorrect, 1e-9)
	c.number(kind, what+" pass given defect", got.PassDefect.Value, want.PassDefect, 1e-9)
	c.number(kind, what+" gap", got.Gap(), want.Gap, 1e-9)
}

// TestPublishedEstimates recounts the records and meets the published
// likelihoods, independence tests, kernels and reviewer tables: exactly, or to
// the three decimals printed for χ².
func TestPublishedEstimates(t *testing.T) {
	t.Parallel()
	var pub published
	if err := json.Unmarshal(realData(t, "published.json"), &pub); err != nil {
		t.Fatal(err)
	}
	c := &tallyOf{t, map[string][2]int{}}
	reviewers := readCSV(t, "lcb_hard_reviewers.csv", belief.Columns{
		Task: "instance_id", Group: []string{"benchmark", "generator"}, Candidate: "patch_id", Label: "y",
		Critics: []belief.CriticColumn{
			{Column: "llm_haiku45", Name: "haiku45"}, {Column: "llm_gpt4omini", Name: "gpt4omini"}, {Column: "llm_sonnet45", Name: "sonnet45"},
		},
	})
	all := belief.Options{Scope: belief.AllCandidates}
	for key, cell := range pub.Cells {
		table := readCSV(t, cell.Benchmark+"_"+cell.Generator+".csv", lcbColumns)
		est, err := belief.Fit(table, all)
		if err != nil {
			t.Fatal(err)
		}
		lt := cell.LikelihoodTables
		for _, n := range []struct {
			what      string
			got, want float64
		}{
			{"records", float64(table.Candidates()), float64(lt.Records)}, {"evaluated", float64(est.Prior.N), float64(lt.Evaluated)},
			{"resolved", float64(est.Prior.K), float64(lt.Resolved)}, {"prior", est.Prior.Value, lt.Prior},
		} {
			c.number("likelihood tables", key+" "+n.what, n.got, n.want, 1e-9)
		}
		for source, name := range map[string]string{"L0_syntax": "syntax", "L1_lint": "lint", "L2_public_tests": "tests", "L3_llm_review": "llm"} {
			got, _ := est.Critic(name)
			want := lt.Critics[source]
			c.rates("likelihood tables", key+" "+name, got, want)
		}
		tests, err := table.JointDependence(belief.AllCandidates, "syntax", "lint", "tests", "llm")
		if err != nil {
			t.Fatal(err)
		}
		in := cell.Independence
		for _, n := range []struct {
			what           string
			got, want, tol float64
		}{
			{"n", float64(est.Prior.N), float64(in.N), 0}, {"n0", float64(tests[0].N), float64(in.N0), 0}, {"n1", float64(tests[1].N), float64(in.N1), 0},
			{"chi2 0", tests[0].Chi2, in.Y0, 5.01e-4}, {"chi2 1", tests[1].Chi2, in.Y1, 5.01e-4}, {"both", tests[0].Chi2 + tests[1].Chi2, in.Both, 5.01e-4},
		} {
			c.number("independence", key+" "+n.what, n.got, n.want, n.tol)
		}
		for name, k := range cell.Kernels {
			n, from := k.Counts, pairs(k.Counts)
			if name == "iid_baseline" { // the others were counted on runs that were not published
				from = table
			}
			est, err := belief.Fit(from, all)
			if err != nil {
				t.Fatal(err)
			}
			if name == "iid_baseline" {
				got := est.Kernel.Counts
				for pair, got := range map[string]int{"0->0": got[0][0], "0->1": got[0][1], "1->0": got[1][0], "1->1": got[1][1]} {
					c.number("kernels", key+" "+pair, float64(got), float64(n[pair]), 0)
				}
			}
			c.number("kernels", key+" pairs", float64(est.Kernel.Pairs()), float64(k.Pairs), 0)
			c.number("kernels", key+" fix", est.Kernel.Fix, k.Fix, 1e-9)
			c.number("kernels", key+" break", est.Kernel.Break, k.Break, 1e-9)
		}
		verdicts := reviewers.Only(cell.Benchmark + "/" + cell.Generator)
		if len(verdicts.Tasks) == 0 {
			continue
		}
		panel, err := belief.Fit(verdicts, all)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range panel.Critics {
			c.rates("reviewers", key+" "+r.Name, r, cell.Reviewers.Each[r.Name])
		}
		agree := map[string]float64{}
		for _, d := range verdicts.Dependence(belief.AllCandidates) {
			same := float64(d.Table[0][0]+d.Table[1][1]) / float64(d.N)
			agree[d.A+"|"+d.B+" "+d.Class], agree[d.B+"|"+d.A+" "+d.Class] = same, same
		}
		for pair, want := range cell.Reviewers.Agreement {
			c.number("reviewers", key+" "+pair+" y1", agree[pair+" correct"], want.Y1, 1e-9)
			c.number("reviewers", key+" "+pair+" y0", agree[pair+" defective"], want.Y0, 1e-9)
		}
	}
	want := map[string][2]int{
		"likelihood tables": {96, 96}, "independence": {18, 18}, "kernels": {33, 33}, "reviewers": {54, 54},
	}
	if d := cmp.Diff(want, c.count); d != "" {
		t.Errorf("published numbers reached of those compared (-want +got):\n%s", d)
	}
}
