package pages

import (
	"github.com/a-h/templ"

	"plumbline/web/components"
)

// PowerForm is the part of the form that says what is believed of two arms before
// either is paid for.
type PowerForm struct {
	First, Second PowerRow
	Votes         components.Input // how alike two votes on a trace are
	Arms          components.Input // how alike the two arms are
}

// PowerRow is one arm of it.
type PowerRow struct {
	Name    string // "first arm"
	Field   string // of the choice, and the prefix of the rates
	Sources []PowerSource
	Rates   []components.Input // catch, over-rejection, uncertain of one vote
}

// PowerSource is where the rates come from: what is assumed here, or an arm of a
// past experiment.
type PowerSource struct {
	Value, Text, Group string
	Selected           bool
}

// PowerPlan is what the experiment could show, as far as is known before it is
// started.
type PowerPlan struct {
	OOB       bool // sent beside another part: it replaces the one of the page
	Empty     string
	Error     string
	Sentences []string
	Notes     []string
	First     PlannedArm
	Second    PlannedArm
	Facts     []Fact
	Seed      string
	Runs      int
}

// PlannedArm is what one arm is expected to show.
type PlannedArm struct {
	Name, Href string
	Rates      []PlannedRate
}

// PlannedRate is an expected rate. Lo and Hi are the middle 95% of it in the
// simulated experiments.
type PlannedRate struct {
	Rate   components.Rate
	Width  *float64
	Lo, Hi *float64
	Why    string // why there is no simulated range
}

// sourceGroup is the options of one experiment.
type sourceGroup struct {
	Name    string
	Sources []PowerSource
}

func (r PowerRow) groups() []sourceGroup {
	var out []sourceGroup
	for _, s := range r.Sources {
		if len(out) == 0 || out[len(out)-1].Name != s.Group {
			out = append(out, sourceGroup{Name: s.Group})
		}
		g := &out[len(out)-1]
		g.Sources = append(g.Sources, s)
	}
	return out
}

func (p PowerPlan) table() components.Table {
	t := components.Table{ID: "power-rates", Compact: true, Caption: "Expected rates", Columns: []components.Column{{Head: "Rate", Primary: true}}}
	for _, a := range []string{"First", "Second"} {
		t.Columns = append(t.Columns,
			components.Column{Head: a + " arm", Numeric: true, Metric: "planned"},
			components.Column{Head: "Width", Numeric: true, Metric: "planned_width"},
			components.Column{Head: "Simulated", Numeric: true, Metric: "planned_range"})
	}
	for i, f := range p.First.Rates {
		row := cells(definedName(f.Rate.Metric))
		for _, r := range []PlannedRate{f, p.Second.Rates[i]} {
			row = append(row, plannedCell(r.Rate), components.Text(components.Fraction(r.Width)), simulatedRange(r))
		}
		t.Rows = append(t.Rows, components.Row{Cells: row})
	}
	return t
}

func simulatedRange(r PlannedRate) templ.Component {
	if r.Lo == nil || r.Hi == nil {
		return components.Undefined(r.Why)
	}
	return components.Text(components.Fraction(r.Lo) + "–" + components.Fraction(r.Hi))
}
