package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// PermutationResult is a paired permutation test of the sum of differences.
type PermutationResult struct {
	// P is two-sided. It is nil with a Reason for no differences at all or for
	// one that is not a finite number.
	P      *float64
	Reason string
	// N counts the differences, NonZero those of at least 1e-12: a smaller one is
	// two equal scores.
	N, NonZero int
	// MeanDifference is over all N.
	MeanDifference float64
	// Exact tells that all 2^NonZero sign patterns are accounted for. Otherwise P
	// is (1 + Hits)/(1 + Draws) of Draws random ones.
	Exact bool
	// Hits are the patterns with a sum at least as far from 0, out of Patterns for
	// an exact test and of Draws for a random one. Whole numbers; floats, because
	// there can be 2^411.
	Hits, Patterns float64
	Draws          int
	Seed           uint64
}

// patternLimit is the number of distinct patterns that are enumerated.
const patternLimit = 1 << 20

// Permutation flips the signs of paired differences (second arm minus first, one
// a trace). Flipping depends on the distinct magnitudes only: of m differences
// of the same magnitude, Binomial(m, 1/2) keep their sign. So differences of 0
// and ±1 are exact at any size and equal McNemar's exact p, and all tests with
// at most 20 non-zero differences are exact. Beyond 2^20 distinct
// patterns o.Resamples random ones are drawn.
func Permutation(label string, differences []float64, o Options) PermutationResult {
	o = o.filled()
	r := PermutationResult{N: len(differences)}
	if len(differences) == 0 {
		r.Reason = "no pairs"
		return r
	}
	sum := 0.0
	var nonZero []float64
	for i, d := range differences {
		if math.IsNaN(d) || math.IsInf(d, 0) {
			r.Reason = fmt.Sprintf("difference %d is not a finite number", i)
			return r
		}
		sum += d
		if math.Abs(d) >= tie {
			nonZero = append(nonZero, math.Abs(d))
		}
	}
	return permute(label, magnitudes(nonZero), sum, len(differences), o)
}

// permute tests the sum of n differences whose non-zero magnitudes are grouped.
func permute(label string, groups []magnitude, sum float64, n int, o Options) PermutationResult {
	r := PermutationResult{N: n, MeanDifference: sum / float64(n)}
	for _, g := range groups {
		r.NonZero += g.n
	}
	// A sum this close to the observed one is equal to it but for rounding.
	far := math.Abs(sum) - tie*max(1, math.Abs(sum))
	if p, ok := enumeratePatterns(groups, far); ok {
		r.Exact, r.P = true, &p
		r.Patterns = math.Pow(2, float64(r.NonZero))
		r.Hits = math.Round(p * r.Patterns)
		return r
	}
	r.Draws, r.Seed, r.Patterns = o.Resamples, o.Seed, float64(o.Resamples)
	inBlocks(label, o, func(s source) {
		sum := 0.0
		for _, g := range groups {
			sum += g.size * float64(2*s.halves(g.n)-g.n)
		}
		if math.Abs(sum) >= far {
			r.Hits++
		}
	})
	p := (1 + r.Hits) / (1 + r.Patterns)
	r.P = &p
	return r
}

// magnitude is a distinct absolute difference and how often it occurs. Scores
// closer than 1e-12 are equal, and so are magnitudes.
type magnitude struct {
	size float64
	n    int
}

func magnitudes(sizes []float64) []magnitude {
	slices.SortFunc(sizes, func(a, b float64) int { return cmp.Compare(b, a) })
	var groups []magnitude
	for _, v := range sizes {
		if last := len(groups) - 1; last >= 0 && groups[last].size-v < tie {
			groups[last].n++
			continue
		}
		groups = append(groups, magnitude{v, 1})
	}
	return groups
}

// enumeratePatterns is the exact probability of a sum at least far from 0, or
// false when there are too many distinct patterns.
func enumeratePatterns(groups []magnitude, far float64) (float64, bool) {
	patterns := 1
	rest := 0.0 // the largest sum the groups not yet placed can add
	for _, g := range groups {
		patterns *= g.n + 1
		if patterns > patternLimit {
			return 0, false
		}
		rest += g.size * float64(g.n)
	}
	var visit func(i int, sum, rest float64) float64
	visit = func(i int, sum, rest float64) float64 {
		switch {
		case i == len(groups):
			if math.Abs(sum) >= far {
				return 1
			}
			return 0
		case math.Abs(sum)-rest >= far*(1+tie)+tie:
			return 1 // no sign of the rest can bring the sum back
		case math.Abs(sum)+rest < far*(1-tie)-tie:
			return 0
		}
		g := groups[i]
		p := 0.0
		for k := 0; k <= g.n; k++ {
			p += halfPMF(g.n, k) * visit(i+1, sum+g.size*float64(2*k-g.n), rest-g.size*float64(g.n))
		}
		return p
	}
	return min(visit(0, 0, rest), 1), true
}
