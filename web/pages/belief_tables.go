package pages

import (
	"strconv"
	"strings"

	"plumbline/web/charts"
	"plumbline/web/components"
	"plumbline/web/layout"
)

func (b Belief) frame() layout.Frame {
	f := b.Frame
	f.Scripts = append(append([]string(nil), f.Scripts...), charts.Scripts...)
	f.Live = b.View == ViewPlan
	return f
}

func (e Quantity) why() string {
	if e.Why != "" {
		return e.Why
	}
	return "not defined"
}

func (e Quantity) title(decimals int) string {
	text := components.Decimal(e.Value, decimals+2)
	if e.Lo != nil && e.Hi != nil {
		text += "; 95% interval " + components.Decimal(e.Lo, decimals+2) + " to " + components.Decimal(e.Hi, decimals+2)
	}
	for _, w := range e.Warnings {
		text += ". Note: " + w
	}
	return text
}

// signedDecimal writes a log likelihood ratio with its sign.
func signedDecimal(v *float64) string {
	s := components.Decimal(v, 2)
	if v != nil && *v > 0 && s != components.Unknown {
		return "+" + s
	}
	return s
}

func (p CriticsPane) table() components.Table {
	t := components.Table{ID: "critics", Caption: "Critics", Columns: []components.Column{
		{Head: "Critic", Primary: true}, {Head: "P(pass | correct)", Numeric: true, Metric: "pass_correct"}, {Head: "P(pass | defective)", Numeric: true, Metric: "pass_defect"},
		{Head: "LLR", Numeric: true, Metric: "llr"}, {Head: "Gap", Numeric: true, Metric: "gap"},
		{Head: "No answer", Numeric: true, Title: "asked, and no usable answer came: it costs and says nothing"}, {Head: "Not asked", Numeric: true, Title: "no outcome was recorded"},
		{Head: "Cost", Numeric: true, Title: "of one call, in units of utility"},
	}}
	for _, c := range p.Critics {
		t.Rows = append(t.Rows, components.Row{Cells: cells(
			criticName(c), components.RateCell(c.PassCorrect), components.RateCell(c.PassDefect), llrs(c), gapCell(c),
			components.CountLink(c.Missing, ""), components.CountLink(c.Unrecorded, ""), components.Text(c.Cost),
		)})
	}
	return t
}

func (c CriticRow) outcomeTable() components.Table {
	t := components.Table{Plain: true, Compact: true, Caption: "Outcomes of " + c.Name, Columns: []components.Column{
		{Head: "Outcome", Primary: true}, {Head: "Correct", Numeric: true}, {Head: "P(outcome | correct)", Numeric: true},
		{Head: "Defective", Numeric: true}, {Head: "P(outcome | defective)", Numeric: true}, {Head: "LLR", Numeric: true},
	}}
	for _, o := range c.Outcomes {
		t.Rows = append(t.Rows, components.Row{Cells: cells(
			components.Text(o.Outcome),
			components.Text(components.Count(o.NCorrect)+"/"+components.Count(o.TotalCorrect)), components.Text(components.Decimal(&o.Correct, 3)),
			components.Text(components.Count(o.NDefect)+"/"+components.Count(o.TotalDefe)), components.Text(components.Decimal(&o.Defect, 3)),
			components.Text(signedDecimal(&o.LLR)),
		)})
	}
	return t
}

func (p CriticsPane) dependenceTable() components.Table {
	t := components.Table{Caption: "Dependence", Compact: true, Columns: []components.Column{
		{Head: "Critics", Primary: true}, {Head: "Class"}, {Head: "n", Numeric: true}, {Head: "χ²", Numeric: true}, {Head: "df", Numeric: true},
		{Head: "p", Numeric: true}, {Head: "Cramér’s V", Numeric: true, Metric: "cramers_v"}, {Head: "Note"},
	}}
	for _, d := range p.Dependence {
		note := d.Why
		if note == "" {
			note = d.Warning
		}
		t.Rows = append(t.Rows, components.Row{Cells: cells(
			words([]string{d.A, d.B}), components.Text(d.Class), components.Text(components.Count(d.N)),
			estimateCell(Quantity{Value: d.Chi2, Why: d.Why}, 2), components.Text(strconv.Itoa(d.DF)), components.Text(components.PValue(d.P)),
			estimateCell(Quantity{Value: d.V, Why: d.Why}, 2), components.Text(note),
		)})
	}
	return t
}

func (p CriticsPane) jointTable() components.Table {
	t := components.Table{Plain: true, Compact: true, Caption: "All pass/fail critics together", ShowName: true, Columns: []components.Column{
		{Head: "Class", Primary: true}, {Head: "n", Numeric: true}, {Head: "χ²", Numeric: true}, {Head: "df", Numeric: true}, {Head: "p", Numeric: true}, {Head: "Verdicts"},
	}}
	for _, j := range p.Joint {
		var seen []string
		for _, c := range j.Counts {
			seen = append(seen, c.Verdicts+" "+components.Count(c.N))
		}
		t.Rows = append(t.Rows, components.Row{Cells: cells(
			components.Text(j.Class), components.Text(components.Count(j.N)), components.Text(components.Decimal(&j.Chi2, 2)), components.Text(strconv.Itoa(j.DF)),
			components.Text(components.PValue(j.P)), components.Text(strings.Join(seen, ", ")),
		)})
	}
	return t
}
