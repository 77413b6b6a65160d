package stats

import (
	"encoding/json"
	"testing"
)

func TestReferenceRiskCoverage(t *testing.T) {
	t.Parallel()
	reference(t, "risk_coverage.json", func(c *referenceCase) {
		var confidence, loss []float64
		var abstain []int
		c.in("confidence", &confidence)
		c.in("loss", &loss)
		if c.has("abstain") {
			c.in("abstain", &abstain)
		}
		items := make([]Item, len(confidence))
		groups, abstained, binary := []Group(nil), 0, true
		for i := range items {
			items[i] = Item{Confidence: confidence[i], Loss: loss[i]}
			binary = binary && (loss[i] == 0 || loss[i] == 1)
			if abstain != nil && abstain[i] == 1 {
				items[i].Abstained = true
				abstained++
				continue
			}
			groups = append(groups, Group{Confidence: confidence[i], N: 1, Wrong: int(loss[i])})
		}
		curves := []Curve{RiskCoverage(items)}
		if binary {
			curves = append(curves, RiskCoverageGroups(groups, abstained))
		}
		expected := c.expected
		for _, curve := range curves {
			c.expected = make(map[string]json.RawMessage, len(expected))
			for k, v := range expected {
				c.expected[k] = v
			}
			checkCurve(c, curve)
		}
	})
}

func checkCurve(c *referenceCase, curve Curve) {
	c.int("n", curve.N)
	if c.expects("n_decided") {
		c.int("n_decided", curve.Decided)
		c.number("max_coverage", curve.MaxCoverage)
		c.number("aurc_partial", curve.AURCPartial)
		c.number("aurc_decided", curve.AURCDecided)
		c.number("augrc_partial", curve.AUGRCPartial)
		return
	}
	var points []struct {
		Threshold       float64 `json:"threshold"`
		Covered         int     `json:"covered"`
		Coverage        float64 `json:"coverage"`
		SelectiveRisk   float64 `json:"selective_risk"`
		GeneralizedRisk float64 `json:"generalized_risk"`
	}
	c.want("points", &points)
	if len(points) != len(curve.Points) {
		c.t.Fatalf("%d points, want %d", len(curve.Points), len(points))
	}
	for i, want := range points {
		got := curve.Points[i]
		c.same("threshold", &got.Threshold, &want.Threshold)
		c.same("coverage", &got.Coverage, &want.Coverage)
		c.same("selective_risk", &got.SelectiveRisk, &want.SelectiveRisk)
		c.same("generalized_risk", &got.GeneralizedRisk, &want.GeneralizedRisk)
		if got.Covered != want.Covered {
			c.t.Errorf("point %d covers %d, want %d", i, got.Covered, want.Covered)
		}
	}
	c.number("risk_at_full_coverage", curve.Risk)
	c.number("aurc", curve.AURC)
	c.number("aurc_optimal", curve.AURCOptimal)
	c.number("e_aurc", curve.EAURC)
	c.number("aurc_optimal_asymptotic", curve.AURCOptimalAsymptotic)
	c.number("e_aurc_asymptotic", curve.EAURCAsymptotic)
	c.number("aurc_threshold_trapezoid", curve.AURCTrapezoid)
	c.number("augrc", curve.AUGRC)
	c.number("augrc_optimal", curve.AUGRCOptimal)
	c.number("e_augrc", curve.EAUGRC)
}
