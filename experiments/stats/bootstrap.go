package stats

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

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

// kind is a distinct vector of cells and how many units have it.
type kind struct {
	cells [8]int
	units int
}

// traceKinds has a kind for each cell that is not empty: a trace is in one cell.
func traceKinds(c ReviewCounts) []kind {
	var kinds []kind
	for i, n := range c.cells() {
		if n > 0 {
			k := kind{units: n}
			k.cells[i] = 1
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// clusterKinds collects equal clusters and sorts them, so that the order of the
// instances cannot change a result.
func clusterKinds(clusters []ReviewCounts) []kind {
	seen := make(map[[8]int]int)
	for _, c := range clusters {
		seen[c.cells()]++
	}
	kinds := make([]kind, 0, len(seen))
	for _, cells := range sortedKeys(seen) {
		kinds = append(kinds, kind{cells: cells, units: seen[cells]})
	}
	return kinds
}

func largest(clusters []ReviewCounts) int {
	n := 0
	for _, c := range clusters {
		n = max(n, c.N())
	}
	return n
}

// block is the number of replicates that share a sub-seed.
const block = 1024

// scratch holds replicates between uses: they are the only big allocation.
var scratch = sync.Pool{New: func() any { return new([]float64) }}

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

// pool adds up the cells of a resample.
func pool(kinds []kind, counts []int) (cells [8]int) {
	for i, n := range counts {
		if n == 0 {
			continue
		}
		for c, x := range kinds[i].cells {
			cells[c] += n * x
		}
	}
	return cells
}

// subsets holds the sums over every subset of four cells, for the defects and
// for the acceptable patches, so that any numerator is two look-ups.
type subsets struct{ defect, acceptable [16]int }

func (s *subsets) fill(cells [8]int) {
	for c := range 4 {
		bit := 1 << c
		for set := range bit {
			s.defect[bit|set] = s.defect[set] + cells[c]
			s.acceptable[bit|set] = s.acceptable[set] + cells[4+c]
		}
	}
}

func (s *subsets) of(mask uint8) int { return s.defect[mask&15] + s.acceptable[mask>>4] }

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

// inParallel runs work(0..n-1), each once, on all cores.
func inParallel(n int, work func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 {
		for i := range n {
			work(i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				work(i)
			}
		})
	}
	wg.Wait()
}
