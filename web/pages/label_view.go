package pages

import (
	"time"

	"plumbline/experiments/trace"
	"plumbline/web/components"
	"plumbline/web/layout"
)

// LabelBatch is a change of several labels at once: by one author, at one time, for
// one reason, from one label to another.
type LabelBatch struct {
	When     time.Time
	Author   string
	Reason   string
	N        int
	From, To components.Truth
}

// LabelHeld is how many of the selected traces have a label now, and where they are
// listed.
type LabelHeld struct {
	Truth components.Truth
	N     int
	Href  string
}

// Label is the form that labels a trace, or every trace of a filter, by hand.
// The reason is asked for, so that others can check it.
type Label struct {
	Frame   layout.Frame
	Now     time.Time
	Action  string
	Cancel  string
	Hidden  []components.Pair // the filter of a bulk change
	Many    string            // "411 traces with agent x": what a bulk change touches; empty for one trace
	Held    []LabelHeld       // what the traces of a bulk change have now
	Current components.Truth
	Label   trace.Label // chosen
	Bucket  trace.Bucket
	Reason  components.Input
	Errors  map[string]string // by field
	Events  []LabelChange
}
