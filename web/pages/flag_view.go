package pages

import (
	"strconv"

	"plumbline/web/components"
)

// Flag is one way in which a vote misreads its evidence: what it says beside the
// line it says it about.
type Flag struct {
	Kind          string
	Contradiction bool
	Said          string
	Line          int // 0: none
	Href          string
	Evidence      string
}

// ArmMisread counts the flags of one arm by the direction of the votes.
type ArmMisread struct {
	Name           string
	Index          int
	Items          ArmCount
	Accept, Reject int // votes with a contradiction
	Other          int
	Inexact        int // items whose votes only cite inexactly
	Unaudited      int
	Kinds          []FlagCount
}

// FlagCount counts the votes with one kind of flag.
type FlagCount struct {
	Kind string
	Vote components.Mark
	N    int
}

// Misread is what the audit of an experiment found, and the form that audits the
// votes from before there was one.
type Misread struct {
	Arms      []ArmMisread
	Unaudited int
	Audit     string // URL of the form; empty: the viewer may not, or nothing is left
	Back      string
}

func (m Misread) table() components.Table {
	t := components.Table{ID: "misread-arms", Caption: "Misread votes by arm and direction", Compact: true, Columns: []components.Column{
		{Head: "Arm", Primary: true}, {Head: "Traces", Metric: "misread", Numeric: true}, {Head: "Accept votes", Numeric: true}, {Head: "Reject votes", Numeric: true}, {Head: "Uncertain", Numeric: true},
		{Head: "Only inexact", Title: "traces whose votes cite a line or words that are not there, and contradict nothing", Numeric: true}, {Head: "Not audited", Title: "votes", Numeric: true}, {Head: "How"},
	}}
	for _, a := range m.Arms {
		t.Rows = append(t.Rows, components.Row{Cells: cells(
			outcomeArm(OutcomeLine{Arm: a.Name, ArmIndex: a.Index}), components.CountLink(a.Items.N, a.Items.Href), components.CountLink(a.Accept, ""), components.CountLink(a.Reject, ""),
			components.CountLink(a.Other, ""), components.CountLink(a.Inexact, ""), components.CountLink(a.Unaudited, ""), flagKinds(a.Kinds),
		)})
	}
	return t
}

func (f FlagCount) text() string { return strconv.Itoa(f.N) + " × " + f.Kind }
