package stats

import (
	"fmt"
	"testing"
	"time"
)

// eighteenArms is an experiment of 18 arms on 411 traces.
func eighteenArms() []Arm {
	arms := make([]Arm, 18)
	for i := range arms {
		s := source{pcg(4, "bench", i)}
		for t := range 411 {
			arms[i].Counts.Add(t < 280, Outcome(s.below(100)/30))
		}
		arms[i].Label = fmt.Sprint("arm ", i)
	}
	return arms
}

// The bootstrap of every rate of 18 arms, with the same work by a plain loop in
// the same run as the ratio.
func BenchmarkMeasureAll(b *testing.B) {
	arms := eighteenArms()
	o := Options{Seed: 1}.filled()
	for b.Loop() {
		MeasureAll(arms, o)
	}
	fast := float64(b.Elapsed()) / float64(b.N)
	start := time.Now()
	plainMeasure("plain", arms[0].Counts, o)
	plain := float64(time.Since(start)) * float64(len(arms))
	b.ReportMetric(plain/fast, "plain/fast")
}
