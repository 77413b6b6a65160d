package stats

import (
	"math"
	"testing"
)

// Whatever the items, a curve is either undefined with a reason or lies within
// its bounds, and no NaN leaves it.
func FuzzRiskCoverage(f *testing.F) {
	f.Add([]byte{}, false)
	f.Add([]byte{1, 0, 0, 1, 255, 0, 7, 128, 1}, true)
	f.Add([]byte{255, 255, 255, 0, 0, 0}, false)
	f.Fuzz(func(t *testing.T, data []byte, graded bool) {
		var items []Item
		for i := 0; i+2 < len(data); i += 3 {
			it := Item{Confidence: float64(data[i]) / 7, Loss: float64(data[i+1] & 1), Abstained: data[i+2]&1 == 1}
			if graded {
				it.Loss = float64(data[i+1]) / 255
			}
			if data[i] == 255 {
				it.Confidence = math.Inf(int(data[i+2]) - 128)
			}
			items = append(items, it)
		}
		c := RiskCoverage(items)
		for name, n := range map[string]Number{
			"max coverage": c.MaxCoverage, "risk": c.Risk, "AURC": c.AURC, "AURC*": c.AURCOptimal, "E-AURC": c.EAURC,
			"trapezoid": c.AURCTrapezoid, "AUGRC": c.AUGRC, "AUGRC*": c.AUGRCOptimal, "E-AUGRC": c.EAUGRC,
			"partial": c.AURCPartial, "partial AUGRC": c.AUGRCPartial, "decided": c.AURCDecided,
		} {
			if n.Value == nil {
				if n.Reason == "" {
					t.Errorf("%s has neither value nor reason", name)
				}
				continue
			}
			if !(*n.Value >= 0 && *n.Value <= 1+1e-12) {
				t.Errorf("%s = %v", name, *n.Value)
			}
		}
		if c.AURC.Value != nil && *c.AURC.Value < *c.AURCOptimal.Value-1e-12 {
			t.Errorf("AURC %v is below the optimum %v", *c.AURC.Value, *c.AURCOptimal.Value)
		}
	})
}
