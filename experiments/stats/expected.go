package stats

import "math"

// Expected is a kind of trace whose decision is known by its probabilities only,
// for example "what would three of the five votes have decided?".
type Expected struct {
	Defect bool
	// P is the probability of each Outcome; the four sum to 1.
	P [4]float64
	// Traces is the number of traces of this kind.
	Traces int
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

// MeasureExpected computes every metric of expected counts, the ratio of the
// expected numerator to the expected denominator, with a percentile bootstrap
// over traces. With probabilities 0 and 1 the values are those of Measure. A
// denominator below 1e-12 is empty.
func MeasureExpected(label string, kinds []Expected, o Options) []ExpectedRate {
	o = o.filled()
	sizes := make([]int, len(kinds))
	for i, k := range kinds {
		sizes[i] = k.Traces
	}
	m := newMultinomial(sizes)
	replicates := make([][]float64, len(definitions))
	if m.units > 0 {
		store := make([]float64, len(definitions)*o.Resamples)
		for d := range replicates {
			replicates[d] = store[d*o.Resamples : d*o.Resamples : (d+1)*o.Resamples]
		}
		resample(m, label, o, func(counts []int) {
			cells := expectedCells(kinds, counts)
			for d, def := range definitions {
				if k, n := def.sums(cells); n >= tie {
					replicates[d] = append(replicates[d], min(k/n, 1))
				}
			}
		})
	}
	cells := expectedCells(kinds, sizes)
	out := make([]ExpectedRate, len(definitions))
	for d, def := range definitions {
		e := ExpectedRate{Metric: def.Metric}
		e.K, e.N = def.sums(cells)
		if e.N < tie {
			e.Number = unknown(def.empty)
			e.IntervalReason = def.empty
		} else {
			e.Number = known(min(e.K/e.N, 1))
			e.Interval, e.IntervalReason = percentile(replicates[d], m.units, MethodBootstrap, o)
			if e.Interval != nil {
				e.Interval.warnRate(int(math.Round(e.K)), int(math.Round(e.N)))
			}
		}
		out[d] = e
	}
	return out
}

func expectedCells(kinds []Expected, counts []int) (cells [8]float64) {
	for i, n := range counts {
		if n == 0 {
			continue
		}
		offset := 4
		if kinds[i].Defect {
			offset = 0
		}
		for c, p := range kinds[i].P {
			cells[offset+c] += float64(n) * p
		}
	}
	return cells
}

// sums is rate for cells that are not whole.
func (d Definition) sums(cells [8]float64) (k, n float64) {
	for i, c := range cells {
		if d.num>>i&1 == 1 {
			k += c
		}
		if d.den>>i&1 == 1 {
			n += c
		}
	}
	return k, n
}
