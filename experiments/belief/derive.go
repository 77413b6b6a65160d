package belief

import (
	"fmt"
	"math"
	"slices"
)

// Count returns the table with one more critic, called name, whose outcome is
// the number of passes among the named binary critics (k votes of one reviewer
// as one critic with k+1 outcomes). It is missing if any of them is missing, and
// unrecorded if any is unrecorded: a sum over fewer votes is another critic.
func (t Table) Count(name string, of ...string) (Table, error) {
	return t.combine("count critics", name, of, func(int) int { return len(of) + 1 },
		func(sum int, _ int, z Outcome) int { return sum + int(z) }, true)
}

// Join returns the table with one more critic whose outcomes are all the
// combinations of the named ones (for binary critics 2^k, the first critic
// varying slowest). It is the remedy for dependent critics: their joint table
// needs no independence. Missing and unrecorded are as in Count.
func (t Table) Join(name string, of ...string) (Table, error) {
	size := 1
	for _, n := range of {
		if i := t.Critic(n); i >= 0 {
			size *= t.Critics[i].Outcomes
		}
		if size > 1<<15 {
			return Table{}, fmt.Errorf("join critics: %d combinations are more than %d", size, 1<<15)
		}
	}
	return t.combine("join critics", name, of, func(int) int { return size },
		func(code int, outcomes int, z Outcome) int { return code*outcomes + int(z) }, false)
}

func (t Table) combine(doing, name string, of []string, size func(int) int, add func(acc, outcomes int, z Outcome) int, binary bool) (Table, error) {
	if len(of) == 0 {
		return Table{}, fmt.Errorf("%s: name at least one critic", doing)
	}
	if name == "" || t.Critic(name) >= 0 {
		return Table{}, fmt.Errorf("%s: %q is empty or already a critic", doing, name)
	}
	from := make([]int, len(of))
	for i, n := range of {
		from[i] = t.Critic(n)
		if from[i] < 0 {
			return Table{}, fmt.Errorf("%s: there is no critic %q", doing, n)
		}
		if binary && t.Critics[from[i]].Outcomes != 2 {
			return Table{}, fmt.Errorf("%s: %q has %d outcomes; only pass/fail critics can be counted", doing, n, t.Critics[from[i]].Outcomes)
		}
	}
	cols := append(slices.Clone(t.Critics), Column{Name: name, Outcomes: size(len(of))})
	return t.derive(cols, func(c Candidate) []Outcome {
		acc, state := 0, Outcome(0)
		for _, f := range from {
			if z := c.Outcomes[f]; z.Observed() {
				acc = add(acc, t.Critics[f].Outcomes, z)
			} else {
				state = min(state, z)
			}
		}
		if state == 0 {
			state = Outcome(acc)
		}
		return append(slices.Clone(c.Outcomes), state)
	}), nil
}

// Cut returns the table with one more binary critic made from a score column: it
// passes where the score is at least the threshold, and is missing where the
// score is missing (NaN).
func (t Table) Cut(name, score string, threshold float64) (Table, error) {
	s := slices.Index(t.Scores, score)
	switch {
	case s < 0:
		return Table{}, fmt.Errorf("cut score: there is no score %q", score)
	case name == "" || t.Critic(name) >= 0:
		return Table{}, fmt.Errorf("cut score: %q is empty or already a critic", name)
	case math.IsNaN(threshold):
		return Table{}, fmt.Errorf("cut score %s: the threshold is not a number", score)
	}
	cols := append(slices.Clone(t.Critics), Column{Name: name, Outcomes: 2})
	return t.derive(cols, func(c Candidate) []Outcome {
		return append(slices.Clone(c.Outcomes), cutOutcome(c.Scores[s], threshold))
	}), nil
}

func cutOutcome(score, threshold float64) Outcome {
	switch {
	case math.IsNaN(score):
		return Missing
	case score >= threshold:
		return Pass
	}
	return Fail
}
