package belief

import (
	"math"
	"slices"

	"plumbline/experiments/stats"
)

// Rate is a share with what it rests on.
type Rate struct {
	K int `json:"k"`
	N int `json:"n"`
	// Value is the smoothed estimate (k + α)/(n + α + β); with no data it is the
	// mean of the prior, α/(α+β), and there is no interval.
	Value float64 `json:"value"`
	// Wilson treats the n observations as independent; nil if n is 0.
	Wilson *stats.Interval `json:"wilson"`
	// ByTask is the bootstrap interval over tasks of the smoothed value, the one
	// to show when a task gives several observations; nil unless asked for.
	ByTask *stats.Interval `json:"by_task"`
}

func wilson(k, n int) *stats.Interval {
	iv, _ := stats.Wilson(k, n, stats.DefaultLevel)
	return iv
}

// Percentile makes the percentile interval of the replicates of one statistic
// over the given number of tasks, with type 7 quantiles; nil if fewer than two
// are defined. NaN replicates are dropped and counted. It reorders replicates.
func Percentile(replicates []float64, tasks int, method string, o stats.Options) *stats.Interval {
	o = Resampling(o)
	total := len(replicates)
	ok := slices.DeleteFunc(replicates, math.IsNaN)
	if len(ok) < 2 {
		return nil
	}
	slices.Sort(ok)
	tail := (1 - o.Level) / 2
	return &stats.Interval{
		Lo: stats.Quantile(ok, tail), Hi: stats.Quantile(ok, 1-tail), Method: method, Level: o.Level, N: tasks,
		Resamples: total, Dropped: total - len(ok), Seed: o.Seed,
	}
}

// DefaultResamples is the number of replicates of paper B's study.
const DefaultResamples = 1000

// Resampling fills in the defaults of this package: 1000 replicates at 95%.
func Resampling(o stats.Options) stats.Options {
	if o.Resamples <= 0 {
		o.Resamples = DefaultResamples
	}
	if !(o.Level > 0 && o.Level < 1) {
		o.Level = stats.DefaultLevel
	}
	return o
}
