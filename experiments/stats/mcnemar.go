package stats

import "math"

// McNemarResult compares two arms by their discordant traces.
type McNemarResult struct {
	// RightWrong counts traces the first arm has right and the second wrong,
	// WrongRight the reverse.
	RightWrong, WrongRight int
	// P is the exact two-sided p, MidP the mid-p variant, which is less
	// conservative (Fagerland et al. 2013). Both are 1 without discordant traces.
	P, MidP float64
}

// McNemar is the exact test of McNemar (1947): under no difference each
// discordant trace falls to either side with probability 1/2. Negative counts are
// taken as 0.
func McNemar(rightWrong, wrongRight int) McNemarResult {
	b, c := max(rightWrong, 0), max(wrongRight, 0)
	r := McNemarResult{RightWrong: b, WrongRight: c, P: 1, MidP: 1}
	m, k := b+c, min(b, c)
	if m == 0 {
		return r
	}
	point := halfPMF(m, k)
	tail := 2 * halfTail(m, k, point)
	r.P = min(1, tail)
	if b == c {
		r.MidP = 1 - point/2
	} else {
		r.MidP = min(1, tail-point)
	}
	return r
}

// halfPMF is P(X = k) for X ~ Binomial(m, 1/2).
func halfPMF(m, k int) float64 {
	return math.Exp(logFactorial(m) - logFactorial(k) - logFactorial(m-k) - float64(m)*math.Ln2)
}

// halfTail is P(X ≤ k) given point = P(X = k): the terms fall towards 0, so it
// is summed from the largest down.
func halfTail(m, k int, point float64) float64 {
	sum := 0.0
	for i, p := k, point; i >= 0 && p > sum*1e-20; i-- {
		sum += p
		p *= float64(i) / float64(m-i+1)
	}
	return sum
}
