package bundled

import (
	"maps"
	"slices"

	"plumbline/experiments/trace"
)

// Runner says how the hidden tests of a case are run and how their ids read.
type Runner string

// The two runners: Python's unittest with dotted names, and go test with
// "./package TestName".
const (
	Unittest Runner = "unittest"
	GoTest   Runner = "gotest"
)

// Case is one bundled repository with its issue, oracle and recorded attempts.
// The maps are keyed by slash-separated path from the root of the tree; callers
// must not change them.
type Case struct {
	File     string // name of the archive, for reports: py-confkit.txtar
	Title    string
	Split    string // trace.SplitDesign or trace.SplitHeldOut
	Runner   Runner
	Instance trace.Instance // with oracle; BaseCommit is a digest of Base
	Base     map[string]string
	Hidden   map[string]string // laid over the tree before a label run
	Attempts []Attempt         // in order of the archive, at least 4
}

// Attempt is one recorded attempt. Why says in a sentence what is missing, what
// broke, or what is right; it may name the missing item, so it must never reach
// a reviewer, except as the item of the structured-missing evidence form.
type Attempt struct {
	Name  string // folder in the archive: 01-follows-issue
	Why   string
	Trace trace.Trace
}

// Traces returns the attempts as traces, in order.
func (c Case) Traces() []trace.Trace {
	out := make([]trace.Trace, len(c.Attempts))
	for i, a := range c.Attempts {
		out[i] = a.Trace
	}
	return out
}

// Overlaid returns the given tree with the hidden test files laid over it; the
// tree itself is not changed.
func (c Case) Overlaid(tree map[string]string) map[string]string {
	out := maps.Clone(tree)
	if out == nil {
		out = make(map[string]string, len(c.Hidden))
	}
	maps.Copy(out, c.Hidden)
	return out
}

// paths returns the sorted keys of a tree.
func paths(tree map[string]string) []string { return slices.Sorted(maps.Keys(tree)) }
