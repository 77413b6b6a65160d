package stats

import "math"

// BrierResult is the Brier score with its decomposition over bins.
type BrierResult struct {
	// Score is the mean squared difference of forecast and outcome (Brier 1950).
	Score Number
	// Score = Reliability - Resolution + Uncertainty + WithinBin. The first three
	// are those of Murphy (1973); WithinBin is what bins hide, the variance of the
	// forecasts inside a bin minus twice their covariance with the outcome
	// (Stephenson et al. 2008), and 0 when each bin holds one distinct forecast.
	Reliability, Resolution, Uncertainty, WithinBin Number
	// Skill is 1 - Score/Uncertainty, against always forecasting the base rate. It
	// is undefined when all outcomes are the same.
	Skill Number
}

// Brier scores forecasts and decomposes the score over equal-width bins.
func Brier(forecasts []Forecast, bins int) BrierResult {
	c := EqualWidth(forecasts, bins)
	if c.Reason != "" {
		u := unknown(c.Reason)
		return BrierResult{u, u, u, u, u, u}
	}
	n := float64(len(forecasts))
	score, right := 0.0, 0.0
	for _, f := range forecasts {
		d := f.P - f.y()
		score += d * d
		right += f.y()
	}
	score /= n
	base := right / n
	uncertainty := base * (1 - base)
	reliability, resolution := 0.0, 0.0
	for _, b := range c.Bins {
		w := float64(b.Count) / n
		reliability += w * b.Gap * b.Gap
		resolution += w * (b.Accuracy - base) * (b.Accuracy - base)
	}
	r := BrierResult{
		Score: known(score), Reliability: known(reliability), Resolution: known(resolution),
		Uncertainty: known(uncertainty), WithinBin: known(score - (reliability - resolution + uncertainty)),
	}
	if uncertainty == 0 {
		r.Skill = unknown("all outcomes are the same")
	} else {
		r.Skill = known(1 - score/uncertainty)
	}
	return r
}

// logClip keeps the log loss of a sure and wrong forecast finite.
const logClip = 1e-15

// LogLoss is the mean negative log likelihood, in nats, of forecasts clipped to
// [1e-15, 1-1e-15].
func LogLoss(forecasts []Forecast) Number {
	if reason := badForecasts(forecasts, 1); reason != "" {
		return unknown(reason)
	}
	sum := 0.0
	for _, f := range forecasts {
		p := min(max(f.P, logClip), 1-logClip)
		if f.Right {
			sum -= math.Log(p)
		} else {
			sum -= math.Log(1 - p)
		}
	}
	return known(sum / float64(len(forecasts)))
}
