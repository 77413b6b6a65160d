package stats

import "testing"

func TestReferencePairedTests(t *testing.T) {
	t.Parallel()
	reference(t, "paired_tests.json", func(c *referenceCase) {
		switch {
		case c.has("b"):
			var rightWrong, wrongRight int
			c.in("b", &rightWrong)
			c.in("c", &wrongRight)
			r := McNemar(rightWrong, wrongRight)
			c.float("p", r.P)
			c.float("p_mid", r.MidP)
			c.int("discordant", r.RightWrong+r.WrongRight)

		case c.has("differences"):
			var d []float64
			c.in("differences", &d)
			r := Permutation(c.ID, d, Options{})
			if !r.Exact {
				c.t.Error("not exact")
			}
			c.number("p", Number{r.P, r.Reason})
			c.int("n_nonzero", r.NonZero)
			c.int("hits", int(r.Hits))
			c.int("enumerated", int(r.Patterns))
			c.float("mean_difference", r.MeanDifference)

		case c.has("successes"):
			var k, n int
			c.in("successes", &k)
			c.in("n", &n)
			var want *[2]float64
			c.want("ci95", &want)
			iv, reason := Wilson(k, n, 0)
			switch {
			case want == nil && iv == nil && reason != "":
			case want == nil || iv == nil:
				c.t.Errorf("interval %v (%q), want %v", iv, reason, want)
			default:
				c.same("low", &iv.Lo, &want[0])
				c.same("high", &iv.Hi, &want[1])
			}

		case c.has("p"):
			var p []float64
			c.in("p", &p)
			c.floats("q", BenjaminiHochberg(p))

		default:
			var table [2][2]int
			c.in("table", &table)
			r := ChiSquare(table)
			c.number("chi2", r.ChiSquare)
			c.number("p", r.P)
			c.number("cramers_v", r.CramersV)
		}
	})
}
