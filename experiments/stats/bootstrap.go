package stats

import (
	"slices"
	"sync"
)

// block is the number of replicates that share a sub-seed.
const block = 1024

// scratch holds replicates between uses: they are the only big allocation.
var scratch = sync.Pool{New: func() any { return new([]float64) }}

// resample draws o.Resamples resamples in order and shows each to see, which
// must not keep counts.
func resample(m *multinomial, label string, o Options, see func(counts []int)) {
	counts := make([]int, m.kinds)
	inBlocks(label, o, func(s source) {
		m.draw(s, counts)
		see(counts)
	})
}

// inBlocks calls draw o.Resamples times, each block with a source of its own.
func inBlocks(label string, o Options, draw func(source)) {
	for start := 0; start < o.Resamples; start += block {
		s := source{pcg(o.Seed, label, start/block)}
		for range min(block, o.Resamples-start) {
			draw(s)
		}
	}
}

// Bootstrap is the percentile bootstrap of any statistic of counts: kinds[i] is
// how many units are of kind i, and statistic receives how many of each kind a
// resample holds. It reports false when it is undefined; such a replicate is
// dropped and counted. statistic must not keep its argument.
func Bootstrap(label string, kinds []int, o Options, statistic func(counts []int) (float64, bool)) (*Interval, string) {
	o = o.filled()
	m := newMultinomial(kinds)
	if m.units == 0 {
		return nil, "nothing to resample"
	}
	store := scratch.Get().(*[]float64)
	defer scratch.Put(store)
	*store = slices.Grow((*store)[:0], o.Resamples)
	replicates := *store
	resample(m, label, o, func(counts []int) {
		if v, ok := statistic(counts); ok {
			replicates = append(replicates, v)
		}
	})
	return percentile(replicates, m.units, MethodBootstrap, o)
}
