package findings

import (
	"cmp"
	"slices"

	"plumbline/experiments/cascade"
	"plumbline/experiments/patch"
)

// Pair is a patch with the stored output of tools before and after it, and what the
// official tests said of it.
type Pair struct {
	Name     string
	Instance string
	Patch    string
	Tools    []PairTool
	Resolved *bool // nil: no outcome is known
}

// PairTool is the output of one tool on the two trees. Why says why it cannot be
// compared; it is then left out.
type PairTool struct {
	Tool          string
	Base, Patched []Finding
	Why           string
}

// PairResult is what the attribution makes of a pair.
type PairResult struct {
	Name     string
	Instance string
	Resolved *bool
	Static   cascade.Static
	Caused   []Finding // decisive ones first, in the order of tools
	LeftOut  string    // why the pair is in no row; empty when it is in one
}

// Reasons to leave a pair out of the table.
const (
	NoPairOutcome = "no outcome is published for the attempt"
	NoPairTool    = "no tool's output can be compared"
)

// ComparePair attributes the findings of the named tools, of all when none is named.
func ComparePair(p Pair, tools ...string) PairResult {
	r := PairResult{Name: p.Name, Instance: p.Instance, Resolved: p.Resolved}
	diff := patch.Parse(p.Patch)
	var all []Attribution
	for _, t := range p.Tools {
		if t.Why == "" && (len(tools) == 0 || slices.Contains(tools, t.Tool)) {
			all = append(all, Caused(t.Base, t.Patched, diff))
		}
	}
	r.Static = Outcome(all)
	for _, a := range all {
		r.Caused = append(r.Caused, a.Caused...)
	}
	rank := func(f Finding) int {
		if Decides(f) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(r.Caused, func(a, b Finding) int { return cmp.Compare(rank(a), rank(b)) })
	switch {
	case !r.Static.Ran:
		r.LeftOut = NoPairTool
	case p.Resolved == nil:
		r.LeftOut = NoPairOutcome
	}
	return r
}

// TabulatePairs counts the pairs that are not left out.
func TabulatePairs(all []PairResult) Table {
	var judged []Judged
	for _, r := range all {
		if r.LeftOut == "" {
			judged = append(judged, Judged{Static: r.Static, Resolved: *r.Resolved})
		}
	}
	return Tabulate(judged)
}
