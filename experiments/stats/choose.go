package stats

import "cmp"

// Improves reports whether going from one evidence form to another improves the
// trade-off: catch rises without higher over-rejection, or over-rejection falls
// without lower catch (paper G §3). With an undefined rate nothing improves.
// Rates are compared as exact fractions.
func Improves(from, to ReviewCounts) bool {
	c0, c1 := from.Rate(Catch), to.Rate(Catch)
	o0, o1 := from.Rate(OverRejection), to.Rate(OverRejection)
	if c0.Value == nil || c1.Value == nil || o0.Value == nil || o1.Value == nil {
		return false
	}
	catch, over := compareRates(c1, c0), compareRates(o1, o0)
	return catch > 0 && over <= 0 || over < 0 && catch >= 0
}

// ChooseForm picks the evidence form of a reviewer on the design split: the lower
// over-rejection, then the higher catch, then the higher share of correct
// decisions, then the lowest index (paper G §5.3). Undefined rates lose. It
// returns -1 for no forms.
func ChooseForm(forms []ReviewCounts) int {
	best := -1
	for i, f := range forms {
		if best < 0 || better(f, forms[best]) {
			best = i
		}
	}
	return best
}

func better(a, b ReviewCounts) bool {
	return cmp.Or(
		lower(a.Rate(OverRejection), b.Rate(OverRejection)),
		higher(a.Rate(Catch), b.Rate(Catch)),
		higher(a.Rate(CorrectOverAll), b.Rate(CorrectOverAll)),
	) < 0
}

// lower orders the smaller rate first and undefined rates last.
func lower(a, b Rate) int {
	switch {
	case a.Value == nil && b.Value == nil:
		return 0
	case a.Value == nil:
		return 1
	case b.Value == nil:
		return -1
	}
	return compareRates(a, b)
}

func higher(a, b Rate) int {
	if a.Value != nil && b.Value != nil {
		return lower(b, a)
	}
	return lower(a, b)
}

// compareRates compares two defined rates by cross multiplication.
func compareRates(a, b Rate) int {
	return cmp.Compare(int64(a.K)*int64(b.N), int64(b.K)*int64(a.N))
}
