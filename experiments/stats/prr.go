package stats

import (
	"math"
	"slices"
)

// PRRResult is the prediction rejection ratio with the areas it is made of.
type PRRResult struct {
	// PRR is 1 for the order of an oracle, 0 for a random one.
	PRR Number
	// Area is the mean quality of the kept items over the rejection steps;
	// AreaOracle orders by quality, AreaRandom is the exact expectation under a
	// random order. Quality is scaled to 0..1.
	Area, AreaOracle, AreaRandom Number
	// Steps is the number of rejection steps, the floor of rho·n.
	Steps int
}

// PRR measures how well score orders quality when up to a share rho of the items
// is rejected, the least sure first (Malinin and Gales 2021; rho = 1 and 0.5 as
// in LM-Polygraph, Fadeeva et al. 2023). Ties take the expectation over their
// order. The areas are undefined for constant quality, the ratio also
// when the oracle is no better than chance.
func PRR(score, quality []float64, rho float64) PRRResult {
	none := func(reason string) PRRResult {
		u := unknown(reason)
		return PRRResult{PRR: u, Area: u, AreaOracle: u, AreaRandom: u}
	}
	if reason := unusable(score, quality); reason != "" {
		return none(reason)
	}
	n := len(score)
	if n == 0 {
		return none("no items")
	}
	lo, hi := slices.Min(quality), slices.Max(quality)
	if hi-lo < tie {
		return none("the quality is constant")
	}
	scaled := make([]float64, n)
	mean := 0.0
	for i, q := range quality {
		scaled[i] = (q - lo) / (hi - lo)
		mean += scaled[i] / float64(n)
	}
	r := PRRResult{Steps: int(math.Floor(min(max(rho, 0), 1) * float64(n)))}
	if r.Steps == 0 {
		return none("nothing may be rejected")
	}
	area, oracle := keptQuality(score, scaled, r.Steps), keptQuality(scaled, scaled, r.Steps)
	r.Area, r.AreaOracle, r.AreaRandom = known(area), known(oracle), known(mean)
	if math.Abs(oracle-mean) < tie {
		r.PRR = unknown("no order is better than chance")
		return r
	}
	r.PRR = known((area - mean) / (oracle - mean))
	return r
}

// keptQuality is the mean, over 0..steps-1 rejected items, of the expected mean
// quality of the kept.
func keptQuality(score, quality []float64, steps int) float64 {
	n := len(score)
	levels, count := levelsOf(score)
	size, sum := make([]int, count), make([]float64, count)
	for i, l := range levels {
		size[l]++
		sum[l] += quality[i]
	}
	kept := make([]float64, 0, n) // expected quality sums of the 1, 2, … surest
	total := 0.0
	for l := count - 1; l >= 0; l-- {
		for j := 1; j <= size[l]; j++ {
			kept = append(kept, total+float64(j)*sum[l]/float64(size[l]))
		}
		total += sum[l]
	}
	area := 0.0
	for j := range steps {
		area += kept[n-j-1] / float64(n-j)
	}
	return area / float64(steps)
}
