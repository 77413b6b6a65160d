package checks

import (
	"strings"

	"plumbline/experiments/trace"
)

// Checked is an expected test and what became of it.
type Checked struct {
	ID   string `json:"id"` // as the instance names it
	OK   bool   `json:"ok"`
	Test Test   `json:"test"`
	// Prefix says that the instance's id is cut off inside its parameters, so that
	// every test with this beginning had to pass.
	Prefix bool `json:"prefix,omitempty"`
}

// Look finds the expected tests in a run and decides by the rules of SWE-bench
// whether each is as it must be: passing, or failing as it was marked to fail. A
// skipped test keeps a pass-to-pass promise and no fail-to-pass one. A test that no
// report speaks of did not pass.
func (r Run) Look(ids []string, passToPass bool) []Checked {
	ix := newIndex(r.Tests)
	out := make([]Checked, len(ids))
	for i, id := range ids {
		t, prefix := ix.find(id)
		out[i] = Checked{ID: id, Test: t, Prefix: prefix, OK: holds(t.Status, passToPass)}
	}
	return out
}

func holds(s Status, passToPass bool) bool {
	switch s {
	case Passed, UnexpectedPass, ExpectedFail:
		return true
	case Skipped:
		return passToPass
	}
	return false
}

// Held counts the checked tests that are as they must be.
func Held(list []Checked) int {
	n := 0
	for _, c := range list {
		if c.OK {
			n++
		}
	}
	return n
}

// Counts are the aggregate outcome of both suites.
func Counts(f2p, p2p []Checked) trace.TestCounts {
	return trace.TestCounts{
		FailToPassOK: Held(f2p), FailToPassAll: len(f2p), PassToPassOK: Held(p2p), PassToPassAll: len(p2p), Applied: true,
	}
}

// index finds tests by the names that instances give them.
type index struct {
	tests  []Test
	byName map[string][]int
}

func newIndex(tests []Test) index {
	ix := index{tests: tests, byName: map[string][]int{}}
	for i, t := range tests {
		for _, name := range append([]string{t.ID}, t.aliases...) {
			ix.byName[name] = append(ix.byName[name], i)
		}
		// The name alone, as some published instances have it.
		if k := strings.LastIndex(bracketless(t.ID), "::"); k >= 0 {
			ix.byName[t.ID[k+2:]] = append(ix.byName[t.ID[k+2:]], i)
		}
	}
	return ix
}

// bracketless is an id without its parameters, which may hold anything.
func bracketless(id string) string {
	if i := strings.IndexByte(id, '['); i >= 0 {
		return id[:i]
	}
	return id
}

func (ix index) find(id string) (t Test, prefix bool) {
	if found := ix.byName[id]; len(found) > 0 {
		return ix.heaviest(found), false
	}
	if name := dotted(id); name != id {
		if found := ix.byName[name]; len(found) > 0 {
			return ix.heaviest(found), false
		}
	}
	// Hundreds of published ids end inside their parameters.
	if strings.Contains(id, "[") && !strings.HasSuffix(id, "]") {
		var found []int
		for i, t := range ix.tests {
			if strings.HasPrefix(t.ID, id) || strings.HasPrefix(t.ID[strings.LastIndex(bracketless(t.ID), ":")+1:], id) {
				found = append(found, i)
			}
		}
		if len(found) > 0 {
			return ix.heaviest(found), true
		}
	}
	// A file or package that cannot be loaded takes its tests with it.
	for _, t := range ix.tests {
		if t.Status == Errored && t.Phase == Collection && holdsTests(t.ID, id) {
			return Test{ID: id, Status: Errored, Phase: Collection, Kind: t.Kind, Message: t.Message, Where: t.Where}, false
		}
	}
	return Test{ID: id, Status: Missing}, false
}

func holdsTests(whole, id string) bool {
	return strings.HasPrefix(id, whole+"::") || strings.HasPrefix(id, whole+" ") || strings.HasPrefix(id, whole+"/")
}

// heaviest is the worst of the tests that one name stands for.
func (ix index) heaviest(found []int) Test {
	worst := ix.tests[found[0]]
	for _, i := range found[1:] {
		if rank[ix.tests[i].Status] > rank[worst.Status] {
			worst = ix.tests[i]
		}
	}
	return worst
}
