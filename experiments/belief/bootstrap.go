package belief

import (
	"fmt"
	"math"
	"slices"

	"plumbline/experiments/stats"
)

// methodByTask names the intervals of Bootstrap.
const methodByTask = "percentile bootstrap by task"

// tally is what one task adds to the counts of an estimate: the prior, four
// numbers for each binary critic, and the four transitions.
type tally []int

func (o Options) tally(t Table, k Task) tally {
	n := make(tally, 2+4*len(t.Critics)+4)
	for _, c := range k.scoped(o.Scope) {
		if c.Y == Unknown {
			continue
		}
		n[1]++
		if c.Y == Correct {
			n[0]++
		}
		for i, z := range c.Outcomes {
			if !z.Observed() {
				continue
			}
			at := 2 + 4*i
			if c.Y == Defective {
				at += 2
			}
			n[at+1]++
			if z == Pass {
				n[at]++
			}
		}
	}
	tr, at := transitions(k), 2+4*len(t.Critics)
	n[at], n[at+1], n[at+2], n[at+3] = tr[0][0], tr[0][1], tr[1][0], tr[1][1]
	return n
}

// Bootstrap adds percentile intervals by task to the prior, the rates and gaps
// of binary critics and the kernel: tasks are drawn with replacement and all
// rows of a task go together. Replicates in which a class is empty are dropped
// and counted. t and o are those the estimate was fitted with; pooled critics
// are resampled without their pool.
func (e Estimate) Bootstrap(t Table, o Options, r stats.Options) (Estimate, error) {
	o, err := o.normal()
	if err != nil {
		return e, fmt.Errorf("bootstrap estimate: %w", err)
	}
	if len(t.Tasks) == 0 {
		return e, fmt.Errorf("bootstrap estimate: %w", errNoTasks)
	}
	if len(e.Critics) != len(t.Critics) {
		return e, fmt.Errorf("bootstrap estimate: it has %d critics, the table %d", len(e.Critics), len(t.Critics))
	}
	r = Resampling(r)
	rng := stats.Rand(r.Seed, "estimate of critics", 0)
	tallies := make([]tally, len(t.Tasks))
	for i, k := range t.Tasks {
		tallies[i] = o.tally(t, k)
	}
	width, kernel := len(tallies[0]), 2+4*len(t.Critics)
	replicates := make([][]float64, 1+3*len(t.Critics)+2)
	rate := func(k, n int) float64 {
		if n == 0 {
			return math.NaN()
		}
		return (float64(k) + o.Alpha) / (float64(n) + o.Alpha + o.Beta)
	}
	for range r.Resamples {
		n := make(tally, width)
		for range tallies {
			for j, v := range tallies[rng.IntN(len(tallies))] {
				n[j] += v
			}
		}
		replicates[0] = append(replicates[0], rate(n[0], n[1]))
		for i := range t.Critics {
			at, to := 2+4*i, 1+3*i
			p1, p0 := rate(n[at], n[at+1]), rate(n[at+2], n[at+3])
			replicates[to] = append(replicates[to], p1)
			replicates[to+1] = append(replicates[to+1], p0)
			replicates[to+2] = append(replicates[to+2], p1-p0)
		}
		to := len(replicates) - 2
		replicates[to] = append(replicates[to], rate(n[kernel+1], n[kernel]+n[kernel+1]))
		replicates[to+1] = append(replicates[to+1], rate(n[kernel+2], n[kernel+2]+n[kernel+3]))
	}
	return e.withIntervals(len(t.Tasks), r, replicates), nil
}

func (e Estimate) withIntervals(tasks int, r stats.Options, replicates [][]float64) Estimate {
	interval := func(i int) *stats.Interval { return Percentile(replicates[i], tasks, methodByTask, r) }
	e.Prior.ByTask = interval(0)
	e.Critics = slices.Clone(e.Critics)
	for i := range e.Critics {
		c := &e.Critics[i]
		if c.PassCorrect == nil {
			continue
		}
		p1, p0 := *c.PassCorrect, *c.PassDefect
		p1.ByTask = interval(1 + 3*i)
		p0.ByTask = interval(2 + 3*i)
		c.PassCorrect, c.PassDefect = &p1, &p0
		c.GapByTask = interval(3 + 3*i)
	}
	e.Kernel.FixRate.ByTask = interval(len(replicates) - 2)
	e.Kernel.BreakRate.ByTask = interval(len(replicates) - 1)
	return e
}
