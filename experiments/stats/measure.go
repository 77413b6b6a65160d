package stats

import "slices"

// Measured is a rate with its intervals.
type Measured struct {
	Metric Metric
	Rate
	// Wilson and Bootstrap are nil when there is no interval; the reason is the
	// rate's or BootstrapReason.
	Wilson          *Interval
	Bootstrap       *Interval
	BootstrapReason string
}

// Measures holds every metric of one arm in the order of Definitions.
type Measures []Measured

// Of returns the entry of m, and one with a Reason if there is none.
func (ms Measures) Of(m Metric) Measured {
	for _, e := range ms {
		if e.Metric == m {
			return e
		}
	}
	return Measured{Metric: m, Rate: Rate{Reason: "not measured"}}
}

// Arm is what is measured: counts under a label. The label takes part in the
// seed, so it must stay the same for the same bits.
type Arm struct {
	Label  string
	Counts ReviewCounts
}

// Measure computes every rate with its Wilson interval and its percentile
// bootstrap by trace. A resample of n traces enters a rate only through the
// eight cells, and those are one multinomial draw.
func Measure(arm Arm, o Options) Measures { return MeasureAll([]Arm{arm}, o)[0] }

// MeasureAll measures many arms on all cores.
func MeasureAll(arms []Arm, o Options) []Measures {
	out := make([]Measures, len(arms))
	inParallel(len(arms), func(i int) {
		out[i] = measure(arms[i].Label, traceKinds(arms[i].Counts), MethodBootstrap, o.filled())
	})
	return out
}

// ClusteredArm is an arm whose traces come in groups that are not independent:
// one ReviewCounts for each instance. Empty clusters are allowed; they are
// resampled like the others.
type ClusteredArm struct {
	Label    string
	Clusters []ReviewCounts
}

// MeasureClusters computes every rate with the percentile bootstrap by instance:
// instances are resampled and all their traces pooled. The Wilson intervals
// ignore the clusters and say so.
func MeasureClusters(arms []ClusteredArm, o Options) []Measures {
	out := make([]Measures, len(arms))
	inParallel(len(arms), func(i int) {
		kinds := clusterKinds(arms[i].Clusters)
		ms := measure(arms[i].Label, kinds, MethodCluster, o.filled())
		if largest(arms[i].Clusters) > 1 {
			for j := range ms {
				if ms[j].Wilson != nil {
					ms[j].Wilson.warn("Several traces share an instance; this interval takes them as independent and is too narrow if they are alike.")
				}
			}
		}
		out[i] = ms
	})
	return out
}

func measure(label string, kinds []kind, method string, o Options) Measures {
	sizes := make([]int, len(kinds))
	var total [8]int
	for i, k := range kinds {
		sizes[i] = k.units
		for c, n := range k.cells {
			total[c] += n * k.units
		}
	}
	replicates := make([][]float64, len(definitions))
	store := scratch.Get().(*[]float64)
	defer scratch.Put(store)
	*store = slices.Grow((*store)[:0], len(definitions)*o.Resamples)
	for d := range replicates {
		replicates[d] = (*store)[d*o.Resamples : d*o.Resamples : (d+1)*o.Resamples]
	}
	m := newMultinomial(sizes)
	see := func(cells [8]int) {
		var sums subsets
		sums.fill(cells)
		for d := range definitions {
			if n := sums.of(definitions[d].den); n > 0 {
				replicates[d] = append(replicates[d], float64(sums.of(definitions[d].num))/float64(n))
			}
		}
	}
	var packed []packedCells
	if m.unit != nil {
		packed = packUnits(kinds, m.units)
	}
	switch {
	case len(packed) > 0:
		inBlocks(label, o, func(s source) { see(sumUnits(s, packed).unpack()) })
	case m.units > 0:
		resample(m, label, o, func(counts []int) { see(pool(kinds, counts)) })
	}
	out := make(Measures, len(definitions))
	for d, def := range definitions {
		e := Measured{Metric: def.Metric, Rate: def.rate(total)}
		if e.Value == nil {
			e.BootstrapReason = e.Reason
		} else {
			e.Wilson, _ = Wilson(e.K, e.N, o.Level)
			e.Bootstrap, e.BootstrapReason = percentile(replicates[d], m.units, method, o)
			if e.Bootstrap != nil {
				e.Bootstrap.warnRate(e.K, e.N)
			}
		}
		out[d] = e
	}
	return out
}
