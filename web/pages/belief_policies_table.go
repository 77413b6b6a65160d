package pages

import (
	"slices"
	"strconv"

	"plumbline/web/components"
	"plumbline/web/components/visible"
)

// simulatedTasks marks a value that stands on simulated tasks.
var simulatedTasks = components.Badge{Key: "simulated-tasks", Text: "simulated tasks", Tone: components.Note,
	Why: "The histories of this policy are too many to enumerate, so its value is a mean over tasks drawn from the model."}

func (p PoliciesPane) table() components.Table {
	t := components.Table{ID: "policies", Caption: "Policies", Columns: []components.Column{
		{Head: "Policy", Primary: true}, {Head: "Model", Numeric: true, Metric: "utility", Title: "expected utility under the estimate over all tasks"},
		{Head: "Solved", Numeric: true, Title: "probability, under the model, of ending with a verified correct candidate"},
		{Head: "Calls", Numeric: true, Title: "critic calls a task, under the model"},
		{Head: "Replay", Numeric: true, Metric: "utility", Title: "mean over the recorded tasks, with parameters from other tasks"},
		{Head: "Δ", Numeric: true, Metric: "delta"}, {Head: "Upper bound", Numeric: true, Metric: "censored"},
		{Head: "Replayed", Numeric: true}, {Head: "Solved", Numeric: true, Title: "replayed tasks that ended with a verified correct candidate"}, {Head: "Cautions"},
	}}
	for _, r := range p.Rows {
		t.Rows = append(t.Rows, components.Row{Cells: cells(
			policyName(r), exactCell(r), estimateCell(Quantity{Value: r.Solved, Why: "no exact value"}, 2), estimateCell(Quantity{Value: r.Calls, Why: "no exact value"}, 1),
			replayCell(r), estimateCell(r.Delta, 2), estimateCell(Quantity{Value: r.Upper, Why: "no task was replayed"}, 2),
			components.Text(components.Count(r.N)+"/"+components.Count(r.Tasks)), components.Text(components.Count(r.SolvedN)+"/"+components.Count(r.N)), cautions(r),
		)})
	}
	return t
}

func (p PlanPane) thresholdTable() components.Table {
	t := components.Table{Plain: true, Compact: true, Caption: "Thresholds of one step", Columns: []components.Column{{Head: "Choice", Primary: true}, {Head: "Belief", Numeric: true}, {Head: "From"}}}
	for _, r := range p.Thresholds {
		t.Rows = append(t.Rows, components.Row{Cells: cells(components.Text(components.FirstLine(r.Choice, 120)), components.Text(r.At), components.Text(r.Why))})
	}
	return t
}

func (p PlanPane) informationTable() components.Table {
	t := components.Table{Plain: true, Compact: true, Caption: "Value of information at the prior", Columns: []components.Column{
		{Head: "Critic", Primary: true}, {Head: "Worth", Numeric: true, Metric: "evsi"}, {Head: "Cost", Numeric: true}, {Head: "Net", Numeric: true},
	}}
	for _, r := range p.Information {
		t.Rows = append(t.Rows, components.Row{Cells: cells(components.Text(components.FirstLine(r.Name, 80)), components.Text(components.Decimal(&r.EVSI, 2)),
			components.Text(components.Decimal(&r.Cost, 2)), components.Text(components.Decimal(&r.Net, 2)))})
	}
	return t
}

func (p RegimesPane) table() components.Table {
	t := components.Table{Plain: true, Compact: true, Caption: "Cells won", Columns: []components.Column{
		{Head: "Policy", Primary: true}, {Head: "Best in", Numeric: true}, {Head: "Clearly", Numeric: true, Title: "cells that are not hatched"},
	}}
	for _, r := range p.Won {
		t.Rows = append(t.Rows, components.Row{Cells: cells(components.Text(components.FirstLine(r.Policy, 80)), components.Text(components.Count(r.Won)), components.Text(components.Count(r.Clear)))})
	}
	return t
}

func (p RobustPane) table() components.Table {
	t := components.Table{Caption: "Shifted likelihoods", Compact: true, Columns: []components.Column{
		{Head: "Policy", Primary: true}, {Head: "Shift", Numeric: true}, {Head: "Kind"}, {Head: "As estimated", Numeric: true},
		{Head: "Shifted and known", Numeric: true, Title: "the shifted likelihoods are true and the policy knows them"},
		{Head: "Shifted belief", Numeric: true, Title: "the policy believes the shifted ones while the estimated are true"},
		{Head: "Lost", Numeric: true, Title: "what the wrong belief costs"},
	}}
	for _, r := range p.Rows {
		t.Rows = append(t.Rows, components.Row{Cells: cells(components.Text(components.FirstLine(r.Policy, 80)), components.Text(r.Shift), components.Text(r.Mode),
			components.Text(components.Decimal(&r.Base, 2)), components.Text(components.Decimal(&r.Shifted, 2)), components.Text(components.Decimal(&r.Mistaken, 2)), components.Text(components.Decimal(&r.Loss, 2)))})
	}
	return t
}

func (p TasksPane) table() components.Table {
	t := components.Table{ID: "tasks", Caption: "Candidates", Middle: true, Columns: []components.Column{
		{Head: "Task", Primary: true}, {Head: "Candidate", Numeric: true}, {Head: "Truth"}, {Head: "Belief", Metric: "belief"},
	}}
	for _, c := range p.Critics {
		t.Columns = append(t.Columns, components.Column{Head: components.FirstLine(c, 28), Title: visible.String(components.FirstLine(c, 200))})
	}
	t.Columns = append(t.Columns, components.Column{Head: "Path"})
	for _, r := range p.Rows {
		row := cells(taskName(r), components.Text(r.Place), components.TruthMark(r.Truth), components.BeliefBar(r.Belief))
		for _, o := range r.Outcomes {
			row = append(row, outcomeMark(o))
		}
		t.Rows = append(t.Rows, components.Row{Cells: append(row, components.TextLink("path", r.Path))})
	}
	return t
}

func (p PublishedPane) table() components.Table {
	t := components.Table{Caption: "By the published rules", Columns: []components.Column{
		{Head: "Policy", Primary: true}, {Head: "Mean utility", Numeric: true}, {Head: "Δ to always_verify", Numeric: true}, {Head: "Solved", Numeric: true},
		{Head: "Leaving the task out", Numeric: true}, {Head: "Solved", Numeric: true}, {Head: "Censored", Numeric: true, Metric: "censored"},
	}}
	printed := slices.ContainsFunc(p.Rows, func(r PublishedRow) bool { return r.Printed != nil })
	if printed {
		t.Columns = append(t.Columns, components.Column{Head: "Published mean", Numeric: true}, components.Column{Head: "Published Δ", Numeric: true},
			components.Column{Head: "Reached", Numeric: true, Title: "published numbers of the line that are reached to within 1e-9: mean, difference, share solved, both ends of the interval, and the mean leaving the task out where it was published"})
	}
	for _, r := range p.Rows {
		row := components.Row{Cells: cells(
			components.Text(r.Name), estimateCell(Quantity{Value: r.Mean}, 3), estimateCell(Quantity{Value: r.Delta, Lo: r.Lo, Hi: r.Hi}, 3),
			components.Text(components.Count(r.Solved)+"/"+components.Count(r.N)), estimateCell(Quantity{Value: r.LeaveOne}, 3),
			components.Text(components.Count(r.LeaveOneSolved)+"/"+components.Count(r.N)), components.CountLink(r.CensoredInSample, ""),
		)}
		if r.Printed != nil {
			row.Cells = append(row.Cells, estimateCell(*r.Printed, 3), estimateCell(r.PrintedDelta, 3), components.Text(components.Count(r.Reached)+"/"+components.Count(r.Of)))
		} else if printed {
			row.Cells = append(row.Cells, components.Undefined("not published"), components.Undefined("not published"), components.Undefined("not published"))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (b BeliefPath) allTable() components.Table {
	t := components.Table{Plain: true, Compact: true, Middle: true, Caption: "Every recorded outcome", Columns: []components.Column{
		{Head: "Critic", Primary: true}, {Head: "Outcome"}, {Head: "LLR", Numeric: true, Metric: "llr"}, {Head: "Before"}, {Head: "After"}, {Head: "Note"},
	}}
	for _, s := range b.All {
		t.Rows = append(t.Rows, components.Row{Cells: cells(components.Text(components.FirstLine(s.Critic, 80)), components.Text(s.Outcome), components.Text(signedDecimal(s.LLR)),
			components.BeliefBar(s.Before), components.BeliefBar(s.After), components.Text(s.Note))})
	}
	return t
}

func percentOf(p float64) string {
	if p > 0 && p < 0.001 {
		return "<0.1%"
	}
	return strconv.FormatFloat(100*p, 'f', 1, 64) + "%"
}
