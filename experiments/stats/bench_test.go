package stats

import (
	"fmt"
	"testing"
	"time"
)

const benchDefects, benchTraces = 280, 411

// eighteenArms is the decisions of 18 arms on 411 traces, as counts and as pairs.
func eighteenArms() ([]Arm, []LabelledPair) {
	arms := make([]Arm, 18)
	outcomes := make([][]Outcome, len(arms))
	for i := range arms {
		s := source{pcg(4, "bench", i)}
		arms[i].Label = fmt.Sprint("arm ", i)
		for t := range benchTraces {
			o := Outcome(s.below(100) / 30)
			outcomes[i] = append(outcomes[i], o)
			arms[i].Counts.Add(t < benchDefects, o)
		}
	}
	var pairs []LabelledPair
	for i := range arms {
		for j := range i {
			lp := LabelledPair{Label: arms[i].Label + "/" + arms[j].Label}
			for t := range benchTraces {
				lp.Pair.Add(t < benchDefects, outcomes[j][t], outcomes[i][t])
			}
			pairs = append(pairs, lp)
		}
	}
	return arms, pairs
}

// plainPermutation flips a coin for every trace of every draw.
func plainPermutation(label string, differences []float64, o Options) float64 {
	rng := Rand(o.Seed, label, 0)
	observed := 0.0
	for _, d := range differences {
		observed += d
	}
	hits := 0
	for range o.Resamples {
		sum := 0.0
		for _, d := range differences {
			if rng.Uint64()&1 == 1 {
				d = -d
			}
			sum += d
		}
		if sum >= observed || -sum >= observed {
			hits++
		}
	}
	return float64(1+hits) / float64(1+o.Resamples)
}

// BenchmarkExperiment does what a result page of 18 arms on 411 traces asks for:
// 10,000 resamples of every rate and a permutation test, McNemar, paired
// bootstraps of accuracy and coverage for all 153 pairs. The plain loop does
// one arm and one permutation test in the same run; plain/fast is the ratio if
// it did them all.
func BenchmarkExperiment(b *testing.B) {
	arms, pairs := eighteenArms()
	o := Options{Seed: 1}.filled()
	b.Run("rates", func(b *testing.B) {
		for b.Loop() {
			MeasureAll(arms, o)
		}
		fast := time.Duration(int64(b.Elapsed()) / int64(b.N))
		start := time.Now()
		plainMeasure("plain", arms[0].Counts, o)
		b.ReportMetric(float64(time.Since(start))*float64(len(arms))/float64(fast), "plain/fast")
	})
	b.Run("pairs", func(b *testing.B) {
		for b.Loop() {
			CompareAll(pairs, o)
		}
		fast := time.Duration(int64(b.Elapsed()) / int64(b.N))
		f := pairs[0].Pair.Flips()
		differences := make([]float64, f.N())
		for i := range f.RightWrong + f.WrongRight {
			differences[i] = 1
			if i < f.RightWrong {
				differences[i] = -1
			}
		}
		start := time.Now()
		plainPermutation("plain", differences, o)
		b.ReportMetric(float64(time.Since(start))*float64(len(pairs))/float64(fast), "plain/fast")
	})
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			MeasureAll(arms, o)
			CompareAll(pairs, o)
		}
	})
}

// BenchmarkClusters resamples 300 instances with 1 to 5 traces each.
func BenchmarkClusters(b *testing.B) {
	s := source{pcg(5, "bench", 0)}
	arm := ClusteredArm{Label: "arm", Clusters: make([]ReviewCounts, 300)}
	for i := range arm.Clusters {
		for range 1 + s.below(5) {
			arm.Clusters[i].Add(i%3 > 0, Outcome(s.below(100)/30))
		}
	}
	for b.Loop() {
		MeasureClusters([]ClusteredArm{arm}, Options{Seed: 1})
	}
}

func BenchmarkCurve(b *testing.B) {
	groups := []Group{{1, 160, 26}, {0.8, 110, 38}, {0.6, 90, 39}, {0.4, 18, 10}}
	for b.Loop() {
		MeasureCurve("arm", groups, 33, Options{Seed: 1})
	}
}

// BenchmarkScaling is the vote scaling of 18 arms with 1 to 5 votes on 411
// traces: 36 kinds of traces and the five rates of a chart.
func BenchmarkScaling(b *testing.B) {
	s := source{pcg(6, "bench", 0)}
	arms := make([]ExpectedArm, 18)
	for i := range arms {
		arms[i].Label = fmt.Sprint("arm ", i)
		for k := range 36 {
			kind := Expected{Defect: k%3 > 0, Traces: 2 + k%18}
			for range 5 {
				x := s.float64()
				kind.P = append(kind.P, [4]float64{x / 2, x / 2, 1 - x, 0})
			}
			arms[i].Kinds = append(arms[i].Kinds, kind)
		}
	}
	metrics := []Metric{Catch, Miss, OverRejection, Coverage, Risk}
	for b.Loop() {
		MeasureExpected(arms, metrics, Options{Seed: 1})
	}
}
