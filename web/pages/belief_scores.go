package pages

import "plumbline/web/components"

func (p ScoresPane) table() components.Table {
	t := components.Table{ID: "scores", Caption: "Scores", Columns: []components.Column{
		{Head: "Score", Primary: true}, {Head: "Correct", Numeric: true, Title: "correct of the labelled candidates that have the score"},
		{Head: "AUROC", Numeric: true, Metric: "auroc"}, {Head: "PRR at 50%", Numeric: true, Metric: "prr"}, {Head: "PRR", Numeric: true, Metric: "prr"},
		{Head: "AURC", Numeric: true, Metric: "aurc"}, {Head: "ECE", Numeric: true, Metric: "ece"}, {Head: "ECE, 10 bins", Numeric: true}, {Head: "ECE, equal mass", Numeric: true},
		{Head: "Brier", Numeric: true, Metric: "brier"}, {Head: "Log loss", Numeric: true, Metric: "log_loss"},
	}}
	for _, r := range p.Rows {
		t.Rows = append(t.Rows, components.Row{Cells: cells(
			scoreName(r), ofN(r), estimateCell(r.AUROC, 2), estimateCell(r.PRR50, 2), estimateCell(r.PRR, 2), estimateCell(r.AURC, 2),
			estimateCell(r.ECE, 2), estimateCell(r.ECE10, 2), estimateCell(r.ECEMass, 2), estimateCell(r.Brier, 3), estimateCell(r.LogLoss, 2),
		)})
	}
	return t
}

func (p ScoresPane) mapTable() components.Table {
	t := components.Table{Plain: true, Compact: true, Caption: "Recalibrated scores", Columns: []components.Column{
		{Head: "Score", Primary: true}, {Head: "Map"}, {Head: "ECE", Numeric: true}, {Head: "Brier", Numeric: true}, {Head: "Log loss", Numeric: true},
	}}
	for _, m := range p.Maps {
		row := cells(components.Text(components.FirstLine(m.Name, 80)), components.Text(m.Map), estimateCell(m.ECE, 2), estimateCell(m.Brier, 3), estimateCell(m.LogLoss, 2))
		if m.Why != "" {
			row = cells(components.Text(components.FirstLine(m.Name, 80)), components.Text(m.Map), components.Undefined(m.Why), components.Undefined(m.Why), components.Undefined(m.Why))
		}
		t.Rows = append(t.Rows, components.Row{Cells: row})
	}
	return t
}

func (p ScoresPane) brierTable() components.Table {
	t := components.Table{Plain: true, Compact: true, Caption: "Brier decomposition", Columns: []components.Column{
		{Head: "Score", Primary: true}, {Head: "Brier", Numeric: true}, {Head: "Reliability", Numeric: true, Title: "smaller is better: how far bins are from their own outcome"},
		{Head: "Resolution", Numeric: true, Title: "larger is better: how far bins are from the base rate"}, {Head: "Uncertainty", Numeric: true, Title: "of the base rate; nobody can change it"},
		{Head: "Within bins", Numeric: true}, {Head: "Skill", Numeric: true, Title: "1 − score ÷ uncertainty: against always saying the base rate"},
	}}
	for _, r := range p.Rows {
		t.Rows = append(t.Rows, components.Row{Cells: cells(
			components.Text(components.FirstLine(r.Name, 80)), estimateCell(r.Brier, 3), estimateCell(r.Reliability, 3), estimateCell(r.Resolution, 3),
			estimateCell(r.Uncertainty, 3), estimateCell(r.WithinBin, 3), estimateCell(r.BrierGain, 2),
		)})
	}
	return t
}
