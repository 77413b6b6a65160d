package stats

import "fmt"

// Split is how the votes on a trace fell over the four classes, in the order of
// Outcome, and how many traces they fell so on.
type Split struct {
	Votes  [4]int
	Traces int
}

// AgreementIntervals are percentile bootstraps by trace of Fleiss' kappa and of
// Krippendorff's nominal alpha. A nil interval has its reason beside it.
type AgreementIntervals struct {
	Fleiss       *Interval
	FleissReason string
	Alpha        *Interval
	AlphaReason  string
}

// MeasureAgreement bootstraps both coefficients over traces. A resample reaches
// them through five sums only: the votes of each class and the agreeing pairs.
// Traces with fewer than two votes say nothing on agreement and are not resampled.
// Fleiss' kappa needs the same number of votes on every trace. Resamples in which
// a coefficient is undefined, because all votes fall into one class, are dropped
// and counted.
func MeasureAgreement(label string, splits []Split, o Options) (out AgreementIntervals) {
	o = o.filled()
	type sums struct {
		class [4]float64 // votes
		pairs float64    // share of ordered pairs that agree
		off   float64    // Krippendorff's weight of the pairs that do not
		votes float64
	}
	var kinds []sums
	var sizes []int
	raters, mixed := 0, false
	for _, s := range splits {
		n, same := 0, 0
		var k sums
		for c, v := range s.Votes {
			n += v
			same += v * v
			k.class[c] = float64(v)
		}
		if s.Traces <= 0 || n < 2 {
			continue
		}
		mixed = mixed || raters > 0 && raters != n
		raters = n
		k.pairs = float64(same-n) / float64(n*(n-1))
		k.off = float64(n*n-same) / float64(n-1)
		k.votes = float64(n)
		kinds, sizes = append(kinds, k), append(sizes, s.Traces)
	}
	if len(kinds) == 0 {
		const reason = "no trace has two votes"
		return AgreementIntervals{FleissReason: reason, AlphaReason: reason}
	}
	var fleiss, alpha []float64
	m := newMultinomial(sizes)
	resample(m, label+"\x00agreement", o, func(counts []int) {
		var t sums
		traces := 0.0
		for i, n := range counts {
			if n == 0 {
				continue
			}
			w, k := float64(n), &kinds[i]
			traces += w
			t.pairs += w * k.pairs
			t.off += w * k.off
			t.votes += w * k.votes
			for c := range t.class {
				t.class[c] += w * k.class[c]
			}
		}
		squares := 0.0
		for _, n := range t.class {
			squares += n * n
		}
		different := t.votes*t.votes - squares
		if different < tie { // one class only
			return
		}
		chance := squares / (t.votes * t.votes)
		fleiss = append(fleiss, (t.pairs/traces-chance)/(1-chance))
		alpha = append(alpha, 1-(t.votes-1)*t.off/different)
	})
	if mixed {
		out.FleissReason = "traces have different numbers of votes"
	} else {
		out.Fleiss, out.FleissReason = percentile(fleiss, m.units, MethodBootstrap, o)
	}
	out.Alpha, out.AlphaReason = percentile(alpha, m.units, MethodBootstrap, o)
	for _, iv := range []*Interval{out.Fleiss, out.Alpha} {
		if iv != nil && m.units < fewTraces {
			iv.Warnings = append(iv.Warnings, fmt.Sprintf("Only %d traces: the percentile bootstrap covers less than its level.", m.units))
		}
	}
	return out
}
