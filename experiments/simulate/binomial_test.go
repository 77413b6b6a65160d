package simulate

import (
	"math"
	"testing"
)

// tail is the two-sided error of the binomial checks: with fixed seeds a test
// either passes for good or shows a wrong probability, so it can be small.
const tail = 1e-7

// wantBinomial fails unless k of n is compatible with probability p: neither
// P(K ≤ k) nor P(K ≥ k) of the exact binomial may be below tail.
func wantBinomial(t *testing.T, what string, k, n int, p float64) {
	t.Helper()
	low, high := 0.0, 0.0
	for i := 0; i <= n; i++ {
		mass := binomialMass(i, n, p)
		if i <= k {
			low += mass
		}
		if i >= k {
			high += mass
		}
	}
	if low < tail || high < tail {
		t.Errorf("%s: %d/%d = %.4f, which probability %.4f does not explain (tails %.2g, %.2g)",
			what, k, n, float64(k)/float64(n), p, low, high)
	}
}

func binomialMass(k, n int, p float64) float64 {
	switch {
	case p == 0:
		return indicator(k == 0)
	case p == 1:
		return indicator(k == n)
	}
	logFactorial := func(x int) float64 { v, _ := math.Lgamma(float64(x) + 1); return v }
	return math.Exp(logFactorial(n) - logFactorial(k) - logFactorial(n-k) +
		float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func TestBinomialMassSumsToOne(t *testing.T) {
	t.Parallel()
	for _, p := range []float64{0, 0.003, 0.5, 0.97, 1} {
		sum := 0.0
		for k := 0; k <= 200; k++ {
			sum += binomialMass(k, 200, p)
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("p=%g: masses sum to %.12f", p, sum)
		}
	}
	if got, want := binomialMass(2, 4, 0.5), 0.375; math.Abs(got-want) > 1e-12 {
		t.Errorf("P(2 of 4 at 0.5) = %g, want %g", got, want)
	}
}
