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
	// At most four order statistics are wanted, so at most four buckets.
	i1, f1 := position(len(values), q1)
	i2, f2 := position(len(values), q2)
	last := len(values) - 1
	wanted := [4]int{i1, min(i1+1, last), i2, min(i2+1, last)}
	var bucket, rank [4]int
	var inside [4][]float64
	var slot [buckets]uint8 // 1 + the first wanted order statistic in the bucket
	for w, k := range wanted {
		b := 0
		for k >= sizes[b] {
			k -= sizes[b]
			b++
		}
		bucket[w], rank[w] = b, k
		if slot[b] == 0 {
			slot[b] = uint8(w + 1)
			inside[w] = make([]float64, 0, sizes[b])
		}
	}
	for _, v := range values {
		if w := slot[int((v-lo)*scale)]; w > 0 {
			inside[w-1] = append(inside[w-1], v)
		}
	}
	var at [4]float64
	for w := range wanted {
		first := slot[bucket[w]] - 1
		if int(first) == w {
			slices.Sort(inside[w])
		}
		at[w] = inside[first][rank[w]]
	}
	return interpolate(at[0], at[1], f1), interpolate(at[2], at[3], f2)
}

func interpolate(a, b, fraction float64) float64 {
	if fraction == 0 {
		return a
	}
	return a + fraction*(b-a)
}
