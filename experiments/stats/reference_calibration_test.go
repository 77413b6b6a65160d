package stats

import "testing"

func TestReferenceCalibration(t *testing.T) {
	t.Parallel()
	reference(t, "calibration.json", func(c *referenceCase) {
		var p []float64
		var y []int
		c.in("p", &p)
		c.in("y", &y)
		forecasts := make([]Forecast, len(p))
		for i := range p {
			forecasts[i] = Forecast{p[i], y[i] == 1}
		}
		c.number("brier", Brier(forecasts, 10).Score)
		c.number("log_loss", LogLoss(forecasts))
		for key, bins := range map[string]int{"ece_15": 15, "ece_10": 10} {
			c.checkCalibration(key, EqualWidth(forecasts, bins))
		}
	})
}

func (c *referenceCase) checkCalibration(key string, got Calibration) {
	c.t.Helper()
	var want *struct {
		ECE  float64 `json:"ece"`
		MCE  float64 `json:"mce"`
		Bins []struct {
			Bin            int     `json:"bin"`
			Count          int     `json:"count"`
			MeanConfidence float64 `json:"mean_confidence"`
			Accuracy       float64 `json:"accuracy"`
		} `json:"bins"`
	}
	c.want(key, &want)
	if want == nil {
		if got.ECE.Value != nil || got.MCE.Value != nil || got.Reason == "" {
			c.t.Errorf("%s = %+v, want undefined", key, got)
		}
		return
	}
	c.same(key+".ece", got.ECE.Value, &want.ECE)
	c.same(key+".mce", got.MCE.Value, &want.MCE)
	if len(got.Bins) != len(want.Bins) {
		c.t.Fatalf("%s: %d bins, want %d", key, len(got.Bins), len(want.Bins))
	}
	for i, w := range want.Bins {
		g := got.Bins[i]
		if g.Index != w.Bin || g.Count != w.Count {
			c.t.Errorf("%s: bin %d holds %d, want bin %d with %d", key, g.Index, g.Count, w.Bin, w.Count)
		}
		c.same(key+".mean_confidence", &g.MeanP, &w.MeanConfidence)
		c.same(key+".accuracy", &g.Accuracy, &w.Accuracy)
	}
}
