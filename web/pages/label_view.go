package pages

import (
	"time"

	"plumbline/experiments/trace"
	"plumbline/web/components"
	"plumbline/web/layout"
)

// Label is the form that labels a trace, or every trace of a filter, by hand.
// The reason is asked for, so that others can check it.
type Label struct {
	Frame   layout.Frame
	Now     time.Time
	Action  string
	Cancel  string
	Hidden  []components.Pair // the filter of a bulk change
	Many    string            // "411 traces with agent x": what a bulk change touches; empty for one trace
	Current components.Truth
	Label   trace.Label // chosen
	Bucket  trace.Bucket
	Reason  components.Input
	Errors  map[string]string // by field
	Events  []LabelChange
}
