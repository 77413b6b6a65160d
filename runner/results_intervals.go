package runner

import (
	"sync"

	"plumbline/experiments/stats"
	"plumbline/experiments/vote"
)

// agreementResamples are fewer than for the rates: a coefficient is read to two
// decimals.
const agreementResamples = 2000

// intervals bootstraps what is no rate: areas of the curves and agreement.
func (out *Results) intervals() {
	seed := uint64(out.Experiment.Seed)
	var wait sync.WaitGroup
	for i := range out.Arms {
		wait.Go(func() {
			a := &out.Arms[i]
			a.CurveCI = stats.MeasureCurve(armLabel(a.Arm), a.Groups, a.abstained, stats.Options{Seed: seed})
			a.Agree = stats.MeasureAgreement(armLabel(a.Arm), splitsOf(a.Patterns), stats.Options{Seed: seed, Resamples: agreementResamples})
		})
	}
	wait.Wait()
}

// splitsOf joins patterns that differ in truth or decision only, in a fixed order.
func splitsOf(patterns []vote.Pattern) []stats.Split {
	at := map[[4]int]int{}
	var out []stats.Split
	for _, p := range patterns {
		key := p.Counts.Array()
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, stats.Split{Votes: key})
		}
		out[i].Traces += p.Traces
	}
	return out
}

// voted counts the traces with votes and those on which all votes are one class.
func voted(patterns []vote.Pattern) (traces, unanimous int) {
	for _, p := range patterns {
		n := p.Counts.N()
		if n == 0 {
			continue
		}
		traces += p.Traces
		for _, c := range p.Counts.Array() {
			if c == n {
				unanimous += p.Traces
			}
		}
	}
	return traces, unanimous
}
