package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// levelsOf replaces values by 0, 1, 2, … in ascending order, the same number for
// values closer than 1e-12, and returns how many levels there are. Ranking
// statistics then compare integers.
func levelsOf(values []float64) (levels []int, n int) {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	levels = make([]int, len(values))
	for i, at := range order {
		if i > 0 && values[at] != values[order[i-1]] && values[at]-values[order[i-1]] >= tie {
			n++
		}
		levels[at] = n
	}
	if len(values) > 0 {
		n++
	}
	return levels, n
}

// averageRanks are the ranks 1..n with ties at their mean rank.
func averageRanks(values []float64) []float64 {
	levels, n := levelsOf(values)
	sizes := make([]int, n)
	for _, l := range levels {
		sizes[l]++
	}
	mean := make([]float64, n)
	before := 0
	for l, size := range sizes {
		mean[l] = float64(before) + float64(size+1)/2
		before += size
	}
	ranks := make([]float64, len(values))
	for i, l := range levels {
		ranks[i] = mean[l]
	}
	return ranks
}

// unusable explains why paired values cannot be ranked; it is empty if they can.
func unusable(x, y []float64) string {
	if len(x) != len(y) {
		return fmt.Sprintf("%d values against %d", len(x), len(y))
	}
	for i := range x {
		if math.IsNaN(x[i]) || math.IsNaN(y[i]) {
			return fmt.Sprintf("value %d is not a number", i)
		}
	}
	return ""
}
