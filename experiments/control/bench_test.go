package control_test

import (
	"testing"

	"plumbline/experiments/belief"
	"plumbline/experiments/control"
)

// threeCritics is a problem of the size of paper B's: syntax, tests and a
// reviewer, with a slow oracle.
func threeCritics() control.Problem {
	return control.Problem{
		Reward: 100, CostVerify: 30, CostRegenerate: 10, Prior: 0.37, Kernel: belief.Kernel{Fix: 0.13, Break: 0.06},
		Critics: []control.Critic{
			{Critic: belief.Binary("syntax", 0.99, 0.95), Cost: 1},
			{Critic: belief.Binary("tests", 0.92, 0.15), Cost: 2},
			{Critic: belief.Binary("llm", 0.7, 0.35), Cost: 5},
		},
	}
}

// BenchmarkSolve is the exact programme for 3 critics and 6 actions: at most
// 5 ms.
func BenchmarkSolve(b *testing.B) {
	p := threeCritics()
	for b.Loop() {
		if _, err := control.Solve(p, control.Budget{Actions: 6, Regenerations: 2}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSolveUnlimited(b *testing.B) {
	p := threeCritics()
	for b.Loop() {
		if _, err := control.Solve(p, control.Budget{Actions: control.Unlimited, Regenerations: 4}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTreeSolve is the same as BenchmarkSolve by the reachable tree, for
// one belief.
func BenchmarkTreeSolve(b *testing.B) {
	p := threeCritics()
	tree, err := control.NewReach(p, control.Budget{Actions: 6, Regenerations: 2})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		tree.Act(control.At(6, 2, 0, p.Prior))
	}
}

func BenchmarkAct(b *testing.B) {
	p := threeCritics()
	plan, err := control.Solve(p, control.Budget{Actions: 6, Regenerations: 2})
	if err != nil {
		b.Fatal(err)
	}
	policy := plan.Policy()
	for b.Loop() {
		policy.Act(control.At(6, 2, 0, p.Prior))
	}
}

func BenchmarkDecide(b *testing.B) {
	p := threeCritics()
	plan, err := control.Solve(p, control.Budget{Actions: 6, Regenerations: 2})
	if err != nil {
		b.Fatal(err)
	}
	policy := plan.Policy()
	for b.Loop() {
		policy.Decide(control.At(6, 2, 0, p.Prior))
	}
}

func BenchmarkRegions(b *testing.B) {
	plan, err := control.Solve(threeCritics(), control.Budget{Actions: 6, Regenerations: 2})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		plan.Regions(control.At(6, 2, 0, 0))
	}
}

// BenchmarkRegimeMap is the map of 16 × 10 cells and 10 policies by exact
// evaluation: at most 2 s.
func BenchmarkRegimeMap(b *testing.B) {
	p := threeCritics()
	x, y := control.RegimeAxes()
	o := control.SweepOptions{
		Policies: control.PaperNames("syntax", "tests", "llm"), IID: true,
		Budget: control.Budget{Actions: control.Unlimited, Regenerations: 4},
	}
	for b.Loop() {
		if _, err := control.Sweep(&p, x, y, o); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReplay(b *testing.B) {
	p := threeCritics()
	table, err := control.SimulateTasks(&p, 500, 5, 1)
	if err != nil {
		b.Fatal(err)
	}
	policy, err := control.NewDP(p, control.Budget{Actions: control.Unlimited, Regenerations: 4})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := control.Replay(policy, table, control.ReplayOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
