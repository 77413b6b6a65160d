package stats

import "testing"

func meanOf(values []float64) func([]int) (float64, bool) {
	return func(units []int) (float64, bool) {
		sum := 0.0
		for _, u := range units {
			sum += values[u]
		}
		return sum / float64(len(units)), len(units) > 0
	}
}

// everyResample lists all n^n resamples of n units.
func everyResample(n int) [][]int {
	all := [][]int{{}}
	for range n {
		var next [][]int
		for _, head := range all {
			for u := range n {
				next = append(next, append(append([]int(nil), head...), u))
			}
		}
		all = next
	}
	return all
}

func TestReferenceBootstrap(t *testing.T) {
	t.Parallel()
	reference(t, "bootstrap.json", func(c *referenceCase) {
		var level float64
		c.in("level", &level)
		var indices [][]int
		if c.has("indices") {
			c.in("indices", &indices)
		}
		run := func(statistic func([]int) (float64, bool)) ([]float64, *Interval) {
			replicates, iv, reason := BootstrapIndices(indices, level, statistic)
			if iv == nil {
				c.t.Fatalf("no interval: %s", reason)
			}
			if iv.Dropped != len(indices)-len(replicates) {
				c.t.Errorf("dropped %d of %d, %d left", iv.Dropped, len(indices), len(replicates))
			}
			return replicates, iv
		}
		switch {
		case c.has("enumerate_all"):
			var values []float64
			var enumerate bool
			c.in("values", &values)
			c.in("enumerate_all", &enumerate)
			indices = everyResample(len(values))
			replicates, iv := run(meanOf(values))
			sum := 0.0
			for _, r := range replicates {
				sum += r
			}
			c.int("n_resamples", iv.Resamples)
			c.float("mean_of_replicates", sum/float64(len(replicates)))
			c.float("low", iv.Lo)
			c.float("high", iv.Hi)
			level = 0.9
			_, iv = run(meanOf(values))
			c.float("low_90", iv.Lo)
			c.float("high_90", iv.Hi)

		case c.has("clusters"):
			var clusters map[string][]float64
			var order []string
			c.in("clusters", &clusters)
			c.in("order", &order)
			replicates, iv := run(func(units []int) (float64, bool) {
				sum, n := 0.0, 0
				for _, u := range units {
					for _, v := range clusters[order[u]] {
						sum += v
						n++
					}
				}
				return sum / float64(n), n > 0
			})
			c.floats("replicates", replicates)
			c.float("low", iv.Lo)
			c.float("high", iv.Hi)

		case c.has("rows"):
			var rows []referenceRow
			c.in("rows", &rows)
			count := func(units []int) (counts ReviewCounts) {
				for _, u := range units {
					rows[u].addTo(c.t, &counts)
				}
				return counts
			}
			every := make([]int, len(rows))
			for i := range every {
				every[i] = i
			}
			for _, m := range []Metric{Catch, OverRejection} {
				replicates, iv := run(func(units []int) (float64, bool) {
					r := count(units).Rate(m)
					if r.Value == nil {
						return 0, false
					}
					return *r.Value, true
				})
				c.number(string(m), count(every).Rate(m).Number())
				c.floats("replicates_"+string(m), replicates)
				c.int("n_undefined_"+string(m), iv.Dropped)
				c.float(string(m)+"_low", iv.Lo)
				c.float(string(m)+"_high", iv.Hi)
			}

		default:
			var values []float64
			if c.has("a") {
				var a, b []float64
				c.in("a", &a)
				c.in("b", &b)
				for i := range a {
					values = append(values, a[i]-b[i])
				}
			} else {
				c.in("values", &values)
			}
			every := make([]int, len(values))
			for i := range every {
				every[i] = i
			}
			estimate, _ := meanOf(values)(every)
			replicates, iv := run(meanOf(values))
			c.float("estimate", estimate)
			c.floats("replicates", replicates)
			c.float("low", iv.Lo)
			c.float("high", iv.Hi)
		}
	})
}
