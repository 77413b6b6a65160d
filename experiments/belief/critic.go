package belief

import (
	"errors"
	"fmt"
	"math"
)

// Outcome is what a critic said about a candidate: the index of a column of its
// likelihood table, or one of the two negative values below. For a binary critic
// 0 is fail and 1 is pass; for a count of votes it is the number of passes.
type Outcome int16

// The outcomes of a binary critic, and the two that are no evidence.
const (
	Fail Outcome = 0
	Pass Outcome = 1
	// Missing: the critic was asked and gave no usable answer. It costs what a
	// call costs and says nothing.
	Missing Outcome = -1
	// Unrecorded: the critic was never asked, so a replay cannot know its answer.
	Unrecorded Outcome = -2
)

// Observed reports whether o is evidence.
func (o Outcome) Observed() bool { return o >= 0 }

// Label is the truth about a candidate.
type Label int8

// Labels; the zero value is unknown.
const (
	Unknown Label = iota
	Defective
	Correct
)

// LabelOf gives Correct for true and Defective for false.
func LabelOf(correct bool) Label {
	if correct {
		return Correct
	}
	return Defective
}

// Critic is the model of one critic: Correct[z] = P(z | Y = 1) and
// Defect[z] = P(z | Y = 0) over its outcomes z = 0, 1, …. Both rows sum to 1 and
// have at least two columns.
type Critic struct {
	Name    string    `json:"name"`
	Correct []float64 `json:"correct"`
	Defect  []float64 `json:"defect"`
}

// Binary is a critic that passes a correct candidate with probability
// passCorrect and a defective one with probability passDefect (paper B §3).
func Binary(name string, passCorrect, passDefect float64) Critic {
	return Critic{
		Name:    name,
		Correct: []float64{1 - passCorrect, passCorrect},
		Defect:  []float64{1 - passDefect, passDefect},
	}
}

// Outcomes is the number of outcomes.
func (c Critic) Outcomes() int { return len(c.Correct) }

// IsBinary reports whether the critic only passes or fails.
func (c Critic) IsBinary() bool { return len(c.Correct) == 2 }

// Gap is P(pass|1) - P(pass|0) of a binary critic; for more outcomes it is the
// total variation distance of the two rows, which is |gap| for two.
func (c Critic) Gap() float64 {
	if c.IsBinary() {
		return c.Correct[1] - c.Defect[1]
	}
	var d float64
	for z := range c.Correct {
		d += math.Abs(c.Correct[z] - c.Defect[z])
	}
	return d / 2
}

// Label names an outcome: pass and fail for a binary critic, the number itself
// for more outcomes, and missing or unrecorded.
func (c Critic) Label(z Outcome) string {
	switch {
	case z == Missing:
		return "missing"
	case z == Unrecorded:
		return "unrecorded"
	case c.IsBinary() && z == Pass:
		return "pass"
	case c.IsBinary() && z == Fail:
		return "fail"
	}
	return fmt.Sprint(int(z))
}

// rowSlack is how far the sum of a likelihood row may be from 1.
const rowSlack = 1e-9

// Validate names every likelihood that is not a probability and every row that
// does not sum to 1.
func (c Critic) Validate() error {
	var errs []error
	if c.Name == "" {
		errs = append(errs, errors.New("a critic needs a name"))
	}
	if len(c.Correct) != len(c.Defect) {
		errs = append(errs, fmt.Errorf("critic %q: %d outcomes for correct candidates but %d for defective ones",
			c.Name, len(c.Correct), len(c.Defect)))
	}
	if len(c.Correct) < 2 || len(c.Defect) < 2 {
		errs = append(errs, fmt.Errorf("critic %q: a critic needs at least two outcomes", c.Name))
	}
	for _, row := range []struct {
		class string
		p     []float64
	}{{"correct", c.Correct}, {"defective", c.Defect}} {
		var sum float64
		bad := false
		for z, p := range row.p {
			if err := Probability(p); err != nil {
				bad = true
				errs = append(errs, fmt.Errorf("critic %q: P(%s | %s): %w", c.Name, c.Label(Outcome(z)), row.class, err))
			}
			sum += p
		}
		if !bad && len(row.p) > 0 && math.Abs(sum-1) > rowSlack {
			errs = append(errs, fmt.Errorf("critic %q: the outcomes for %s candidates sum to %g, not to 1", c.Name, row.class, sum))
		}
	}
	return errors.Join(errs...)
}

// Probability returns an error in plain words unless p is in [0,1].
func Probability(p float64) error {
	switch {
	case math.IsNaN(p):
		return errors.New("is not a number; a probability lies between 0 and 1")
	case p < 0 || p > 1:
		return fmt.Errorf("is %g; a probability lies between 0 and 1", p)
	}
	return nil
}
