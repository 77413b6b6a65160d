package stats

import (
	"cmp"
	"math"
	"slices"
)

// BenjaminiHochberg returns the adjusted p-values, in input order, that control
// the false discovery rate over all comparisons shown (Benjamini and Hochberg
// 1995). Undefined p-values must be left out first; p holds no NaN.
func BenjaminiHochberg(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	q := make([]float64, len(p))
	least := 1.0
	for rank := len(p); rank >= 1; rank-- {
		i := order[rank-1]
		least = min(least, p[i]*(float64(len(p))/float64(rank)))
		q[i] = least
	}
	return q
}

// MinimalDetectable is the effect that a comparison with this 95% interval would
// have seen with power 0.8 at the two-sided 5% level: (1.96 + 0.84) standard
// errors, one of which is the width over 3.92. It is undefined without an
// interval and for one of another level.
func MinimalDetectable(iv *Interval) Number {
	switch {
	case iv == nil:
		return unknown("no interval")
	case math.Abs(iv.Level-0.95) > tie:
		return unknown("defined from a 95% interval")
	}
	return known((1.96 + 0.84) * (iv.Hi - iv.Lo) / 3.92)
}
