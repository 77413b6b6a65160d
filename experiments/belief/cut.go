package belief

import (
	"fmt"
	"math"
	"slices"

	"plumbline/experiments/stats"
)

// Cut is a threshold that turns a score into a critic.
type Cut struct {
	Score     string  `json:"score"`
	Threshold float64 `json:"threshold"` // pass at or above it
	Gap       float64 `json:"gap"`       // smoothed P(pass|1) - P(pass|0) on the data it was chosen on
	N         int     `json:"n"`         // labelled scores it was chosen on
}

// CutQuantiles is how many inner quantiles of the score ChooseCut tries when
// asked for 0: 5%, 10%, …, 95%.
const CutQuantiles = 19

// ChooseCut picks the threshold among the quantiles of a score that separates
// the classes best: the largest |P(pass|1) - P(pass|0)| after smoothing, the
// lowest threshold among equals. Give it training tasks only: a threshold chosen
// on the tasks it is judged on flatters itself.
func (t Table) ChooseCut(score string, quantiles int, o Options) (Cut, error) {
	o, err := o.normal()
	if err != nil {
		return Cut{}, fmt.Errorf("choose threshold: %w", err)
	}
	s := slices.Index(t.Scores, score)
	if s < 0 {
		return Cut{}, fmt.Errorf("choose threshold: there is no score %q", score)
	}
	if quantiles <= 0 {
		quantiles = CutQuantiles
	}
	var all []float64
	var byClass [2][]float64
	for _, k := range t.Tasks {
		for _, c := range k.scoped(o.Scope) {
			if x := c.Scores[s]; c.Y != Unknown && !math.IsNaN(x) {
				all = append(all, x)
				byClass[c.Y-Defective] = append(byClass[c.Y-Defective], x)
			}
		}
	}
	if len(byClass[0]) == 0 || len(byClass[1]) == 0 {
		return Cut{}, fmt.Errorf("choose threshold for %s: it needs scores of correct and of defective candidates, there are %d and %d",
			score, len(byClass[1]), len(byClass[0]))
	}
	slices.Sort(all)
	best := Cut{Score: score, N: len(all), Gap: math.NaN()}
	for q := 1; q <= quantiles; q++ {
		at := stats.Quantile(all, float64(q)/float64(quantiles+1))
		gap := o.passShare(byClass[1], at) - o.passShare(byClass[0], at)
		if math.IsNaN(best.Gap) || math.Abs(gap) > math.Abs(best.Gap)+1e-12 {
			best.Threshold, best.Gap = at, gap
		}
	}
	return best, nil
}

func (o Options) passShare(scores []float64, threshold float64) float64 {
	k := 0
	for _, x := range scores {
		if x >= threshold {
			k++
		}
	}
	return o.rate(k, len(scores)).Value
}
