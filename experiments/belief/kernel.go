package belief

import (
	"errors"
	"fmt"
)

// Kernel says how a new candidate relates to the one before (paper B §4): Fix is
// P(correct next | defective now), Break is P(defective next | correct now).
type Kernel struct {
	Fix   float64 `json:"p01"`
	Break float64 `json:"p10"`
}

// IID is the kernel of fresh independent samples with the given prior: the next
// belief is the prior, whatever the belief was.
func IID(prior float64) Kernel { return Kernel{Fix: prior, Break: 1 - prior} }

// Next is the belief in the next candidate, b (1 - Break) + (1 - b) Fix.
func (k Kernel) Next(b float64) float64 { return b*(1-k.Break) + (1-b)*k.Fix }

// FixedPoint is the belief that a new candidate leaves unchanged,
// Fix/(Fix+Break); nil if both are 0, when every belief is one.
func (k Kernel) FixedPoint() *float64 {
	if k.Fix+k.Break == 0 {
		return nil
	}
	p := k.Fix / (k.Fix + k.Break)
	return &p
}

// Contraction is 1 - Fix - Break: the factor by which one step shrinks the
// distance to the fixed point. Negative means that beliefs alternate around it.
func (k Kernel) Contraction() float64 { return 1 - k.Fix - k.Break }

// Validate reports parameters that are no probabilities.
func (k Kernel) Validate() error {
	var errs []error
	if err := Probability(k.Fix); err != nil {
		errs = append(errs, fmt.Errorf("fix probability (p01) %w", err))
	}
	if err := Probability(k.Break); err != nil {
		errs = append(errs, fmt.Errorf("break probability (p10) %w", err))
	}
	return errors.Join(errs...)
}
