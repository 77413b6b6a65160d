package pages

import (
	"fmt"
	"strings"

	"plumbline/web/components"
)

// Outcome writes the sentences at the top of a result: what the best arm does, in
// counts. The best has the lowest over-rejection, then the highest catch, as an
// evidence form is chosen on the design split (paper G §5.3); arms in which both
// are undefined do not compete. Arms that see official test outcomes compete among
// themselves only, as an upper bound. finished is false while votes are missing.
func Outcome(arms []ArmRow, finished bool) string {
	if len(arms) == 0 {
		return "There is no arm to report on."
	}
	real, bound := best(arms, false), best(arms, true)
	var parts []string
	if real != nil {
		text := subject(*real) + ": " + deeds(*real)
		if count(arms, false) > 1 {
			text = "Lowest over-rejection: " + text
		}
		parts = append(parts, text)
	}
	if bound != nil {
		parts = append(parts, "Upper bound, knowing the official tests: "+subject(*bound)+" "+deeds(*bound))
	}
	switch {
	case len(parts) == 0 && finished:
		return "No arm decided a trace with a known label, so there is no rate to report."
	case len(parts) == 0:
		return "No trace with a known label has been decided yet."
	case !finished:
		parts[0] = "So far – " + parts[0]
	}
	return strings.Join(parts, " ")
}

func subject(a ArmRow) string { return a.Reviewer + " with " + a.Form + " evidence" }

func count(arms []ArmRow, bound bool) int {
	n := 0
	for _, a := range arms {
		if a.UpperBound == bound {
			n++
		}
	}
	return n
}

// best is the best arm among those that are upper bounds or are not; nil when
// none has a rate.
func best(arms []ArmRow, bound bool) *ArmRow {
	var top *ArmRow
	for i := range arms {
		a := &arms[i]
		if a.UpperBound != bound || (a.Rates["catch"].Value == nil && a.Rates["over_rejection"].Value == nil) {
			continue
		}
		if top == nil || better(*a, *top) {
			top = a
		}
	}
	return top
}

// deeds says what an arm did in counts.
func deeds(a ArmRow) string {
	var parts []string
	if c := a.Rates["catch"]; c.Value != nil {
		parts = append(parts, fmt.Sprintf("catches %d of %s", c.K, components.Plural(c.N, "defect", "defects")))
	} else {
		parts = append(parts, "saw no defect")
	}
	if o := a.Rates["over_rejection"]; o.Value != nil {
		parts = append(parts, fmt.Sprintf("rejects %d of %s", o.K, components.Plural(o.N, "good patch", "good patches")))
	} else {
		parts = append(parts, "saw no good patch")
	}
	text := strings.Join(parts, ", ")
	switch c := a.Rates["coverage"]; {
	case c.Value == nil:
	case c.K == c.N:
		text += "; decides all"
	case c.K == 0:
		text += "; decides none"
	default:
		text += fmt.Sprintf("; decides %d of %d", c.K, c.N)
	}
	return text + "."
}

// better compares two arms by over-rejection, then catch; a defined rate beats an
// undefined one.
func better(a, b ArmRow) bool {
	if d := order(a.Rates["over_rejection"].Value, b.Rates["over_rejection"].Value, true); d != 0 {
		return d > 0
	}
	return order(a.Rates["catch"].Value, b.Rates["catch"].Value, false) > 0
}

// order is 1 when a is better than b, -1 when worse, 0 when neither.
func order(a, b *float64, low bool) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	case *a == *b:
		return 0
	case (*a < *b) == low:
		return 1
	}
	return -1
}
