package stats

import (
	"math"
	"math/bits"
	"slices"
)

// aliasLimit is the largest number of units for which binomials are drawn from
// tables: above it too many different tables would be needed.
const aliasLimit = 2048

// aliasTable draws from one binomial with one random word (Walker 1977, Vose
// 1991). An entry packs the chance to stay, in 48 bits, and the outcome to
// go to otherwise, in 16.
type aliasTable struct {
	base    int
	entries []uint64
}

func (t *aliasTable) draw(s source) int {
	hi, lo := bits.Mul64(s.Uint64(), uint64(len(t.entries)))
	e := t.entries[hi]
	if lo>>16 < e>>16 {
		return t.base + int(hi)
	}
	return t.base + int(e&0xffff)
}

// newAliasTable tabulates Binomial(n, p).
func newAliasTable(b *binomial, n int) *aliasTable {
	base, weights := b.weights(n, make([]float64, 0, 160))
	return &aliasTable{base: base, entries: alias(weights)}
}

// weights appends to into what is proportional to the probabilities of base,
// base+1, … where they exceed 2^-60 of the peak; what is left out weighs less
// than the rounding of a float64. into must be empty.
func (b *binomial) weights(n int, into []float64) (base int, weights []float64) {
	weights = into
	mode := min(int(float64(n+1)*b.p), n)
	base = mode
	for k, w := mode, 1.0; w >= 0x1p-60; k-- {
		weights = append(weights, w)
		base = k
		if k == 0 {
			break
		}
		w *= float64(k) / (float64(n-k+1) * b.odds)
	}
	slices.Reverse(weights)
	for k, w := mode, 1.0; k < n; {
		w *= float64(n-k) * b.odds / float64(k+1)
		if w < 0x1p-60 {
			break
		}
		weights = append(weights, w)
		k++
	}
	if b.flipped {
		slices.Reverse(weights)
		base = n - (base + len(weights) - 1)
	}
	return base, weights
}

// alias pairs outcomes lighter than the mean with heavier ones.
func alias(weights []float64) []uint64 {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	m := len(weights)
	scale := float64(m) / sum
	entries := make([]uint64, m)
	light, heavy := make([]int, 0, m), make([]int, 0, m)
	for i := range weights {
		weights[i] *= scale
		if weights[i] < 1 {
			light = append(light, i)
		} else {
			heavy = append(heavy, i)
		}
	}
	for len(light) > 0 && len(heavy) > 0 {
		l, h := light[len(light)-1], heavy[len(heavy)-1]
		light = light[:len(light)-1]
		entries[l] = uint64(math.Round(weights[l]*0x1p48))<<16 | uint64(h)
		weights[h] -= 1 - weights[l]
		if weights[h] < 1 {
			heavy = heavy[:len(heavy)-1]
			light = append(light, h)
		}
	}
	// What remains has weight 1 up to rounding: it goes to itself either way.
	for _, i := range append(light, heavy...) {
		entries[i] = uint64(i)
	}
	return entries
}
