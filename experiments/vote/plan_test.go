package vote

import (
	"math"
	"math/rand/v2"
	"testing"
)

// drawn are the votes of n traces from the urn that Planned describes.
func drawn(rng *rand.Rand, single Distribution, correlation float64, votes, n int) []Pattern {
	q := single.Array()
	pick := func() int {
		u := rng.Float64()
		for i, p := range q {
			if u < p {
				return i
			}
			u -= p
		}
		return 0
	}
	traces := make([]Counts, n)
	for t := range traces {
		var asked []int
		for j := range votes {
			// Pólya's urn: repeat one of the answers so far, or draw anew.
			again := correlation * float64(j) / (1 - correlation + correlation*float64(j))
			v := pick()
			if j > 0 && rng.Float64() < again {
				v = asked[rng.IntN(j)]
			}
			asked = append(asked, v)
			traces[t].Add(Classes[v])
		}
	}
	return Group(traces)
}

// What is observed of simulated votes is what they were drawn from, and what is
// foreseen for another number of votes is what other votes of it decide.
func TestForesee(t *testing.T) {
	t.Parallel()
	single := Distribution{Accept: 0.5, Reject: 0.3, Uncertain: 0.15, Unparseable: 0.05}
	const correlation, traces = 0.4, 40_000
	rng := rand.New(rand.NewPCG(5, 6))
	recorded := drawn(rng, single, correlation, 5, traces)
	b := Observe(recorded)
	if b.Traces != traces || b.Votes != 5*traces || b.Least != 5 || b.Why != "" {
		t.Errorf("observed %+v", b)
	}
	if math.Abs(b.Correlation-correlation) > 0.02 || math.Abs(b.Single.Reject-0.3) > 0.01 {
		t.Errorf("observed %+v, drawn from %v alike by %v", b, single, correlation)
	}
	for _, k := range []int{1, 3, 5, 9} {
		d, exact, ok := Foresee(recorded, k, Plurality)
		if !ok || exact != (k <= 5) {
			t.Fatalf("K=%d: exact %t, ok %t", k, exact, ok)
		}
		c := Decisions(drawn(rng, single, correlation, k, traces), Plurality)
		for i, got := range d.Array() {
			if want := float64(c.Array()[i]) / traces; math.Abs(got-want) > 0.015 {
				t.Errorf("K=%d: %s foreseen %.4f, drawn %.4f", k, Classes[i], got, want)
			}
		}
	}
}

func TestObserveSaysWhatItCannotKnow(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		patterns []Pattern
		why      string
		ok       bool
	}{
		"nothing":       {nil, "", false},
		"no votes":      {[]Pattern{{Traces: 3}}, "", false},
		"one vote each": {[]Pattern{{Counts{Accept: 1}, 2}, {Counts{Reject: 1}, 2}}, "no trace has two votes", true},
		"one class":     {[]Pattern{{Counts{Accept: 3}, 7}}, "all votes are the same", true},
	} {
		b := Observe(tt.patterns)
		_, _, ok := Foresee(tt.patterns, 3, Plurality)
		if b.Why != tt.why || ok != tt.ok || tt.ok && b.Correlation != 1 {
			t.Errorf("%s: %+v, ok %t", name, b, ok)
		}
	}
	// Votes that differ more than by chance are not correlated below 0.
	if b := Observe([]Pattern{{Counts{Accept: 1, Reject: 1}, 10}}); b.Correlation != 0 || b.Why != "" {
		t.Errorf("%+v", b)
	}
	// One short trace makes the plan a guess for all.
	if _, exact, _ := Foresee([]Pattern{{Counts{Accept: 5}, 10}, {Counts{Reject: 1}, 1}}, 5, Plurality); exact {
		t.Error("a trace with one vote decides at five")
	}
}
