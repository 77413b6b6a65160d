package handlers

import (
	"fmt"
	"strings"

	"plumbline/experiments/stats"
	"plumbline/runner"
	"plumbline/web/charts"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// How a number on held tasks was made, as marks.
var (
	heldOutBadge = components.Badge{Key: "held-out", Text: "held-out tasks", Tone: components.Good,
		Why: "Everything was fitted on the design split and is judged on the held-out split alone."}
	crossFittedBadge = components.Badge{Key: "cross-fitted", Text: "cross-fitted by task", Tone: components.Note,
		Why: "Each task is judged with parameters fitted on other tasks; all tasks are judged in turn."}
)

func foldBadge(s *runner.Study) components.Badge {
	if s.Fold == runner.BySplit {
		return heldOutBadge
	}
	return crossFittedBadge
}

func foldWords(s *runner.Study, tasks int) string {
	switch s.Fold {
	case runner.BySplit:
		return fmt.Sprintf("Parameters from the design split, judged on the %s of the held-out split.", components.Plural(tasks, "task", "tasks"))
	case runner.LeaveOneOut:
		return fmt.Sprintf("For each of %s, parameters from all the others.", components.Plural(tasks, "task", "tasks"))
	}
	return fmt.Sprintf("Five folds by task, assigned by a hash of its id: %s, each judged with parameters from the other folds.", components.Plural(tasks, "task", "tasks"))
}

// fillScores is the view of the belief as a score for “this patch is correct”.
func fillScores(view *pages.Belief, s *runner.Study) {
	rep := s.Scores()
	if rep.Why != "" {
		view.Trouble = "A score can only be judged on tasks that it was not fitted on: " + rep.Why + "."
		return
	}
	p := &pages.ScoresPane{How: foldWords(s, rep.Tasks), Badge: foldBadge(s), Notes: rep.Notes, Seed: s.Recorded.Seed}
	var kinds []string
	for _, a := range rep.Absent {
		kind := string(a.Kind)
		if a.Kind != runner.ScoreColumn && !containsText(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) > 0 {
		p.Notes = append(p.Notes, "Not recorded, and so not compared: "+strings.Join(kinds, ", ")+".")
	}
	if s.Recorded.Votes > 0 {
		p.Notes = append(p.Notes, "Token probabilities are not recorded with votes.")
	}
	if len(rep.Lambda) > 0 {
		lo, hi := rep.Lambda[0], rep.Lambda[0]
		for _, l := range rep.Lambda {
			lo, hi = min(lo, l), max(hi, l)
		}
		p.Notes = append(p.Notes, fmt.Sprintf("The evidence is tempered by λ from %s to %s, fitted within training tasks.", components.Fraction(&lo), components.Fraction(&hi)))
	}
	var curves, recal []charts.Calibration
	var risks []charts.Curve
	drawn := bestOfKind(rep.Scores)
	var shown []string
	for i, r := range rep.Scores {
		p.Rows = append(p.Rows, scoreRow(r))
		if iv := r.AUROC.Interval; iv != nil {
			p.Resamples = iv.Resamples
		}
		p.Maps = append(p.Maps, mapRows(r)...)
		if drawn[i] {
			risks = append(risks, riskCurve(charts.Arm{ID: r.Key, Name: string(r.Kind), Index: len(curves)}, r.Curve))
			curves = append(curves, calibrationOf(r.Key, string(r.Kind), len(curves), r.ECE10))
			if r.Kind != runner.ScoreBelief && r.Kind != runner.ScoreTools {
				shown = append(shown, string(r.Kind)+": "+strings.TrimPrefix(strings.TrimPrefix(r.Name, "vote share of "), "confidence of "))
			}
		}
	}
	if b := rep.Scores[0]; b.Isotonic != nil {
		recal = []charts.Calibration{calibrationOf("belief", "belief", 0, b.ECE10), calibrationOf("isotonic", "isotonic", 1, b.Isotonic.ECE10), calibrationOf("platt", "Platt", 2, b.Platt.ECE10)}
	}
	p.Reliability = charts.Reliability(curves)
	if len(shown) > 0 {
		p.Reliability.Notes = append(p.Reliability.Notes, "Of each kind the score with the largest AUROC is drawn; "+strings.Join(shown, ", ")+". Bins are ten of equal width.")
	}
	p.Risk = scoreRisk(risks, rep.Scores)
	p.Recal = charts.Reliability(recal)
	p.Recal.ID, p.Recal.Title, p.Recal.Says = "recalibrated", "Belief, recalibrated", "The maps are fitted on training tasks and drawn on held ones."
	if len(recal) == 0 {
		p.Recal.Why = rep.Scores[0].NoMap
	}
	view.Scores = p
	view.Sentence = scoresSentence(rep)
}

// bestOfKind picks of each kind the score with the largest AUROC, among those that
// are probabilities.
func bestOfKind(all []runner.ScoreResult) map[int]bool {
	best := map[runner.ScoreKind]int{}
	for i, r := range all {
		if !r.Probability {
			continue
		}
		j, ok := best[r.Kind]
		if !ok || (r.AUROC.Value != nil && (all[j].AUROC.Value == nil || *r.AUROC.Value > *all[j].AUROC.Value)) {
			best[r.Kind] = i
		}
	}
	out := map[int]bool{}
	for _, i := range best {
		out[i] = true
	}
	return out
}

func containsText(all []string, s string) bool {
	for _, x := range all {
		if x == s {
			return true
		}
	}
	return false
}

func scoresSentence(rep runner.ScoreReport) string {
	b := rep.Scores[0]
	if b.AUROC.Value == nil {
		return "The belief cannot be judged: " + b.AUROC.Reason + "."
	}
	text := fmt.Sprintf("The belief puts a correct patch above a defective one with probability %s", components.Fraction(b.AUROC.Value))
	if iv := b.AUROC.Interval; iv != nil {
		text += fmt.Sprintf(" (95%% interval %s to %s)", components.Fraction(&iv.Lo), components.Fraction(&iv.Hi))
	}
	var best *runner.ScoreResult
	for i := range rep.Scores[1:] {
		r := &rep.Scores[i+1]
		if r.AUROC.Value != nil && (best == nil || *r.AUROC.Value > *best.AUROC.Value) {
			best = r
		}
	}
	if best != nil {
		text += fmt.Sprintf("; the best single score, %s, with %s", best.Name, components.Fraction(best.AUROC.Value))
	}
	text += "."
	if v := b.ECE.Value; v != nil {
		text += fmt.Sprintf(" Its probabilities are off by %s on average over bins.", components.Fraction(v))
	}
	return text
}

func quantity(n stats.Number, iv *stats.Interval) pages.Quantity {
	q := pages.Quantity{Value: n.Value, Why: n.Reason}
	if iv != nil {
		q.Lo, q.Hi, q.Warnings = &iv.Lo, &iv.Hi, iv.Warnings
	}
	return q
}

func scoreRow(r runner.ScoreResult) pages.ScoreRow {
	row := pages.ScoreRow{Name: r.Name, Kind: string(r.Kind), N: r.N, Correct: r.Correct, Absent: r.Absent, Why: r.Why}
	if r.N == 0 {
		none := pages.Quantity{Why: r.Why}
		row.AUROC, row.PRR50, row.PRR, row.AURC, row.ECE, row.Brier, row.ECE10, row.ECEMass, row.LogLoss = none, none, none, none, none, none, none, none, none
		row.Reliability, row.Resolution, row.Uncertainty, row.WithinBin, row.BrierGain = none, none, none, none, none
		return row
	}
	row.AUROC, row.PRR50 = quantity(r.AUROC.Number, r.AUROC.Interval), quantity(r.PRR50.Number, r.PRR50.Interval)
	row.PRR, row.AURC = quantity(r.PRR, nil), quantity(r.Curve.AURC, nil)
	if !r.Probability {
		none := pages.Quantity{Why: "the score is no probability: it leaves 0 to 1"}
		row.ECE, row.Brier, row.ECE10, row.ECEMass, row.LogLoss = none, none, none, none, none
		row.Reliability, row.Resolution, row.Uncertainty, row.WithinBin, row.BrierGain = none, none, none, none, none
		return row
	}
	row.ECE, row.Brier = quantity(r.ECE.Number, r.ECE.Interval), quantity(r.BrierScore.Number, r.BrierScore.Interval)
	row.ECE10, row.ECEMass, row.LogLoss = quantity(r.ECE10.ECE, nil), quantity(r.ECEMass.ECE, nil), quantity(r.LogLoss, nil)
	row.Reliability, row.Resolution = quantity(r.Brier.Reliability, nil), quantity(r.Brier.Resolution, nil)
	row.Uncertainty, row.WithinBin, row.BrierGain = quantity(r.Brier.Uncertainty, nil), quantity(r.Brier.WithinBin, nil), quantity(r.Brier.Skill, nil)
	return row
}

func mapRows(r runner.ScoreResult) []pages.MapRow {
	if r.N == 0 {
		return nil
	}
	row := func(name string, c *runner.Calibrated, why string) pages.MapRow {
		m := pages.MapRow{Name: r.Name, Map: name, Why: why}
		if c != nil {
			m.Why = ""
			m.ECE, m.Brier, m.LogLoss = quantity(c.ECE.Number, c.ECE.Interval), quantity(c.BrierScore.Number, c.BrierScore.Interval), quantity(c.LogLoss, nil)
		}
		return m
	}
	var plain *runner.Calibrated
	if r.Probability {
		plain = &r.Calibrated
	}
	return []pages.MapRow{row("as it is", plain, "the score is no probability"), row("isotonic", r.Isotonic, r.NoMap), row("Platt", r.Platt, r.NoMap)}
}

func calibrationOf(id, name string, index int, c stats.Calibration) charts.Calibration {
	out := charts.Calibration{Arm: charts.Arm{ID: id, Name: name, Index: index}}
	for _, b := range c.Bins {
		bin := charts.Bin{From: b.Lo, To: b.Hi, N: b.Count, Score: &b.MeanP, Outcome: &b.Accuracy}
		if b.Interval != nil {
			bin.Lo, bin.Hi = &b.Interval.Lo, &b.Interval.Hi
		}
		out.Bins = append(out.Bins, bin)
	}
	return out
}
