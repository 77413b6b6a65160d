package cascade

import (
	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
)

// Record is everything that was ever observed of one trace, whichever policy
// asked for it. What was not observed is nil or missing.
type Record struct {
	Trace    string
	Instance string // the unit of independence
	Label    trace.Label

	Change   *Change
	Static   *Static
	Attempts []Attempt
	// Votes are the votes of each arm by index, empty where one is missing.
	Votes map[string][]vote.Vote
	// Troubles are actions that could not be performed.
	Troubles map[Kind]Failed

	// Spent is what each stage used, the votes of arms apart.
	Spent     [4]Spend
	VoteSpent map[string]Spend
	// GoldResults are runs of attempts on the reference patch, by index of the
	// attempt: for the audit alone, they answer no action.
	GoldResults map[int]Result
}

// Answer looks the outcome of an action up; arm names whose votes are asked for. It
// is a list, because votes answer one at a time; nil when it was never observed.
func (r Record) Answer(a Action, arm string) []Outcome {
	if f, ok := r.Troubles[a.Kind]; ok && !r.has(a, arm) {
		return []Outcome{f}
	}
	if !r.has(a, arm) {
		return nil
	}
	switch a.Kind {
	case LookAtPatch:
		return []Outcome{*r.Change}
	case RunStatic:
		return []Outcome{*r.Static}
	case Generate:
		return []Outcome{r.Attempts[a.Attempt-1].Generated}
	case RunOnBase:
		at := r.Attempts[a.Attempt-1]
		return []Outcome{BaseRan{Result: at.Base, Feedback: at.Feedback}}
	case RunOnPatch:
		return []Outcome{PatchRan{Result: r.Attempts[a.Attempt-1].Patched}}
	}
	var out []Outcome
	for _, i := range a.Votes {
		out = append(out, Voted{Index: i, Vote: r.Votes[arm][i]})
	}
	return out
}

// has reports whether the record holds the whole answer to an action.
func (r Record) has(a Action, arm string) bool {
	attempt := func() (Attempt, bool) {
		if a.Attempt < 1 || a.Attempt > len(r.Attempts) {
			return Attempt{}, false
		}
		return r.Attempts[a.Attempt-1], true
	}
	switch a.Kind {
	case LookAtPatch:
		return r.Change != nil
	case RunStatic:
		return r.Static != nil
	case Generate:
		_, ok := attempt()
		return ok
	case RunOnBase:
		at, ok := attempt()
		return ok && at.Base != NotRun
	case RunOnPatch:
		at, ok := attempt()
		return ok && at.Patched != NotRun
	case AskVotes:
		votes := r.Votes[arm]
		for _, i := range a.Votes {
			if i >= len(votes) || !votes[i].Valid() {
				return false
			}
		}
		return len(a.Votes) > 0
	}
	return false
}
