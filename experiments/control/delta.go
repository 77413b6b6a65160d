package control

import (
	"fmt"
	"math"

	"plumbline/experiments/belief"
	"plumbline/experiments/stats"
)

// Delta is the paired difference of two policies on the same tasks: the mean
// utility of one less that of the other (paper B reports it against
// always_verify).
type Delta struct {
	Policy    string          `json:"policy"`
	Reference string          `json:"reference"`
	Mean      *float64        `json:"mean"` // nil if no task was replayed under both
	N         int             `json:"n"`    // tasks replayed to the end under both
	Interval  *stats.Interval `json:"interval"`
	// Lower and Upper bound the mean when censored episodes of the policy (of the
	// reference) are given the most that the missing candidate could have brought.
	Lower    *float64 `json:"lower_bound"`
	Upper    *float64 `json:"upper_bound"`
	Warnings []string `json:"warnings"`
}

// methodPaired names the intervals of Compare.
const methodPaired = "paired percentile bootstrap by task"

// Compare resamples tasks and evaluates both policies on the same resample. The
// two must have been replayed on the same tasks in the same order. All
// comparisons with one seed use the same resamples. Bonus is max(0, R - C_ver),
// the most that a censored episode could still have earned.
func Compare(a, reference Replayed, bonus float64, o stats.Options) (Delta, error) {
	d := Delta{Policy: a.Policy, Reference: reference.Policy}
	diffs, lower, upper, err := differences(a, reference, bonus)
	if err != nil {
		return d, err
	}
	d.N = len(diffs)
	if left := len(a.Episodes) - d.N; left > 0 {
		d.Warnings = append(d.Warnings, fmt.Sprintf("%d of %d tasks were not replayed to the end under both policies and are left out", left, len(a.Episodes)))
	}
	if d.N == 0 {
		d.Warnings = append(d.Warnings, "there is no task to compare on")
		return d, nil
	}
	mean := average(diffs)
	d.Mean = &mean
	lo, hi := average(lower), average(upper)
	d.Lower, d.Upper = &lo, &hi
	if d.N == 1 {
		d.Warnings = append(d.Warnings, "one task gives no interval")
		return d, nil
	}
	o = belief.Resampling(o)
	rng := stats.Rand(o.Seed, "paired utility", 0)
	replicates := make([]float64, o.Resamples)
	for r := range replicates {
		var sum float64
		for range diffs {
			sum += diffs[rng.IntN(len(diffs))]
		}
		replicates[r] = sum / float64(len(diffs))
	}
	d.Interval = belief.Percentile(replicates, d.N, methodPaired, o)
	return d, nil
}

// differences pairs the episodes that ended under both policies.
func differences(a, b Replayed, bonus float64) (mean, lower, upper []float64, err error) {
	if len(a.Episodes) != len(b.Episodes) {
		return nil, nil, nil, fmt.Errorf("compare %s with %s: %d tasks against %d", a.Policy, b.Policy, len(a.Episodes), len(b.Episodes))
	}
	if math.IsNaN(bonus) || bonus < 0 {
		return nil, nil, nil, fmt.Errorf("compare %s with %s: the bonus of a censored task is %g", a.Policy, b.Policy, bonus)
	}
	for i := range a.Episodes {
		x, y := &a.Episodes[i], &b.Episodes[i]
		if x.Task != y.Task || x.Group != y.Group {
			return nil, nil, nil, fmt.Errorf("compare %s with %s: task %d is %s to one and %s to the other", a.Policy, b.Policy, i, x.Task, y.Task)
		}
		if x.Status == Unreplayable || y.Status == Unreplayable {
			continue
		}
		diff := x.Utility - y.Utility
		lo, hi := diff, diff
		if x.Status == Censored {
			hi += bonus
		}
		if y.Status == Censored {
			lo -= bonus
		}
		mean, lower, upper = append(mean, diff), append(lower, lo), append(upper, hi)
	}
	return mean, lower, upper, nil
}

func average(xs []float64) float64 {
	var sum float64
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}
