package stats

// CurveIntervals are percentile bootstrap intervals, by trace, of the areas of a
// risk–coverage curve. With abstentions AURC, EAURC and AUGRC are nil, and
// without them they equal the partial ones.
type CurveIntervals struct {
	AURC, EAURC, AUGRC        *Interval
	AURCPartial, AUGRCPartial *Interval
	AURCDecided               *Interval
	Reason                    string
}

// MeasureCurve bootstraps the areas of RiskCoverageGroups(groups, abstained). A
// resample draws how many right and wrong items fall on each confidence, and
// the areas follow from harmonic numbers without visiting items.
func MeasureCurve(label string, groups []Group, abstained int, o Options) CurveIntervals {
	o = o.filled()
	curve := RiskCoverageGroups(groups, abstained)
	if curve.Reason != "" || curve.Decided == 0 {
		return CurveIntervals{Reason: curve.AURC.Reason}
	}
	levels := make([]level, 0, len(groups))
	for _, g := range groups {
		if g.N > 0 {
			levels = append(levels, level{g.Confidence, float64(g.Wrong), g.N})
		}
	}
	levels = merge(levels)
	sizes := make([]int, 0, 2*len(levels)+1)
	for _, l := range levels {
		sizes = append(sizes, l.n-int(l.loss), int(l.loss))
	}
	sizes = append(sizes, abstained)
	n := curve.N
	harmonic := harmonics(n)

	var aurc, eaurc, augrc, decidedOnly []float64
	resample(newMultinomial(sizes), label, o, func(counts []int) {
		start, loss := 0, 0
		risks, prefixes := 0.0, 0.0
		for i := range levels {
			right, wrong := counts[2*i], counts[2*i+1]
			m := right + wrong
			if m == 0 {
				continue
			}
			// Σ_j (S + j·s/m)/(L+j) over j = 1..m, and the same without the denominator.
			step := float64(wrong) / float64(m)
			risks += (float64(loss)-float64(start)*step)*(harmonic[start+m]-harmonic[start]) + float64(wrong)
			prefixes += float64(loss)*float64(m) + float64(wrong)*float64(m+1)/2
			start += m
			loss += wrong
		}
		if start == 0 {
			return
		}
		aurc = append(aurc, risks/float64(n))
		augrc = append(augrc, (prefixes-float64(loss)/2)/(float64(n)*float64(n)))
		decidedOnly = append(decidedOnly, risks/float64(start))
		best := float64(loss) - float64(start-loss)*(harmonic[start]-harmonic[start-loss])
		eaurc = append(eaurc, max((risks-best)/float64(n), 0))
	})
	var ci CurveIntervals
	ci.AURCPartial, _ = percentile(aurc, n, MethodBootstrap, o)
	ci.AUGRCPartial, _ = percentile(augrc, n, MethodBootstrap, o)
	ci.AURCDecided, _ = percentile(decidedOnly, n, MethodBootstrap, o)
	if abstained == 0 {
		ci.AURC, ci.AUGRC = ci.AURCPartial, ci.AUGRCPartial
		ci.EAURC, _ = percentile(eaurc, n, MethodBootstrap, o)
	}
	for _, iv := range []*Interval{ci.AURCPartial, ci.AUGRCPartial, ci.AURCDecided, ci.EAURC} {
		if iv != nil && n < fewTraces {
			iv.warn("Only %d traces: the percentile bootstrap covers less than its level.", n)
		}
	}
	return ci
}

// harmonics are the partial sums of 1 + 1/2 + … + 1/n.
func harmonics(n int) []float64 {
	h := make([]float64, n+1)
	for i := 1; i <= n; i++ {
		h[i] = h[i-1] + 1/float64(i)
	}
	return h
}
