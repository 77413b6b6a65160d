package stats

import "testing"

func TestReferenceRankingMetrics(t *testing.T) {
	t.Parallel()
	reference(t, "ranking_metrics.json", func(c *referenceCase) {
		if c.has("x") {
			var x, y []float64
			c.in("x", &x)
			c.in("y", &y)
			c.number("spearman", Spearman(x, y))
			c.checkKendall("kendall", Kendall(x, y))
			return
		}
		var score, quality []float64
		c.in("score", &score)
		if c.has("y") {
			var y []int
			c.in("y", &y)
			right := make([]bool, len(y))
			for i, v := range y {
				right[i] = v == 1
				quality = append(quality, float64(v))
			}
			c.number("auroc", AUROC(score, right))
			c.number("spearman", Spearman(score, quality))
			c.number("kendall_tau_b", Kendall(score, quality).TauB)
		} else {
			c.in("quality", &quality)
		}
		c.checkPRR("prr", PRR(score, quality, 1))
		c.checkPRR("prr_50", PRR(score, quality, 0.5))
	})
}

func (c *referenceCase) checkPRR(key string, got PRRResult) {
	c.t.Helper()
	var want struct {
		PRR        *float64 `json:"prr"`
		Area       *float64 `json:"area"`
		AreaOracle *float64 `json:"area_oracle"`
		AreaRandom *float64 `json:"area_random"`
	}
	c.want(key, &want)
	c.same(key+".prr", got.PRR.Value, want.PRR)
	c.same(key+".area", got.Area.Value, want.Area)
	c.same(key+".area_oracle", got.AreaOracle.Value, want.AreaOracle)
	c.same(key+".area_random", got.AreaRandom.Value, want.AreaRandom)
}

func (c *referenceCase) checkKendall(key string, got KendallResult) {
	c.t.Helper()
	var want struct {
		TauB       *float64 `json:"tau_b"`
		Concordant int      `json:"concordant"`
		Discordant int      `json:"discordant"`
		TiesX      int      `json:"ties_x"`
		TiesY      int      `json:"ties_y"`
		Pairs      int      `json:"pairs"`
	}
	c.want(key, &want)
	c.same(key+".tau_b", got.TauB.Value, want.TauB)
	if got.Concordant != want.Concordant || got.Discordant != want.Discordant ||
		got.TiesX != want.TiesX || got.TiesY != want.TiesY || got.Pairs != want.Pairs {
		c.t.Errorf("%s: %+v, want %+v", key, got, want)
	}
}
