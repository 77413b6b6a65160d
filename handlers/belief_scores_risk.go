package handlers

import (
	"fmt"
	"math"

	"plumbline/experiments/stats"
	"plumbline/runner"
	"plumbline/web/charts"
)

// mostPoints of one curve are drawn; a belief may have as many as candidates.
const mostPoints = 40

// scoreRisk draws what part of the candidates is defective among those that a score
// holds for the surest.
func scoreRisk(curves []charts.Curve, all []runner.ScoreResult) charts.Figure {
	f := charts.RiskCoverage(curves)
	f.ID, f.Title = "score-risk-coverage", "Risk and coverage by score"
	f.Says = "Keeping the candidates with the highest scores first: the share of defective ones among those kept. Lower is better."
	f.Table.Caption = f.Title
	f.Why = "No score was recorded with a labelled candidate."
	for _, r := range all {
		if len(r.Curve.Points) > mostPoints {
			f.Notes = append(f.Notes, fmt.Sprintf("Of a curve with more than %d points that many are drawn, evenly by coverage; areas are of all.", mostPoints))
			break
		}
	}
	return f
}

// riskCurve takes points evenly by coverage, the last one always.
func riskCurve(arm charts.Arm, c stats.Curve) charts.Curve {
	out := charts.Curve{Arm: arm}
	next := 0
	for i, p := range c.Points {
		if p.Covered < next && i < len(c.Points)-1 {
			continue
		}
		wrong := int(math.Round(p.SelectiveRisk * float64(p.Covered)))
		at := charts.CurvePoint{Coverage: &p.Coverage, Risk: &p.SelectiveRisk, Confidence: &p.Threshold, Wrong: wrong, Decided: p.Covered}
		if iv, _ := stats.Wilson(wrong, p.Covered, 0); iv != nil {
			at.Lo, at.Hi = &iv.Lo, &iv.Hi
		}
		out.Points = append(out.Points, at)
		if len(c.Points) > mostPoints {
			next = p.Covered + (c.Decided+mostPoints-1)/mostPoints
		}
	}
	return out
}
