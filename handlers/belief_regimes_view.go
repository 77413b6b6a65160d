package handlers

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"plumbline/experiments/belief"
	"plumbline/experiments/control"
	"plumbline/experiments/trace"
	"plumbline/runner"
	"plumbline/web/charts"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// regimeShare is the lead, as a share of the reward, below which two policies are
// as good as equal.
const regimeShare = 0.005

// fillRegimes is the map of the best policy.
func fillRegimes(view *pages.Belief, r *beliefRequest, s *runner.Study) error {
	if noProblem(view, s) {
		return nil
	}
	if s.Problem.Reward == 0 {
		view.Trouble = "The reward is 0, so no policy can earn anything anywhere."
		return nil
	}
	m, err := s.Regimes(r.simulate)
	if err != nil {
		view.Trouble = "The map cannot be computed: " + err.Error() + "."
		return nil
	}
	p := &pages.RegimesPane{}
	chart := regimeChart(s, m, r.simulate)
	p.Figure = charts.Regimes(chart)
	if r.simulate == 0 {
		p.More = r.href("sim", "1")
	} else {
		p.Exact = r.href("sim", "")
	}
	p.Won = regimeCounts(chart)
	p.Notes = []string{
		"Likelihoods and costs of critics are those of this page; prior and cost of verification are those of the cell.",
		"Each cell allows " + components.Plural(min(s.Budget.Regenerations, 4), "regeneration", "regenerations") + ". Of equal policies the simpler one is named.",
	}
	if s.Choice.Kernel != runner.GivenKernel {
		p.Notes = append(p.Notes, "A regeneration is a fresh draw from the prior of the cell, whatever was measured here.")
	}
	view.Regimes = p
	slices.SortStableFunc(p.Won, func(a, b pages.RegimeCount) int { return b.Won - a.Won })
	cells := len(m.X.Values) * len(m.Y.Values)
	view.Sentence = fmt.Sprintf("Over %d problems, %s is best in %d, clearly in %d.", cells, p.Won[0].Policy, p.Won[0].Won, p.Won[0].Clear)
	return nil
}

func regimeChart(s *runner.Study, m control.Map, simulated int) charts.RegimeMap {
	out := charts.RegimeMap{Priors: m.X.Values, Epsilon: regimeShare * s.Problem.Reward, Simulated: simulated,
		At: &[2]float64{s.Problem.Prior, s.Problem.CostVerify / s.Problem.Reward}}
	for i, name := range m.Policies {
		out.Policies = append(out.Policies, charts.Arm{ID: name, Name: name, Index: i})
	}
	for _, v := range m.Y.Values {
		out.Ratios = append(out.Ratios, v/s.Problem.Reward)
	}
	for _, col := range m.Cells {
		cells := make([]charts.RegimeCell, len(col))
		for j, c := range col {
			cells[j] = charts.RegimeCell{Winner: c.Winner, RunnerUp: c.RunnerUp, Value: &c.Values[c.Winner], Margin: &c.Margin}
			if d := c.Simulated; d != nil && d.Interval != nil {
				cells[j].Lo, cells[j].Hi = &d.Interval.Lo, &d.Interval.Hi
			}
		}
		out.Cells = append(out.Cells, cells)
	}
	return out
}

func regimeCounts(m charts.RegimeMap) []pages.RegimeCount {
	out := make([]pages.RegimeCount, len(m.Policies))
	for i, a := range m.Policies {
		out[i].Policy = a.Name
	}
	for _, col := range m.Cells {
		for _, c := range col {
			out[c.Winner].Won++
			if !m.Close(c) {
				out[c.Winner].Clear++
			}
		}
	}
	return out
}

// fillRobust is the view of what mistakes in the parameters cost.
func fillRobust(view *pages.Belief, s *runner.Study) {
	if noProblem(view, s) {
		return
	}
	rob, err := s.Robust()
	if err != nil {
		view.Trouble = "The sweep cannot be computed: " + err.Error() + "."
		return
	}
	p := &pages.RobustPane{Unmoved: rob.Unmoved}
	worst := 0.0
	for _, x := range rob.Shifts {
		mode := "both classes alike"
		if x.Mode == control.Shrink {
			mode = "towards each other"
		}
		p.Rows = append(p.Rows, pages.ShiftRow{Shift: strings.Replace(fmt.Sprintf("%+.1f", x.Shift), "-", "−", 1), Mode: mode, Policy: x.Policy, Base: x.Base, Shifted: x.Shifted, Mistaken: x.Mistaken, Loss: x.Loss})
		if x.Policy == "dp" {
			worst = max(worst, x.Loss)
		}
	}
	slices.SortStableFunc(p.Rows, func(a, b pages.ShiftRow) int { return cmp.Compare(a.Policy, b.Policy) })
	verify, reward := s.Problem.CostVerify, s.Problem.Reward
	p.Verify = sweepFigure("sweep-verify", "Cost of a verification", "C_ver", rob.Verify, &verify)
	p.Reward = sweepFigure("sweep-reward", "Reward of a solved task", "R", rob.Reward, &reward)
	view.Robust = p
	view.Sentence = fmt.Sprintf("Planning on likelihoods that are off by up to 0.2 costs the optimal plan at most %s a task.", components.Decimal(&worst, 2))
}

func sweepFigure(id, title, parameter string, m control.Map, at *float64) charts.Figure {
	lines := make([]charts.SweepLine, len(m.Policies))
	for i, name := range m.Policies {
		lines[i].Arm = charts.Arm{ID: name, Name: name, Index: i}
		for _, col := range m.Cells {
			lines[i].Values = append(lines[i].Values, col[0].Values[i])
		}
	}
	return charts.Sweep(id, title, parameter, m.X.Values, lines, at)
}

// maxTaskRows bounds the list of candidates.
const maxTaskRows = 300

// fillTasks lists the candidates with their beliefs by parameters of other tasks.
func fillTasks(view *pages.Belief, src beliefSource, s *runner.Study) {
	p := &pages.TasksPane{}
	for _, c := range s.Critics {
		p.Critics = append(p.Critics, c.Name)
	}
	beliefs := s.Beliefs()
	n := 0
	for i, k := range src.recorded.Table.Tasks {
		if s.Choice.Group != "" && k.Group != s.Choice.Group {
			continue
		}
		for j, c := range k.Candidates {
			if n++; n > maxTaskRows {
				continue
			}
			row := pages.TaskRow{Task: k.ID, Group: k.Group, Place: fmt.Sprintf("%d of %d", j+1, len(k.Candidates)), Truth: components.Truth{Label: labelWord(c.Y)},
				Path: src.pathURL(i, j), Belief: components.Belief{Why: "the task is not among those judged"}}
			if src.traceURL != nil {
				row.Trace = src.traceURL(c.ID)
			}
			b, ok := beliefs[[2]string{k.Group, k.ID}]
			if ok && j < len(b.Beliefs) {
				row.Belief = components.Belief{Value: &b.Beliefs[j], Prior: &b.Prior}
				row.Outcomes = b.Outcomes[j]
			} else {
				row.Outcomes = s.OutcomesOf(i, j)
			}
			p.Rows = append(p.Rows, row)
		}
	}
	p.More = max(0, n-maxTaskRows)
	view.Tasks = p
	if s.FoldError != nil {
		view.Notes = append(view.Notes, "No belief can be shown: "+s.FoldError.Error()+".")
	}
}

func labelWord(y belief.Label) trace.Label {
	switch y {
	case belief.Correct:
		return trace.Acceptable
	case belief.Defective:
		return trace.Defective
	}
	return trace.Unknown
}

// fillPublished replays by the published rules.
func fillPublished(view *pages.Belief, s *runner.Study) {
	table := s.Recorded.Table
	if s.Choice.Group != "" {
		table = table.Only(s.Choice.Group)
	}
	pub := runner.PublishedRules(table)
	if pub.Why != "" {
		view.Trouble = "There is no replay by the published rules: " + pub.Why + "."
		return
	}
	p := &pages.PublishedPane{Notes: []string{
		"The published rules fit prior and likelihoods on the tasks they judge, let a Bayesian policy ask a deterministic critic again and take the same verdict for new evidence, charge one policy 1 instead of 2 for a run of tests, and pay for a candidate that nobody recorded. Costs are those of the drafts: R 100, C_ver 30, C_gen 5, critics 1, 2 and 5.",
		"Intervals are the published ones: 1000 paired resamples of the tasks, seed 42.",
		"“Leaving the task out” keeps every other rule. The view Policies replays by rules that use each critic once for each candidate and parameters from other tasks.",
	}}
	reached, of := 0, 0
	for _, x := range pub.Policies {
		row := pages.PublishedRow{Name: x.Name, Mean: x.InSample.MeanUtility, Delta: x.Delta, Solved: x.InSample.Solve.K, N: x.InSample.N, LeaveOne: x.LeaveOne.MeanUtility,
			LeaveOneSolved: x.LeaveOne.Solve.K, CensoredInSample: x.InSample.Censored}
		if x.Interval != nil {
			row.Lo, row.Hi = &x.Interval.Lo, &x.Interval.Hi
		}
		if f := x.Printed; f != nil {
			row.Printed, row.PrintedDelta = &pages.Quantity{Value: &f.Mean}, pages.Quantity{Value: &f.Delta, Lo: &f.Lo, Hi: &f.Hi}
			row.Reached, row.Of = x.Reached, x.Of
			reached, of = reached+x.Reached, of+x.Of
		}
		p.Rows = append(p.Rows, row)
	}
	if of > 0 {
		view.Sentence = fmt.Sprintf("These are the records of paper B’s cell %s: %d of %d published numbers are reached.", pub.Cell, reached, of)
	} else {
		p.Notes = append(p.Notes, "Nothing was published on these very records, so there is no number to compare with.")
	}
	view.Published = p
}

// criticsURL is the address of an imported table.
func criticsURL(id string) string { return "/critics/" + url.PathEscape(id) }
