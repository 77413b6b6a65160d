// Package stepsview shows the steps of an agent: an outline that renders only a
// window of rows, however many there are, and the content of single steps.
package stepsview

import (
	"strconv"
	"time"

	"plumbline/experiments/trace"
	"plumbline/web/components/logview"
)

// WindowRows is how many rows of the outline are rendered at once.
const WindowRows = 200

// Outline is a window of the steps of a trace.
type Outline struct {
	Rows          []Row
	Total         int
	Errors        int    // steps marked as failed, in the whole trace; -1 when not counted
	Before, After string // URLs of the windows around; empty at the ends
	Summary       string // URL of the final summary; empty when there is none
	SummaryOn     bool   // the summary is shown
}

// Row is one step in the outline.
type Row struct {
	Index    int // 0-based, as stored; shown from 1
	Kind     trace.StepKind
	Tool     string
	Title    string // first words of what was done
	Error    bool
	ExitCode *int
	Duration *time.Duration
	CostUSD  *float64
	Href     string
	Current  bool
}

// WindowStart is the first step of the window that shows step current (0-based)
// of total with some rows before it.
func WindowStart(current, total int) int {
	start := current - WindowRows/8
	return max(0, min(start, total-WindowRows))
}

// Detail is the content of one step.
type Detail struct {
	Row
	StartedAt    time.Time // zero when unknown
	Thought      string    // Markdown
	Action       string
	Observation  string
	ActionFrom   int // first line of the action wanted, from 1
	From         int // first line of the observation wanted, from 1
	InputTokens  *int64
	OutputTokens *int64
	Link         string                // URL of this step alone
	RawAction    string                // URL as text/plain
	RawSeen      string                // URL as text/plain
	URL          func(from int) string // window of the observation; nil leaves out the links
}

// Anchor is the id of a step: s12 for the one shown as 12.
func (r Row) Anchor() string { return "s" + r.Number() }

// Number is the step's number as shown, from 1.
func (r Row) Number() string { return strconv.Itoa(r.Index + 1) }

// kind keeps class names to the known kinds.
func (r Row) kind() string {
	switch r.Kind {
	case trace.StepSystem, trace.StepUser, trace.StepThought, trace.StepAction, trace.StepObservation, trace.StepError:
		return string(r.Kind)
	}
	return string(trace.StepMessage)
}

// sign is the letter that tells kinds apart without colour.
func (r Row) sign() string {
	switch r.Kind {
	case trace.StepSystem:
		return "§"
	case trace.StepUser:
		return "U"
	case trace.StepThought:
		return "T"
	case trace.StepAction:
		return "$"
	case trace.StepObservation:
		return "›"
	case trace.StepError:
		return "!"
	}
	return "M"
}

func (r Row) failed() bool {
	return r.Error || r.Kind == trace.StepError || r.ExitCode != nil && *r.ExitCode != 0
}

func (d Detail) action() logview.Options {
	return logview.Options{ID: d.Anchor() + "a", Raw: d.RawAction, From: d.ActionFrom}
}

func (d Detail) observation() logview.Options {
	return logview.Options{ID: d.Anchor(), Raw: d.RawSeen, From: d.From, URL: d.URL}
}
