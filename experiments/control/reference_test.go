package control_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plumbline/experiments/belief"
	"plumbline/experiments/control"
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

// fixture is a file of reference values. Problem and Tasks are shared by all
// cases of replay.json.
type fixture[I, E any] struct {
	Tolerance float64
	Problem   problemJSON
	Tasks     []taskJSON
	Cases     []struct {
		ID       string
		Input    I
		Expected E
	}
}

func readFixture[I, E any](t testing.TB, name string) fixture[I, E] {
	t.Helper()
	file, err := os.Open(filepath.Join(folder(t, "PLUMBLINE_REFERENCE", "../shared/reference"), name))
	if err != nil {
		t.Fatalf("reference values are required: %v", err)
	}
	defer file.Close()
	// Unknown keys inside a case are an error: every expected key must be compared.
	var head struct {
		Tolerance float64
		Problem   problemJSON
		Tasks     []taskJSON
		Cases     []struct{ ID, Input, Expected json.RawMessage }
	}
	if err := json.NewDecoder(file).Decode(&head); err != nil {
		t.Fatal(err)
	}
	f := fixture[I, E]{Tolerance: head.Tolerance, Problem: head.Problem, Tasks: head.Tasks}
	f.Cases = make([]struct {
		ID       string
		Input    I
		Expected E
	}, len(head.Cases))
	for i, c := range head.Cases {
		strict(t, c.ID, &f.Cases[i].ID)
		strict(t, c.Input, &f.Cases[i].Input)
		strict(t, c.Expected, &f.Cases[i].Expected)
	}
	if len(f.Cases) == 0 {
		t.Fatalf("%s has no cases", name)
	}
	return f
}

func strict(t testing.TB, raw json.RawMessage, into any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatal(err)
	}
}

type problemJSON struct {
	Reward         float64  `json:"reward"`
	CostVerify     float64  `json:"cost_verify"`
	CostRegenerate float64  `json:"cost_regenerate"`
	Prior          float64  `json:"prior"`
	P01            float64  `json:"p01"`
	P10            float64  `json:"p10"`
	OnVerifyFail   string   `json:"on_verify_fail"`
	ShipLoss       *float64 `json:"ship_loss"`
	Critics        []struct {
		Name        string  `json:"name"`
		PassCorrect float64 `json:"p_pass_correct"`
		PassDefect  float64 `json:"p_pass_defect"`
		Cost        float64 `json:"cost"`
	} `json:"critics"`
}

func (p problemJSON) problem() control.Problem {
	out := control.Problem{
		Reward: p.Reward, CostVerify: p.CostVerify, CostRegenerate: p.CostRegenerate,
		Prior: p.Prior, Kernel: belief.Kernel{Fix: p.P01, Break: p.P10},
		VerifyFail: control.VerifyFail(p.OnVerifyFail), ShipLoss: p.ShipLoss,
	}
	for _, c := range p.Critics {
		out.Critics = append(out.Critics, control.Critic{Critic: belief.Binary(c.Name, c.PassCorrect, c.PassDefect), Cost: c.Cost})
	}
	return out
}

// near compares as the fixtures ask for: |a-b| ≤ tol · max(1,|a|,|b|).
func near(a, b, tol float64) bool {
	return math.Abs(a-b) <= tol*math.Max(1, math.Max(math.Abs(a), math.Abs(b)))
}

func sameNumber(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	if !near(got, want, tol) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func samePointer(t testing.TB, what string, got, want *float64, tol float64) {
	t.Helper()
	if (got == nil) != (want == nil) {
		t.Errorf("%s: got %v, want %v", what, got, want)
		return
	}
	if got != nil {
		sameNumber(t, what, *got, *want, tol)
	}
}

// sameValues compares the values of all available actions.
func sameValues(t testing.TB, what string, got []control.ActionValue, want map[string]float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d actions, want %d", what, len(got), len(want))
	}
	for _, v := range got {
		w, ok := want[v.Name]
		if !ok {
			t.Errorf("%s: action %s is not expected", what, v.Name)
			continue
		}
		sameNumber(t, what+" "+v.Name, v.Value, w, tol)
	}
}

type dpInput struct {
	Problem       problemJSON `json:"problem"`
	Regenerations int         `json:"regenerations"`
	Beliefs       []float64   `json:"beliefs"`
	Actions       int         `json:"actions"`
	Horizon       int         `json:"horizon"`
	GridPoints    int         `json:"grid_points"`
}

func TestReferenceControllerDPExact(t *testing.T) {
	t.Parallel()
	testTables(t, "controller_dp_exact.json")
}

func TestReferenceControllerDPVariants(t *testing.T) {
	t.Parallel()
	testTables(t, "controller_dp_variants.json")
}

// testTables checks both exact methods on root values and full tables.
func testTables(t *testing.T, name string) {
	type expected struct {
		Root []struct {
			H      int                `json:"h"`
			Value  float64            `json:"value"`
			Action string             `json:"action"`
			Q      map[string]float64 `json:"q"`
		} `json:"root"`
		Table []struct {
			H      int       `json:"h"`
			Mask   uint16    `json:"mask"`
			Value  []float64 `json:"value"`
			Action []string  `json:"action"`
		} `json:"table"`
	}
	f := readFixture[dpInput, expected](t, name)
	for _, c := range f.Cases {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			p := c.Input.Problem.problem()
			most := 0
			for _, r := range c.Expected.Root {
				most = max(most, r.H)
			}
			budget := control.Budget{Actions: most, Regenerations: c.Input.Regenerations}
			plan, err := control.Solve(p, budget)
			if err != nil {
				t.Fatal(err)
			}
			tree, err := control.NewReach(p, budget)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range c.Expected.Root {
				s := control.At(r.H, c.Input.Regenerations, 0, p.Prior)
				for _, policy := range []control.Policy{plan.Policy(), tree} {
					d := policy.Decide(s)
					if d.Name != r.Action || policy.Act(s) != d.Action {
						t.Errorf("%s: root with %d actions: %s, want %s", policy.Name(), r.H, d.Name, r.Action)
					}
					sameValues(t, policy.Name(), d.Values, r.Q, f.Tolerance)
				}
				sameNumber(t, "root value", plan.Value(s), r.Value, f.Tolerance)
			}
			for _, r := range c.Expected.Table {
				for i, b := range c.Input.Beliefs {
					s := control.At(r.H, c.Input.Regenerations, control.Mask(r.Mask), b)
					sameNumber(t, "value", plan.Value(s), r.Value[i], f.Tolerance)
					if got := plan.Policy().Decide(s).Name; got != r.Action[i] {
						t.Errorf("h %d, mask %d, belief %v: %s, want %s", r.H, r.Mask, b, got, r.Action[i])
					}
					d := tree.Decide(s)
					if d.Name != r.Action[i] {
						t.Errorf("tree: h %d, mask %d, belief %v: %s, want %s", r.H, r.Mask, b, d.Name, r.Action[i])
					}
					best := slices.MaxFunc(d.Values, func(a, b control.ActionValue) int {
						if a.Value < b.Value {
							return -1
						}
						return 1
					})
					sameNumber(t, "tree value", best.Value, r.Value[i], f.Tolerance)
				}
			}
		})
	}
}

func TestReferenceControllerDPGrid51(t *testing.T) {
	t.Parallel()
	type expected struct {
		Value  [][]float64 `json:"value"`
		Action [][]string  `json:"action"`
		Prior  int         `json:"prior_grid_index"`
	}
	f := readFixture[dpInput, expected](t, "controller_dp_grid51.json")
	for _, c := range f.Cases {
		t.Run(c.ID, func(t *testing.T) {
			p := c.Input.Problem.problem()
			g, err := control.NewGrid(p, c.Input.Horizon, c.Input.GridPoints, control.Rules{Repeat: true})
			if err != nil {
				t.Fatal(err)
			}
			if got := g.Nearest(p.Prior); got != c.Expected.Prior {
				t.Errorf("the prior is at %d, want %d", got, c.Expected.Prior)
			}
			for step := range c.Expected.Value {
				for i, v := range c.Expected.Value[step] {
					sameNumber(t, "value", g.Value(step, i), v, f.Tolerance)
					if got := p.ActionName(g.Action(step, i)); got != c.Expected.Action[step][i] {
						t.Errorf("step %d, point %d: %s, want %s", step, i, got, c.Expected.Action[step][i])
					}
					s := control.At(control.Unlimited, 5, 0, float64(i)/float64(c.Input.GridPoints-1))
					s.Candidate = step
					if got := g.Decide(s).Name; got != c.Expected.Action[step][i] {
						t.Errorf("decision at step %d, point %d: %s, want %s", step, i, got, c.Expected.Action[step][i])
					}
				}
			}
		})
	}
}

func TestReferencePolicyValues(t *testing.T) {
	t.Parallel()
	type value struct {
		Utility       float64 `json:"expected_utility"`
		Verify        float64 `json:"expected_verify"`
		Solved        float64 `json:"expected_solved"`
		Regenerations float64 `json:"expected_regenerations"`
		CriticCalls   float64 `json:"expected_critic_calls"`
	}
	f := readFixture[dpInput, map[string]value](t, "policy_values.json")
	for _, c := range f.Cases {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			p := c.Input.Problem.problem()
			budget := control.Budget{Actions: control.Unlimited, Regenerations: c.Input.Regenerations}
			for name, want := range c.Expected {
				policy, err := control.New(name, p, budget)
				if err != nil {
					t.Fatal(err)
				}
				got, err := control.Evaluate(policy, &p, budget)
				if err != nil {
					t.Fatal(err)
				}
				sameNumber(t, name+" utility", got.Utility, want.Utility, f.Tolerance)
				sameNumber(t, name+" verify", got.Verify, want.Verify, f.Tolerance)
				sameNumber(t, name+" solved", got.Solved, want.Solved, f.Tolerance)
				sameNumber(t, name+" regenerations", got.Regenerations, want.Regenerations, f.Tolerance)
				sameNumber(t, name+" critic calls", got.CriticCalls, want.CriticCalls, f.Tolerance)
			}
		})
	}
}
