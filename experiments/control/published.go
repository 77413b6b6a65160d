package control

import (
	"fmt"

	"plumbline/experiments/belief"
	"plumbline/experiments/stats"
)

// PublishedPolicies are the names of the eight policies in the published
// replays of paper B's recorded critics, in their order.
func PublishedPolicies() []string {
	return []string{
		"always_verify", "threshold_L0", "threshold_L2", "threshold_L3", "fixed_pipeline", "best_of_3",
		"bayesian_DP", "bayesian_greedy",
	}
}

// PublishedOptions of ReplayPublished. The zero value is the main table.
type PublishedOptions struct {
	// Kernel of bayesian_DP; nil means a fresh draw from the fitted prior
	// ("iid_synth").
	Kernel *belief.Kernel
	// LeaveOneOut fits prior and likelihoods without the task that is played.
	LeaveOneOut bool
}

// ReplayPublished plays the published policies by the published rules, which
// differ from those of Replay and are kept for comparison only:
//
//   - Prior and likelihoods are fitted on all candidates of the same tasks they
//     are judged on, unless LeaveOneOut.
//   - The two Bayesian policies may ask a deterministic critic again and take the
//     same verdict for new evidence. bayesian_DP is the 51-point grid programme.
//   - A gate pays for one more generation when all recorded candidates fail,
//     except threshold_L2; a run of tests costs threshold_L2 1 instead of 2.
//   - fixed_pipeline runs syntax and llm only; best_of_3 verifies the last of
//     three candidates.
//
// Every task must have the critics syntax, tests and llm and as many candidates
// as the first one.
func ReplayPublished(t belief.Table, o PublishedOptions) ([]Replayed, error) {
	sub, err := t.Select("syntax", "tests", "llm")
	if err != nil {
		return nil, fmt.Errorf("replay the published policies: %w", err)
	}
	if len(sub.Tasks) == 0 {
		return nil, fmt.Errorf("replay the published policies: there are no tasks")
	}
	candidates := len(sub.Tasks[0].Candidates)
	for _, k := range sub.Tasks {
		if len(k.Candidates) != candidates || candidates == 0 {
			return nil, fmt.Errorf("replay the published policies: task %s has %d candidates, the first task %d; all must have the same number, not 0",
				k.ID, len(k.Candidates), candidates)
		}
	}
	names := PublishedPolicies()
	out := make([]Replayed, len(names))
	for i, name := range names {
		policies := make([]Policy, len(sub.Tasks))
		for k := range sub.Tasks {
			if k > 0 && !o.LeaveOneOut {
				policies[k] = policies[0]
				continue
			}
			train := sub
			if o.LeaveOneOut {
				id := sub.Tasks[k].ID
				train = sub.Where(func(task belief.Task) bool { return task.ID != id })
			}
			if policies[k], err = publishedPolicy(name, train, o.Kernel); err != nil {
				return nil, fmt.Errorf("replay the published policies: %s: %w", name, err)
			}
		}
		budget := candidates // one generation more than recorded: censored, as published
		if name == "threshold_L2" || name == "best_of_3" || name == "always_verify" {
			budget = candidates - 1
		}
		if out[i], err = ReplayEach(name, policies, sub, ReplayOptions{Regenerations: &budget, Cap: 1000}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func publishedPolicy(name string, train belief.Table, kernel *belief.Kernel) (Policy, error) {
	est, err := belief.Fit(train, belief.Options{Scope: belief.AllCandidates})
	if err != nil {
		return nil, err
	}
	p, err := DraftOracle().Problem(est)
	if err != nil {
		return nil, err
	}
	p.Kernel = belief.IID(p.Prior)
	if kernel != nil {
		p.Kernel = *kernel
	}
	b := Budget{Actions: Unlimited, Regenerations: GridHorizon}
	switch name {
	case "threshold_L0":
		return New("gate:syntax", p, b)
	case "threshold_L2":
		p.Critics[p.CriticIndex("tests")].Cost = 1
		return New("gate:tests", p, b)
	case "threshold_L3":
		return New("gate:llm", p, b)
	case "fixed_pipeline":
		return New("pipeline:syntax+llm", p, b)
	case "best_of_3":
		return New("best_of_n_last", p, b)
	case "bayesian_DP":
		return NewGrid(p, GridHorizon, GridPoints, Rules{Repeat: true})
	case "bayesian_greedy":
		return newGreedy("greedy_prior", p, Rules{After: ToPrior, Repeat: true})
	}
	return New("always_verify", p, b)
}

// PublishedInterval is the published bootstrap interval of the difference of two
// policies: 1000 paired resamples of the tasks from numpy's default_rng(seed),
// 95%, type 7 quantiles. nil for fewer than two tasks.
func PublishedInterval(a, reference Replayed, seed uint32) (*stats.Interval, error) {
	diffs, _, _, err := differences(a, reference, 0)
	if err != nil {
		return nil, err
	}
	if len(diffs) < 2 {
		return nil, nil
	}
	rng := newPCG64(seed)
	means := make([]float64, belief.DefaultResamples)
	for r := range means {
		var sum float64
		for range diffs {
			sum += diffs[rng.below(uint32(len(diffs)))]
		}
		means[r] = sum / float64(len(diffs))
	}
	return belief.Percentile(means, len(diffs), methodPaired, stats.Options{Seed: uint64(seed)}), nil
}
