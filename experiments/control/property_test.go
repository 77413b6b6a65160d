package control_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"plumbline/experiments/belief"
	"plumbline/experiments/control"
)

// randomProblem draws a problem with up to three critics; one in three has a
// critic with more than two outcomes.
func randomProblem(rng *rand.Rand) control.Problem {
	r := 50 + 100*rng.Float64()
	p := control.Problem{
		Reward: r, CostVerify: r * rng.Float64(), CostRegenerate: 0.15 * r * rng.Float64(),
		Prior: rng.Float64(), Kernel: belief.Kernel{Fix: rng.Float64(), Break: rng.Float64()},
	}
	for i := range 1 + rng.IntN(3) {
		c := control.Critic{Critic: belief.Binary(fmt.Sprint("c", i), rng.Float64(), rng.Float64()), Cost: 0.05 * r * rng.Float64()}
		if i == 0 && rng.IntN(3) == 0 {
			c.Critic = votes(rng, c.Name, 4)
		}
		p.Critics = append(p.Critics, c)
	}
	return p
}

// votes draws a critic with k+1 outcomes.
func votes(rng *rand.Rand, name string, k int) belief.Critic {
	row := func() []float64 {
		out, sum := make([]float64, k+1), 0.0
		for i := range out {
			out[i] = rng.ExpFloat64()
			sum += out[i]
		}
		for i := range out {
			out[i] /= sum
		}
		return out
	}
	return belief.Critic{Name: name, Correct: row(), Defect: row()}
}

func mustSolve(t testing.TB, p control.Problem, b control.Budget) *control.Plan {
	t.Helper()
	plan, err := control.Solve(p, b)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

const rounds = 60

// eachProblem runs a check on random problems.
func eachProblem(t *testing.T, seed uint64, check func(t *testing.T, p control.Problem, rng *rand.Rand)) {
	t.Helper()
	for i := range rounds {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		p := randomProblem(rng)
		check(t, p, rng)
		if t.Failed() {
			t.Fatalf("round %d: %+v", i, p)
		}
	}
}

const slack = 1e-9

func TestPropertyShapeOfV(t *testing.T) {
	t.Parallel()
	eachProblem(t, 1, func(t *testing.T, p control.Problem, rng *rand.Rand) {
		const h, g = 5, 2
		plan := mustSolve(t, p, control.Budget{Actions: h, Regenerations: g})
		v := func(h, g int, b float64) float64 { return plan.Value(control.At(h, g, 0, b)) }
		for range 20 {
			b, c, w := rng.Float64(), rng.Float64(), rng.Float64()
			if v(h, g, b) < math.Max(p.Reward*b-p.CostVerify, 0)-slack {
				t.Errorf("V(%v) is below verify and stop", b)
			}
			if v(h, g, w*b+(1-w)*c) > w*v(h, g, b)+(1-w)*v(h, g, c)+slack {
				t.Errorf("V is not convex between %v and %v", b, c)
			}
			if v(h-1, g, b) > v(h, g, b)+slack || v(h, g-1, b) > v(h, g, b)+slack {
				t.Errorf("V(%v) falls with the budget", b)
			}
		}
		if p.Reward >= p.CostVerify {
			if d := plan.Policy().Decide(control.At(h, g, 0, 1)); d.Name != "verify" {
				t.Errorf("a certainly correct candidate: %s", d.Name)
			}
		}
	})
}

func TestPropertyCostsAndCritics(t *testing.T) {
	t.Parallel()
	budget := control.Budget{Actions: control.Unlimited, Regenerations: 2}
	eachProblem(t, 2, func(t *testing.T, p control.Problem, rng *rand.Rand) {
		base := mustSolve(t, p, budget)
		dearer := map[string]control.Problem{}
		for _, what := range []string{"verify", "regenerate", "critic"} {
			q := p.Clone()
			switch what {
			case "verify":
				q.CostVerify += 5 * rng.Float64()
			case "regenerate":
				q.CostRegenerate += 5 * rng.Float64()
			case "critic":
				q.Critics[0].Cost += 5 * rng.Float64()
			}
			dearer[what] = q
		}
		more := p.Clone()
		more.Critics = append(more.Critics, control.Critic{Critic: belief.Binary("new", rng.Float64(), rng.Float64()), Cost: rng.Float64()})
		rich := mustSolve(t, more, budget)
		scale := 0.1 + 5*rng.Float64()
		scaled := p.Clone()
		scaled.Reward *= scale
		scaled.CostVerify *= scale
		scaled.CostRegenerate *= scale
		for i := range scaled.Critics {
			scaled.Critics[i].Cost *= scale
		}
		times := mustSolve(t, scaled, budget)
		// Exchanging the outcomes of a critic changes names only.
		swapped := p.Clone()
		last := &swapped.Critics[len(swapped.Critics)-1]
		last.Correct, last.Defect = reversed(last.Correct), reversed(last.Defect)
		exchanged := mustSolve(t, swapped, budget)
		for range 20 {
			s := control.At(control.Unlimited, 2, 0, rng.Float64())
			v := base.Value(s)
			for what, q := range dearer {
				if got := mustSolve(t, q, budget).Value(s); got > v+slack {
					t.Errorf("V rises when %s costs more: %v to %v", what, v, got)
				}
			}
			if rich.Value(s) < v-slack {
				t.Errorf("V falls with a further critic")
			}
			if math.Abs(times.Value(s)-scale*v) > slack*scale*p.Reward {
				t.Errorf("V scales to %v, want %v", times.Value(s), scale*v)
			}
			if a, b := base.Policy().Act(s), times.Policy().Act(s); a != b {
				t.Errorf("the action changes with the unit: %v to %v", a, b)
			}
			if math.Abs(exchanged.Value(s)-v) > slack {
				t.Errorf("V depends on the names of the outcomes")
			}
		}
	})
}

func reversed(xs []float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[len(xs)-1-i] = x
	}
	return out
}

func TestPropertyGreedyKernelIsOneStep(t *testing.T) {
	t.Parallel()
	eachProblem(t, 3, func(t *testing.T, p control.Problem, rng *rand.Rand) {
		plan := mustSolve(t, p, control.Budget{Actions: 1, Regenerations: 1})
		greedy, err := control.NewGreedyKernel(p)
		if err != nil {
			t.Fatal(err)
		}
		for range 50 {
			s := control.At(1, 1, control.Mask(rng.IntN(1<<len(p.Critics))), rng.Float64())
			a, b := plan.Policy().Decide(s), greedy.Decide(s)
			if a.Action != b.Action {
				t.Errorf("%v: dp says %s, greedy %s", s, a.Name, b.Name)
			}
			for i := range a.Values {
				if math.Abs(a.Values[i].Value-b.Values[i].Value) > slack {
					t.Errorf("%s is worth %v to dp and %v to greedy", a.Values[i].Name, a.Values[i].Value, b.Values[i].Value)
				}
			}
		}
	})
}

// TestPropertyDPIsBest compares all policies under the model: dp attains V at
// the root and no other policy with the same budget does better.
func TestPropertyDPIsBest(t *testing.T) {
	t.Parallel()
	eachProblem(t, 4, func(t *testing.T, p control.Problem, rng *rand.Rand) {
		budget := control.Budget{Actions: control.Unlimited, Regenerations: rng.IntN(3)}
		names := control.Names(&p)
		if rng.IntN(2) == 0 {
			budget.Actions = rng.IntN(6)
		}
		switch rng.IntN(4) {
		case 0:
			loss := 2 * p.Reward * rng.Float64()
			p.ShipLoss = &loss
		case 1:
			p.VerifyFail = control.Continue
		}
		plan := mustSolve(t, p, budget)
		if p.Critics[0].IsBinary() { // the tree of a vote count is large
			names = append(names, "dp_tree")
		}
		got, err := control.EvaluateAll(names, &p, budget)
		if err != nil {
			t.Fatal(err)
		}
		root := plan.Value(control.At(budget.Actions, budget.Regenerations, 0, p.Prior))
		for _, v := range got {
			exact := v.Policy == "dp" || v.Policy == "dp_tree"
			if exact && math.Abs(v.Utility-root) > slack {
				t.Errorf("%s attains %v, V is %v", v.Policy, v.Utility, root)
			}
			// best_of_n_select may go back to an earlier candidate, which dp cannot.
			if v.Policy != "best_of_n_select" && v.Utility > root+slack {
				t.Errorf("%s attains %v, more than V = %v", v.Policy, v.Utility, root)
			}
		}
	})
}

func TestPropertyTreeEqualsVectors(t *testing.T) {
	t.Parallel()
	eachProblem(t, 5, func(t *testing.T, p control.Problem, rng *rand.Rand) {
		budget := control.Budget{Actions: rng.IntN(5), Regenerations: rng.IntN(3)}
		if rng.IntN(3) == 0 {
			p.VerifyFail = control.Continue
		}
		plan := mustSolve(t, p, budget)
		tree, err := control.NewReach(p, budget)
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			s := control.At(budget.Actions, budget.Regenerations, 0, rng.Float64())
			a, b := plan.Policy().Decide(s), tree.Decide(s)
			if a.Action != b.Action {
				t.Errorf("vectors say %s, tree %s", a.Name, b.Name)
			}
			for i := range a.Values {
				if math.Abs(a.Values[i].Value-b.Values[i].Value) > slack {
					t.Errorf("%s: vectors %v, tree %v", a.Values[i].Name, a.Values[i].Value, b.Values[i].Value)
				}
			}
		}
	})
}

// TestPropertyUnlimited: with as many actions as can be used, a limit changes
// nothing.
func TestPropertyUnlimited(t *testing.T) {
	t.Parallel()
	eachProblem(t, 6, func(t *testing.T, p control.Problem, rng *rand.Rand) {
		if rng.IntN(3) == 0 {
			p.VerifyFail = control.Continue
		}
		const g = 2
		k := len(p.Critics)
		limit := (g+1)*(k+1) + g
		free := mustSolve(t, p, control.Budget{Actions: control.Unlimited, Regenerations: g})
		bound := mustSolve(t, p, control.Budget{Actions: limit, Regenerations: g})
		for range 10 {
			b := rng.Float64()
			x, y := free.Value(control.At(control.Unlimited, g, 0, b)), bound.Value(control.At(limit, g, 0, b))
			if math.Abs(x-y) > slack {
				t.Errorf("V(%v) is %v without a limit and %v with %d actions", b, x, y, limit)
			}
		}
	})
}

func TestPropertyRegions(t *testing.T) {
	t.Parallel()
	eachProblem(t, 7, func(t *testing.T, p control.Problem, rng *rand.Rand) {
		budget := control.Budget{Actions: 4, Regenerations: 1}
		plan := mustSolve(t, p, budget)
		s := control.At(4, 1, control.Mask(rng.IntN(1<<len(p.Critics))), 0)
		regions := plan.Regions(s)
		at := 0.0
		verify := 0
		for _, r := range regions {
			if r.From != at || r.To < r.From {
				t.Errorf("a region starts at %v, the last ended at %v", r.From, at)
			}
			at = r.To
			if r.Name == "verify" {
				verify++
			}
			for _, w := range []float64{0.001, 0.3, 0.7, 0.999} {
				s.Belief = r.From + w*(r.To-r.From)
				if r.To-r.From < 1e-6 {
					continue
				}
				if got := plan.Policy().Act(s); got != r.Action {
					t.Errorf("at %v in [%v, %v]: %s, region says %s", s.Belief, r.From, r.To, p.ActionName(got), r.Name)
				}
			}
		}
		if at != 1 {
			t.Errorf("the regions end at %v", at)
		}
		if from := control.VerifyFrom(regions); verify != 1 || from == nil {
			t.Errorf("verify has %d regions", verify)
		}
	})
}

// TestPropertyPayback checks the closed-form interval of a critic against the
// sign of its net value of information.
func TestPropertyPayback(t *testing.T) {
	t.Parallel()
	eachProblem(t, 8, func(t *testing.T, p control.Problem, rng *rand.Rand) {
		for i, c := range p.Thresholds().Critics {
			for range 40 {
				b := rng.Float64()
				net := p.EVSI(i, b) - p.Critics[i].Cost
				inside := c.Interval != nil && b > c.Interval[0] && b < c.Interval[1]
				if math.Abs(net) > 1e-9 && (net > 0) != inside {
					t.Errorf("%s at %v: net value %v, interval %v", c.Name, b, net, c.Interval)
				}
				if e := p.EVSI(i, b); e < 0 || e > p.PerfectInformation(b)+slack {
					t.Errorf("%s: EVSI %v outside [0, %v]", c.Name, e, p.PerfectInformation(b))
				}
			}
		}
	})
}

// TestPropertyIIDKernel: with fresh draws the belief after a regeneration is the
// prior, and greedy with prior and kernel are one.
func TestPropertyIIDKernel(t *testing.T) {
	t.Parallel()
	eachProblem(t, 9, func(t *testing.T, p control.Problem, rng *rand.Rand) {
		p.Kernel = belief.IID(p.Prior)
		if b := p.Kernel.Next(rng.Float64()); math.Abs(b-p.Prior) > 1e-12 {
			t.Errorf("a fresh draw is believed with %v, prior %v", b, p.Prior)
		}
		budget := control.Budget{Actions: control.Unlimited, Regenerations: 2}
		got, err := control.EvaluateAll([]string{"greedy_prior", "greedy_kernel"}, &p, budget)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got[0].Utility-got[1].Utility) > slack {
			t.Errorf("greedy with the prior attains %v, with the kernel %v", got[0].Utility, got[1].Utility)
		}
	})
}

// TestPropertyTreeExport: the tree of any policy has its exact value at the root
// and probabilities that add up.
func TestPropertyTreeExport(t *testing.T) {
	t.Parallel()
	eachProblem(t, 10, func(t *testing.T, p control.Problem, rng *rand.Rand) {
		if rng.IntN(3) == 0 {
			p.VerifyFail = control.Continue
		}
		budget := control.Budget{Actions: control.Unlimited, Regenerations: 1}
		for _, name := range control.Names(&p) {
			policy, err := control.New(name, p, budget)
			if err != nil {
				t.Fatal(err)
			}
			nodes, err := control.Tree(policy, budget)
			if name == "best_of_n_select" {
				if err == nil {
					t.Errorf("%s has a tree", name)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			want, err := control.Evaluate(policy, &p, budget)
			if err != nil {
				t.Fatal(err)
			}
			if name != "greedy_prior" && math.Abs(nodes[0].Value-want.Utility) > slack {
				t.Errorf("%s: the root is worth %v, the policy attains %v", name, nodes[0].Value, want.Utility)
			}
			leaves := 0.0
			child := map[int]bool{}
			for _, n := range nodes {
				child[n.Parent] = true
			}
			for i, n := range nodes {
				if !child[i] {
					leaves += n.Probability
				} else if n.Action == "verify" {
					leaves += n.Probability * n.Belief // the successful verifications end here
				}
			}
			if math.Abs(leaves-1) > slack {
				t.Errorf("%s: the ends have probability %v", name, leaves)
			}
		}
	})
}
