package simulate

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"plumbline/experiments/trace"
)

// Critic is a noisy pass/fail check of a candidate (paper B §3): it passes a
// correct one with probability PassAcceptable and an incorrect one with
// probability PassDefective. Given the label, critics of different names are
// independent.
type Critic struct {
	Name           string  `json:"name" yaml:"name"`
	PassAcceptable float64 `json:"pass_acceptable" yaml:"pass_acceptable"`
	PassDefective  float64 `json:"pass_defective" yaml:"pass_defective"`
	// Missing is the probability that a call gives no outcome at all.
	Missing float64 `json:"missing" yaml:"missing"`
	// Correlation between repeated outcomes on one candidate, in [0,1], made as
	// for votes. 1 is a deterministic check: asking again says nothing new.
	Correlation float64 `json:"correlation" yaml:"correlation"`
}

// Outcome is the answer of a critic.
type Outcome string

// Outcomes. Missing carries no evidence about the candidate.
const (
	Pass    Outcome = "pass"
	Fail    Outcome = "fail"
	Missing Outcome = "missing"
)

// Validate reports the first parameter that is no probability.
func (c Critic) Validate() error {
	if c.Name == "" {
		return errors.New("simulated critic without a name")
	}
	for _, p := range []struct {
		name  string
		value float64
	}{
		{"pass rate on acceptable candidates", c.PassAcceptable},
		{"pass rate on defective candidates", c.PassDefective},
		{"missing rate", c.Missing},
		{"correlation", c.Correlation},
	} {
		if err := checkProbability(p.name, p.value); err != nil {
			return fmt.Errorf("simulated critic %q: %w", c.Name, err)
		}
	}
	return nil
}

// Outcome returns the answer to call number index (0-based) on a candidate. It
// is a pure function of its arguments and the critic, which must be valid. A
// candidate without a known label always gives Missing.
func (c Critic) Outcome(seed uint64, candidateID string, index int, label trace.Label) Outcome {
	var pass float64
	switch label {
	case trace.Acceptable:
		pass = c.PassAcceptable
	case trace.Defective:
		pass = c.PassDefective
	default:
		return Missing
	}
	own := newDraw(seed, "critic", c.Name, candidateID, strconv.Itoa(index))
	if own.uniform(2) < c.Missing {
		return Missing
	}
	u := own.uniform(1)
	if own.uniform(0) < math.Sqrt(c.Correlation) {
		u = newDraw(seed, "critic latent", c.Name, candidateID).uniform(0)
	}
	if u < pass {
		return Pass
	}
	return Fail
}
