package stats

import (
	"math"
	"math/bits"
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

// newAliasTable tabulates Binomial(n, p) where it exceeds 2^-60 of its peak;
// what is left out weighs less than the rounding of a float64.
func newAliasTable(b *binomial, n int) *aliasTable {
	if n == 0 || b.p == 0 {
		return degenerate(b, n)
	}
	mode := int(float64(n+1) * b.p)
	var below, above []float64
	for k, pmf := mode, 1.0; k > 0; k-- {
		pmf *= float64(k) / (float64(n-k+1) * b.odds)
		if pmf < 0x1p-60 {
			break
		}
		below = append(below, pmf)
	}
	for k, pmf := mode, 1.0; k < n; k++ {
		pmf *= float64(n-k) * b.odds / float64(k+1)
		if pmf < 0x1p-60 {
			break
		}
		above = append(above, pmf)
	}
	weights := make([]float64, 0, len(below)+1+len(above))
	for i := len(below) - 1; i >= 0; i-- {
		weights = append(weights, below[i])
	}
	weights = append(append(weights, 1), above...)
	t := &aliasTable{base: mode - len(below), entries: alias(weights)}
	if b.flipped {
		t.mirror(n)
	}
	return t
}

func degenerate(b *binomial, n int) *aliasTable {
	t := &aliasTable{entries: []uint64{0}}
	if b.flipped {
		t.base = n
	}
	return t
}

// mirror turns the table of X into that of n - X.
func (t *aliasTable) mirror(n int) {
	last := len(t.entries) - 1
	t.base = n - t.base - last
	mirrored := make([]uint64, last+1)
	for i, e := range t.entries {
		mirrored[last-i] = e&^0xffff | (uint64(last) - e&0xffff)
	}
	t.entries = mirrored
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
