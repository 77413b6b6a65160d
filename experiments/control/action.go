package control

import (
	"strings"

	"plumbline/experiments/belief"
)

// Action is what to do next. Smaller actions win ties, so that verify comes
// before stop, stop before regenerate, and critics follow in listed order.
type Action int8

// The actions that are not a critic. VerifyBest verifies the candidate with the
// highest belief so far, which need not be the one in hand; only
// best_of_n_select uses it.
const (
	VerifyBest Action = iota - 1
	Verify
	Stop
	Regenerate
	firstCritic
)

// MaxCritics is the largest number of critics of a problem.
const MaxCritics = 16

// actions is the number of actions from Verify on.
const actions = int(firstCritic) + MaxCritics

// Ask is the action of running critic i.
func Ask(i int) Action { return firstCritic + Action(i) }

// Critic is the index of the critic that the action asks.
func (a Action) Critic() (int, bool) { return int(a - firstCritic), a >= firstCritic }

// Terminal reports whether the action ends an episode (a verification that may
// continue ends it only if it succeeds).
func (a Action) Terminal() bool { return a == Verify || a == Stop || a == VerifyBest }

// ActionName is the stable name of an action: verify, stop, regenerate,
// verify_best or critic:<name>.
func (p *Problem) ActionName(a Action) string {
	switch a {
	case VerifyBest:
		return "verify_best"
	case Verify:
		return "verify"
	case Stop:
		return "stop"
	case Regenerate:
		return "regenerate"
	}
	if i, ok := a.Critic(); ok && i < len(p.Critics) {
		return "critic:" + p.Critics[i].Name
	}
	return "unknown"
}

// short is the name of an action in a sentence.
func (p *Problem) short(a Action) string {
	return strings.TrimPrefix(p.ActionName(a), "critic:")
}

// tie is the difference within which two values are equal.
const tie = 1e-12

// values holds the value of every action; ok marks the available ones.
type values struct {
	q  [actions]float64
	ok [actions]bool
}

func (v *values) set(a Action, q float64) { v.q[a], v.ok[a] = q, true }

// best is the first available action within the tie of the maximum.
func (v *values) best() (Action, float64) {
	at, max := Stop, 0.0
	found := false
	for a := range v.q {
		if v.ok[a] && (!found || v.q[a] > max+tie) {
			at, max, found = Action(a), v.q[a], true
		}
	}
	return at, max
}

// outcome converts the index of a likelihood column.
func outcome(z int) belief.Outcome { return belief.Outcome(z) }
