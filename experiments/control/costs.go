package control

import (
	"errors"
	"fmt"
	"math"

	"plumbline/experiments/belief"
)

// Costs is what a problem has beside its estimates. A critic that is not listed
// cannot be used.
type Costs struct {
	Reward     float64            `json:"reward"`
	Verify     float64            `json:"verify"`
	Regenerate float64            `json:"regenerate"`
	Critics    map[string]float64 `json:"critics"`
}

// SlowOracle is the cost vector of paper B for benchmarks whose verification is
// expensive (SWE-bench), with its critics syntax, tests and llm.
func SlowOracle() Costs {
	return Costs{Reward: 100, Verify: 90, Regenerate: 10, Critics: map[string]float64{"syntax": 1, "tests": 2, "llm": 5}}
}

// FastOracle is the cost vector of paper B for all other benchmarks.
func FastOracle() Costs {
	return Costs{Reward: 100, Verify: 5, Regenerate: 10, Critics: map[string]float64{"syntax": 1, "tests": 1, "llm": 1}}
}

// DraftOracle is the cost vector of the earlier drafts of paper B and of the
// published replays of its recorded critics.
func DraftOracle() Costs {
	return Costs{Reward: 100, Verify: 30, Regenerate: 5, Critics: map[string]float64{"syntax": 1, "tests": 2, "llm": 5}}
}

// Problem joins estimates and costs. The critics are those of the estimate that
// have a cost, in the order of the estimate; a cost without a critic is an error.
func (c Costs) Problem(e belief.Estimate) (Problem, error) {
	p := Problem{
		Reward: c.Reward, CostVerify: c.Verify, CostRegenerate: c.Regenerate,
		Prior: e.Prior.Value, Kernel: e.Kernel.Kernel,
	}
	for _, k := range e.Critics {
		if cost, ok := c.Critics[k.Name]; ok {
			p.Critics = append(p.Critics, Critic{Critic: k.Critic, Cost: cost})
		}
	}
	for name := range c.Critics {
		if p.CriticIndex(name) < 0 {
			return Problem{}, fmt.Errorf("make decision problem: there is a cost for %q but no such critic", name)
		}
	}
	return p, p.valid()
}

// Spent is what one action was measured to take; nil is unknown.
type Spent struct {
	Money   *float64 `json:"money"`
	Seconds *float64 `json:"seconds"`
}

// Exchange turns money and time into units of utility.
type Exchange struct {
	// Reward is the utility of a solved task and Worth its value in money; their
	// quotient is the price of one unit of money.
	Reward, Worth float64
	// Second is the value of one second of waiting in money; 0 if time is free.
	Second float64
}

// Units is Reward (money + Second·seconds) / Worth. An unknown amount is an
// error, never 0, unless its price is 0.
func (x Exchange) Units(s Spent) (float64, error) {
	for _, v := range []float64{x.Reward, x.Worth, x.Second} {
		if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
			return 0, fmt.Errorf("convert a cost: reward %g, worth %g and value of a second %g must be finite and not negative", x.Reward, x.Worth, x.Second)
		}
	}
	if x.Worth == 0 {
		return 0, errors.New("convert a cost: a solved task must be worth some money")
	}
	if s.Money == nil {
		return 0, errors.New("convert a cost: the money spent is unknown")
	}
	total := *s.Money
	if x.Second > 0 {
		if s.Seconds == nil {
			return 0, errors.New("convert a cost: the time spent is unknown")
		}
		total += x.Second * *s.Seconds
	}
	return x.Reward * total / x.Worth, nil
}
