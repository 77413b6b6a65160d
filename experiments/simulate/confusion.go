package simulate

import (
	"fmt"
	"math"

	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
)

// sumTolerance is how far the four rates of a row may miss 1. It forgives
// decimal input such as 0.1+0.2+0.7, not a forgotten class.
const sumTolerance = 1e-9

// Rates is one row of a confusion matrix: P(vote = class | label). The four
// rates lie in [0,1] and sum to 1 within 1e-9.
type Rates struct {
	Accept      float64 `json:"accept" yaml:"accept"`
	Reject      float64 `json:"reject" yaml:"reject"`
	Uncertain   float64 `json:"uncertain" yaml:"uncertain"`
	Unparseable float64 `json:"unparseable" yaml:"unparseable"`
}

// Of returns the rate of a class, 0 for a word that is no class.
func (r Rates) Of(v vote.Vote) float64 {
	switch v {
	case vote.Accept:
		return r.Accept
	case vote.Reject:
		return r.Reject
	case vote.Uncertain:
		return r.Uncertain
	case vote.Unparseable:
		return r.Unparseable
	}
	return 0
}

// Validate reports the first rate outside [0,1], or a sum that is not 1.
func (r Rates) Validate() error {
	for _, c := range rightToWrong(trace.Acceptable) {
		if err := checkProbability(string(c), r.Of(c)); err != nil {
			return err
		}
	}
	sum := r.Accept + r.Reject + r.Uncertain + r.Unparseable
	if math.Abs(sum-1) > sumTolerance {
		return fmt.Errorf("accept, reject, uncertain and unparseable sum to %g, want 1", sum)
	}
	return nil
}

// Confusion is the behaviour under one evidence form: a row of rates for each
// label. Unknown is for traces without ground truth; nil means that the
// reviewer, which has nothing but the label to go by, answers uncertain.
type Confusion struct {
	Acceptable Rates  `json:"acceptable" yaml:"acceptable"`
	Defective  Rates  `json:"defective" yaml:"defective"`
	Unknown    *Rates `json:"unknown,omitempty" yaml:"unknown,omitempty"`
}

// Row returns the rates for a label. Any label other than acceptable and
// defective, the empty one included, counts as unknown.
func (c Confusion) Row(label trace.Label) Rates {
	switch label {
	case trace.Acceptable:
		return c.Acceptable
	case trace.Defective:
		return c.Defective
	}
	if c.Unknown == nil {
		return Rates{Uncertain: 1}
	}
	return *c.Unknown
}

// Validate reports the first invalid row with its label.
func (c Confusion) Validate() error {
	for _, label := range []trace.Label{trace.Acceptable, trace.Defective, trace.Unknown} {
		if err := c.Row(label).Validate(); err != nil {
			return fmt.Errorf("rates for %s traces: %w", label, err)
		}
	}
	return nil
}

// rightToWrong orders the classes for a quantile draw: the right decision
// first, then abstention, then an unreadable answer, then the wrong decision.
func rightToWrong(label trace.Label) [4]vote.Vote {
	if label == trace.Defective {
		return [4]vote.Vote{vote.Reject, vote.Uncertain, vote.Unparseable, vote.Accept}
	}
	return [4]vote.Vote{vote.Accept, vote.Uncertain, vote.Unparseable, vote.Reject}
}

// quantile returns the class at u in [0,1). A class of rate 0 is never
// returned, also when rounding leaves the sum of the rates below u.
func (r Rates) quantile(u float64, order [4]vote.Vote) vote.Vote {
	last, cumulative := vote.Uncertain, 0.0
	for _, c := range order {
		rate := r.Of(c)
		if rate <= 0 {
			continue
		}
		if cumulative += rate; u < cumulative {
			return c
		}
		last = c
	}
	return last
}

// checkProbability reports a value that is not a number in [0,1].
func checkProbability(name string, p float64) error {
	if math.IsNaN(p) || p < 0 || p > 1 {
		return fmt.Errorf("%s is %g, want a probability in [0,1]", name, p)
	}
	return nil
}
