package stats

import "math/rand/v2"

// SimulatedRate is what simulated experiments gave for a metric.
type SimulatedRate struct {
	Metric Metric
	// Lo and Hi hold the middle 95% of the estimates. They and MeanWidth are
	// undefined if the metric was so in every experiment.
	Lo, Hi Number
	// MeanWidth is the mean width of the Wilson interval.
	MeanWidth Number
	// Undefined counts the experiments without the metric.
	Undefined int
}

// Simulate draws experiments from an assumption and summarises the rates.
func Simulate(rng *rand.Rand, a Assumption, experiments int) []SimulatedRate {
	estimates := make([][]float64, len(definitions))
	widths := make([]float64, len(definitions))
	s := source{rand.NewPCG(rng.Uint64(), rng.Uint64())}
	defects, acceptables := newTrials(a.Defects, a.Defect[:]), newTrials(a.Acceptables, a.Acceptable[:])
	var d, ok [4]int
	for range experiments {
		defects.draw(s, d[:])
		acceptables.draw(s, ok[:])
		cells := ReviewCounts{Class{d[0], d[1], d[2], d[3]}, Class{ok[0], ok[1], ok[2], ok[3]}}.cells()
		for i, def := range definitions {
			if r := def.rate(cells); r.Value != nil {
				estimates[i] = append(estimates[i], *r.Value)
				lo, hi := wilson(float64(r.K), float64(r.N), z95)
				widths[i] += hi - lo
			}
		}
	}
	out := make([]SimulatedRate, len(definitions))
	for i, def := range definitions {
		r := SimulatedRate{Metric: def.Metric, Undefined: experiments - len(estimates[i])}
		if n := len(estimates[i]); n == 0 {
			u := unknown("undefined in every simulated experiment: " + def.empty)
			r.Lo, r.Hi, r.MeanWidth = u, u, u
		} else {
			lo, hi := quantilePair(estimates[i], 0.025, 0.975)
			r.Lo, r.Hi, r.MeanWidth = known(lo), known(hi), known(widths[i]/float64(n))
		}
		out[i] = r
	}
	return out
}

// PowerResult is the share of simulated experiments that found a difference.
type PowerResult struct {
	// Power counts experiments with an exact McNemar p below 0.05.
	Power    Rate
	Interval *Interval
	// Decided and Discordant are mean numbers of traces.
	Decided, Discordant float64
}

// SimulatePower draws experiments in which two arms review the same traces and
// tests each. coupling, in [0,1], is how alike the arms are: 0 decides
// independently, 1 the same wherever they can, so that they differ only where they
// must.
// The sizes of the classes are taken from first.
func SimulatePower(rng *rand.Rand, first, second Assumption, coupling float64, experiments int) PowerResult {
	s := source{rand.NewPCG(rng.Uint64(), rng.Uint64())}
	defects := newTrials(first.Defects, joint(first.Defect, second.Defect, coupling))
	acceptables := newTrials(first.Acceptables, joint(first.Acceptable, second.Acceptable, coupling))
	var r PowerResult
	found := 0
	var d, ok [16]int
	for range experiments {
		defects.draw(s, d[:])
		acceptables.draw(s, ok[:])
		var p Pair
		for i := range 16 {
			p.Defect[i/4][i%4], p.Acceptable[i/4][i%4] = d[i], ok[i]
		}
		f := p.Flips()
		if f.N() > 0 && McNemar(f.RightWrong, f.WrongRight).P < 0.05 {
			found++
		}
		r.Decided += float64(f.N()) / float64(experiments)
		r.Discordant += float64(f.RightWrong+f.WrongRight) / float64(experiments)
	}
	r.Power = RateOf(found, experiments, "no experiments")
	r.Interval, _ = Wilson(found, experiments, DefaultLevel)
	return r
}

// joint mixes the independent table of two distributions with their maximal
// coupling, in which both arms give the same outcome as often as they can.
func joint(a, b [4]float64, coupling float64) []float64 {
	coupling = min(max(coupling, 0), 1)
	var restA, restB [4]float64
	rest := 1.0 // the probability that the outcomes must differ
	for i := range a {
		same := min(a[i], b[i])
		restA[i], restB[i] = a[i]-same, b[i]-same
		rest -= same
	}
	p := make([]float64, 16)
	for i, pa := range a {
		for j, pb := range b {
			alike := 0.0
			if i == j {
				alike = min(pa, pb)
			} else if rest > tie {
				alike = restA[i] * restB[j] / rest
			}
			p[4*i+j] = coupling*alike + (1-coupling)*pa*pb
		}
	}
	return p
}
