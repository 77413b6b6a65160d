package stats

import "fmt"

// LabelledPair is a pair under a label, which takes part in the seed.
type LabelledPair struct {
	Label string
	Pair  Pair
}

// Comparison holds two arms against each other. Differences are second minus first.
type Comparison struct {
	Label string
	// Common traces have a decision of both arms; OnlyFirst and OnlySecond of one.
	Common, OnlyFirst, OnlySecond int

	// Flips are counted on the traces both arms decided, and so is all of this
	// block (paper G S5.5).
	Flips                         Flips
	FirstAccuracy, SecondAccuracy Rate
	Difference                    Number
	// Interval is the paired percentile bootstrap of Difference.
	Interval       *Interval
	IntervalReason string
	McNemar        McNemarResult
	Permutation    PermutationResult
	// Q is McNemar's exact p adjusted over all pairs compared in the same call.
	Q Number
	// Detectable is the smallest difference that this comparison would have seen
	// with power 0.8.
	Detectable Number

	// Coverage is compared on all common traces, beside the accuracy and never
	// folded into it.
	FirstCoverage, SecondCoverage Rate
	CoverageDifference            Number
	CoverageInterval              *Interval
	CoverageIntervalReason        string

	Warnings []string
}

// Compare compares one pair; Q is then McNemar's p.
func Compare(pair LabelledPair, o Options) Comparison {
	return CompareAll([]LabelledPair{pair}, o)[0]
}

// CompareAll compares many pairs on all cores and adjusts their p-values together
// (Benjamini and Hochberg 1995).
func CompareAll(pairs []LabelledPair, o Options) []Comparison {
	o = o.filled()
	out := make([]Comparison, len(pairs))
	inParallel(len(pairs), func(i int) { out[i] = compare(pairs[i], o) })
	var tested []int
	var p []float64
	for i, c := range out {
		if c.Flips.N() > 0 {
			tested, p = append(tested, i), append(p, c.McNemar.P)
		} else {
			out[i].Q = unknown(noCommonDecided)
		}
	}
	for k, q := range BenjaminiHochberg(p) {
		out[tested[k]].Q = known(q)
	}
	return out
}

const noCommonDecided = "no trace was decided by both"

func compare(lp LabelledPair, o Options) Comparison {
	p := lp.Pair
	f := p.Flips()
	n := f.N()
	c := Comparison{
		Label: lp.Label, Common: p.N(), OnlyFirst: p.OnlyFirst, OnlySecond: p.OnlySecond, Flips: f,
		FirstAccuracy:  RateOf(f.BothRight+f.RightWrong, n, noCommonDecided),
		SecondAccuracy: RateOf(f.BothRight+f.WrongRight, n, noCommonDecided),
		McNemar:        McNemar(f.RightWrong, f.WrongRight),
		Permutation:    permuteUnits(f, o),
		FirstCoverage:  p.First().Rate(Coverage),
		SecondCoverage: p.Second().Rate(Coverage),
	}
	c.Difference = difference(c.FirstAccuracy, c.SecondAccuracy)
	c.Interval, c.IntervalReason = gainLoss(lp.Label+"\x00accuracy", f.WrongRight, f.RightWrong, n, noCommonDecided, o)
	c.Detectable = MinimalDetectable(c.Interval)

	gained, lost := 0, 0
	p.each(func(_ bool, first, second Outcome, k int) {
		switch {
		case first == Abstained && second != Abstained:
			gained += k
		case first != Abstained && second == Abstained:
			lost += k
		}
	})
	c.CoverageDifference = difference(c.FirstCoverage, c.SecondCoverage)
	c.CoverageInterval, c.CoverageIntervalReason = gainLoss(lp.Label+"\x00coverage", gained, lost, c.Common, "no common traces", o)
	c.warn()
	return c
}

func difference(first, second Rate) Number {
	switch {
	case first.Value == nil:
		return unknown(first.Reason)
	case second.Value == nil:
		return unknown(second.Reason)
	}
	return known(*second.Value - *first.Value)
}

// permuteUnits is Permutation of the differences -1, 0, 1 of the flips.
func permuteUnits(f Flips, o Options) PermutationResult {
	n := f.N()
	if n == 0 {
		return PermutationResult{Reason: noCommonDecided}
	}
	var groups []magnitude
	if m := f.RightWrong + f.WrongRight; m > 0 {
		groups = []magnitude{{1, m}}
	}
	sum := float64(f.WrongRight - f.RightWrong)
	return permute("", groups, sum, n, o)
}

func (c *Comparison) warn() {
	if c.OnlyFirst+c.OnlySecond > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf(
			"The arms do not have the same traces: %d only the first, %d only the second. The %d common ones are compared.",
			c.OnlyFirst, c.OnlySecond, c.Common))
	}
	discordant := c.Flips.RightWrong + c.Flips.WrongRight
	if n := c.Flips.N(); n > 0 && discordant < fewDiscordant {
		c.Warnings = append(c.Warnings, fmt.Sprintf(
			"Only %d of %d traces differ in correctness; with fewer than %d no result can reach p < 0.05.",
			discordant, n, fewDiscordant))
	}
}

// fewDiscordant is the first number of discordant traces whose smallest possible
// exact p, 2·2^-m, is below 0.05.
const fewDiscordant = 6

// Sentence says in plain words what the comparison shows and what it does not.
// first and second are the names of the arms.
func (c Comparison) Sentence(first, second string) string {
	n := c.Flips.N()
	if n == 0 {
		return fmt.Sprintf("%s and %s decided no trace in common, so nothing can be said.", first, second)
	}
	head := fmt.Sprintf("On the %d traces both decided, going from %s to %s mends %d and breaks %d",
		n, first, second, c.Flips.WrongRight, c.Flips.RightWrong)
	if c.Interval != nil {
		head += fmt.Sprintf(": %+.1f points of accuracy (%.0f%% interval %+.1f to %+.1f)",
			100**c.Difference.Value, 100*c.Interval.Level, 100*c.Interval.Lo, 100*c.Interval.Hi)
	}
	p := fmt.Sprintf("exact McNemar p = %.2g", c.McNemar.P)
	adjusted := c.McNemar.P
	if c.Q.Value != nil {
		adjusted = *c.Q.Value
		if adjusted > c.McNemar.P {
			p += fmt.Sprintf(", adjusted for all pairs %.2g", adjusted)
		}
	}
	if adjusted < 0.05 {
		better := second
		if *c.Difference.Value < 0 {
			better = first
		}
		return fmt.Sprintf("%s. %s is the more accurate of the two (%s).", head, better, p)
	}
	tail := fmt.Sprintf(" This does not show a difference (%s), nor that there is none", p)
	if c.Detectable.Value != nil && *c.Detectable.Value > 0 {
		tail += fmt.Sprintf(": one below %.1f points would likely have been missed with this n", 100**c.Detectable.Value)
	}
	return head + "." + tail + "."
}
