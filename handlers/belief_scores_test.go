package handlers

import (
	"testing"

	"plumbline/experiments/stats"
	"plumbline/runner"
	"plumbline/web/charts"
)

// A curve of many beliefs is drawn by few points, which are points of the curve, go
// up, and end where all candidates are kept.
func TestRiskCurveOfAScore(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 40, 41, 1000} {
		items := make([]stats.Item, n)
		for i := range items {
			items[i] = stats.Item{Confidence: float64(n-i) / float64(n), Loss: float64(i % 3 / 2)}
		}
		c := stats.RiskCoverage(items)
		got := riskCurve(charts.Arm{}, c).Points
		if len(got) == 0 || len(got) > mostPoints+1 || (n <= mostPoints && len(got) != n) {
			t.Fatalf("%d candidates: %d points", n, len(got))
		}
		before := 0
		for _, p := range got {
			of := c.Points[p.Decided-1] // every confidence is another one
			if p.Decided <= before || *p.Coverage != of.Coverage || *p.Risk != of.SelectiveRisk || p.Wrong != p.Decided/3 {
				t.Errorf("%d candidates: %d wrong of %d at coverage %v", n, p.Wrong, p.Decided, *p.Coverage)
			}
			before = p.Decided
		}
		if before != n {
			t.Errorf("%d candidates: the last point keeps %d", n, before)
		}
		f := scoreRisk([]charts.Curve{riskCurve(charts.Arm{ID: "b", Name: "belief"}, c)}, []runner.ScoreResult{{Curve: c}})
		if (len(f.Notes) > 0) != (n > mostPoints) || f.Option == nil || len(f.Table.Rows) != len(got) {
			t.Errorf("%d candidates: notes %q, %d rows", n, f.Notes, len(f.Table.Rows))
		}
	}
}
