// Package trace holds the nouns of the record: instances, traces (one agent's
// attempt at an instance), their steps, labels, buckets and splits. It is plain
// data; readers live in formats, storage in models.
package trace

import "time"

// Label is the ground truth of a trace.
type Label string

// Labels. Unknown is the zero state of an imported attempt without an outcome;
// an unknown trace is in no class denominator.
const (
	Acceptable Label = "acceptable"
	Defective  Label = "defective"
	Unknown    Label = "unknown"
)

// Bucket says what kind of defect a defective trace has; it is empty otherwise.
type Bucket string

// Buckets of a defective trace (paper G, Table 1).
const (
	NoBucket   Bucket = ""
	Omission   Bucket = "omission"
	Regression Bucket = "regression"
	NoChange   Bucket = "no_change"
)

// LabelSource says where a label comes from.
type LabelSource string

// Label sources. Execution: the project ran the official tests. Imported: an
// evaluation report of somebody else. Constructed: true by construction
// (controls and ablations). Manual: a person.
const (
	NoSource    LabelSource = ""
	Execution   LabelSource = "execution"
	Imported    LabelSource = "imported"
	Constructed LabelSource = "constructed"
	Manual      LabelSource = "manual"
)

// PatchState says what stood where a patch was expected.
type PatchState string

// Patch states, with the words of the import interface.
const (
	PatchText        PatchState = "text"          // a unified diff was found
	PatchEmpty       PatchState = "empty"         // ""
	PatchBlank       PatchState = "blank"         // white space only
	PatchNull        PatchState = "null"          // JSON null
	PatchAbsent      PatchState = "absent"        // the key is missing
	PatchNoDiffFound PatchState = "no_diff_found" // text without a ---/+++ pair
	PatchNone        PatchState = "none"          // the attempt left none
)

// Instance is a task: a repository at a commit and an issue.
type Instance struct {
	ID         string // as published, for example owner__repo-123
	Repo       string // owner/name; empty when unknown
	BaseCommit string
	Language   string // lower case: python, go, java …; empty when unknown
	Version    string
	Issue      string // problem statement, Markdown
	Hints      string
	CreatedAt  time.Time // zero when unknown
	Oracle     Oracle
}

// Oracle is what only the label may depend on. It is stored apart, shown to
// editors only, and must never reach a prompt, a reviewer export or a share page.
type Oracle struct {
	GoldPatch  string
	TestPatch  string
	FailToPass []string
	PassToPass []string
}

// Empty reports whether nothing is known about the oracle.
func (o Oracle) Empty() bool {
	return o.GoldPatch == "" && o.TestPatch == "" && len(o.FailToPass) == 0 && len(o.PassToPass) == 0
}

// Trace is one agent's attempt at an instance.
type Trace struct {
	InstanceID string
	Agent      string // run or system name
	Model      string
	Attempt    int // 1 for the first attempt of this agent at this instance
	PatchState PatchState
	Patch      string
	Summary    string // the agent's final words; empty when none
	Steps      []Step
	Status     string // the agent's own exit status; empty when unknown
	Usage      Usage
	Outcome    Outcome
	Trajectory string // path of the source inside the import, for the report
}

// Usage is what the attempt cost. Nil means unknown, never zero.
type Usage struct {
	CostUSD      *float64
	InputTokens  *int64
	OutputTokens *int64
	Duration     *time.Duration
}

// Outcome is the published or measured result of the official tests.
type Outcome struct {
	Resolved *bool  // nil: no judged outcome
	Reason   string // why not resolved: unresolved, empty_patch, error, infra, ambiguous, not_submitted …
	Source   string // file or run the outcome comes from
	Label    Label
	Bucket   Bucket
	From     LabelSource
	// Tests are aggregate counts only: names stay in the oracle.
	Tests *TestCounts
}

// TestCounts are the aggregate outcomes of the official suites on a patch.
type TestCounts struct {
	FailToPassOK, FailToPassAll int
	PassToPassOK, PassToPassAll int
	Applied                     bool
}

// StepKind classifies a step for the outline.
type StepKind string

// Step kinds.
const (
	StepSystem      StepKind = "system"
	StepUser        StepKind = "user"
	StepThought     StepKind = "thought"
	StepAction      StepKind = "action"
	StepObservation StepKind = "observation"
	StepMessage     StepKind = "message"
	StepError       StepKind = "error"
)

// Step is one turn of the agent: what it thought, did and saw. A reader fills
// what its format has; a step with only an observation is legal.
type Step struct {
	Index        int // 0-based, in order of the source
	Kind         StepKind
	Tool         string // tool or command name, empty for plain text
	Thought      string
	Action       string // command or tool input
	Observation  string
	Error        bool
	ExitCode     *int
	StartedAt    time.Time // zero when unknown
	Duration     *time.Duration
	CostUSD      *float64
	InputTokens  *int64
	OutputTokens *int64
}

// Split names. Users add their own.
const (
	SplitDesign   = "design"
	SplitHeldOut  = "held-out"
	SplitTransfer = "transfer"
)
