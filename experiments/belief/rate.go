package belief

import "math"

// Rate is a share with what it rests on.
type Rate struct {
	K int `json:"k"`
	N int `json:"n"`
	// Value is the smoothed estimate (k + α)/(n + α + β); with no data it is the
	// mean of the prior, α/(α+β), and there is no interval.
	Value float64 `json:"value"`
	// Wilson treats the n observations as independent; nil if n is 0.
	Wilson *Interval `json:"wilson"`
	// ByTask is the bootstrap interval over tasks of the smoothed value, the one
	// to show when a task gives several observations; nil unless asked for.
	ByTask *Interval `json:"by_task"`
}

// Interval is a two-sided interval with how it was made.
type Interval struct {
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
	Level float64 `json:"level"`
	// Resamples, Dropped and Seed belong to a bootstrap: how many replicates were
	// drawn, how many had no defined value, and from which seed.
	Resamples int     `json:"resamples,omitempty"`
	Dropped   int     `json:"dropped,omitempty"`
	Seed      *uint64 `json:"seed,omitempty"`
}

// z95 is the 97.5% point of the normal distribution.
const z95 = 1.959963984540054

// Wilson is the 95% score interval of k successes in n trials (Wilson 1927); nil
// for n = 0.
func Wilson(k, n int) *Interval {
	if n <= 0 {
		return nil
	}
	p, m, z := float64(k)/float64(n), float64(n), z95
	centre := p + z*z/(2*m)
	half := z * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	scale := 1 + z*z/m
	return &Interval{
		Lo:    math.Max(0, (centre-half)/scale),
		Hi:    math.Min(1, (centre+half)/scale),
		Level: 0.95,
	}
}
