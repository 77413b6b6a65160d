package stats

import "math"

// Number is a quantity that may be undefined. Value is nil then, never 0 and
// never NaN, and Reason says why; Reason is empty otherwise.
type Number struct {
	Value  *float64
	Reason string
}

func known(v float64) Number {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Number{Reason: "not a finite number"}
	}
	return Number{Value: &v}
}

func unknown(reason string) Number { return Number{Reason: reason} }

// Rate is K out of N. Value is K/N, and nil with a Reason when N is 0.
type Rate struct {
	K, N   int
	Value  *float64
	Reason string
}

// RateOf is k out of n; emptiness is the reason given when n is 0. Counts that
// cannot be a rate (n < 0, k < 0 or k > n) are undefined.
func RateOf(k, n int, emptiness string) Rate {
	r := Rate{K: k, N: n}
	switch {
	case n == 0 && k == 0:
		r.Reason = emptiness
	case k < 0 || k > n:
		r.Reason = "not a rate: the count is outside of its base"
	default:
		v := float64(k) / float64(n)
		r.Value = &v
	}
	return r
}

// Number is the rate without its counts.
func (r Rate) Number() Number { return Number{Value: r.Value, Reason: r.Reason} }
