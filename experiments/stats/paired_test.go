package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// For differences -1, 0 and 1 the exact permutation p is McNemar's exact p.
func TestPermutationIsMcNemar(t *testing.T) {
	t.Parallel()
	for b := range 30 {
		for c := range 30 {
			var d []float64
			for range b {
				d = append(d, -1)
			}
			for range c {
				d = append(d, 1)
			}
			d = append(d, 0, 0)
			perm, mc := Permutation("pair", d, Options{}), McNemar(b, c)
			if !perm.Exact || math.Abs(*perm.P-mc.P) > 1e-12 {
				t.Fatalf("b=%d, c=%d: permutation %v, McNemar %v", b, c, *perm.P, mc.P)
			}
			if mc.MidP > mc.P || mc.MidP <= 0 {
				t.Fatalf("b=%d, c=%d: mid-p %v, p %v", b, c, mc.MidP, mc.P)
			}
		}
	}
	big := McNemar(2000, 2100)
	if z := 100 / math.Sqrt(4100); math.Abs(big.MidP-math.Erfc(z/math.Sqrt2)) > 1e-4 {
		t.Errorf("mid-p of 2000 against 2100 is %v, far from the normal one", big.MidP)
	}
}

// Signs enumerated one by one, without grouping or pruning.
func TestPermutationEnumerates(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 5))
	for range 60 {
		d := make([]float64, 1+rng.IntN(11))
		for i := range d {
			// Shares of five votes: 0.6-0.4 is not 0.2, but it is the same difference.
			d[i] = float64(rng.IntN(6))/5 - float64(rng.IntN(6))/5
		}
		sum := 0.0
		for _, v := range d {
			sum += v
		}
		hits := 0
		for signs := range 1 << len(d) {
			s := 0.0
			for i, v := range d {
				if signs>>i&1 == 1 {
					v = -v
				}
				s += v
			}
			if math.Abs(s) >= math.Abs(sum)-1e-12 {
				hits++
			}
		}
		want := float64(hits) / float64(int(1)<<len(d))
		if got := Permutation("pair", d, Options{}); !got.Exact || math.Abs(*got.P-want) > 1e-12 {
			t.Fatalf("%v: %v, want %v", d, *got.P, want)
		}
	}
}

// Too many distinct magnitudes: random signs, close to the normal approximation
// and the same for the same seed.
func TestPermutationByDraws(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(6, 6))
	d := make([]float64, 100)
	sum, squares := 0.0, 0.0
	for i := range d {
		d[i] = rng.NormFloat64() + 0.15
		sum += d[i]
		squares += d[i] * d[i]
	}
	got := Permutation("pair", d, Options{Seed: 3, Resamples: 50_000})
	want := math.Erfc(math.Abs(sum) / math.Sqrt(2*squares))
	if got.Exact || got.Draws != 50_000 || math.Abs(*got.P-want) > 0.01 {
		t.Errorf("%+v (p %v), normal approximation %v", got, *got.P, want)
	}
	if *got.P != (1+got.Hits)/(1+got.Patterns) {
		t.Errorf("p %v of %v hits in %v", *got.P, got.Hits, got.Patterns)
	}
	again := Permutation("pair", d, Options{Seed: 3, Resamples: 50_000})
	slices.Reverse(d)
	reversed := Permutation("pair", d, Options{Seed: 3, Resamples: 50_000})
	if again.Hits != got.Hits || reversed.Hits != got.Hits {
		t.Errorf("hits %v, again %v, reversed %v", got.Hits, again.Hits, reversed.Hits)
	}
}

func TestPermutationEdges(t *testing.T) {
	t.Parallel()
	for name, d := range map[string][]float64{"none": nil, "NaN": {1, math.NaN()}, "infinite": {math.Inf(1)}} {
		if r := Permutation("pair", d, Options{}); r.P != nil || r.Reason == "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r := Permutation("pair", []float64{1e-15, -1e-14, 0}, Options{}); r.NonZero != 0 || *r.P != 1 {
		t.Errorf("noise alone: %+v", r)
	}
}

func TestBenjaminiHochbergIsMonotone(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 7))
	for range 100 {
		p := make([]float64, rng.IntN(40))
		for i := range p {
			p[i] = rng.Float64()
		}
		q := BenjaminiHochberg(p)
		for i := range p {
			if q[i] < p[i] || q[i] > 1 {
				t.Fatalf("q %v for p %v", q[i], p[i])
			}
			for j := range p {
				if p[i] < p[j] && q[i] > q[j] {
					t.Fatalf("p %v < %v but q %v > %v", p[i], p[j], q[i], q[j])
				}
			}
		}
	}
}

func examplePair() Pair {
	var p Pair
	add := func(n int, defect bool, a, b Outcome) {
		for range n {
			p.Add(defect, a, b)
		}
	}
	add(40, true, Rejected, Rejected)
	add(3, true, Rejected, Accepted)  // breaks
	add(12, true, Accepted, Rejected) // mends
	add(5, true, Unparsed, Rejected)  // mends: unparseable is wrong
	add(6, true, Abstained, Rejected) // the second decides more
	add(10, false, Accepted, Accepted)
	add(4, false, Rejected, Accepted) // mends
	add(2, false, Accepted, Rejected) // breaks
	add(1, false, Accepted, Abstained)
	add(7, false, Rejected, Rejected)
	p.OnlyFirst = 3
	return p
}

func TestCompare(t *testing.T) {
	t.Parallel()
	p := examplePair()
	c := Compare(LabelledPair{"a vs b", p}, Options{Seed: 1, Resamples: 40_000})
	if want := (Flips{BothRight: 50, RightWrong: 5, WrongRight: 21, BothWrong: 7}); c.Flips != want {
		t.Errorf("flips %+v, want %+v", c.Flips, want)
	}
	if c.Common != 90 || c.Flips.N() != 83 || p.First().N() != 90 || p.Second().Decided() != 89 {
		t.Errorf("common %d, decided by both %d", c.Common, c.Flips.N())
	}
	if d := *c.Difference.Value; math.Abs(d-16.0/83) > 1e-12 || c.FirstAccuracy.K != 55 || c.SecondAccuracy.K != 71 {
		t.Errorf("difference %v, accuracies %d and %d", d, c.FirstAccuracy.K, c.SecondAccuracy.K)
	}
	// The variance of a mean of differences -1, 0, 1.
	mean := 16.0 / 83
	half := 1.96 * math.Sqrt((26.0/83-mean*mean)/83)
	if math.Abs(c.Interval.Lo-(mean-half)) > 0.02 || math.Abs(c.Interval.Hi-(mean+half)) > 0.02 || c.Interval.Method != MethodPaired {
		t.Errorf("%+v, normal approximation %v ± %v", c.Interval, mean, half)
	}
	if c.McNemar.P != McNemar(5, 21).P || math.Abs(*c.Permutation.P-c.McNemar.P) > 1e-12 || *c.Q.Value != c.McNemar.P {
		t.Errorf("p %v, permutation %v, q %v", c.McNemar.P, *c.Permutation.P, *c.Q.Value)
	}
	if d := *c.CoverageDifference.Value; math.Abs(d-5.0/90) > 1e-12 || c.CoverageInterval == nil {
		t.Errorf("coverage difference %v, %+v", d, c.CoverageInterval)
	}
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "3 only the first") {
		t.Errorf("warnings %q", c.Warnings)
	}
	if s := c.Sentence("patch", "structured"); !strings.Contains(s, "mends 21 and breaks 5") || !strings.Contains(s, "structured is the more accurate") {
		t.Error(s)
	}
	table := p.Decisions()
	if table[Rejected][Rejected] != 47 || table[Abstained][Rejected] != 6 {
		t.Errorf("decisions %v", table)
	}
}

// Swapping the arms swaps the signs and nothing else.
func TestCompareIsSymmetric(t *testing.T) {
	t.Parallel()
	p := examplePair()
	swapped := Pair{OnlyFirst: p.OnlySecond, OnlySecond: p.OnlyFirst}
	p.each(func(defect bool, a, b Outcome, n int) {
		for range n {
			swapped.Add(defect, b, a)
		}
	})
	o := Options{Seed: 1, Resamples: 20_000}
	c, s := Compare(LabelledPair{"x", p}, o), Compare(LabelledPair{"x", swapped}, o)
	if *c.Difference.Value != -*s.Difference.Value || c.McNemar.P != s.McNemar.P || *c.CoverageDifference.Value != -*s.CoverageDifference.Value {
		t.Errorf("%+v\n%+v", c, s)
	}
	if math.Abs(c.Interval.Lo+s.Interval.Hi) > 0.013 {
		t.Errorf("intervals %+v and %+v", c.Interval, s.Interval)
	}
}

func TestCompareEdges(t *testing.T) {
	t.Parallel()
	c := Compare(LabelledPair{"nothing", Pair{OnlyFirst: 4, OnlySecond: 5}}, Options{})
	if c.Difference.Value != nil || c.Interval != nil || c.Q.Value != nil || c.Permutation.P != nil ||
		c.Detectable.Value != nil || c.CoverageInterval != nil || c.CoverageIntervalReason == "" || len(c.Warnings) != 1 {
		t.Errorf("%+v", c)
	}
	if s := c.Sentence("a", "b"); !strings.Contains(s, "nothing can be said") {
		t.Error(s)
	}
	same := Compare(LabelledPair{"same", Pair{Defect: [4][4]int{Rejected: {Rejected: 30}}}}, Options{})
	if *same.Difference.Value != 0 || same.McNemar.P != 1 || len(same.Interval.Warnings) == 0 || len(same.Warnings) != 1 {
		t.Errorf("%+v", same)
	}
	if s := same.Sentence("a", "b"); !strings.Contains(s, "does not show a difference") {
		t.Error(s)
	}
}

func TestCompareAllAdjusts(t *testing.T) {
	t.Parallel()
	var pairs []LabelledPair
	var p []float64
	for i := range 6 {
		pair := Pair{Defect: [4][4]int{Accepted: {Rejected: 4 + 2*i}, Rejected: {Accepted: 4, Rejected: 30}}}
		pairs = append(pairs, LabelledPair{fmt.Sprint("pair ", i), pair})
		p = append(p, McNemar(4, 4+2*i).P)
	}
	pairs = append(pairs, LabelledPair{"empty", Pair{}})
	got := CompareAll(pairs, Options{Resamples: 500})
	for i, q := range BenjaminiHochberg(p) {
		if *got[i].Q.Value != q {
			t.Errorf("pair %d: q %v, want %v", i, *got[i].Q.Value, q)
		}
	}
	if got[6].Q.Value != nil || got[6].Q.Reason == "" {
		t.Errorf("an untested pair has q %+v", got[6].Q)
	}
}

func TestDifferences(t *testing.T) {
	t.Parallel()
	p := examplePair()
	ds := Differences(LabelledPair{"x", p}, Options{Seed: 2})
	for i, d := range ds {
		def := definitions[i]
		a, b := p.First().Rate(def.Metric), p.Second().Rate(def.Metric)
		if d.Metric != def.Metric || d.First.K != a.K || d.Second.N != b.N {
			t.Fatalf("%+v", d)
		}
		if want := *b.Value - *a.Value; math.Abs(*d.Difference.Value-want) > 1e-12 || d.Interval.Lo > want || d.Interval.Hi < want {
			t.Errorf("%s: %v in [%v, %v], want %v", d.Metric, *d.Difference.Value, d.Interval.Lo, d.Interval.Hi, want)
		}
	}
	// Catch: 43 of 66 against 63 of 66, 3 lost and 23 gained.
	catch := ds[0]
	mean := 20.0 / 66
	half := 1.96 * math.Sqrt((26.0/66-mean*mean)/66)
	if math.Abs(catch.Interval.Lo-(mean-half)) > 0.02 || math.Abs(catch.Interval.Hi-(mean+half)) > 0.02 {
		t.Errorf("catch: %+v, normal approximation %v ± %v", catch.Interval, mean, half)
	}
	for _, d := range Differences(LabelledPair{"none", Pair{}}, Options{}) {
		if d.Difference.Value != nil || d.Interval != nil || d.IntervalReason == "" {
			t.Errorf("%+v", d)
		}
	}
}

func TestChiSquareRefusesNegative(t *testing.T) {
	t.Parallel()
	if r := ChiSquare([2][2]int{{-1, 3}, {4, 5}}); r.ChiSquare.Value != nil {
		t.Errorf("%+v", r)
	}
}

func TestWilsonEdges(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]int{{0, 0}, {-1, 4}, {5, 4}} {
		if iv, reason := Wilson(c[0], c[1], 0); iv != nil || reason == "" {
			t.Errorf("%v: %+v, %q", c, iv, reason)
		}
	}
	a, _ := Wilson(7, 20, 0.95)
	b, _ := Wilson(7, 20, 0.99)
	if !(b.Lo < a.Lo && a.Hi < b.Hi) {
		t.Errorf("99%% %+v is not wider than 95%% %+v", b, a)
	}
}
