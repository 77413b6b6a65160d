package control

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// reason is the sentence behind a choice: the chosen action, its best rival and
// what was done, such as
//
//	tests: net value of information 7.3, verify: 4.1 → run tests
//
// For a critic the number is the gain over the better of verify and stop, which
// is positive when it is worth its cost; for other actions it is the value.
func (p *Problem) reason(v *values, chosen Action, ships bool) string {
	rival, ok := v.rival(chosen)
	shown := []Action{chosen}
	if ok {
		shown = append(shown, rival)
	}
	numbers := make([]float64, len(shown))
	for i, a := range shown {
		numbers[i] = v.q[a]
		if _, critic := a.Critic(); critic {
			numbers[i] -= v.terminal()
		}
	}
	texts := numerals(numbers)
	parts := make([]string, len(shown))
	for i, a := range shown {
		parts[i] = fmt.Sprintf("%s: %s", p.label(a, ships && a == Stop), texts[i])
		if _, critic := a.Critic(); critic {
			parts[i] = fmt.Sprintf("%s: net value of information %s", p.short(a), texts[i])
		}
	}
	return strings.Join(parts, ", ") + " → " + p.verb(chosen, ships)
}

// rival is the best available action other than the chosen one. Stop stands in
// only if nothing else does, unless it is worth something: a list of worthless
// things to avoid is no reason.
func (v *values) rival(chosen Action) (Action, bool) {
	var rest values = *v
	rest.ok[chosen] = false
	if _, critic := chosen.Critic(); critic && rest.ok[Verify] && rest.q[Verify] >= rest.q[Stop] {
		return Verify, true // a critic is measured against the better end
	}
	any := false
	for _, ok := range rest.ok {
		any = any || ok
	}
	a, _ := rest.best()
	return a, any
}

func (p *Problem) label(a Action, ships bool) string {
	if ships {
		return "stop and ship"
	}
	return p.short(a)
}

// verb says what is done.
func (p *Problem) verb(a Action, ships bool) string {
	switch {
	case a == VerifyBest:
		return "verify the best candidate"
	case ships:
		return "ship unverified"
	}
	if _, critic := a.Critic(); critic {
		return "run " + p.short(a)
	}
	return p.ActionName(a)
}

// numerals writes numbers with one decimal, or as many up to four as it takes to
// tell them apart.
func numerals(xs []float64) []string {
	for digits := 1; ; digits++ {
		out, same := make([]string, len(xs)), false
		for i, x := range xs {
			if math.Abs(x) < 0.5*math.Pow10(-digits) {
				x = 0 // no "-0.0"
			}
			out[i] = strconv.FormatFloat(x, 'f', digits, 64)
			same = same || (i > 0 && out[i] == out[0])
		}
		if !same || digits == 4 {
			return out
		}
	}
}
