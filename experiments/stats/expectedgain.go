package stats

import "math"

// ExpectedGain is how much one rate of expected counts changes between two steps of
// an arm, the later minus the earlier. Both are evaluated on the same resamples.
type ExpectedGain struct {
	Metric        Metric
	First, Second Number
	// N is the base of the rate at the second step, in expected traces.
	N              float64
	Difference     Number
	Interval       *Interval
	IntervalReason string
}

// MeasureExpectedGain compares the steps from and to, counted from 0, of an arm;
// see MeasureExpected. A resample in which the rate is undefined at either step is
// dropped and counted.
func MeasureExpectedGain(arm ExpectedArm, metric Metric, from, to int, o Options) ExpectedGain {
	o = o.filled()
	g := ExpectedGain{Metric: metric}
	def, ok := Define(metric)
	steps := 0
	for _, k := range arm.Kinds {
		steps = max(steps, len(k.P))
	}
	if !ok || from < 0 || to < 0 || from >= steps || to >= steps {
		g.Difference = unknown("there is no such step or metric")
		g.First, g.Second, g.IntervalReason = g.Difference, g.Difference, g.Difference.Reason
		return g
	}
	sizes := make([]int, len(arm.Kinds))
	var at [2]expectedStep
	for s, step := range [2]int{from, to} {
		at[s].cells = make([][4]float64, len(arm.Kinds))
		for i, k := range arm.Kinds {
			sizes[i] = k.Traces
			if len(k.P) > 0 {
				at[s].cells[i] = k.P[min(step, len(k.P)-1)]
			}
		}
	}
	rate := func(s int, counts []int) (float64, float64) {
		k, n := def.sums(at[s].pool(arm.Kinds, counts))
		if n < tie {
			return math.NaN(), 0
		}
		return min(k/n, 1), n
	}
	number := func(v, n float64) Number {
		if n < tie {
			return unknown(def.empty)
		}
		return known(v)
	}
	a, na := rate(0, sizes)
	b, nb := rate(1, sizes)
	g.First, g.Second, g.N = number(a, na), number(b, nb), nb
	if g.First.Value == nil || g.Second.Value == nil {
		g.Difference = unknown(def.empty)
		g.IntervalReason = def.empty
		return g
	}
	g.Difference = known(b - a)
	m := newMultinomial(sizes)
	replicates := make([]float64, 0, o.Resamples)
	resample(m, arm.Label+"\x00gain", o, func(counts []int) {
		a, na := rate(0, counts)
		b, nb := rate(1, counts)
		if na >= tie && nb >= tie {
			replicates = append(replicates, b-a)
		}
	})
	g.Interval, g.IntervalReason = percentile(replicates, m.units, MethodPaired, o)
	return g
}
