package stats

import "slices"

// gainLoss bootstraps (gained - lost)/n, where each of n traces adds 1, takes 1
// away or does neither.
func gainLoss(label string, gained, lost, n int, emptiness string, o Options) (*Interval, string) {
	if n == 0 {
		return nil, emptiness
	}
	store := scratch.Get().(*[]float64)
	defer scratch.Put(store)
	*store = slices.Grow((*store)[:0], o.Resamples)
	replicates := *store
	if n <= aliasLimit {
		table := differenceTable(gained, lost, n)
		inBlocks(label, o, func(s source) { replicates = append(replicates, float64(table.draw(s))/float64(n)) })
	} else {
		resample(newMultinomial([]int{n - gained - lost, gained, lost}), label, o, func(counts []int) {
			replicates = append(replicates, float64(counts[1]-counts[2])/float64(n))
		})
	}
	iv, reason := percentile(replicates, n, MethodPaired, o)
	iv.warnDiffering(gained+lost, n)
	return iv, reason
}

// warnDiffering adds what is known to go wrong with the paired bootstrap when few
// of n traces count differently for the two.
func (iv *Interval) warnDiffering(differing, n int) {
	switch {
	case differing == 0:
		iv.warn("No trace differs between the two, so resampling cannot vary the difference and the width means nothing.")
	case differing < fewEvents:
		iv.warn("Only %d of %d traces differ between the two: the interval covers less than its level.", differing, n)
	}
}

// differenceTable tabulates gained - lost in a resample of n traces: the number
// of traces that differ is binomial, and so is the share of gains among them.
func differenceTable(gained, lost, n int) *aliasTable {
	differing := newBinomial(float64(gained+lost) / float64(n))
	gains := newBinomial(float64(gained) / float64(max(gained+lost, 1)))
	least, outer := differing.weights(n, nil)
	most := least + len(outer) - 1
	weights := make([]float64, 2*most+1) // of -most..most
	var buffer []float64
	for i, w := range outer {
		d := least + i
		first, inner := gains.weights(d, buffer[:0])
		buffer = inner
		sum := 0.0
		for _, v := range inner {
			sum += v
		}
		for j, v := range inner {
			weights[2*(first+j)-d+most] += w * v / sum
		}
	}
	return &aliasTable{base: -most, entries: alias(weights)}
}
