package stats

import (
	"cmp"
	"slices"
)

// Isotonic is a fitted non-decreasing map from a score to a probability.
type Isotonic struct {
	// Score and P are its knots, both ascending. Between knots the map is linear,
	// outside it is constant.
	Score, P []float64
}

// FitIsotonic fits the non-decreasing probabilities with the least squared error
// by pooling adjacent violators (Ayer et al. 1955). P of a Forecast may be any
// score here. Fit on other data than it is judged on. It returns nil and the
// reason when there is nothing to fit.
func FitIsotonic(data []Forecast) (*Isotonic, string) {
	scores, outcomes := make([]float64, len(data)), make([]float64, len(data))
	for i, f := range data {
		scores[i], outcomes[i] = f.P, f.y()
	}
	if reason := unusable(scores, outcomes); reason != "" {
		return nil, reason
	}
	if len(data) == 0 {
		return nil, "no forecasts"
	}
	type pool struct {
		lo, hi     float64 // scores
		sum, count float64
	}
	sorted := slices.SortedFunc(slices.Values(data), func(a, b Forecast) int { return cmp.Compare(a.P, b.P) })
	var pools []pool
	for i, f := range sorted {
		if i > 0 && f.P == sorted[i-1].P {
			// Equal scores are one point: their order is not information.
			pools[len(pools)-1].sum += f.y()
			pools[len(pools)-1].count++
			continue
		}
		pools = append(pools, pool{f.P, f.P, f.y(), 1})
	}
	merged := pools[:0]
	for _, p := range pools {
		for len(merged) > 0 {
			last := merged[len(merged)-1]
			if last.sum*p.count < p.sum*last.count {
				break
			}
			p = pool{last.lo, p.hi, last.sum + p.sum, last.count + p.count}
			merged = merged[:len(merged)-1]
		}
		merged = append(merged, p)
	}
	iso := &Isotonic{}
	for _, p := range merged {
		mean := p.sum / p.count
		iso.Score, iso.P = append(iso.Score, p.lo), append(iso.P, mean)
		if p.hi > p.lo {
			iso.Score, iso.P = append(iso.Score, p.hi), append(iso.P, mean)
		}
	}
	return iso, ""
}

// Map is the fitted probability of a score.
func (iso *Isotonic) Map(score float64) float64 {
	i, exact := slices.BinarySearch(iso.Score, score)
	switch {
	case exact:
		return iso.P[i]
	case i == 0:
		return iso.P[0]
	case i == len(iso.Score):
		return iso.P[i-1]
	}
	share := (score - iso.Score[i-1]) / (iso.Score[i] - iso.Score[i-1])
	return interpolate(iso.P[i-1], iso.P[i], share)
}
