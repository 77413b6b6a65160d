package pages

import (
	"strconv"

	"github.com/a-h/templ"

	"plumbline/web/components"
)

func (a ToolArm) ends() components.Table {
	t := components.Table{ID: a.ID + "-ends", Plain: true, Compact: true, Caption: "How the reviews of " + a.Name + " ended", Columns: []components.Column{
		{Head: "end", Primary: true}, {Head: "reviews", Metric: "tool_end"},
	}}
	for _, e := range a.Ends {
		t.Rows = append(t.Rows, components.Row{Faint: e.Rate.K == 0, Cells: cells(toolEnd(e), components.RateCell(e.Rate))})
	}
	return t
}

func (a ToolArm) means() components.Table {
	t := components.Table{ID: a.ID + "-means", Plain: true, Compact: true, Caption: "What a review of " + a.Name + " takes", Columns: []components.Column{
		{Head: "mean of a review", Primary: true}, {Head: "value", Numeric: true}, {Head: "95% interval", Numeric: true}, {Head: "reviews", Numeric: true},
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
		{Head: "trace", Primary: true}, {Head: "attempt"}, {Head: "truth"}, {Head: "vote"}, {Head: "end"}, {Head: "turns", Numeric: true, Metric: "tool_turns"},
		{Head: "commands", Numeric: true, Metric: "tool_commands"}, {Head: "prompt tokens", Numeric: true, Metric: "tool_tokens"}, {Head: "cost", Numeric: true},
	}, Empty: components.Empty{Why: "No review of this arm has ended yet."}}
	for _, r := range a.Traces {
		t.Rows = append(t.Rows, components.Row{Cells: cells(
			components.TextLink(r.Name, r.Href), components.Text(r.Attempt), components.TruthMark(r.Truth), components.DecisionChip(r.Mark, r.Wrong), components.Text(r.End),
			components.Text(strconv.Itoa(r.Turns)), components.Text(strconv.Itoa(r.Commands)), components.Text(components.Amount(r.Prompt)), money(r.Cost),
		)})
	}
	return t
}
