package runner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/runnertest"
)

// realCritics reads a public file of paper B's recorded critics; without it the test
// is skipped unless everything is required.
func realCritics(t *testing.T, name string) []byte {
	t.Helper()
	dir := os.Getenv("PLUMBLINE_SHARED")
	if dir == "" {
		dir = filepath.Join(repository(t), "../shared")
	}
	path := filepath.Join(dir, "data/real/bayes-critics", name)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		modelstest.Need(t, "recorded critics are missing: "+path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// repository is the folder of go.mod above the test.
func repository(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("there is no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}

// lcb declares the columns of the recorded critics.
var lcb = runner.CriticDeclaration{
	Task: "instance_id", Label: "y", Candidate: "patch_id", Group: []string{"benchmark", "generator"},
	Critics: []runner.CriticSource{{Column: "syntax"}, {Column: "lint"}, {Column: "tests"}, {Column: "llm"}},
}

type printedPolicy struct {
	Mean float64  `json:"mean_utility"`
	Pass *float64 `json:"pass_rate"`
	Diff float64  `json:"diff_vs_always_verify"`
	Lo   float64  `json:"ci95_lo"`
	Hi   float64  `json:"ci95_hi"`
}

type printed struct {
	Cells map[string]struct {
		Benchmark, Generator string
		Tables               struct {
			Prior   float64 `json:"prior_Y1"`
			N       int     `json:"n_records"`
			Critics map[string]struct {
				Correct float64 `json:"P_pass_given_Y1"`
				Defect  float64 `json:"P_pass_given_Y0"`
				Gap     float64
			} `json:"critic_likelihoods"`
		} `json:"likelihood_tables"`
		Comparison struct {
			Policies map[string]printedPolicy
		} `json:"policy_comparison"`
		LeaveOneOut struct {
			Policies map[string]printedPolicy
		} `json:"leave_one_instance_out"`
	}
}

// The public records go through import, store and study: what is estimated equals
// the published likelihood tables, the replay by the published rules reaches the
// published policies, and the replay by this program's rules gives the numbers that
// docs/belief.md tells.
func TestRealCriticsThroughTheProduct(t *testing.T) {
	t.Parallel()
	var pub printed
	if err := json.Unmarshal(realCritics(t, "published.json"), &pub); err != nil {
		t.Fatal(err)
	}
	told := toldInDocs(t)
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		b := runnertest.New(t, s)
		for key, cell := range pub.Cells {
			name := cell.Benchmark + "_" + cell.Generator
			table, read, err := b.Runner.ImportCritics(ctx, admin, b.Project.ID, name, name+".csv", realCritics(t, name+".csv"), lcb)
			if err != nil || len(read.Errors) > 0 || table.RowCount != cell.Tables.N {
				t.Fatalf("%s: %v, %v, %d rows", key, err, read.Errors, table.RowCount)
			}
			rec, _, err := b.Runner.RecordedTable(ctx, admin, table.ID)
			if err != nil {
				t.Fatal(err)
			}
			study, err := runner.NewStudy(&rec, runner.BeliefChoice{Critics: []string{"syntax", "lint", "tests", "llm"}})
			if err != nil {
				t.Fatal(err)
			}
			same := func(what string, got, want float64) {
				t.Helper()
				if math.Abs(got-want) > 1e-9 {
					t.Errorf("%s: %s is %v, published %v", key, what, got, want)
				}
			}
			for column, critic := range map[string]string{"L0_syntax": "syntax", "L1_lint": "lint", "L2_public_tests": "tests", "L3_llm_review": "llm"} {
				c, _ := study.Estimate.Critic(critic)
				want := cell.Tables.Critics[column]
				same(critic+" given correct", c.Correct[1], want.Correct)
				same(critic+" given defective", c.Defect[1], want.Defect)
				same(critic+" gap", c.Gap(), want.Gap)
			}
			same("the prior over all candidates", (float64(correctOf(&rec))+1)/(float64(cell.Tables.N)+2), cell.Tables.Prior)
			reachPublished(t, key, runner.PublishedRules(rec.Table), cell.Comparison.Policies, cell.LeaveOneOut.Policies)
			sayDegenerate(t, key, study)
			if d := cmp.Diff(told[name], honest(t, &rec)); d != "" {
				t.Errorf("%s: docs/belief.md tells other numbers (-told +computed):\n%s", key, d)
			}
		}
	})
}

func correctOf(r *runner.Recorded) int {
	n, _ := r.Labelled()
	return n
}

func reachPublished(t *testing.T, key string, got runner.Published, want, leave map[string]printedPolicy) {
	t.Helper()
	if got.Why != "" || got.Cell == "" {
		t.Fatalf("%s: cell %q, %s", key, got.Cell, got.Why)
	}
	reached, of := 0, 0
	for _, row := range got.Policies {
		w := want[row.Name]
		p := row.Printed
		if p == nil || p.Mean != w.Mean || p.Delta != w.Diff || p.Lo != w.Lo || p.Hi != w.Hi || p.PassRate != *w.Pass {
			t.Errorf("%s: %s is kept as %+v, published %+v", key, row.Name, p, w)
			continue
		}
		if l, ok := leave[row.Name]; ok != (p.LeaveOne != nil) || (ok && *p.LeaveOne != l.Mean) {
			t.Errorf("%s: %s leaving one out is kept as %v, published %v", key, row.Name, p.LeaveOne, l)
		}
		reached, of = reached+row.Reached, of+row.Of
	}
	if reached != of || of != 8*5+7 {
		t.Errorf("%s: %d of %d published numbers reached", key, reached, of)
	}
}

// sayDegenerate wants constant critics to be named, as lint is in every file.
func sayDegenerate(t *testing.T, key string, s *runner.Study) {
	t.Helper()
	for _, c := range s.Estimate.Critics {
		if c.Name != "lint" {
			continue
		}
		for _, f := range c.Findings {
			if strings.Contains(f.Text, "it cannot change a belief and only costs") {
				return
			}
		}
		t.Errorf("%s: nothing says that lint is constant: %v", key, c.Findings)
	}
}

// honest replays one cell by the rules of this program, leaving one task out: the
// means under fresh draws and under the measured kernel, to two decimals.
func honest(t *testing.T, rec *runner.Recorded) map[string][2]string {
	t.Helper()
	out := map[string][2]string{}
	for i, kernel := range []runner.KernelRule{runner.FreshKernel, runner.MeasuredKernel} {
		study, err := runner.NewStudy(rec, runner.BeliefChoice{
			Critics: []string{"syntax", "lint", "tests", "llm"}, Fold: runner.LeaveOneOut, Kernel: kernel, Costs: runner.CostChoice{Rule: runner.DraftCosts},
		})
		if err != nil || study.ProblemError != nil || study.FoldError != nil {
			t.Fatal(err, study.ProblemError, study.FoldError)
		}
		for _, p := range study.Policies(0).Policies {
			for told, name := range map[string]string{"always verify": "always_verify", "gate on tests": "gate:tests", "greedy": "greedy_kernel", "DP": "dp"} {
				if p.Name != name || p.Replay == nil {
					continue
				}
				pair := out[told]
				pair[i] = fmt.Sprintf("%.2f", *p.Replay.MeanUtility)
				out[told] = pair
			}
		}
	}
	return out
}

// toldInDocs reads the table of docs/belief.md: for each cell and policy the two
// columns of this program.
func toldInDocs(t *testing.T) map[string]map[string][2]string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(repository(t), "docs/belief.md"))
	if err != nil {
		t.Fatal(err)
	}
	cells := map[string]string{"hard, gpt5-mini": "lcb_hard_gpt5_mini", "hard, haiku-4.5": "lcb_hard_haiku45", "medium, haiku-4.5": "lcb_medium_haiku45"}
	out := map[string]map[string][2]string{}
	cell := ""
	for line := range strings.Lines(string(raw)) {
		parts := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(parts) != 5 {
			continue
		}
		for i := range parts {
			parts[i] = strings.ReplaceAll(strings.TrimSpace(parts[i]), "−", "-")
		}
		if name, ok := cells[parts[0]]; ok {
			cell = name
			out[cell] = map[string][2]string{}
		} else if parts[0] != "" {
			continue
		}
		if cell != "" {
			out[cell][parts[1]] = [2]string{parts[3], parts[4]}
		}
	}
	if len(out) != len(cells) {
		t.Fatalf("docs/belief.md has the table of %d cells", len(out))
	}
	return out
}
