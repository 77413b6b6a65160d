package pages

import (
	"strconv"

	"github.com/a-h/templ"

	"plumbline/web/components"
)

func (a ToolArm) ends() components.Table {
	t := components.Table{ID: a.ID + "-ends", Plain: true, Compact: true, Caption: "How the reviews of " + a.Name + " ended", Columns: []components.Column{
		{Head: "End", Primary: true}, {Head: "Reviews", Metric: "tool_end"},
	}}
	for _, e := range a.Ends {
		t.Rows = append(t.Rows, components.Row{Faint: e.Rate.K == 0, Cells: cells(toolEnd(e), components.RateCell(e.Rate))})
	}
	return t
}

func (a ToolArm) means() components.Table {
	t := components.Table{ID: a.ID + "-means", Plain: true, Compact: true, Caption: "What a review of " + a.Name + " takes", Columns: []components.Column{
		{Head: "Mean of a review", Primary: true}, {Head: "Value", Numeric: true}, {Head: "95% interval", Numeric: true}, {Head: "Reviews", Numeric: true},
	}}
	for _, m := range a.Means {
		value, interval := components.Text(m.Value), components.Text(m.Interval)
		if m.Why != "" {
			value, interval = components.Undefined(m.Why), templ.NopComponent
		}
		t.Rows = append(t.Rows, components.Row{Cells: cells(components.TextLink(m.Name, components.DefinitionURL(m.Metric)), value, interval, components.Text(strconv.Itoa(m.N)))})
	}
	return t
}

func (a ToolArm) traces() components.Table {
	t := components.Table{ID: a.ID + "-traces", Middle: true, Caption: "Reviews of " + a.Name, Columns: []components.Column{
		{Head: "Trace", Primary: true}, {Head: "Attempt"}, {Head: "Truth"}, {Head: "Vote"}, {Head: "End"}, {Head: "Turns", Numeric: true, Metric: "tool_turns"},
		{Head: "Commands", Numeric: true, Metric: "tool_commands"}, {Head: "Prompt tokens", Numeric: true, Metric: "tool_tokens"}, {Head: "Cost", Numeric: true},
	}, Empty: components.Empty{Why: "No review of this arm has ended yet."}}
	for _, r := range a.Traces {
		t.Rows = append(t.Rows, components.Row{Cells: cells(
			components.TextLink(r.Name, r.Href), components.Text(r.Attempt), components.TruthMark(r.Truth), components.DecisionChip(r.Mark, r.Wrong), components.Text(r.End),
			components.Text(strconv.Itoa(r.Turns)), components.Text(strconv.Itoa(r.Commands)), components.Text(components.Amount(r.Prompt)), money(r.Cost),
		)})
	}
	return t
}
