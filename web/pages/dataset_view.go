package pages

import (
	"time"

	"plumbline/web/components"
	"plumbline/web/layout"
)

// Dataset is the page of a dataset: what it is made of, its splits and what
// its imports read.
type Dataset struct {
	Frame       layout.Frame
	Now         time.Time
	Note        string
	Counts      []Fact // traces, instances, with oracle …
	By          []TabLink
	Composition components.Table
	Splits      components.Table
	Imports     components.Table
	Labels      []LabelBatch // the latest changes of labels, newest first
	NewSplit    *SplitForm   // nil: the viewer may not add one
}

// SplitForm adds a split to a dataset.
type SplitForm struct {
	Action string
	Name   components.Input
	Rule   components.Input
}

// CompositionRow is one line of the composition: the counts of one agent,
// repository or language, and of all together in the last line. Every count links
// to its traces.
type CompositionRow struct {
	Name  string // empty: not known
	Total bool   // the last line
	Cells map[CompositionKey]CountLink
}

// CompositionKey is a column of the composition.
type CompositionKey string

// Columns of the composition (paper G, Table 1). Other is defective without a
// bucket.
const (
	CompAcceptable CompositionKey = "acceptable"
	CompOmission   CompositionKey = "omission"
	CompRegression CompositionKey = "regression"
	CompNoChange   CompositionKey = "no_change"
	CompOther      CompositionKey = "other"
	CompUnknown    CompositionKey = "unknown"
	CompAll        CompositionKey = "all"
)

// CompositionKeys are the columns in order.
var CompositionKeys = []CompositionKey{CompAcceptable, CompOmission, CompRegression, CompNoChange, CompOther, CompUnknown, CompAll}

// CountLink is a count and the traces behind it.
type CountLink struct {
	N    int
	Href string
}

// SplitRow is one split with its class sizes.
type SplitRow struct {
	Name                                   string
	Href                                   string
	Traces, Acceptable, Defective, Unknown int
	New                                    string // URL of a new experiment on it; empty: not allowed
}

// ImportRow is one import report in the list.
type ImportRow struct {
	Origin   string
	Href     string
	State    string // running, done, broken
	Read     *int   // nil: not known yet
	New      *int
	Problems *int
	When     time.Time
}
