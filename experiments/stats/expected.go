package stats

import "math"

// Expected is a kind of trace whose decision is known by its probabilities only,
// at each of several steps: "what would one, two, … of its votes have decided?".
type Expected struct {
	Defect bool
	// Traces is the number of traces of this kind.
	Traces int
	// P holds the probability of each Outcome, for every step; the four sum to 1.
	// A kind with fewer steps than others stays as it was at its last one.
	P [][4]float64
}

// ExpectedArm is an arm under a label, which takes part in the seed.
type ExpectedArm struct {
	Label string
	Kinds []Expected
}

// ExpectedRate is a rate of expected counts, with its interval.
type ExpectedRate struct {
	Metric Metric
	// K over N in expected traces; Value is K/N.
	K, N float64
	Number
	// Interval is the percentile bootstrap over traces.
	Interval       *Interval
	IntervalReason string
}

// MeasureExpected computes, for every arm and step, the given metrics (all of
// Definitions for none) of expected counts: the ratio of the expected numerator
// to the expected denominator, with a percentile bootstrap over traces. All steps
// of an arm are evaluated on the same resamples, so its curve moves as one. With
// probabilities 0 and 1 the values are those of Measure. A denominator below
// 1e-12 is empty. The result is indexed by arm, step and metric; unknown metrics
// come back undefined.
func MeasureExpected(arms []ExpectedArm, metrics []Metric, o Options) [][][]ExpectedRate {
	if len(metrics) == 0 {
		for _, d := range definitions {
			metrics = append(metrics, d.Metric)
		}
	}
	defs := make([]Definition, len(metrics))
	for i, m := range metrics {
		d, ok := Define(m)
		if !ok {
			d = Definition{Metric: m, empty: "no such metric: " + string(m)}
		}
		defs[i] = d
	}
	out := make([][][]ExpectedRate, len(arms))
	inParallel(len(arms), func(i int) { out[i] = measureExpected(arms[i], defs, o.filled()) })
	return out
}

func measureExpected(arm ExpectedArm, defs []Definition, o Options) [][]ExpectedRate {
	steps := 0
	sizes := make([]int, len(arm.Kinds))
	for i, k := range arm.Kinds {
		steps = max(steps, len(k.P))
		sizes[i] = k.Traces
	}
	m := newMultinomial(sizes)
	curves := make([]expectedStep, steps)
	for s := range curves {
		curves[s].cells = make([][4]float64, len(arm.Kinds))
		for i, k := range arm.Kinds {
			if len(k.P) > 0 {
				curves[s].cells[i] = k.P[min(s, len(k.P)-1)]
			}
		}
		curves[s].replicates = make([][]float64, len(defs))
		for d := range defs {
			curves[s].replicates[d] = make([]float64, 0, o.Resamples)
		}
	}
	if m.units > 0 {
		resample(m, arm.Label, o, func(counts []int) {
			for s := range curves {
				var sums expectedSubsets
				sums.fill(curves[s].pool(arm.Kinds, counts))
				for d := range defs {
					if n := sums.of(defs[d].den); n >= tie {
						curves[s].replicates[d] = append(curves[s].replicates[d], min(sums.of(defs[d].num)/n, 1))
					}
				}
			}
		})
	}
	out := make([][]ExpectedRate, steps)
	for s := range curves {
		out[s] = make([]ExpectedRate, len(defs))
		cells := curves[s].pool(arm.Kinds, sizes)
		for d, def := range defs {
			e := ExpectedRate{Metric: def.Metric}
			e.K, e.N = def.sums(cells)
			if e.N < tie {
				e.Number = unknown(def.empty)
				e.IntervalReason = def.empty
			} else {
				e.Number = known(min(e.K/e.N, 1))
				e.Interval, e.IntervalReason = percentile(curves[s].replicates[d], m.units, MethodBootstrap, o)
				if e.Interval != nil {
					e.Interval.warnRate(int(math.Round(e.K)), int(math.Round(e.N)))
				}
			}
			out[s][d] = e
		}
	}
	return out
}

// expectedStep is one step of an arm: the probabilities of every kind and what
// the resamples made of them.
type expectedStep struct {
	cells      [][4]float64
	replicates [][]float64
}

// pool adds up the expected cells of a resample.
func (e *expectedStep) pool(kinds []Expected, counts []int) (cells [8]float64) {
	for i, n := range counts {
		if n == 0 {
			continue
		}
		offset := 4
		if kinds[i].Defect {
			offset = 0
		}
		w, p := float64(n), &e.cells[i]
		cells[offset] += w * p[0]
		cells[offset+1] += w * p[1]
		cells[offset+2] += w * p[2]
		cells[offset+3] += w * p[3]
	}
	return cells
}

// expectedSubsets is subsets for cells that are not whole.
type expectedSubsets struct{ defect, acceptable [16]float64 }

func (s *expectedSubsets) fill(cells [8]float64) {
	for c := range 4 {
		bit := 1 << c
		for set := range bit {
			s.defect[bit|set] = s.defect[set] + cells[c]
			s.acceptable[bit|set] = s.acceptable[set] + cells[4+c]
		}
	}
}

func (s *expectedSubsets) of(mask uint8) float64 { return s.defect[mask&15] + s.acceptable[mask>>4] }

// sums is rate for cells that are not whole.
func (d Definition) sums(cells [8]float64) (k, n float64) {
	var s expectedSubsets
	s.fill(cells)
	return s.of(d.num), s.of(d.den)
}
