package stats_test

import (
	"math"
	"testing"

	"plumbline/experiments/stats"
	"plumbline/experiments/vote"
)

func expectedArm(kinds map[bool][]vote.Pattern, steps ...int) stats.ExpectedArm {
	arm := stats.ExpectedArm{Label: "arm"}
	for _, defect := range []bool{true, false} {
		for _, p := range kinds[defect] {
			k := stats.Expected{Defect: defect, Traces: p.Traces}
			for _, s := range steps {
				k.P = append(k.P, p.Counts.Expected(s, vote.Plurality).Array())
			}
			arm.Kinds = append(arm.Kinds, k)
		}
	}
	return arm
}

// The gain is the difference of the rates that MeasureExpected gives, and its
// interval is that of the difference, not of two independent rates.
func TestExpectedGain(t *testing.T) {
	t.Parallel()
	arm := expectedArm(map[bool][]vote.Pattern{
		true:  {{Counts: vote.Counts{Reject: 5}, Traces: 40}, {Counts: vote.Counts{Reject: 3, Accept: 2}, Traces: 30}, {Counts: vote.Counts{Reject: 1, Accept: 4}, Traces: 20}},
		false: {{Counts: vote.Counts{Accept: 5}, Traces: 25}, {Counts: vote.Counts{Accept: 3, Reject: 2}, Traces: 7}},
	}, 1, 3, 5)
	o := stats.Options{Seed: 3, Resamples: 2000}
	rates := stats.MeasureExpected([]stats.ExpectedArm{arm}, []stats.Metric{stats.Catch, stats.CorrectOverAll}, o)[0]
	for i, metric := range []stats.Metric{stats.Catch, stats.CorrectOverAll} {
		g := stats.MeasureExpectedGain(arm, metric, 0, 2, o)
		want := *rates[2][i].Value - *rates[0][i].Value
		if g.Difference.Value == nil || math.Abs(*g.Difference.Value-want) > 1e-12 || *g.First.Value != *rates[0][i].Value || *g.Second.Value != *rates[2][i].Value {
			t.Errorf("%s: gain %+v, want %v", metric, g, want)
			continue
		}
		if g.Interval == nil || want < g.Interval.Lo || want > g.Interval.Hi || g.Interval.Hi-g.Interval.Lo >= rates[2][i].Interval.Hi-rates[2][i].Interval.Lo {
			t.Errorf("%s: interval %+v beside a rate with %+v", metric, g.Interval, rates[2][i].Interval)
		}
	}
	if g := stats.MeasureExpectedGain(arm, stats.Catch, 1, 1, o); *g.Difference.Value != 0 || g.Interval.Lo != 0 || g.Interval.Hi != 0 {
		t.Errorf("no step gains %+v", g)
	}
	good := expectedArm(map[bool][]vote.Pattern{false: {{Counts: vote.Counts{Accept: 2}, Traces: 3}}}, 1, 2)
	for name, g := range map[string]stats.ExpectedGain{
		"no defect": stats.MeasureExpectedGain(good, stats.Catch, 0, 1, o), "no step": stats.MeasureExpectedGain(arm, stats.Catch, 0, 3, o),
		"no metric": stats.MeasureExpectedGain(arm, "nothing", 0, 1, o), "no kind": stats.MeasureExpectedGain(stats.ExpectedArm{}, stats.Catch, 0, 1, o),
	} {
		if g.Difference.Value != nil || g.Difference.Reason == "" || g.Interval != nil || g.IntervalReason == "" {
			t.Errorf("%s: %+v", name, g)
		}
	}
}
