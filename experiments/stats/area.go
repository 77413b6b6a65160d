package stats

import "math"

// newCurve computes points and areas of sorted, distinct levels. optimum gives
// the sums behind the optimal AURC and AUGRC of n decided items.
func newCurve(levels []level, abstained int, optimum func(n int) (aurc, augrc float64), binary bool) Curve {
	decided := 0
	for _, l := range levels {
		decided += l.n
	}
	n := decided + abstained
	if n == 0 {
		return undefinedCurve("no items")
	}
	c := Curve{N: n, Decided: decided}
	nf := float64(n)
	c.MaxCoverage = known(float64(decided) / nf)

	covered, loss := 0, 0.0
	for _, l := range levels {
		covered += l.n
		loss += l.loss
		c.Points = append(c.Points, Point{
			Threshold: l.confidence, Covered: covered, Coverage: float64(covered) / nf,
			SelectiveRisk: loss / float64(covered), GeneralizedRisk: loss / nf,
		})
	}
	if decided == 0 {
		u := undefinedCurve("everything was abstained on")
		u.N, u.MaxCoverage, u.Reason = n, c.MaxCoverage, ""
		return u
	}
	c.Risk = known(loss / float64(decided))

	risks, prefixes := prefixSums(levels)
	c.AURCPartial = known(risks / nf)
	c.AURCDecided = known(risks / float64(decided))
	c.AUGRCPartial = known((prefixes - loss/2) / (nf * nf))
	if abstained > 0 {
		c.fullAreas(unknown("some items were abstained on: read the partial areas"))
		return c
	}

	bestRisks, bestPrefixes := optimum(n)
	c.AURC = c.AURCPartial
	c.AURCOptimal = known(bestRisks / nf)
	c.EAURC = known(math.Max((risks-bestRisks)/nf, 0))
	c.AUGRC = c.AUGRCPartial
	c.AUGRCOptimal = known((bestPrefixes - loss/2) / (nf * nf))
	c.EAUGRC = known(math.Max((prefixes-bestPrefixes)/(nf*nf), 0))
	c.AURCTrapezoid = known(trapezoid(c.Points))
	if binary {
		r := loss / nf
		best := r
		if r < 1 {
			best += (1 - r) * math.Log1p(-r)
		}
		c.AURCOptimalAsymptotic = known(best)
		c.EAURCAsymptotic = known(*c.AURC.Value - best)
	} else {
		u := unknown("the asymptotic optimum is for losses 0 and 1")
		c.AURCOptimalAsymptotic, c.EAURCAsymptotic = u, u
	}
	return c
}

func (c *Curve) fullAreas(v Number) {
	c.AURC, c.AURCOptimal, c.EAURC = v, v, v
	c.AURCOptimalAsymptotic, c.EAURCAsymptotic, c.AURCTrapezoid = v, v, v
	c.AUGRC, c.AUGRCOptimal, c.EAUGRC = v, v, v
}

// prefixSums returns Σ E_k/k and Σ E_k over k = 1..decided, where E_k is the
// expected loss of the k surest items when ties are in random order.
func prefixSums(levels []level) (risks, prefixes float64) {
	start, loss := 0, 0.0
	for _, l := range levels {
		step := l.loss / float64(l.n)
		for j := 1; j <= l.n; j++ {
			e := loss + float64(j)*step
			risks += e / float64(start+j)
			prefixes += e
		}
		start += l.n
		loss += l.loss
	}
	return risks, prefixes
}

// optimal01 is prefixSums of n losses in ascending order, wrong of them 1 and
// the others 0.
func optimal01(n int, wrong float64) (risks, prefixes float64) {
	m := int(math.Round(wrong))
	for j := 1; j <= m; j++ {
		risks += float64(j) / float64(n-m+j)
	}
	return risks, float64(m) * float64(m+1) / 2
}

// optimalLosses is prefixSums of the given ascending losses.
func optimalLosses(losses []float64) (risks, prefixes float64) {
	sum := 0.0
	for i, l := range losses {
		sum += l
		risks += sum / float64(i+1)
		prefixes += sum
	}
	return risks, prefixes
}

func trapezoid(points []Point) float64 {
	area := points[0].Coverage * points[0].SelectiveRisk
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		area += (b.Coverage - a.Coverage) * (a.SelectiveRisk + b.SelectiveRisk) / 2
	}
	return area
}
