package stats

import (
	"math"
	"slices"
)

// Quantile is the type-7 quantile (Hyndman and Fan 1996): for sorted values and
// h = (B-1)q it interpolates linearly between the order statistics around h.
// sorted must be ascending, free of NaN and not empty; q is clipped to [0,1].
func Quantile(sorted []float64, q float64) float64 {
	i, f := position(len(sorted), q)
	if f == 0 {
		return sorted[i]
	}
	return sorted[i] + f*(sorted[i+1]-sorted[i])
}

func position(n int, q float64) (i int, fraction float64) {
	h := float64(n-1) * min(max(q, 0), 1)
	i = min(int(math.Floor(h)), n-1)
	return i, h - float64(i)
}

// quantilePair is Quantile for two q at once on unsorted values. It sorts only
// the few values that share a bucket with a wanted order statistic: sorting
// ten thousand replicates of every rate is what a plain bootstrap spends most
// of its time on.
func quantilePair(values []float64, q1, q2 float64) (float64, float64) {
	if len(values) < 256 {
		slices.Sort(values)
		return Quantile(values, q1), Quantile(values, q2)
	}
	lo, hi := values[0], values[0]
	for _, v := range values {
		lo, hi = min(lo, v), max(hi, v)
	}
	const buckets = 1024
	scale := (buckets - 1) / (hi - lo)
	if math.IsInf(scale, 0) || math.IsNaN(scale) || scale == 0 {
		slices.Sort(values)
		return Quantile(values, q1), Quantile(values, q2)
	}
	// v → bucket is monotone, so buckets partition the sorted order.
	var sizes [buckets]int
	for _, v := range values {
		sizes[int((v-lo)*scale)]++
	}
	order := func(k int) float64 {
		bucket := 0
		for k >= sizes[bucket] {
			k -= sizes[bucket]
			bucket++
		}
		inside := make([]float64, 0, sizes[bucket])
		for _, v := range values {
			if int((v-lo)*scale) == bucket {
				inside = append(inside, v)
			}
		}
		slices.Sort(inside)
		return inside[k]
	}
	at := func(q float64) float64 {
		i, f := position(len(values), q)
		v := order(i)
		if f == 0 {
			return v
		}
		return v + f*(order(i+1)-v)
	}
	return at(q1), at(q2)
}
