package checks

import (
	"path"
	"slices"
	"strings"
	"time"
)

// Status is how a test ended.
type Status string

// Statuses. Failed alone is about behaviour: the test ran and an assertion failed
// or an exception came out of it.
const (
	Passed         Status = "passed"
	Failed         Status = "failed"
	Errored        Status = "errored" // it could not be collected, set up or torn down
	Skipped        Status = "skipped"
	ExpectedFail   Status = "xfail" // marked as failing, and fails
	UnexpectedPass Status = "xpass" // marked as failing, and passes
	TimedOut       Status = "timed_out"
	Missing        Status = "missing" // expected, and no report speaks of it
)

// Phase is where a test ended.
type Phase string

// Phases of a test.
const (
	Collection Phase = "collection" // build, import, discovery
	Setup      Phase = "setup"
	Call       Phase = "call"
	Teardown   Phase = "teardown"
)

// Test is what a report claims of one test.
type Test struct {
	ID       string         `json:"id"`
	Status   Status         `json:"status"`
	Phase    Phase          `json:"phase,omitempty"`
	Kind     string         `json:"kind,omitempty"`    // class of the exception, panic or assertion; empty: unknown
	Message  string         `json:"message,omitempty"` // first lines
	Where    string         `json:"where,omitempty"`   // file that raised it, relative to the tree; empty: unknown
	Duration *time.Duration `json:"duration,omitempty"`
	// aliases are other names by which an instance may call the test.
	aliases []string
}

// environmentKinds are exceptions that speak of the environment, also when they
// come out of a test's call.
var environmentKinds = []string{
	"ImportError", "ModuleNotFoundError", "SyntaxError", "IndentationError", "TabError", "MemoryError", "ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND",
}

// Behavioural reports whether the test failed by what the code under test did: in
// the call phase, by an assertion or a wrong exception. isTest tells test files
// apart: a name that is not defined in the test itself is a fault of the test.
func (t Test) Behavioural(isTest func(path string) bool) bool {
	if t.Status != Failed || t.Phase != Call {
		return false
	}
	kind := t.Kind[strings.LastIndex(t.Kind, ".")+1:]
	if slices.Contains(environmentKinds, kind) {
		return false
	}
	return kind != "NameError" || t.Where == "" || isTest == nil || !isTest(t.Where)
}

// rank orders statuses of one test that was reported several times: the worst
// counts.
var rank = map[Status]int{Passed: 0, UnexpectedPass: 1, ExpectedFail: 2, Skipped: 3, Missing: 4, Failed: 5, TimedOut: 6, Errored: 7}

// worst joins tests that were reported under one id, in order of first report.
func worst(tests []Test) []Test {
	at := map[string]int{}
	var out []Test
	for _, t := range tests {
		i, ok := at[t.ID]
		if !ok {
			at[t.ID] = len(out)
			out = append(out, t)
			continue
		}
		if rank[t.Status] > rank[out[i].Status] {
			out[i] = t
		}
	}
	return out
}

// messageLimit bounds what is kept of a failure's text.
const messageLimit = 2 << 10

func short(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > messageLimit {
		s = s[:messageLimit] + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// inTree makes a path that a report names relative to the tree.
func inTree(p string) string {
	for _, root := range []string{"/box/tree/", "/testbed/"} {
		if rest, ok := strings.CutPrefix(p, root); ok {
			return rest
		}
	}
	if i := strings.Index(p, "/tree/"); strings.HasPrefix(p, "/") && i >= 0 {
		return p[i+len("/tree/"):]
	}
	return path.Clean(p)
}
