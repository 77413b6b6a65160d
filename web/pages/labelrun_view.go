package pages

import (
	"strconv"
	"time"

	"plumbline/web/components"
	"plumbline/web/layout"
)

// LabelRuns lists the label runs of a dataset, with the form for another.
type LabelRuns struct {
	Frame  layout.Frame
	Now    time.Time
	Rows   []LabelRunRow
	Form   *LabelRunForm // nil: the reader may start none now
	NoForm string        // why, when an editor would expect one
}

// LabelRunRow is one run in a list.
type LabelRunRow struct {
	Href              string
	When              time.Time
	Status            components.Status
	Traces, Instances int
	Rounds            int
	Backend, By       string
}

// LabelRunForm starts a label run.
type LabelRunForm struct {
	Action                                string
	Split, Repeat, Seconds, Sandbox, Drop components.Input
	Mirrors                               string // folder of repositories; empty: none is set
	Bundled                               bool
}

// LabelRun is the page of a label run.
type LabelRun struct {
	Frame             layout.Frame
	Now               time.Time
	Status            components.Status
	Refresh           string // the page asks there again; empty: it has ended
	Started, Finished time.Time
	Traces, Tasks     components.Progress
	Facts             []Fact
	Errors            []string
	Instances         []LabelRunInstance
	Choices           []TabLink // outcomes
	Rows              []LabelRunTrace
	Pager             components.Pager
}

// LabelRunInstance is what a run found out about an instance. Base and Gold are
// fail-to-pass tests that hold; empty where nothing ran.
type LabelRunInstance struct {
	Instance, State, Why, Runner, Base, Gold string
	Usable                                   bool
}

// LabelRunTrace is what a run found out about a trace.
type LabelRunTrace struct {
	Instance, Agent, Href, Runs, Outcome, Why, Kept, F2P, P2P string
	Truth, Was                                                components.Truth
	When                                                      time.Time
}

// OutcomeName is the outcome of a trace for people.
func OutcomeName(outcome string) string {
	if s, ok := outcomeNames[outcome]; ok {
		return s
	}
	return outcome
}

var outcomeNames = map[string]string{
	"labelled": "labelled", "no_change": "no change", "does_not_apply": "patch does not apply", "patch_unknown": "patch unknown", "hangs": "tests hang",
	"environment": "environment failure", "flaky": "runs disagree", "unusable": "instance unusable",
}

// stateNames are the states of instances for people.
var stateNames = map[string]string{
	"usable": "usable", "no_oracle": "no oracle", "no_base": "no base tree", "no_runner": "no runner", "tests_do_not_apply": "official tests do not apply",
	"gold_does_not_apply": "reference patch does not apply", "gold_fails": "official tests fail on the reference patch", "base_passes": "official tests pass on the base",
	"base_does_not_build": "base does not build", "flaky": "no steady test is left", "environment": "environment failure", "not_checked": "needed no run",
}

func stateName(state string) string {
	if s, ok := stateNames[state]; ok {
		return s
	}
	return state
}

func labelRunTable(v LabelRuns) components.Table {
	t := components.Table{ID: "labelruns", Caption: "Label runs", Middle: true, Columns: []components.Column{
		{Head: "Started", Primary: true}, {Head: "State"}, {Head: "Traces", Numeric: true}, {Head: "Instances", Numeric: true},
		{Head: "Runs on each tree", Numeric: true}, {Head: "Sandbox"}, {Head: "By"},
	}, Empty: components.Empty{Why: "The official tests were not run here yet."}}
	for _, r := range v.Rows {
		t.Rows = append(t.Rows, components.Row{Cells: cells(
			labelRunLink(r, v.Now), components.StatusMark(r.Status), countCell(r.Traces), countCell(r.Instances), countCell(r.Rounds), components.Text(r.Backend), components.Text(r.By),
		)})
	}
	return t
}

func labelInstanceTable(rows []LabelRunInstance) components.Table {
	t := components.Table{ID: "instances", Caption: "Instances", Compact: true, Columns: []components.Column{
		{Head: "Instance", Primary: true}, {Head: "State"}, {Head: "Runner"},
		{Head: "On the base", Numeric: true, Title: "Fail-to-pass tests that hold on the base: none should"},
		{Head: "On the reference", Numeric: true, Title: "Fail-to-pass tests that hold on the reference patch: all should"},
	}, Empty: components.Empty{Why: "No instance was checked yet."}}
	for _, r := range rows {
		t.Rows = append(t.Rows, components.Row{Faint: !r.Usable, Cells: cells(
			components.Text(r.Instance), withReason(stateName(r.State), r.Why), components.Text(r.Runner), components.Text(r.Base), components.Text(r.Gold),
		)})
	}
	return t
}

func labelResultTable(v LabelRun) components.Table {
	t := components.Table{ID: "results", Caption: "Traces", Middle: true, Pager: v.Pager, Columns: []components.Column{
		{Head: "Trace", Primary: true}, {Head: "Agent"}, {Head: "Outcome"}, {Head: "Label"}, {Head: "Before"},
		{Head: "Fail-to-pass", Numeric: true}, {Head: "Pass-to-pass", Numeric: true}, {Head: ""},
	}, Empty: components.Empty{Why: "No trace was checked yet."}}
	for _, r := range v.Rows {
		why := r.Why
		if r.Kept != "" {
			why = "left as it was: " + r.Kept
		}
		t.Rows = append(t.Rows, components.Row{Cells: cells(
			components.TextLink(r.Instance, r.Href), components.Text(r.Agent), withReason(OutcomeName(r.Outcome), why), components.TruthMark(r.Truth), components.TruthMark(r.Was),
			components.Text(r.F2P), components.Text(r.P2P), components.TextLink("runs", r.Runs),
		)})
	}
	return t
}

// traceLabelTable lists what label runs found out about one trace.
func traceLabelTable(rows []LabelRunTrace, now time.Time) components.Table {
	t := components.Table{ID: "labels", Caption: "Labels by execution", Compact: true, Columns: []components.Column{
		{Head: "When", Primary: true}, {Head: "Outcome"}, {Head: "Label"}, {Head: "Fail-to-pass", Numeric: true}, {Head: "Pass-to-pass", Numeric: true}, {Head: ""},
	}}
	for _, r := range rows {
		why := r.Why
		if r.Kept != "" {
			why = "left as it was: " + r.Kept
		}
		t.Rows = append(t.Rows, components.Row{Cells: cells(
			components.When(r.When, now), withReason(OutcomeName(r.Outcome), why), components.TruthMark(r.Truth), components.Text(r.F2P), components.Text(r.P2P), components.TextLink("runs and logs", r.Runs),
		)})
	}
	return t
}

// LabelExecutions lists the runs of the official tests behind one result.
type LabelExecutions struct {
	Frame            layout.Frame
	Trace, TraceHref string
	Edit             bool // the reader may see logs
	Rows             []LabelExecution
}

// LabelExecution is one run of the official tests.
type LabelExecution struct {
	Tree, Runner, Backend, Cause, Fault, F2P, P2P, Log string
	Round, Hung                                        int
	Exit                                               *int
	MaxRSS                                             *int64
	Wall                                               time.Duration
	Unsandboxed                                        bool
}

func labelExecutionTable(rows []LabelExecution) components.Table {
	t := components.Table{ID: "executions", Caption: "Runs of the official tests", Compact: true, Columns: []components.Column{
		{Head: "Tree", Primary: true}, {Head: "Run", Numeric: true}, {Head: "Ended by"}, {Head: "Fail-to-pass", Numeric: true}, {Head: "Pass-to-pass", Numeric: true},
		{Head: "Took", Numeric: true}, {Head: "Runner"}, {Head: "Sandbox"}, {Head: ""},
	}, Empty: components.Empty{Why: "Nothing was run: the patch changes nothing, does not apply, or its instance gives no labels here."}}
	for _, r := range rows {
		end := r.Cause
		if r.Exit != nil {
			end += " " + strconv.Itoa(*r.Exit)
		}
		backend := r.Backend
		if r.Unsandboxed {
			backend += " (unsandboxed)"
		}
		log := components.Text("")
		if r.Log != "" {
			log = components.TextLink("log", r.Log)
		}
		t.Rows = append(t.Rows, components.Row{Cells: cells(
			components.Text(treeName(r.Tree)), countCell(r.Round), withReason(end, r.Fault), components.Text(r.F2P), components.Text(r.P2P), components.Text(components.Span(r.Wall)),
			components.Text(r.Runner), components.Text(backend), log,
		)})
	}
	return t
}

func treeName(tree string) string {
	switch tree {
	case "gold":
		return "reference patch"
	case "patch":
		return "the agent's patch"
	}
	return tree
}

// LabelLog is what one run of the official tests printed; for editors.
type LabelLog struct {
	Frame                layout.Frame
	Tree, Command, Notes string
	Round                int
	Parts                []FoldedText
}
