package stats

import "math"

// z95 is the 0.975 quantile of the normal distribution.
const z95 = 1.959963984540054

// Wilson is the score interval of Wilson (1927) for k out of n at the given
// level (0 means 0.95). It is never empty, also for k = 0 and k = n. For n = 0
// there is none.
func Wilson(k, n int, level float64) (*Interval, string) {
	if !(level > 0 && level < 1) {
		level = DefaultLevel
	}
	switch {
	case n == 0:
		return nil, "no observations"
	case k < 0 || k > n:
		return nil, "not a rate: the count is outside of its base"
	}
	z := z95
	if level != DefaultLevel {
		z = math.Sqrt2 * math.Erfinv(level)
	}
	lo, hi := wilson(float64(k), float64(n), z)
	return &Interval{Lo: lo, Hi: hi, Method: MethodWilson, Level: level, N: n}, ""
}

func wilson(k, n, z float64) (lo, hi float64) {
	p := k / n
	z2 := z * z
	centre := p + z2/(2*n)
	half := z * math.Sqrt(p*(1-p)/n+z2/(4*n*n))
	scale := 1 + z2/n
	lo, hi = (centre-half)/scale, (centre+half)/scale
	// The bounds of a constant sample are exactly 0 and 1; rounding must not hide it.
	if k == 0 {
		lo = 0
	}
	if k == n {
		hi = 1
	}
	return max(lo, 0), min(hi, 1)
}
