package vote

import (
	"cmp"
	"slices"
)

// Counts says how often each class was voted on one trace. Counts are never
// negative. The zero value is a trace without votes.
type Counts struct {
	Accept, Reject, Uncertain, Unparseable int
}

// CountOf counts votes. Strings that are no class count as unparseable.
func CountOf(votes ...Vote) Counts {
	var c Counts
	for _, v := range votes {
		c.Add(v)
	}
	return c
}

// Add counts one more vote; a string that is no class counts as unparseable.
func (c *Counts) Add(v Vote) {
	switch v {
	case Accept:
		c.Accept++
	case Reject:
		c.Reject++
	case Uncertain:
		c.Uncertain++
	default:
		c.Unparseable++
	}
}

// N is the number of votes.
func (c Counts) N() int { return c.Accept + c.Reject + c.Uncertain + c.Unparseable }

// Of is the number of votes for v; 0 for a string that is no class.
func (c Counts) Of(v Vote) int {
	if i := v.Index(); i >= 0 {
		return c.Array()[i]
	}
	return 0
}

// Array returns the counts in the order of Classes.
func (c Counts) Array() [4]int {
	return [4]int{c.Accept, c.Reject, c.Uncertain, c.Unparseable}
}

// Pattern is a distinct result of voting and the number of traces that have it.
type Pattern struct {
	Counts Counts
	Traces int
}

// Group collects equal counts. The patterns are sorted, so that the result does
// not depend on the order of the input.
func Group(traces []Counts) []Pattern {
	seen := make(map[Counts]int)
	for _, c := range traces {
		seen[c]++
	}
	patterns := make([]Pattern, 0, len(seen))
	for c, n := range seen {
		patterns = append(patterns, Pattern{Counts: c, Traces: n})
	}
	slices.SortFunc(patterns, func(a, b Pattern) int {
		return cmp.Or(
			cmp.Compare(a.Counts.Accept, b.Counts.Accept),
			cmp.Compare(a.Counts.Reject, b.Counts.Reject),
			cmp.Compare(a.Counts.Uncertain, b.Counts.Uncertain),
			cmp.Compare(a.Counts.Unparseable, b.Counts.Unparseable),
		)
	})
	return patterns
}
