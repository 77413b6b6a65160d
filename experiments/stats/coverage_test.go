package stats

import (
	"fmt"
	"math"
	"testing"
)

// The simulated experiments of docs/statistics.md.
const coverageExperiments = 2000

var (
	coverageSizes = []int{10, 20, 30, 50, 100, 200, 411}
	coverageRates = []float64{0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.98}
)

// cover is how many simulated experiments an interval held the truth in, as shares.
// Silent experiments had a bootstrap without a warning; missed is the share of all
// in which such a one did not hold the truth.
type cover struct{ wilson, bootstrap, silent, missed float64 }

// simulatedCover simulates experiments of n traces at rate p.
func simulatedCover(n int, p float64) (c cover) {
	type bounds struct{ wilson, bootstrap *Interval }
	cache := map[int]bounds{}
	s := source{pcg(2024, fmt.Sprint(n, p), 0)}
	b := newBinomial(p)
	for range coverageExperiments {
		k := b.draw(s, n)
		iv, ok := cache[k]
		if !ok {
			iv.wilson, _ = Wilson(k, n, 0)
			iv.bootstrap, _ = Bootstrap("coverage", []int{k, n - k}, Options{Seed: 1, Resamples: 2000}, func(counts []int) (float64, bool) {
				return float64(counts[0]) / float64(n), true
			})
			iv.bootstrap.warnRate(k, n)
			cache[k] = iv
		}
		if iv.wilson.Lo <= p && p <= iv.wilson.Hi {
			c.wilson++
		}
		hit := iv.bootstrap.Lo <= p+tie && p-tie <= iv.bootstrap.Hi
		if hit {
			c.bootstrap++
		}
		if len(iv.bootstrap.Warnings) == 0 {
			c.silent++
			if !hit {
				c.missed++
			}
		}
	}
	for _, count := range []*float64{&c.wilson, &c.bootstrap, &c.silent, &c.missed} {
		*count /= coverageExperiments
	}
	return c
}

// TestIntervalCoverage simulates 2,000 experiments for each number of traces and
// each rate and counts how often an interval holds the truth. Wilson stays close
// to its level everywhere on average; the percentile bootstrap does not near 0
// and 1 and for few traces, and wherever it is poor it must have warned.
func TestIntervalCoverage(t *testing.T) {
	t.Parallel()
	var all, cells float64
	for _, n := range coverageSizes {
		var mean float64
		for _, p := range coverageRates {
			c := simulatedCover(n, p)
			mean += c.wilson / float64(len(coverageRates))
			all += c.wilson
			cells++
			t.Logf("n=%d rate=%.2f: Wilson %.3f, percentile bootstrap %.3f; unwarned %.3f, missing %.3f", n, p, c.wilson, c.bootstrap, c.silent, c.missed)
			if c.missed > 0.075 {
				t.Errorf("n=%d rate=%.2f: %.3f of the experiments missed the truth without a warning", n, p, c.missed)
			}
			if c.bootstrap < 0.9 && c.silent > 0.5 {
				t.Errorf("n=%d rate=%.2f: covers %.3f and mostly does not warn", n, p, c.bootstrap)
			}
		}
		if mean < 0.93 || mean > 0.98 {
			t.Errorf("n=%d: Wilson covers %.4f on average over the rates", n, mean)
		}
	}
	if mean := all / cells; mean < 0.93 || mean > 0.98 || math.IsNaN(mean) {
		t.Errorf("Wilson covers %.4f on average", mean)
	}
}

// TestReviewCoverage simulates whole reviews: the bootstrap by trace of rates
// whose denominators vary too, and the one by instance for traces that are alike.
func TestReviewCoverage(t *testing.T) {
	t.Parallel()
	const experiments = 2000
	truth := Assumption{
		Defect:     [4]float64{0.17, 0.74, 0.07, 0.02},
		Acceptable: [4]float64{0.30, 0.48, 0.20, 0.02},
	}
	cells := make([]float64, 8)
	for i := range 4 {
		cells[i], cells[4+i] = 0.7*truth.Defect[i], 0.3*truth.Acceptable[i]
	}
	s := source{pcg(7, "review coverage", 0)}
	trials := newTrials(121, cells)
	hits := map[Metric]int{}
	var draw [8]int
	for i := range experiments {
		trials.draw(s, draw[:])
		ms := Measure(Arm{"arm", ofCells(draw)}, Options{Seed: uint64(i), Resamples: 500})
		for d, def := range definitions {
			k, n := def.sums([8]float64(cells))
			if iv := ms[d].Bootstrap; iv.Lo <= k/n && k/n <= iv.Hi {
				hits[def.Metric]++
			}
		}
	}
	for _, m := range []Metric{Catch, OverRejection, Coverage, Risk, CatchDecided, RejectPrecision, CorrectOverAll, ShareReject} {
		c := float64(hits[m]) / experiments
		t.Logf("%s: %.3f", m, c)
		if c < 0.92 || c > 0.98 {
			t.Errorf("%s: the bootstrap by trace covers %.3f", m, c)
		}
	}
}

// Three traces of an instance share most of their luck. Taken as independent
// they give intervals that are too narrow; resampled by instance they do not.
func TestClusterCoverage(t *testing.T) {
	t.Parallel()
	const experiments, instances = 1000, 80
	rng := Rand(8, "cluster coverage", 0)
	byInstance, byTrace := 0, 0
	for i := range experiments {
		clusters := make([]ReviewCounts, instances)
		var pooled ReviewCounts
		for c := range clusters {
			// The probability of a catch is 0.9 on easy and 0.3 on hard instances.
			p := 0.3
			if rng.Float64() < 0.5 {
				p = 0.9
			}
			for range 3 {
				o := Accepted
				if rng.Float64() < p {
					o = Rejected
				}
				clusters[c].Add(true, o)
			}
			pooled = pooled.Plus(clusters[c])
		}
		o := Options{Seed: uint64(i), Resamples: 500}
		if iv := MeasureClusters([]ClusteredArm{{"arm", clusters}}, o)[0].Of(Catch).Bootstrap; iv.Lo <= 0.6 && 0.6 <= iv.Hi {
			byInstance++
		}
		if iv := Measure(Arm{"arm", pooled}, o).Of(Catch).Bootstrap; iv.Lo <= 0.6 && 0.6 <= iv.Hi {
			byTrace++
		}
	}
	inst, trace := float64(byInstance)/experiments, float64(byTrace)/experiments
	t.Logf("by instance %.3f, by trace %.3f", inst, trace)
	if inst < 0.92 || inst > 0.98 {
		t.Errorf("the bootstrap by instance covers %.3f", inst)
	}
	if trace > inst-0.03 {
		t.Errorf("the bootstrap by trace covers %.3f, by instance %.3f: the clusters make no difference", trace, inst)
	}
}
