package control

import (
	"fmt"
	"strconv"

	"plumbline/experiments/belief"
	"plumbline/experiments/stats"
)

// SimulateTasks draws recorded tasks from the model of a problem: a chain of
// candidates with every critic's outcome and the label of each. Replaying
// policies on the same tasks is a Monte Carlo comparison with common random
// numbers. Task i draws from the sub-seed (seed, i), so neither the number of
// tasks nor their order changes it.
func SimulateTasks(p *Problem, tasks, candidates int, seed uint64) (belief.Table, error) {
	if err := p.valid(); err != nil {
		return belief.Table{}, err
	}
	if tasks < 1 || candidates < 1 {
		return belief.Table{}, fmt.Errorf("simulate tasks: %d tasks of %d candidates are none", tasks, candidates)
	}
	out := belief.Table{Critics: make([]belief.Column, len(p.Critics)), Tasks: make([]belief.Task, tasks)}
	for i := range p.Critics {
		out.Critics[i] = belief.Column{Name: p.Critics[i].Name, Outcomes: p.Critics[i].Outcomes()}
	}
	for i := range tasks {
		rng := stats.Rand(seed, "simulated task", i)
		k := belief.Task{ID: "sim-" + strconv.Itoa(i), Candidates: make([]belief.Candidate, candidates)}
		chance := p.Prior
		for j := range candidates {
			correct := rng.Float64() < chance
			c := belief.Candidate{ID: strconv.Itoa(j), Y: belief.LabelOf(correct), Outcomes: make([]belief.Outcome, len(p.Critics))}
			for n := range p.Critics {
				row := p.Critics[n].Defect
				if correct {
					row = p.Critics[n].Correct
				}
				c.Outcomes[n] = draw(row, rng.Float64())
			}
			k.Candidates[j] = c
			chance = p.Kernel.Fix
			if correct {
				chance = 1 - p.Kernel.Break
			}
		}
		out.Tasks[i] = k
	}
	return out, nil
}

// draw turns a uniform number into an outcome.
func draw(row []float64, u float64) belief.Outcome {
	for z, p := range row {
		if u < p {
			return outcome(z)
		}
		u -= p
	}
	for z := len(row) - 1; z > 0; z-- { // rounding left u above the sum
		if row[z] > 0 {
			return outcome(z)
		}
	}
	return 0
}

// Simulate plays the named policies on the same simulated tasks, with enough
// candidates for the budget.
func Simulate(names []string, p *Problem, b Budget, tasks int, seed uint64) ([]Replayed, error) {
	if err := b.valid(); err != nil {
		return nil, fmt.Errorf("simulate: %w", err)
	}
	table, err := SimulateTasks(p, tasks, b.Regenerations+1, seed)
	if err != nil {
		return nil, err
	}
	o := ReplayOptions{Regenerations: &b.Regenerations}
	if b.Actions != Unlimited {
		o.Actions = b.Actions
	}
	out := make([]Replayed, len(names))
	for i, name := range names {
		policy, err := New(name, *p, b)
		if err != nil {
			return nil, err
		}
		if out[i], err = Replay(policy, table, o); err != nil {
			return nil, err
		}
	}
	return out, nil
}
