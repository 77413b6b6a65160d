package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/stats"
	"plumbline/experiments/vote"
)

// resampled is a plain bootstrap of a coefficient: whole traces are drawn.
func resampled(patterns []vote.Pattern, n int, f func([]vote.Pattern) vote.Agreement) (lo, hi float64) {
	var units []vote.Counts
	for _, p := range patterns {
		for range p.Traces {
			units = append(units, p.Counts)
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	var values []float64
	for range n {
		drawn := make([]vote.Pattern, len(units))
		for i := range drawn {
			drawn[i] = vote.Pattern{Counts: units[rng.IntN(len(units))], Traces: 1}
		}
		if a := f(drawn); a.Value != nil {
			values = append(values, *a.Value)
		}
	}
	slices.Sort(values)
	return stats.Quantile(values, 0.025), stats.Quantile(values, 0.975)
}

// The bootstrap of sums agrees with one that draws traces and computes the
// coefficients anew.
func TestMeasureAgreement(t *testing.T) {
	t.Parallel()
	patterns := []vote.Pattern{
		{Counts: vote.Counts{Accept: 5}, Traces: 30}, {Counts: vote.Counts{Reject: 5}, Traces: 25}, {Counts: vote.Counts{Accept: 3, Reject: 2}, Traces: 20},
		{Counts: vote.Counts{Accept: 1, Reject: 3, Uncertain: 1}, Traces: 10}, {Counts: vote.Counts{Reject: 2, Uncertain: 2, Unparseable: 1}, Traces: 5},
	}
	splits := make([]stats.Split, len(patterns))
	for i, p := range patterns {
		splits[i] = stats.Split{Votes: p.Counts.Array(), Traces: p.Traces}
	}
	got := stats.MeasureAgreement("arm", splits, stats.Options{Seed: 1})
	if again := stats.MeasureAgreement("arm", splits, stats.Options{Seed: 1}); !cmp.Equal(got, again) {
		t.Error("the same seed gives other intervals")
	}
	for _, c := range []struct {
		name string
		iv   *stats.Interval
		of   func([]vote.Pattern) vote.Agreement
	}{{"Fleiss", got.Fleiss, vote.Fleiss}, {"Krippendorff", got.Alpha, vote.Krippendorff}} {
		if c.iv == nil {
			t.Fatalf("%s: no interval", c.name)
		}
		if c.iv.N != 90 || c.iv.Resamples != stats.DefaultResamples || c.iv.Dropped != 0 {
			t.Errorf("%s: %+v", c.name, c.iv)
		}
		value := c.of(patterns).Value
		if value == nil || *value < c.iv.Lo || *value > c.iv.Hi {
			t.Errorf("%s: the value is outside of its interval", c.name)
		}
		lo, hi := resampled(patterns, 3000, c.of)
		if math.Abs(lo-c.iv.Lo) > 0.02 || math.Abs(hi-c.iv.Hi) > 0.02 {
			t.Errorf("%s: %.3f–%.3f, a plain bootstrap gives %.3f–%.3f", c.name, c.iv.Lo, c.iv.Hi, lo, hi)
		}
	}
}

// In a resample that is the sample itself both coefficients are those of package
// vote: one trace has only that resample.
func TestAgreementIsThatOfTheVotes(t *testing.T) {
	t.Parallel()
	for _, c := range []vote.Counts{{Accept: 3, Reject: 2}, {Accept: 1, Reject: 1, Uncertain: 1, Unparseable: 1}, {Reject: 4, Unparseable: 1}} {
		one := []vote.Pattern{{Counts: c, Traces: 1}}
		got := stats.MeasureAgreement("", []stats.Split{{Votes: c.Array(), Traces: 1}}, stats.Options{Resamples: 10})
		for name, x := range map[string]struct {
			iv   *stats.Interval
			want vote.Agreement
		}{"Fleiss": {got.Fleiss, vote.Fleiss(one)}, "Krippendorff": {got.Alpha, vote.Krippendorff(one)}} {
			if x.iv == nil || x.want.Value == nil || math.Abs(x.iv.Lo-*x.want.Value) > 1e-12 || x.iv.Lo != x.iv.Hi {
				t.Errorf("%s of %+v: %+v, want %v", name, c, x.iv, x.want.Value)
			}
		}
	}
}

func TestAgreementUndefined(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		splits        []stats.Split
		fleiss, alpha bool // there is an interval
	}{
		"nothing":            {nil, false, false},
		"single votes":       {[]stats.Split{{Votes: [4]int{1}, Traces: 9}}, false, false},
		"one class":          {[]stats.Split{{Votes: [4]int{5}, Traces: 9}}, false, false},
		"different numbers":  {[]stats.Split{{Votes: [4]int{2, 1}, Traces: 9}, {Votes: [4]int{1, 1}, Traces: 9}}, false, true},
		"two classes":        {[]stats.Split{{Votes: [4]int{2, 1}, Traces: 9}, {Votes: [4]int{1, 2}, Traces: 9}}, true, true},
		"a trace of no vote": {[]stats.Split{{Votes: [4]int{2, 1}, Traces: 9}, {Traces: 3}}, true, true},
	} {
		got := stats.MeasureAgreement("", x.splits, stats.Options{Resamples: 200})
		if (got.Fleiss != nil) != x.fleiss || (got.Alpha != nil) != x.alpha || (got.Fleiss == nil) != (got.FleissReason != "") || (got.Alpha == nil) != (got.AlphaReason != "") {
			t.Errorf("%s: %+v", name, got)
		}
		for _, iv := range []*stats.Interval{got.Fleiss, got.Alpha} {
			if iv != nil && len(iv.Warnings) == 0 {
				t.Errorf("%s: no warning of few traces", name)
			}
		}
	}
}
