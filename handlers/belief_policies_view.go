package handlers

import (
	"fmt"
	"math"
	"strings"

	"plumbline/experiments/control"
	"plumbline/experiments/stats"
	"plumbline/runner"
	"plumbline/web/charts"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// noProblem says why a view that needs a decision problem shows none.
func noProblem(view *pages.Belief, s *runner.Study) bool {
	if s.ProblemError == nil {
		return false
	}
	view.Trouble = "There is no decision problem to solve: " + s.ProblemError.Error() + "."
	return true
}

// fillPolicies is the view of what every policy is worth.
func fillPolicies(view *pages.Belief, src beliefSource, r *beliefRequest, s *runner.Study) {
	if noProblem(view, s) {
		return
	}
	rep := s.Policies(r.refits)
	p := &pages.PoliciesPane{
		How: foldWords(s, rep.Tasks), Badge: foldBadge(s), Notes: rep.Notes, Warnings: s.Warnings, Refits: rep.Refits, Seed: s.Recorded.Seed,
		Prices: priceRows(s), Reward: components.Decimal(&s.Reward, 2), Budget: budgetWords(s), Perfect: rep.Perfect,
		CSV: r.at(r.path + "/episodes.csv"),
	}
	if s.FoldError != nil {
		p.How = "Nothing can be replayed: " + s.FoldError.Error() + "."
		p.CSV = ""
	}
	if rep.Refits == 0 {
		p.More = r.href("refits", fmt.Sprint(usualRefits))
	}
	var drawn []charts.Utility
	for i, x := range rep.Policies {
		row := policyRow(x, rep.Tasks)
		p.Rows = append(p.Rows, row)
		drawn = append(drawn, charts.Utility{
			Arm: charts.Arm{ID: x.Name, Name: x.Name, Index: i}, Exact: row.Exact.Value, ExactLo: row.Exact.Lo, ExactHi: row.Exact.Hi,
			Replay: row.Replay.Value, ReplayLo: row.Replay.Lo, ReplayHi: row.Replay.Hi, ReplayUpper: row.Upper, Tasks: row.N, Absent: row.Absent,
		})
	}
	p.Figure = charts.Utilities(drawn)
	if src.experiment != nil && src.edit && src.experiment.Kind != "control" {
		p.Live = liveForm(src, r, s)
	}
	view.Policies = p
	view.Sentence = policiesSentence(rep)
}

func policyRow(x runner.PolicyResult, tasks int) pages.PolicyRow {
	row := pages.PolicyRow{Name: x.Name, Does: policyDoes(x.Name), Reference: x.Name == "always_verify", Tasks: tasks, ReplayWhy: x.ReplayWhy}
	row.Exact = pages.Quantity{Why: x.Why}
	switch {
	case x.Exact != nil:
		row.Exact = quantity(stats.Number{Value: &x.Exact.Utility}, x.ExactInterval)
		row.SD, row.Solved, row.Verify, row.Calls, row.Regenerations = &x.Exact.SD, &x.Exact.Solved, &x.Exact.Verify, &x.Exact.CriticCalls, &x.Exact.Regenerations
	case x.Simulated != nil:
		row.Exact = quantity(stats.Number{Value: x.Simulated.MeanUtility}, x.ExactInterval)
		row.Simulated = true
		row.Solved = x.Simulated.Solve.Value
	}
	row.Delta = pages.Quantity{Why: "no replay"}
	rep := x.Replay
	if rep == nil {
		return row
	}
	row.Replay = quantity(stats.Number{Value: rep.MeanUtility, Reason: "no task could be replayed to the end"}, x.Mean)
	row.N, row.Upper, row.SolvedN, row.Censored, row.Mismatched, row.Warnings = rep.N, rep.MeanUtilityUpper, rep.Solve.K, rep.Censored, rep.Mismatched, rep.Warnings
	row.Absent = len(rep.Episodes) - rep.N
	if d := x.Delta; d != nil {
		row.Delta = quantity(stats.Number{Value: d.Mean, Reason: "no task to compare on"}, d.Interval)
	}
	return row
}

// policyDoes says in a line what a policy does.
func policyDoes(name string) string {
	kind, of, _ := strings.Cut(name, ":")
	switch kind {
	case "always_verify":
		return "verifies the first candidate"
	case "stop":
		return "does nothing"
	case "best_of_n_last":
		return "regenerates while it can, verifies the last"
	case "best_of_n_select":
		return "asks all critics about every candidate, verifies the one believed in most"
	case "gate":
		return "verifies what " + of + " passes, else regenerates"
	case "pipeline":
		return "verifies what all critics pass, else regenerates"
	case "pipeline_early_exit":
		return "the same, leaving at the first fail"
	case "loop":
		return "regenerates until " + of + " passes, verifies the last in any case"
	case "greedy_prior":
		return "one step ahead; regenerating is a fresh draw"
	case "greedy_kernel":
		return "one step ahead; regenerating moves the belief by the kernel"
	case "dp":
		return "the optimal plan"
	case "dp_grid51":
		return "the 51-point grid programme of paper B’s code"
	}
	return ""
}

func policiesSentence(rep runner.PolicyReport) string {
	var best *runner.PolicyResult
	for i := range rep.Policies {
		x := &rep.Policies[i]
		if x.Replay != nil && x.Replay.MeanUtility != nil && (best == nil || *x.Replay.MeanUtility > *best.Replay.MeanUtility+1e-9) {
			best = x
		}
	}
	if best == nil {
		for i := range rep.Policies {
			x := &rep.Policies[i]
			if x.Exact != nil && (best == nil || x.Exact.Utility > best.Exact.Utility+1e-9) {
				best = x
			}
		}
		if best == nil {
			return ""
		}
		return fmt.Sprintf("Under the model %s is worth most: %s a task. Nothing could be replayed.", best.Name, components.Decimal(&best.Exact.Utility, 2))
	}
	text := fmt.Sprintf("On the recorded tasks %s earns most, %s a task", best.Name, components.Decimal(best.Replay.MeanUtility, 2))
	d := best.Delta
	switch {
	case best.Name == "always_verify" || d == nil || d.Mean == nil:
		return text + "."
	case d.Interval == nil:
		return text + fmt.Sprintf(", %s more than always verifying; too few tasks for an interval.", components.Decimal(d.Mean, 2))
	}
	text += fmt.Sprintf(": %s more than always verifying (95%% interval %s to %s)", components.Decimal(d.Mean, 2), components.Decimal(&d.Interval.Lo, 2), components.Decimal(&d.Interval.Hi, 2))
	if d.Interval.Lo <= 0 {
		return text + ", which is within what chance does to so few tasks."
	}
	return text + "."
}

func budgetWords(s *runner.Study) string {
	text := components.Plural(s.Budget.Regenerations, "regeneration", "regenerations")
	if s.Budget.Actions == control.Unlimited {
		return text + ", any number of critic calls"
	}
	return text + ", " + components.Plural(s.Budget.Actions, "action", "actions")
}

func priceRows(s *runner.Study) []pages.PriceRow {
	var out []pages.PriceRow
	for _, l := range s.Prices {
		row := pages.PriceRow{Name: l.Name, Cost: components.Unknown}
		if !math.IsNaN(l.Cost) {
			row.Cost = components.Decimal(&l.Cost, 2)
		}
		switch {
		case l.As != "" && l.As != l.Name:
			row.From = "as " + l.As
		case l.Spent.Money != nil && s.Choice.Costs.Rule == runner.MoneyCosts:
			row.From = components.Money(l.Spent.Money)
			if l.Spent.Seconds != nil {
				row.From += ", " + components.Decimal(l.Spent.Seconds, 1) + " s"
			}
			if !l.Own {
				row.From += ", measured"
			}
		}
		out = append(out, row)
	}
	return out
}
