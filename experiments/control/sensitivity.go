package control

import (
	"fmt"
	"math"

	"plumbline/experiments/belief"
)

// ShiftMode says how likelihoods are shifted.
type ShiftMode string

const (
	// Same moves P(pass | correct) and P(pass | defective) the same way.
	Same ShiftMode = "same"
	// Shrink moves the two towards each other (for a negative shift, apart): the
	// critics are less informative than thought.
	Shrink ShiftMode = "shrink"
)

// Shift returns the problem with the pass rates of all binary critics moved by
// delta and clipped to [0.01, 0.99]; critics with more outcomes are left alone.
func Shift(p *Problem, delta float64, mode ShiftMode) Problem {
	out := p.Clone()
	clip := func(x float64) float64 { return math.Min(0.99, math.Max(0.01, x)) }
	for i := range out.Critics {
		c := &out.Critics[i]
		if !c.IsBinary() {
			continue
		}
		p1, p0 := c.Correct[1], c.Defect[1]
		d1, d0 := delta, delta
		if mode == Shrink {
			d1 = -math.Copysign(delta, p1-p0)
			if delta < 0 {
				d1 = -d1
			}
			d0 = -d1
		}
		c.Critic = belief.Binary(c.Name, clip(p1+d1), clip(p0+d0))
	}
	return out
}

// Sensitivity is one policy under one shift.
type Sensitivity struct {
	Shift  float64   `json:"shift"`
	Mode   ShiftMode `json:"mode"`
	Policy string    `json:"policy"`
	// Shifted is the value if the shifted likelihoods are true and the policy
	// knows them; Mistaken if the policy believes the shifted ones while the
	// original are true; Base with the original known. Loss = Base - Mistaken ≥ 0
	// for dp is what the wrong estimate costs.
	Shifted  float64 `json:"shifted"`
	Mistaken float64 `json:"mistaken"`
	Base     float64 `json:"base"`
	Loss     float64 `json:"loss"`
}

// Shifts are those of the authors' study.
var shifts = [...]float64{-0.2, -0.1, 0.1, 0.2}

// Sensitivities re-solves and re-evaluates the named policies for shifts of
// ±0.1 and ±0.2 in both modes.
func Sensitivities(names []string, p *Problem, b Budget) ([]Sensitivity, error) {
	base, err := EvaluateAll(names, p, b)
	if err != nil {
		return nil, err
	}
	var out []Sensitivity
	for _, mode := range []ShiftMode{Same, Shrink} {
		for _, delta := range shifts {
			q := Shift(p, delta, mode)
			for i, name := range names {
				policy, err := New(name, q, b)
				if err != nil {
					return nil, err
				}
				known, err := Evaluate(policy, &q, b)
				if err != nil {
					return nil, fmt.Errorf("shift %+g (%s): %w", delta, mode, err)
				}
				wrong, err := Evaluate(policy, p, b)
				if err != nil {
					return nil, fmt.Errorf("shift %+g (%s): %w", delta, mode, err)
				}
				out = append(out, Sensitivity{
					Shift: delta, Mode: mode, Policy: name, Shifted: known.Utility,
					Mistaken: wrong.Utility, Base: base[i].Utility, Loss: base[i].Utility - wrong.Utility,
				})
			}
		}
	}
	return out, nil
}
