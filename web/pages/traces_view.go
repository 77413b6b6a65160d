package pages

import (
	"plumbline/web/components"
	"plumbline/web/layout"
)

// Traces is the list of the traces of a dataset: narrow columns only, so that
// no query behind it reads a large text.
type Traces struct {
	Frame   layout.Frame
	Search  TraceSearch
	Filters []components.Filter
	Table   components.Table
	Total   string // "411 traces", or "411 of 2,000 traces" under a filter
	Bulk    string // URL of the form that labels what the filter selects; empty: not allowed
	Export  string // URL of the predictions of what the filter selects; empty: none
}

// TraceSearch is the text filter: part of an instance id.
type TraceSearch struct {
	Action string
	Query  string
	Keep   []components.Pair // the other parameters of the URL
}

// TraceRow is one line of the list.
type TraceRow struct {
	ID         string
	Href       string
	Instance   string
	Repo       string
	Agent      string
	Model      string
	Attempt    int
	Truth      components.Truth
	PatchState string // "text" shows the size, anything else is shown as a word
	Files      int
	Added      *int // nil: the lines cannot be counted
	Removed    *int
	Steps      int
	CostUSD    *float64
	Reason     string // why not resolved
}

// TraceColumns are the columns of the list by key; the keys are those that the
// list can be sorted by, where it can.
var TraceColumns = []components.Column{
	{Key: "instance", Head: "Instance", Primary: true},
	{Key: "label", Head: "Truth"},
	{Key: "repo", Head: "Repository"},
	{Key: "agent", Head: "Agent"},
	{Key: "model", Head: "Model"},
	{Key: "size", Head: "Patch", Numeric: true, Title: "added and removed lines"},
	{Key: "steps", Head: "Steps", Numeric: true},
	{Key: "cost", Head: "Cost", Numeric: true, Title: "of the attempt, as recorded"},
	{Key: "outcome", Head: "Outcome", Title: "why an attempt is not resolved, as reported"},
}
