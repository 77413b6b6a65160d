package stats

// MetricDifference is the difference of one rate between two arms on the traces
// both have a decision on, abstentions included: second minus first. It belongs
// to the arrow from one operating point to another.
type MetricDifference struct {
	Metric        Metric
	First, Second Rate
	Difference    Number
	// Interval is the paired percentile bootstrap: each resample of traces gives
	// both rates. A resample where either is undefined is dropped.
	Interval       *Interval
	IntervalReason string
}

// Differences compares every metric of a pair, in the order of Definitions.
func Differences(lp LabelledPair, o Options) []MetricDifference {
	o = o.filled()
	type joint struct {
		first, second int // cells of ReviewCounts
	}
	var kinds []joint
	var sizes []int
	lp.Pair.each(func(defect bool, first, second Outcome, n int) {
		offset := 4
		if defect {
			offset = 0
		}
		kinds = append(kinds, joint{offset + int(first), offset + int(second)})
		sizes = append(sizes, n)
	})
	replicates := make([][]float64, len(definitions))
	m := newMultinomial(sizes)
	if m.units > 0 {
		for d := range replicates {
			replicates[d] = make([]float64, 0, o.Resamples)
		}
		resample(m, lp.Label+"\x00metrics", o, func(counts []int) {
			var a, b [8]int
			for i, n := range counts {
				a[kinds[i].first] += n
				b[kinds[i].second] += n
			}
			var first, second subsets
			first.fill(a)
			second.fill(b)
			for d, def := range definitions {
				n1, n2 := first.of(def.den), second.of(def.den)
				if n1 > 0 && n2 > 0 {
					replicates[d] = append(replicates[d],
						float64(second.of(def.num))/float64(n2)-float64(first.of(def.num))/float64(n1))
				}
			}
		})
	}
	first, second := lp.Pair.First().cells(), lp.Pair.Second().cells()
	out := make([]MetricDifference, len(definitions))
	for d, def := range definitions {
		e := MetricDifference{Metric: def.Metric, First: def.rate(first), Second: def.rate(second)}
		e.Difference = difference(e.First, e.Second)
		if e.Difference.Value == nil {
			e.IntervalReason = e.Difference.Reason
		} else {
			e.Interval, e.IntervalReason = percentile(replicates[d], m.units, MethodPaired, o)
			if e.Interval != nil {
				differing := 0
				for i, k := range kinds {
					if def.counts(k.first) != def.counts(k.second) {
						differing += sizes[i]
					}
				}
				e.Interval.warnDiffering(differing, m.units)
			}
		}
		out[d] = e
	}
	return out
}
