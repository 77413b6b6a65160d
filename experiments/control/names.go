package control

import (
	"fmt"
	"strings"
)

// Names lists the policies of a problem in the order in which they are compared:
// the baselines, a gate and a loop for each critic, then the controllers.
func Names(p *Problem) []string {
	out := []string{"always_verify", "stop", "best_of_n_last", "best_of_n_select"}
	for i := range p.Critics {
		out = append(out, "gate:"+p.Critics[i].Name)
	}
	if len(p.Critics) > 0 {
		out = append(out, "pipeline", "pipeline_early_exit")
	}
	for i := range p.Critics {
		out = append(out, "loop:"+p.Critics[i].Name)
	}
	return append(out, "greedy_prior", "greedy_kernel", "dp")
}

// PaperNames lists the ten policies of paper B's release for a problem with the
// given three critics: always verify, best of n, three gates, the fixed
// pipeline, Self-Refine and Reflexion as they are replayed (the last candidate
// of a chain; a loop on the public tests), greedy and DP. Self-Refine and
// best-of-n are the same rule on different recorded candidates, so the list has
// best_of_n_select in the place of the second.
func PaperNames(syntax, tests, llm string) []string {
	return []string{
		"always_verify", "best_of_n_last", "gate:" + syntax, "gate:" + tests, "gate:" + llm,
		"pipeline", "best_of_n_select", "loop:" + tests, "greedy_kernel", "dp",
	}
}

// New builds a policy by name. The budget matters to dp and dp_tree only; give
// the largest budget of the states it will see.
func New(name string, p Problem, b Budget) (Policy, error) {
	if err := p.valid(); err != nil {
		return nil, err
	}
	if err := b.valid(); err != nil {
		return nil, fmt.Errorf("policy %s: %w", name, err)
	}
	fixed := func(next func(*Model, *State) (Action, string), look sight) (Policy, error) {
		return &rule{base{name, Model{Problem: p.Clone()}}, next, look}, nil
	}
	switch name {
	case "always_verify":
		return fixed(alwaysVerify, sight{})
	case "stop":
		return fixed(neverAct, sight{})
	case "best_of_n_last":
		return fixed(bestOfLast, sight{})
	case "best_of_n_select":
		return fixed(bestOfSelect, sight{belief: true, best: true})
	case "greedy_prior":
		return NewGreedyPrior(p)
	case "greedy_kernel":
		return NewGreedyKernel(p)
	case "dp":
		return NewDP(p, b)
	case "dp_tree":
		return NewReach(p, b)
	case "dp_grid51":
		return NewGrid(p, GridHorizon, GridPoints, Rules{})
	}
	kind, of, _ := strings.Cut(name, ":")
	c := screen{earlyExit: kind == "pipeline_early_exit", insist: kind == "loop"}
	switch {
	case (kind == "gate" || kind == "loop") && of != "":
		i := p.CriticIndex(of)
		if i < 0 {
			return nil, fmt.Errorf("policy %s: there is no critic %q", name, of)
		}
		c.critics = []int{i}
	case name == "pipeline" || name == "pipeline_early_exit":
		for i := range p.Critics {
			c.critics = append(c.critics, i)
		}
	case (kind == "pipeline" || kind == "pipeline_early_exit") && of != "":
		for _, n := range strings.Split(of, "+") {
			i := p.CriticIndex(n)
			if i < 0 {
				return nil, fmt.Errorf("policy %s: there is no critic %q", name, n)
			}
			c.critics = append(c.critics, i)
		}
	default:
		return nil, fmt.Errorf("there is no policy %q", name)
	}
	if len(c.critics) == 0 {
		return nil, fmt.Errorf("policy %s: it needs a critic", name)
	}
	return fixed(c.next, sight{outcomes: true})
}
