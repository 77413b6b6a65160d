package pages

import (
	"fmt"

	"github.com/a-h/templ"

	"plumbline/web/charts"
	"plumbline/web/components"
	"plumbline/web/components/visible"
	"plumbline/web/layout"
)

// Ladder sets the arms of experiments side by side by the size of their reviewers.
type Ladder struct {
	Frame       layout.Frame
	Outcome     string   // what the three interventions did, in words
	Trends      []string // how size goes with the rate, by evidence form
	Warnings    []string
	Metric      string // key of its definition
	Metrics     []layout.Link
	Axis        string // "parameters (billions)"
	Axes        []layout.Link
	Experiments []LadderExperiment
	Add         []components.Choice // experiments that can be added
	Action      string              // the page without parameters
	Keep        []components.Pair   // parameters that the forms keep
	Sizes       []SizeField
	Overlays    []OverlayLink
	Rows        []LadderRow
	Badges      []components.Badge

	BySize, Tradeoff, Changes, Votes charts.Figure
}

// LadderExperiment is one of the experiments on the page.
type LadderExperiment struct {
	Name, Href, RemoveURL string
}

// SizeField asks for the size of one reviewer.
type SizeField struct {
	Name, Label, Value, Hint string
}

// LadderRow is one arm of the ladder.
type LadderRow struct {
	Arm      ArmRow
	Name     string // with the experiment when there are several
	Size     *float64
	SizeFrom string
	Traces   int
}

func (l Ladder) frame() layout.Frame {
	f := l.Frame
	f.Scripts = append(append([]string(nil), f.Scripts...), charts.Scripts...)
	return f
}

func (l Ladder) figure(f charts.Figure) charts.Figure {
	f.Badges = l.Badges
	return f
}

// added are the experiments to add, their names shown exactly.
func (l Ladder) added() []components.Choice {
	out := make([]components.Choice, len(l.Add))
	for i, c := range l.Add {
		c.Text = visible.String(c.Text)
		out[i] = c
	}
	return out
}

// ladderMetrics are the rates of the table.
var ladderMetrics = []string{"catch", "over_rejection", "coverage", "risk", "correct_over_all"}

func (l Ladder) table() components.Table {
	t := components.Table{ID: "rungs", Caption: "Arms by size", Empty: components.Empty{Why: "No arm of these experiments has a reviewer of a model."}, Columns: []components.Column{
		{Key: "arm", Head: "Arm", Primary: true}, {Head: l.Axis, Numeric: true}, {Head: "Traces", Numeric: true, Title: "of known truth, with a decision"},
	}}
	for _, m := range ladderMetrics {
		d, _ := components.Define(m)
		t.Columns = append(t.Columns, components.Column{Head: d.Name, Metric: m, Numeric: true})
	}
	for _, r := range l.Rows {
		row := components.Row{Arm: r.Arm.ID, Cells: []templ.Component{ladderName(r), rungSize(r), components.Text(components.Count(r.Traces))}}
		for _, m := range ladderMetrics {
			row.Cells = append(row.Cells, components.RateCell(r.Arm.Rates[m]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func sizeOf(v *float64) string { return fmt.Sprintf("%.4g", *v) }
