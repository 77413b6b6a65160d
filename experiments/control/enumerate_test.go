package control_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"plumbline/experiments/belief"
	"plumbline/experiments/control"
)

// TestPropertyEvaluateEqualsEnumeration plays every policy on every possible
// world, weighted by its probability, and compares the mean with the recursion.
func TestPropertyEvaluateEqualsEnumeration(t *testing.T) {
	t.Parallel()
	for i := range 24 {
		rng := rand.New(rand.NewPCG(11, uint64(i)))
		p := randomProblem(rng)
		candidates := 2 + i%2
		p.Critics = p.Critics[:min(len(p.Critics), 4-candidates)]
		if p.Critics[0].Outcomes() > 3 {
			p.Critics[0].Critic = votes(rng, "c0", 2)
		}
		if i%3 == 0 {
			p.VerifyFail = control.Continue
		}
		if i%4 == 1 { // fresh draws bring many histories to one belief
			p.Kernel = belief.IID(p.Prior)
		}
		table, chance := enumerate(&p, candidates)
		budget := control.Budget{Actions: control.Unlimited, Regenerations: candidates - 1}
		for _, name := range control.Names(&p) {
			policy, err := control.New(name, p, budget)
			if err != nil {
				t.Fatal(err)
			}
			want, err := control.Evaluate(policy, &p, budget)
			if err != nil {
				t.Fatal(err)
			}
			got, err := control.Replay(policy, table, control.ReplayOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var mean, square, solved float64
			for k, e := range got.Episodes {
				mean += chance[k] * e.Utility
				square += chance[k] * e.Utility * e.Utility
				if e.Solved {
					solved += chance[k]
				}
			}
			sd := math.Sqrt(math.Max(0, square-mean*mean))
			if math.Abs(mean-want.Utility) > slack || math.Abs(solved-want.Solved) > slack || math.Abs(sd-want.SD) > 1e-5 {
				t.Errorf("round %d, %s: enumeration %v (sd %v, solved %v), recursion %v (%v, %v)", i, name, mean, sd, solved, want.Utility, want.SD, want.Solved)
			}
		}
	}
}

// enumerate lists every chain of candidates with all outcomes, and its
// probability.
func enumerate(p *control.Problem, candidates int) (belief.Table, []float64) {
	var table belief.Table
	for i := range p.Critics {
		table.Critics = append(table.Critics, belief.Column{Name: p.Critics[i].Name, Outcomes: p.Critics[i].Outcomes()})
	}
	var chances []float64
	var grow func(prefix []belief.Candidate, chance, correct float64)
	grow = func(prefix []belief.Candidate, chance, correct float64) {
		if len(prefix) == candidates {
			table.Tasks = append(table.Tasks, belief.Task{ID: fmt.Sprint(len(table.Tasks)), Candidates: append([]belief.Candidate(nil), prefix...)})
			chances = append(chances, chance)
			return
		}
		for _, y := range []bool{false, true} {
			weight, next := 1-correct, p.Kernel.Fix
			if y {
				weight, next = correct, 1-p.Kernel.Break
			}
			var outcomes func(seen []belief.Outcome, w float64)
			outcomes = func(seen []belief.Outcome, w float64) {
				if len(seen) == len(p.Critics) {
					c := belief.Candidate{Y: belief.LabelOf(y), Outcomes: append([]belief.Outcome(nil), seen...)}
					grow(append(prefix[:len(prefix):len(prefix)], c), chance*w, next)
					return
				}
				c := &p.Critics[len(seen)]
				row := c.Defect
				if y {
					row = c.Correct
				}
				for z, q := range row {
					outcomes(append(seen[:len(seen):len(seen)], belief.Outcome(z)), w*q)
				}
			}
			outcomes(nil, weight)
		}
	}
	grow(nil, 1, p.Prior)
	return table, chances
}

// TestSimulationAgreesWithExpectation: the mean over simulated tasks is within
// four standard errors of the exact value, for all policies.
func TestSimulationAgreesWithExpectation(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(12, 12))
	p := randomProblem(rng)
	budget := control.Budget{Actions: 5, Regenerations: 2}
	names := control.Names(&p)
	const tasks = 4000
	played, err := control.Simulate(names, &p, budget, tasks, 3)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := control.EvaluateAll(names, &p, budget)
	if err != nil {
		t.Fatal(err)
	}
	for i := range names {
		se := exact[i].SD / math.Sqrt(tasks)
		if math.Abs(*played[i].MeanUtility-exact[i].Utility) > 4*se+slack {
			t.Errorf("%s: simulated %v, exact %v ± %v", names[i], *played[i].MeanUtility, exact[i].Utility, se)
		}
	}
	again, err := control.Simulate(names, &p, budget, tasks, 3)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(played[1].Episodes[:20], again[1].Episodes[:20]); d != "" {
		t.Error("the same seed gives other tasks")
	}
}
