package belief_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"plumbline/experiments/belief"
)

// moduleRoot walks up from the test's folder to the folder of go.mod.
func moduleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
}

// folder resolves a folder named by an environment variable, relative to the
// module, with a default.
func folder(t testing.TB, variable, fallback string) string {
	dir := os.Getenv(variable)
	if dir == "" {
		dir = fallback
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(moduleRoot(t), dir)
	}
	return dir
}

type fixture struct {
	Tolerance float64
	Cases     []struct {
		ID       string
		Input    json.RawMessage
		Expected json.RawMessage
	}
}

func readFixture(t *testing.T, name string) fixture {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(folder(t, "PLUMBLINE_REFERENCE", "../shared/reference"), name))
	if err != nil {
		t.Fatalf("reference values are required: %v", err)
	}
	var f fixture
	if err := json.Unmarshal(raw, &f); err != nil {
		t.Fatal(err)
	}
	if len(f.Cases) == 0 {
		t.Fatalf("%s has no cases", name)
	}
	return f
}

func decode[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// near compares as the fixtures ask for: |a-b| ≤ tol · max(1,|a|,|b|).
func near(a, b, tol float64) bool {
	return math.Abs(a-b) <= tol*math.Max(1, math.Max(math.Abs(a), math.Abs(b)))
}

// expect checks that every expected key was compared, so that a new key in a
// fixture cannot pass unseen.
type expect struct {
	t    *testing.T
	tol  float64
	left map[string]json.RawMessage
}

func newExpect(t *testing.T, raw json.RawMessage, tol float64) *expect {
	return &expect{t, tol, decode[map[string]json.RawMessage](t, raw)}
}

func (e *expect) value(key string, got any) {
	e.t.Helper()
	raw, ok := e.left[key]
	if !ok {
		e.t.Errorf("%s: not expected", key)
		return
	}
	delete(e.left, key)
	var want any
	if err := json.Unmarshal(raw, &want); err != nil {
		e.t.Fatal(err)
	}
	encoded, err := json.Marshal(got)
	if err != nil {
		e.t.Fatal(err)
	}
	var have any
	if err := json.Unmarshal(encoded, &have); err != nil {
		e.t.Fatal(err)
	}
	e.compare(key, have, want)
}

func (e *expect) compare(at string, got, want any) {
	e.t.Helper()
	switch w := want.(type) {
	case float64:
		if g, ok := got.(float64); !ok || !near(g, w, e.tol) {
			e.t.Errorf("%s: got %v, want %v", at, got, w)
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			e.t.Errorf("%s: got %v, want %v", at, got, w)
			return
		}
		for i := range w {
			e.compare(at, g[i], w[i])
		}
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(w) {
			e.t.Errorf("%s: got %v, want %v", at, got, w)
			return
		}
		for k := range w {
			e.compare(at+"."+k, g[k], w[k])
		}
	default:
		if got != want {
			e.t.Errorf("%s: got %v, want %v", at, got, want)
		}
	}
}

func (e *expect) done() {
	e.t.Helper()
	for k := range e.left {
		e.t.Errorf("%s: expected but never compared", k)
	}
}

func TestReferenceBelief(t *testing.T) {
	t.Parallel()
	f := readFixture(t, "belief.json")
	type input struct {
		Prior   float64
		Critics map[string]struct {
			PassCorrect float64 `json:"p_pass_correct"`
			PassDefect  float64 `json:"p_pass_defect"`
		}
		Evidence [][2]any
		Correct  []float64 `json:"likelihood_correct"`
		Defect   []float64 `json:"likelihood_defect"`
		Outcome  *int
		LLR      []float64 `json:"log_likelihood_ratios"`
		Lambda   *float64
		Belief   float64
		P01      *float64
		P10      float64
		Steps    int
	}
	for _, c := range f.Cases {
		t.Run(c.ID, func(t *testing.T) {
			in, e := decode[input](t, c.Input), newExpect(t, c.Expected, f.Tolerance)
			defer e.done()
			switch {
			case in.Evidence != nil:
				var critics []belief.Critic
				at := map[string]int{}
				for name, l := range in.Critics {
					at[name] = len(critics)
					critics = append(critics, belief.Binary(name, l.PassCorrect, l.PassDefect))
				}
				var seen []belief.Observation
				for _, o := range in.Evidence {
					z := belief.Missing
					if pass, ok := o[1].(bool); ok {
						z = belief.Fail
						if pass {
							z = belief.Pass
						}
					}
					seen = append(seen, belief.Observation{Critic: at[o[0].(string)], Outcome: z})
				}
				var beliefs []float64
				var impossible []bool
				for _, s := range belief.Path(in.Prior, critics, seen) {
					beliefs, impossible = append(beliefs, s.After), append(impossible, s.Impossible)
				}
				e.value("beliefs", beliefs)
				e.value("impossible", impossible)
				e.value("final", beliefs[len(beliefs)-1])
			case in.Outcome != nil:
				votes := belief.Critic{Name: "votes", Correct: in.Correct, Defect: in.Defect}
				b, _ := votes.Update(in.Prior, belief.Outcome(*in.Outcome))
				e.value("belief", b)
			case in.Lambda != nil:
				e.value("belief", belief.Temper(in.Prior, in.LLR, *in.Lambda))
			case in.P01 != nil:
				k := belief.Kernel{Fix: *in.P01, Break: in.P10}
				var beliefs []float64
				b := in.Belief
				for range in.Steps {
					b = k.Next(b)
					beliefs = append(beliefs, b)
				}
				e.value("beliefs", beliefs)
				e.value("fixed_point", k.FixedPoint())
			default:
				t.Fatal("unknown kind of case")
			}
		})
	}
}

func TestReferenceEstimation(t *testing.T) {
	t.Parallel()
	f := readFixture(t, "estimation.json")
	type task struct {
		ID         string
		Fold       int
		Candidates []struct {
			Critics map[string]*bool
			Y       *int
		}
	}
	type input struct {
		Tasks       []task
		SameTasksAs string `json:"same_tasks_as"`
		Critics     []string
		Scope       string
		Alpha, Beta float64
		HeldOut     *int `json:"held_out_fold"`
	}
	tables, folds := map[string]belief.Table{}, map[string][]int{}
	for _, c := range f.Cases {
		t.Run(c.ID, func(t *testing.T) {
			in, e := decode[input](t, c.Input), newExpect(t, c.Expected, f.Tolerance)
			defer e.done()
			from := in.SameTasksAs
			if from == "" {
				from = c.ID
				table := belief.Table{}
				for _, name := range in.Critics {
					table.Critics = append(table.Critics, belief.Column{Name: name, Outcomes: 2})
				}
				for _, k := range in.Tasks {
					folds[c.ID] = append(folds[c.ID], k.Fold)
					task := belief.Task{ID: k.ID}
					for _, cand := range k.Candidates {
						row := belief.Candidate{}
						if cand.Y != nil {
							row.Y = belief.LabelOf(*cand.Y == 1)
						}
						for _, name := range in.Critics {
							z := belief.Missing
							if p := cand.Critics[name]; p != nil {
								z = belief.Fail
								if *p {
									z = belief.Pass
								}
							}
							row.Outcomes = append(row.Outcomes, z)
						}
						task.Candidates = append(task.Candidates, row)
					}
					table.Tasks = append(table.Tasks, task)
				}
				tables[c.ID] = table
			}
			opts := belief.Options{Alpha: in.Alpha, Beta: in.Beta}
			if in.Scope == "all" {
				opts.Scope = belief.AllCandidates
			}
			var est belief.Estimate
			if in.HeldOut == nil {
				var err error
				if est, err = belief.Fit(tables[from], opts); err != nil {
					t.Fatal(err)
				}
			} else {
				fits, err := belief.CrossFit(tables[from], folds[from], belief.CrossOptions{Options: opts})
				if err != nil {
					t.Fatal(err)
				}
				for _, fold := range fits {
					if fold.Fold == *in.HeldOut {
						est = fold.Estimate
					}
				}
			}
			e.value("prior", map[string]any{"correct": est.Prior.K, "total": est.Prior.N, "value": est.Prior.Value})
			critics := map[string]any{}
			for _, k := range est.Critics {
				critics[k.Name] = map[string]any{
					"pass_correct": k.PassCorrect.K, "n_correct": k.PassCorrect.N, "p_pass_correct": k.PassCorrect.Value,
					"pass_defect": k.PassDefect.K, "n_defect": k.PassDefect.N, "p_pass_defect": k.PassDefect.Value,
					"gap": k.Gap(),
				}
			}
			e.value("critics", critics)
			n := est.Kernel.Counts
			e.value("kernel", map[string]any{
				"counts": map[string]int{"00": n[0][0], "01": n[0][1], "10": n[1][0], "11": n[1][1]},
				"p01":    est.Kernel.Fix, "p10": est.Kernel.Break,
			})
		})
	}
}
