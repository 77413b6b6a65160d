package pages

import (
	"time"

	"plumbline/web/components"
	"plumbline/web/layout"
)

// Reviewer is the form of a reviewer and, for a stored one, its versions.
// Saving changed settings makes a new version; experiments keep theirs.
type Reviewer struct {
	Frame    layout.Frame
	Now      time.Time
	Action   string
	ReadOnly bool // the viewer may not change it
	Kind     string
	Kinds    []TabLink // the form for each kind of reviewer; empty for a stored reviewer
	Sections []FormSection
	Presets  []PresetLink
	Matrix   *SimulatedMatrix // simulated reviewers only
	Submit   string
	Cancel   string
	Error    string // of the form as a whole
	Versions []ReviewerVersionRow
	Usage    []Fact // experiments that used it
	// Screening is set for a stored reviewer.
	Screening *Screening
}

// FormSection is a group of fields under a heading.
type FormSection struct {
	Title, Says string
	Fields      []components.Input
}

// SimulatedMatrix is the confusion matrix of a simulated reviewer: for each
// truth, the shares of the four answers.
type SimulatedMatrix struct {
	Acceptable, Defective [4]components.Input
	Error                 string
}

// ReviewerVersionRow is one version in the history.
type ReviewerVersionRow struct {
	Version int
	Href    string
	Model   string
	Changed []string // what differs from the version before
	When    time.Time
	Current bool
}
