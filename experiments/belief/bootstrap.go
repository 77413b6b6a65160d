package belief

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Resampling sets up a bootstrap. The zero value is 1000 replicates at 95%.
type Resampling struct {
	Resamples int     // 0 means 1000
	Level     float64 // 0 means 0.95
	Seed      uint64
}

// Normal fills in the defaults.
func (r Resampling) Normal() Resampling {
	if r.Resamples <= 0 {
		r.Resamples = 1000
	}
	if !(r.Level > 0 && r.Level < 1) {
		r.Level = 0.95
	}
	return r
}

// Interval makes a percentile interval from the replicates of one statistic,
// which it sorts; nil if fewer than two are defined. NaN replicates are dropped
// and counted.
func (r Resampling) Interval(replicates []float64) *Interval {
	total := len(replicates)
	ok := slices.DeleteFunc(replicates, math.IsNaN)
	if len(ok) < 2 {
		return nil
	}
	slices.Sort(ok)
	tail := (1 - r.Level) / 2
	seed := r.Seed
	return &Interval{
		Lo: Quantile(ok, tail), Hi: Quantile(ok, 1-tail), Level: r.Level,
		Resamples: total, Dropped: total - len(ok), Seed: &seed,
	}
}

// Quantile is the type 7 quantile (linear between order statistics) of sorted
// values, q in [0,1]; NaN for no values.
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	h := float64(len(sorted)-1) * q
	i := int(math.Floor(h))
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i])
}

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
func (e Estimate) Bootstrap(t Table, o Options, r Resampling) (Estimate, error) {
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
	r = r.Normal()
	rng := rand.New(rand.NewPCG(r.Seed, 0x62656c696566))
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
	return e.withIntervals(r, replicates), nil
}

func (e Estimate) withIntervals(r Resampling, replicates [][]float64) Estimate {
	e.Prior.ByTask = r.Interval(replicates[0])
	e.Critics = slices.Clone(e.Critics)
	for i := range e.Critics {
		c := &e.Critics[i]
		if c.PassCorrect == nil {
			continue
		}
		p1, p0 := *c.PassCorrect, *c.PassDefect
		p1.ByTask = r.Interval(replicates[1+3*i])
		p0.ByTask = r.Interval(replicates[2+3*i])
		c.PassCorrect, c.PassDefect = &p1, &p0
		c.GapByTask = r.Interval(replicates[3+3*i])
	}
	e.Kernel.FixRate.ByTask = r.Interval(replicates[len(replicates)-2])
	e.Kernel.BreakRate.ByTask = r.Interval(replicates[len(replicates)-1])
	return e
}
