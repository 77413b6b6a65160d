package pages

import (
	"time"

	"plumbline/web/components"
	"plumbline/web/layout"
)

// FreezeForm is the page that applies the rule to a design experiment and freezes
// the choice.
type FreezeForm struct {
	Frame      layout.Frame
	Now        time.Time
	Rule       string
	Candidates []TabLink // which forms may be chosen
	Choices    []FreezeChoice
	Warnings   []string
	Blocked    string // why it cannot be frozen now
	Action     string // empty: the viewer may not freeze
	Hidden     []components.Pair
	Splits     []FreezeSplit
	Error      string
	Freezes    []FreezeLine
}

// FreezeChoice is what the rule says of one reviewer version.
type FreezeChoice struct {
	Reviewer string
	Version  int
	Href     string // the reviewer
	Form     string // chosen; empty: none
	Why      string
	Screen   ScreenMark
	Arms     []FreezeArm
}

// FreezeArm is an arm that was compared.
type FreezeArm struct {
	Form                 string
	Index                int // its colour
	Badges               []components.Badge
	Over, Catch, Correct components.Rate
	Undecided            ArmCount
	Chosen               bool
	Out                  string // why it is no candidate
}

// FreezeSplit is a split that a freeze may be evaluated on, or why it may not.
type FreezeSplit struct {
	ID, Name                                  string
	Traces, Acceptable, Defective, Unlabelled int
	Instances                                 int // instances that the design experiment has seen through other traces
	Out                                       string
	Selected                                  bool
}

// FreezeLine is a freeze in the list of its design experiment.
type FreezeLine struct {
	Href string
	SHA  string
	By   string
	When time.Time
	Runs int
}

func (c FreezeChoice) table(id string) components.Table {
	t := components.Table{ID: id, Caption: "Evidence forms of " + c.Reviewer, Columns: []components.Column{
		{Head: "Evidence", Primary: true}, {Head: "Over-rejection", Metric: "over_rejection", Numeric: true}, {Head: "Catch", Metric: "catch", Numeric: true},
		{Head: "Correct", Metric: "correct_over_all", Numeric: true}, {Head: "Undecided", Title: "items in error, blocked or missing", Numeric: true}, {Head: "Rule"},
	}}
	for _, a := range c.Arms {
		t.Rows = append(t.Rows, components.Row{Current: a.Chosen, Faint: a.Out != "", Cells: cells(
			freezeForm(a), components.RateCell(a.Over), components.RateCell(a.Catch), components.RateCell(a.Correct),
			components.CountLink(a.Undecided.N, a.Undecided.Href), freezeVerdict(a, c.Why),
		)})
	}
	return t
}

func (f FreezeForm) freezeTable() components.Table {
	t := components.Table{ID: "freezes", Caption: "Freezes of this experiment", Columns: []components.Column{
		{Head: "Manifest", Primary: true}, {Head: "Frozen"}, {Head: "By"}, {Head: "Held-out runs", Numeric: true},
	}}
	for _, l := range f.Freezes {
		t.Rows = append(t.Rows, components.Row{Cells: cells(freezeLink(l), components.When(l.When, f.Now), components.Text(components.FirstLine(l.By, 60)), components.CountLink(l.Runs, l.Href))})
	}
	return t
}

// Frozen is the page of one freeze: what it holds, what has changed since, and its
// held-out runs.
type Frozen struct {
	Frame    layout.Frame
	Now      time.Time
	Broken   string // the manifest cannot be believed, and why
	Facts    []Fact
	Rule     string
	Arms     []FrozenArm
	Changes  []FrozenChange
	Download string
	Splits   []FrozenSplit
}

// FrozenArm is an arm that a held-out run asks.
type FrozenArm struct {
	Reviewer, Href string
	Version        int
	Model, Prompt  string
	Form           string
	Badges         []components.Badge
	Why            string
	Screen         ScreenMark
}

// FrozenChange is a difference between a manifest and what is stored now. A note
// does not stop an evaluation.
type FrozenChange struct {
	Thing, Name, What string
	Note              bool
}

// FrozenSplit is a split that the freeze may be evaluated on, with its runs.
type FrozenSplit struct {
	ID, Name string
	Traces   int
	Runs     []HeldOutLine
	Looks    []layout.Link // experiments that had seen its traces before the freeze
	Form     *HeldOutForm  // nil: the viewer may not start a run
}

// HeldOutForm starts the next run of a split.
type HeldOutForm struct {
	Action string
	Number int    // of the run that it starts
	Reason string // as typed
	Error  string
	Stop   string // why no run can start
}

// HeldOutLine is one evaluation.
type HeldOutLine struct {
	Number  int
	Name    string
	Href    string
	By      string
	When    time.Time
	Reason  string
	Current bool // the experiment of the page
}

// HeldOutPanel stands on the page of an experiment that is a held-out run.
type HeldOutPanel struct {
	Freeze  string // URL
	Runs    []HeldOutLine
	Changes []FrozenChange
}

func (f Frozen) armTable() components.Table {
	t := components.Table{ID: "frozen-arms", Caption: "Frozen arms", Columns: []components.Column{
		{Head: "Reviewer", Primary: true}, {Head: "Evidence"}, {Head: "Model"}, {Head: "Prompt"}, {Head: "Screening", Metric: "screening"}, {Head: "Why this form"},
	}, Empty: components.Empty{Why: "The manifest holds no arm."}}
	for _, a := range f.Arms {
		t.Rows = append(t.Rows, components.Row{Cells: cells(frozenReviewer(a), frozenForm(a), components.Text(components.FirstLine(a.Model, 60)), components.Text(a.Prompt), screenMark(a.Screen), reason(a.Why))})
	}
	return t
}

func changeTable(all []FrozenChange) components.Table {
	t := components.Table{ID: "changes", Caption: "Changes since the freeze", Columns: []components.Column{
		{Head: "What", Primary: true}, {Head: "Which"}, {Head: "Change"}, {Head: "Effect"},
	}}
	const shown = 200
	for i, c := range all {
		if i == shown {
			t.Pager.Shown = components.Count(shown) + " of " + components.Plural(len(all), "change", "changes")
			break
		}
		t.Rows = append(t.Rows, components.Row{Faint: c.Note, Cells: cells(components.Text(c.Thing), components.Text(components.FirstLine(c.Name, 160)), reason(components.FirstLine(c.What, 300)), changeEffect(c))})
	}
	return t
}

// stops counts the changes that stop an evaluation.
func stops(all []FrozenChange) int {
	n := 0
	for _, c := range all {
		if !c.Note {
			n++
		}
	}
	return n
}

func runTable(id string, runs []HeldOutLine, now time.Time) components.Table {
	t := components.Table{ID: id, Caption: "Held-out runs", Columns: []components.Column{
		{Head: "Experiment", Primary: true}, {Head: "Run", Numeric: true}, {Head: "Started"}, {Head: "By"}, {Head: "Reason"},
	}}
	for _, r := range runs {
		t.Rows = append(t.Rows, components.Row{Current: r.Current, Cells: cells(
			runName(r), components.Text(components.Count(r.Number)), components.When(r.When, now), components.Text(components.FirstLine(r.By, 60)), runReason(r),
		)})
	}
	return t
}
