package control

import (
	"fmt"
	"math"

	"plumbline/experiments/stats"
)

// Summarise computes the means and shares of episodes played with the costs of a
// policy's problem.
func Summarise(p Policy, episodes []Episode) Replayed {
	out := Replayed{Policy: p.Name(), Episodes: episodes}
	problem := &p.Model().Problem
	bonus := math.Max(0, problem.Reward-problem.CostVerify)
	var sum, upper float64
	solved, verified := 0, 0
	impossible := 0
	for i := range episodes {
		e := &episodes[i]
		impossible += e.Impossible
		if e.Status == Unreplayable {
			continue
		}
		out.N++
		sum += e.Utility
		upper += e.Utility
		switch e.Status {
		case Censored:
			out.Censored++
			upper += bonus
		case Verified:
			verified++
		case Capped:
			out.Capped++
		}
		if e.Solved {
			solved++
		}
		if e.Mismatch {
			out.Mismatched++
		}
	}
	if out.N > 0 {
		mean, top := sum/float64(out.N), upper/float64(out.N)
		out.MeanUtility, out.MeanUtilityUpper = &mean, &top
	}
	const none = "no task could be replayed to the end"
	out.Solve, out.Verify = stats.RateOf(solved, out.N, none), stats.RateOf(verified, out.N, none)
	out.Replayable = stats.RateOf(out.N, len(episodes), "there are no tasks")
	out.warn(len(episodes), impossible)
	return out
}

func (r *Replayed) warn(tasks, impossible int) {
	add := func(format string, args ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...)) }
	if tasks == 0 {
		add("there are no tasks")
	}
	if n := tasks - r.N; n > 0 {
		add("%d of %d tasks could not be replayed to the end and are left out; the rest need not be like them", n, tasks)
	}
	if r.Censored > 0 {
		add("%d of %d tasks were stopped for want of a recorded candidate", r.Censored, r.N)
	}
	if r.Mismatched > 0 {
		add("%d of %d tasks use a recorded candidate that was made with other feedback", r.Mismatched, r.N)
	}
	if r.Capped > 0 {
		add("%d of %d tasks ran into the limit of actions", r.Capped, r.N)
	}
	if impossible > 0 {
		add("%d outcomes were impossible under the likelihoods", impossible)
	}
}
