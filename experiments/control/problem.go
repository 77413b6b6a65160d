package control

import (
	"errors"
	"fmt"
	"math"

	"plumbline/experiments/belief"
)

// Critic is a critic with its price.
type Critic struct {
	belief.Critic
	Cost float64 `json:"cost"`
	// PassAt is the lowest outcome that gates and pipelines count as a pass; 0
	// means pass of a binary critic, and more than half of k votes of a count.
	PassAt belief.Outcome `json:"pass_at,omitempty"`
}

// Passes reports whether gates count the outcome as a pass. A missing outcome is
// no pass.
func (c *Critic) Passes(z belief.Outcome) bool {
	at := c.PassAt
	if at <= 0 {
		at = belief.Outcome((c.Outcomes()-1)/2 + 1)
	}
	return z >= at
}

// VerifyFail says what follows a verification that shows a defect.
type VerifyFail string

const (
	// End: the episode is over (the default).
	End VerifyFail = ""
	// Continue: the candidate is known to be defective and the episode goes on,
	// if an action is left; the verification used one.
	Continue VerifyFail = "continue"
)

// Problem is one decision problem. All amounts share one unit; the rewards and
// costs are not negative.
type Problem struct {
	Reward         float64       `json:"reward"`
	CostVerify     float64       `json:"cost_verify"`
	CostRegenerate float64       `json:"cost_regenerate"`
	Prior          float64       `json:"prior"`
	Kernel         belief.Kernel `json:"kernel"`
	Critics        []Critic      `json:"critics"`
	VerifyFail     VerifyFail    `json:"on_verify_fail,omitempty"`
	// ShipLoss, if not nil, lets a stop hand over the candidate unverified for
	// the reward if it is correct and this loss if it is not.
	ShipLoss *float64 `json:"ship_loss,omitempty"`
}

// Validate returns an error that names every parameter without a meaning, and
// warnings about parameters that have one but surprise.
func (p *Problem) Validate() (warnings []string, err error) {
	var errs []error
	amount := func(what string, x float64) {
		switch {
		case math.IsNaN(x) || math.IsInf(x, 0):
			errs = append(errs, fmt.Errorf("%s is not a finite number", what))
		case x < 0:
			errs = append(errs, fmt.Errorf("%s is %g; it must not be negative", what, x))
		}
	}
	amount("the reward", p.Reward)
	amount("the cost of a verification", p.CostVerify)
	amount("the cost of a regeneration", p.CostRegenerate)
	if p.ShipLoss != nil {
		amount("the loss of shipping a defect", *p.ShipLoss)
	}
	if err := belief.Probability(p.Prior); err != nil {
		errs = append(errs, fmt.Errorf("the prior %w", err))
	}
	if err := p.Kernel.Validate(); err != nil {
		errs = append(errs, err)
	}
	if p.VerifyFail != End && p.VerifyFail != Continue {
		errs = append(errs, fmt.Errorf("on_verify_fail is %q; it is empty or %q", p.VerifyFail, Continue))
	}
	if len(p.Critics) > MaxCritics {
		errs = append(errs, fmt.Errorf("%d critics are more than %d", len(p.Critics), MaxCritics))
	}
	names := map[string]bool{}
	for i := range p.Critics {
		c := &p.Critics[i]
		if err := c.Validate(); err != nil {
			errs = append(errs, err)
		}
		amount(fmt.Sprintf("the cost of critic %q", c.Name), c.Cost)
		if names[c.Name] {
			errs = append(errs, fmt.Errorf("two critics are called %q", c.Name))
		}
		names[c.Name] = true
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("check decision problem: %w", err)
	}
	return p.warnings(), nil
}

func (p *Problem) warnings() []string {
	var out []string
	warn := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if p.CostVerify > p.Reward {
		warn("a verification costs %g and a solved task pays %g: no policy that verifies can gain", p.CostVerify, p.Reward)
	}
	if p.Prior == 0 || p.Prior == 1 {
		warn("the prior is %g: no critic can change it", p.Prior)
	}
	for i := range p.Critics {
		c := &p.Critics[i]
		same, certain := true, false
		for z := range c.Correct {
			same = same && c.Correct[z] == c.Defect[z]
			certain = certain || (c.Correct[z] == 0) != (c.Defect[z] == 0)
		}
		switch {
		case same:
			warn("critic %q says the same about correct and defective candidates: it is never worth its cost", c.Name)
		case certain:
			warn("critic %q has a likelihood of 0 or 1: one outcome makes the belief certain; smooth the estimate unless this is meant", c.Name)
		}
	}
	return out
}

// valid is Validate without the warnings.
func (p *Problem) valid() error {
	_, err := p.Validate()
	return err
}

// Clone copies the problem with its own critics.
func (p *Problem) Clone() Problem {
	out := *p
	out.Critics = append([]Critic(nil), p.Critics...)
	return out
}

// CriticIndex is the index of a critic by name, or -1.
func (p *Problem) CriticIndex(name string) int {
	for i := range p.Critics {
		if p.Critics[i].Name == name {
			return i
		}
	}
	return -1
}

// stop is the value of ending without verification: 0, or that of shipping if it
// is allowed and better.
func (p *Problem) stop(b float64) float64 {
	if p.ShipLoss == nil {
		return 0
	}
	return math.Max(0, p.Reward*b-*p.ShipLoss*(1-b))
}

// Ships reports whether a stop at belief b hands over the candidate unverified.
func (p *Problem) Ships(b float64) bool { return p.stop(b) > 0 }

// verify is the value of a verification that ends the episode.
func (p *Problem) verify(b float64) float64 { return p.Reward*b - p.CostVerify }

// terminal is the better of verify and stop.
func (p *Problem) terminal(b float64) float64 { return math.Max(p.verify(b), p.stop(b)) }
