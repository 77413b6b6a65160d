package simulate

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
)

// Reviewer answers by the label of a trace, a confusion matrix and a seed. It
// reads neither the issue nor the patch.
type Reviewer struct {
	// Name is part of every draw: reviewers with different names answer
	// independently given the labels.
	Name string `json:"name" yaml:"name"`
	// Confusion holds for every evidence form that Forms does not name.
	Confusion Confusion `json:"confusion" yaml:"confusion"`
	// Correlation, in [0,1], is the correlation of the indicator of any class
	// between two votes on one trace; see the package comment.
	Correlation float64 `json:"correlation" yaml:"correlation"`
	// Forms overrides Confusion by evidence form ("summary", "patch", …).
	Forms map[string]Confusion `json:"forms,omitempty" yaml:"forms,omitempty"`
}

// Validate reports the first thing that makes the reviewer unusable, with the
// evidence form and label it belongs to.
func (r Reviewer) Validate() error {
	if r.Name == "" {
		return errors.New("simulated reviewer without a name")
	}
	if err := checkProbability("correlation", r.Correlation); err != nil {
		return fmt.Errorf("simulated reviewer %q: %w", r.Name, err)
	}
	if err := r.Confusion.Validate(); err != nil {
		return fmt.Errorf("simulated reviewer %q: %w", r.Name, err)
	}
	for _, form := range slices.Sorted(maps.Keys(r.Forms)) {
		if form == "" {
			return fmt.Errorf("simulated reviewer %q: override for an evidence form without a name", r.Name)
		}
		if err := r.Forms[form].Validate(); err != nil {
			return fmt.Errorf("simulated reviewer %q: evidence form %q: %w", r.Name, form, err)
		}
	}
	return nil
}

// For returns the matrix used under an evidence form.
func (r Reviewer) For(form string) Confusion {
	if c, ok := r.Forms[form]; ok {
		return c
	}
	return r.Confusion
}

// Vote returns the answer with index voteIndex (0-based) to a trace with this
// label under this evidence form. It is a pure function of its arguments and
// the reviewer, which must be valid.
func (r Reviewer) Vote(seed uint64, traceID string, voteIndex int, label trace.Label, form string) vote.Vote {
	row, order := r.For(form).Row(label), rightToWrong(label)
	own := newDraw(seed, "vote", r.Name, form, traceID, strconv.Itoa(voteIndex))
	if own.uniform(0) < math.Sqrt(r.Correlation) {
		latent := newDraw(seed, "latent", r.Name, traceID)
		return row.quantile(latent.uniform(0), order)
	}
	return row.quantile(own.uniform(1), order)
}
