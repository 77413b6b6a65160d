package vote

import "fmt"

// Agreement is a coefficient of agreement, at most 1. 0 is the agreement of
// chance, negative values are below it.
type Agreement struct {
	// Value is nil when the coefficient is undefined; Reason says why.
	Value  *float64
	Reason string
	// Observed and Expected are the shares of agreeing pairs in fact and by
	// chance, in [0,1]. They are nil when they cannot be computed.
	Observed, Expected *float64
	// Items is the number of traces that entered, Votes the number of votes on
	// them. Skipped traces had fewer than two votes and say nothing on agreement.
	Items, Votes, Skipped int
}

// Fleiss is the kappa of Fleiss (1971) for votes on the same traces. It needs
// the same number of votes, at least two, on every trace; Krippendorff needs
// neither. It is undefined when all votes fall into one class.
func Fleiss(patterns []Pattern) Agreement { return fleiss(rows(patterns)) }

// Krippendorff is the nominal alpha of Krippendorff (2004). Traces may have
// different numbers of votes; those with fewer than two are skipped. It is
// undefined when all votes fall into one class.
func Krippendorff(patterns []Pattern) Agreement { return krippendorff(rows(patterns)) }

// row is a trace's counts over any number of classes, and how many traces share it.
type row struct {
	counts []int
	traces int
}

func rows(patterns []Pattern) []row {
	rs := make([]row, 0, len(patterns))
	for _, p := range patterns {
		a := p.Counts.Array()
		rs = append(rs, row{counts: a[:], traces: p.Traces})
	}
	return rs
}

func fleiss(rs []row) Agreement {
	a := Agreement{}
	raters := -1
	var perClass []int
	agreeing := 0.0 // sum over traces of the agreeing ordered pairs
	for _, r := range rs {
		if r.traces == 0 {
			continue
		}
		n := total(r.counts)
		if raters >= 0 && n != raters {
			return Agreement{Reason: fmt.Sprintf("traces have different numbers of votes (%d and %d)", raters, n)}
		}
		raters = n
		a.Items += r.traces
		a.Votes += n * r.traces
		perClass = grow(perClass, len(r.counts))
		for c, k := range r.counts {
			perClass[c] += k * r.traces
			agreeing += float64(k*(k-1)) * float64(r.traces)
		}
	}
	switch {
	case a.Items == 0:
		a.Reason = "no traces"
		return a
	case raters < 2:
		a.Reason = "fewer than two votes a trace"
		a.Skipped = a.Items
		return a
	}
	observed := agreeing / (float64(a.Items) * float64(raters) * float64(raters-1))
	expected := 0.0
	for _, k := range perClass {
		p := float64(k) / float64(a.Votes)
		expected += p * p
	}
	return a.of(observed, expected, oneClass(perClass))
}

func krippendorff(rs []row) Agreement {
	a := Agreement{}
	var perClass []int
	agreeing := 0.0
	for _, r := range rs {
		n := total(r.counts)
		if n < 2 {
			a.Skipped += r.traces
			continue
		}
		a.Items += r.traces
		a.Votes += n * r.traces
		perClass = grow(perClass, len(r.counts))
		for c, k := range r.counts {
			perClass[c] += k * r.traces
			agreeing += float64(k*(k-1)) / float64(n-1) * float64(r.traces)
		}
	}
	if a.Votes == 0 {
		a.Reason = "no trace has two votes"
		return a
	}
	// Chance pairs are drawn without replacement: that is what tells alpha from kappa.
	expected := 0.0
	for _, k := range perClass {
		expected += float64(k) * float64(k-1)
	}
	expected /= float64(a.Votes) * float64(a.Votes-1)
	return a.of(agreeing/float64(a.Votes), expected, oneClass(perClass))
}

// Cohen is the kappa of Cohen (1960) between the decisions of two arms on the
// traces both have: table[i][j] counts the traces decided Classes[i] by the
// first and Classes[j] by the second arm. It is undefined when both arms
// always give the same single decision.
func Cohen(table [4][4]int) Agreement {
	a := Agreement{}
	var first, second [4]int
	same := 0
	for i := range table {
		for j, k := range table[i] {
			a.Items += k
			first[i] += k
			second[j] += k
			if i == j {
				same += k
			}
		}
	}
	a.Votes = 2 * a.Items
	if a.Items == 0 {
		a.Reason = "no common traces"
		return a
	}
	n := float64(a.Items)
	expected, constant := 0.0, false
	for c := range first {
		expected += float64(first[c]) / n * float64(second[c]) / n
		constant = constant || first[c] == a.Items && second[c] == a.Items
	}
	return a.of(float64(same)/n, expected, constant)
}

func (a Agreement) of(observed, expected float64, constant bool) Agreement {
	a.Observed, a.Expected = &observed, &expected
	if constant {
		a.Reason = "all votes are the same, so chance agreement is 1"
		return a
	}
	value := (observed - expected) / (1 - expected)
	a.Value = &value
	return a
}

func total(counts []int) int {
	n := 0
	for _, k := range counts {
		n += k
	}
	return n
}

func oneClass(perClass []int) bool {
	used := 0
	for _, k := range perClass {
		if k > 0 {
			used++
		}
	}
	return used < 2
}

func grow(s []int, n int) []int {
	for len(s) < n {
		s = append(s, 0)
	}
	return s
}
