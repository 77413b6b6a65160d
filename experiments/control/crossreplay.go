package control

import (
	"fmt"

	"plumbline/experiments/belief"
)

// KernelSource says where the kernel of a cross-fitted problem comes from.
type KernelSource string

const (
	// FittedKernel counts consecutive pairs of the training tasks. On independent
	// samples of one task that measures the difficulty of tasks.
	FittedKernel KernelSource = ""
	// FreshDraws takes a regeneration for a fresh draw from the fitted prior.
	FreshDraws KernelSource = "iid"
)

// CrossReplayOptions of ReplayCrossFitted.
type CrossReplayOptions struct {
	Fit    belief.CrossOptions
	Kernel KernelSource
	// Given, if not nil, is a kernel measured elsewhere; it wins over Kernel.
	Given  *belief.Kernel
	Costs  Costs
	Replay ReplayOptions
}

// ReplayCrossFitted plays the named policies on every task with parameters
// fitted on the other folds only. The critics are those with a cost. Tempering
// is a property of beliefs, not of controllers, and is refused here. The fits
// are returned beside the results.
func ReplayCrossFitted(names []string, t belief.Table, folds []int, o CrossReplayOptions) ([]Replayed, []belief.FoldFit, error) {
	if o.Fit.Temper {
		return nil, nil, fmt.Errorf("replay with cross-fitting: a controller cannot plan with tempered evidence; join or count dependent critics instead")
	}
	fits, err := belief.CrossFit(t, folds, o.Fit)
	if err != nil {
		return nil, nil, fmt.Errorf("replay with cross-fitting: %w", err)
	}
	budget := Budget{Actions: Unlimited}
	if o.Replay.Actions > 0 {
		budget.Actions = o.Replay.Actions
	}
	for _, k := range t.Tasks {
		budget.Regenerations = max(budget.Regenerations, len(k.Candidates)-1)
	}
	if o.Replay.Regenerations != nil {
		budget.Regenerations = *o.Replay.Regenerations
	}
	out := make([]Replayed, len(names))
	for n, name := range names {
		episodes := make([]Episode, len(t.Tasks))
		var last Policy
		for _, f := range fits {
			if last, err = o.policy(name, f, budget); err != nil {
				return nil, nil, err
			}
			part, err := Replay(last, f.Held, o.Replay)
			if err != nil {
				return nil, nil, err
			}
			for i, e := range part.Episodes {
				episodes[f.Tasks[i]] = e
			}
		}
		out[n] = Summarise(last, episodes)
	}
	return out, fits, nil
}

func (o CrossReplayOptions) policy(name string, f belief.FoldFit, b Budget) (Policy, error) {
	p, err := o.Costs.Problem(f.Estimate)
	if err != nil {
		return nil, fmt.Errorf("fold %d: %w", f.Fold, err)
	}
	if o.Kernel == FreshDraws {
		p.Kernel = belief.IID(p.Prior)
	}
	if o.Given != nil {
		p.Kernel = *o.Given
	}
	return New(name, p, b)
}
