package pages

import (
	"time"

	"plumbline/experiments/trace"
	"plumbline/web/components"
	"plumbline/web/components/diffview"
	"plumbline/web/components/evidenceview"
	"plumbline/web/components/stepsview"
	"plumbline/web/layout"
)

// TraceTab names what stands in the middle of a trace page; it is the value of
// the tab parameter.
type TraceTab string

// Tabs of a trace page. The oracle is offered to editors only.
const (
	TabIssue    TraceTab = "issue"
	TabDiff     TraceTab = "diff"
	TabEvidence TraceTab = "evidence"
	TabChecks   TraceTab = "checks"
	TabSteps    TraceTab = "steps"
	TabSummary  TraceTab = "summary"
	TabOracle   TraceTab = "oracle"
)

// ParseTraceTab reads the tab parameter; anything unknown is the diff.
func ParseTraceTab(s string) TraceTab {
	switch t := TraceTab(s); t {
	case TabIssue, TabDiff, TabEvidence, TabChecks, TabSteps, TabSummary, TabOracle:
		return t
	}
	return TabDiff
}

// Pane is one of the three columns; narrow screens show one at a time.
type Pane string

// Panes of a trace page.
const (
	PaneSteps   Pane = "steps"
	PaneContent Pane = "content"
	PaneVotes   Pane = "votes"
)

// ParsePane reads the pane parameter; anything unknown is the content.
func ParsePane(s string) Pane {
	switch p := Pane(s); p {
	case PaneSteps, PaneVotes:
		return p
	}
	return PaneContent
}

// Trace is the page of one trace: the outline of its steps, its content, and
// what reviewers decided about it.
type Trace struct {
	Frame layout.Frame
	Now   time.Time
	Truth components.Truth
	Facts []Fact
	Walk  Walk // neighbours in the list the reader came from

	Pane    Pane
	Panes   []TabLink // links of narrow screens
	Tab     TraceTab
	Tabs    []TabLink
	Outline stepsview.Outline

	// Only what the tab needs is set.
	Issue     string // Markdown
	Hints     string // Markdown
	Diff      diffview.View
	NoDiff    string // why there is no diff to show; empty when there is one
	Evidence  EvidencePane
	Checks    ChecksPane
	Steps     []stepsview.Detail
	StepsPrev string // URL, key h
	StepsNext string // URL, key l
	Summary   string // Markdown
	Oracle    OraclePane

	Votes VotesPane
	Label LabelPane
}

// TabLink is a tab; Key presses it and Count, when set, stands beside the text.
type TabLink struct {
	Text, Href, Key string
	Count           *int
	Current         bool
}

// Walk is the place of the trace in the list the reader came from.
type Walk struct {
	List       string // name of the list: "false rejections of gpt-x, patch"; empty: no list
	ListURL    string
	Place      string // "3 of 17"; empty when not known
	Prev, Next string // URLs, keys k and j
}

// EvidencePane is the evidence of one arm, exactly as the reviewer saw it.
type EvidencePane struct {
	Arm      string    // whose evidence it is
	Arms     []TabLink // every arm of the experiment
	None     string    // why there is no evidence; empty when there is one
	Badges   []components.Badge
	Explain  string // one sentence about the form
	Tokens   int
	Hash     string // SHA-256 of the text
	Cuts     []string
	Leaks    []string // what the leakage audit found; for editors
	Blocked  bool     // the audit stopped the vote
	Evidence evidenceview.View
}

// ChecksPane lists what the pipeline itself ran, and the aggregate outcome of the
// official suites.
type ChecksPane struct {
	Rows     []Check
	Official *trace.TestCounts // nil: not known
	Source   string            // where the official outcome comes from
	Reason   string            // why it is not resolved
	None     string            // why no check is listed
	All      string            // URL of everything that was checked; empty: nothing was
}

// Check is one check with its outcome on each tree; an empty outcome was not run.
type Check struct {
	Kind, Name, File string
	Base, Patch      string
	Counts           bool
	Note             string
}

// OraclePane is what only labels may depend on. It is built for editors only.
type OraclePane struct {
	Shown      bool
	Denied     string // why it is not shown
	Gold       diffview.View
	Test       diffview.View
	FailToPass []string
	PassToPass []string
}

// LabelPane is the ground truth with its history.
type LabelPane struct {
	Source string // sentence: where the label comes from
	Form   *Label // nil: the viewer may not change it
	Events []LabelChange
}

// LabelChange is one change of a label.
type LabelChange struct {
	When     time.Time
	Author   string
	Reason   string
	From, To components.Truth
}

// lit is the class that tells the style sheet which pane a narrow screen shows.
func (v Trace) lit() string { return "panes panes-" + string(v.Pane) }
