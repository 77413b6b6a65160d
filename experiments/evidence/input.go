package evidence

import "plumbline/experiments/trace"

// Input is everything that may be shown. It has no field for a gold patch, a
// test patch, test names, a label or a bucket.
type Input struct {
	Issue      string
	PatchState trace.PatchState
	Patch      string
	Summary    string
	Steps      []trace.Step

	// Resolved and Tests are read by the official forms alone. Resolved is used
	// where an imported result holds no counts. With neither, an attempt without
	// a code change still has a known outcome and any other gives ErrNoOutcome.
	Resolved *bool
	Tests    *trace.TestCounts

	// Missing is the item that a controlled case is known to lack, read by
	// structured-missing alone.
	Missing string

	// Checks are read by the checked form alone.
	Checks []Check
}

// From copies what may be shown of an attempt at an instance.
func From(i trace.Instance, t trace.Trace) Input {
	return Input{
		Issue: i.Issue, PatchState: t.PatchState, Patch: t.Patch, Summary: t.Summary, Steps: t.Steps,
		Resolved: t.Outcome.Resolved, Tests: t.Outcome.Tests,
	}
}

// CheckKind is the kind of a check that the pipeline ran.
type CheckKind string

// Kinds of checks that the checked form shows.
const (
	StaticFinding CheckKind = "static"
	GeneratedTest CheckKind = "generated-test"
)

// Result of a generated test on one tree.
type Result string

// Results. NotRun covers an environment in which the test could not run.
const (
	NotRun Result = ""
	Passed Result = "passed"
	Failed Result = "failed"
)

// Check is one check that the pipeline itself ran. A static finding is shown
// only when the patch caused it. A generated test is shown only when it counts,
// which needs a behavioural failure on base (paper G §3); whoever ran it decides
// that. What does not count is shown as a number alone: its text says nothing
// about the patch and misleads reviewers (paper G §6, rule ii).
type Check struct {
	Kind   CheckKind
	Counts bool // static: caused by the patch; generated test: failed on base behaviourally

	// Of a static finding.
	Tool, Rule, File string
	Line             int // on the patched tree; 0 when unknown

	Message string // of a finding, or what a generated test asserts

	// Of a generated test.
	Base, Patched Result
	Source        string // the test's code
	Output        string // its output on the patched tree
}
