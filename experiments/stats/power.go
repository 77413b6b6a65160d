package stats

import "math"

// Assumption is what is believed about an arm before it is run: the size of the
// classes and the probabilities of the decision on a trace of each, in the order
// of Outcome. The number of votes is already in them.
type Assumption struct {
	Defects, Acceptables int
	Defect, Acceptable   [4]float64
}

// PlannedRate is what a metric is expected to be.
type PlannedRate struct {
	Metric Metric
	// N is the expected denominator; Value the rate of expected counts.
	N float64
	Number
	// Lo and Hi are the Wilson interval at that rate and denominator; they are
	// undefined with Number.
	Lo, Hi float64
}

// PlannedRates gives the interval to be expected for every metric at the given
// level (0 means 0.95): before any vote is paid for, its width says whether the
// number of traces is enough.
func PlannedRates(a Assumption, level float64) []PlannedRate {
	if !(level > 0 && level < 1) {
		level = DefaultLevel
	}
	z := math.Sqrt2 * math.Erfinv(level)
	var cells [8]float64
	for i := range 4 {
		cells[i] = float64(a.Defects) * a.Defect[i]
		cells[4+i] = float64(a.Acceptables) * a.Acceptable[i]
	}
	out := make([]PlannedRate, len(definitions))
	for d, def := range definitions {
		k, n := def.sums(cells)
		out[d] = PlannedRate{Metric: def.Metric, N: n, Number: unknown(def.empty)}
		if n >= tie {
			out[d].Number = known(min(k/n, 1))
			out[d].Lo, out[d].Hi = wilson(min(k, n), n, z)
		}
	}
	return out
}

// DetectableDifference is the difference in accuracy between two arms that n
// traces, decided by both, show with power 0.8 at the two-sided 5% level, when a
// share discordant of them is right for one arm and wrong for the other: the δ
// with δ = (1.96 + 0.84)·sqrt((discordant - δ²)/n). It is undefined for n = 0.
func DetectableDifference(n int, discordant float64) Number {
	switch {
	case n <= 0:
		return unknown("no traces")
	case !(discordant >= 0 && discordant <= 1):
		return unknown("the discordant share is not in 0..1")
	}
	const c = (1.96 + 0.84) * (1.96 + 0.84)
	return known(min(math.Sqrt(c*discordant/(float64(n)+c)), discordant))
}
