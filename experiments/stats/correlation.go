package stats

import (
	"cmp"
	"math"
	"slices"
)

// KendallResult is Kendall's tau-b with its pair counts.
type KendallResult struct {
	TauB Number
	// Concordant and Discordant pairs; TiesX and TiesY are pairs tied in x and in
	// y, a pair tied in both in each; Pairs is n(n-1)/2.
	Concordant, Discordant, TiesX, TiesY, Pairs int
}

// Kendall computes tau-b (Kendall 1945) in O(n log n) (Knight 1966). It is undefined
// for constant input and for fewer than two points.
func Kendall(x, y []float64) KendallResult {
	if reason := unusable(x, y); reason != "" {
		return KendallResult{TauB: unknown(reason)}
	}
	lx, _ := levelsOf(x)
	ly, _ := levelsOf(y)
	type point struct{ x, y int }
	points := make([]point, len(lx))
	for i := range points {
		points[i] = point{lx[i], ly[i]}
	}
	slices.SortFunc(points, func(a, b point) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y)) })
	ys := make([]int, len(points))
	for i, p := range points {
		ys[i] = p.y
	}
	n := len(points)
	r := KendallResult{
		Pairs: n * (n - 1) / 2,
		TiesX: tiedPairs(points, func(a, b point) bool { return a.x == b.x }),
	}
	both := tiedPairs(points, func(a, b point) bool { return a == b })
	r.Discordant = inversions(ys, make([]int, n)) // leaves ys sorted
	r.TiesY = tiedPairs(ys, func(a, b int) bool { return a == b })
	r.Concordant = r.Pairs - r.TiesX - r.TiesY + both - r.Discordant
	switch {
	case n < 2:
		r.TauB = unknown("fewer than two points")
	case r.TiesX == r.Pairs || r.TiesY == r.Pairs:
		r.TauB = unknown("constant input")
	default:
		r.TauB = known(float64(r.Concordant-r.Discordant) /
			math.Sqrt(float64(r.Pairs-r.TiesX)*float64(r.Pairs-r.TiesY)))
	}
	return r
}

// tiedPairs counts the pairs inside runs of equal neighbours.
func tiedPairs[E any](sorted []E, equal func(a, b E) bool) int {
	pairs, run := 0, 0
	for i := 1; i < len(sorted); i++ {
		if equal(sorted[i-1], sorted[i]) {
			run++
			pairs += run
		} else {
			run = 0
		}
	}
	return pairs
}

// inversions sorts v by merging and counts the pairs out of order.
func inversions(v, buffer []int) int {
	if len(v) < 2 {
		return 0
	}
	half := len(v) / 2
	count := inversions(v[:half], buffer[:half]) + inversions(v[half:], buffer[half:])
	copy(buffer, v)
	i, j := 0, half
	for k := range v {
		if i < half && (j == len(v) || buffer[i] <= buffer[j]) {
			v[k] = buffer[i]
			i++
		} else {
			v[k] = buffer[j]
			j++
			count += half - i
		}
	}
	return count
}

// Spearman is the Pearson correlation of average ranks. It is undefined for
// constant input and for fewer than two points.
func Spearman(x, y []float64) Number {
	if reason := unusable(x, y); reason != "" {
		return unknown(reason)
	}
	if len(x) < 2 {
		return unknown("fewer than two points")
	}
	rx, ry := averageRanks(x), averageRanks(y)
	mean := float64(len(x)+1) / 2
	sxx, syy, sxy := 0.0, 0.0, 0.0
	for i := range rx {
		dx, dy := rx[i]-mean, ry[i]-mean
		sxx += dx * dx
		syy += dy * dy
		sxy += dx * dy
	}
	if sxx == 0 || syy == 0 {
		return unknown("constant input")
	}
	return known(sxy / math.Sqrt(sxx*syy))
}
