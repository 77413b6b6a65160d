package stats

import (
	"fmt"
	"math"
	"testing"
)

// A chi-square test of a million draws against the exact probabilities, for both
// algorithms and both sides of 1/2, and for the sum of fair bits.
func TestBinomialDraws(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n int
		p float64
	}{
		{1, 0.3}, {5, 0.5}, {30, 0.1}, {411, 0.01}, {411, 0.03}, {411, 0.3}, {411, 0.5}, {411, 0.77}, {411, 0.999}, {5000, 0.4},
	} {
		b := newBinomial(c.p)
		name := fmt.Sprintf("Binomial(%d, %v)", c.n, c.p)
		checkBinomial(t, name, c.n, c.p, func(s source) int { return b.draw(s, c.n) })
		table := newAliasTable(&b, c.n)
		checkBinomial(t, name+" by table", c.n, c.p, table.draw)
	}
	for _, n := range []int{1, 63, 64, 65, 200} {
		checkBinomial(t, fmt.Sprintf("halves(%d)", n), n, 0.5, func(s source) int { return s.halves(n) })
	}
}

func checkBinomial(t *testing.T, name string, n int, p float64, draw func(source) int) {
	t.Helper()
	const draws = 300_000
	seen := make([]int, n+1)
	s := source{pcg(1, name, 0)}
	for range draws {
		seen[draw(s)]++
	}
	// Outcomes with a small expectation are joined to the next bin.
	chi2, bins, expected, observed := 0.0, 0, 0.0, 0.0
	flush := func() {
		if expected > 0 {
			chi2 += (observed - expected) * (observed - expected) / expected
			bins++
		}
		expected, observed = 0, 0
	}
	for k := 0; k <= n; k++ {
		expected += draws * math.Exp(logFactorial(n)-logFactorial(k)-logFactorial(n-k)+
			float64(k)*math.Log(p)+float64(n-k)*math.Log1p(-p))
		observed += float64(seen[k])
		if expected >= 20 {
			flush()
		}
	}
	if observed > 0 {
		flush()
	}
	// The statistic has mean bins-1 and variance 2(bins-1); five deviations is far out.
	df := float64(bins - 1)
	if chi2 > df+5*math.Sqrt(2*df)+10 {
		t.Errorf("%s: chi-square %.1f with %v degrees of freedom", name, chi2, df)
	}
}

func TestBinomialEdges(t *testing.T) {
	t.Parallel()
	s := source{pcg(1, "edges", 0)}
	for _, c := range []struct {
		n    int
		p    float64
		want int
	}{{0, 0.4, 0}, {9, 0, 0}, {9, 1, 9}, {-1, 0.7, 0}} {
		b := newBinomial(c.p)
		if got := b.draw(s, c.n); got != c.want {
			t.Errorf("Binomial(%d, %v) = %d, want %d", c.n, c.p, got, c.want)
		}
		if c.n < 0 {
			continue
		}
		if got := newAliasTable(&b, c.n).draw(s); got != c.want {
			t.Errorf("Binomial(%d, %v) by table = %d, want %d", c.n, c.p, got, c.want)
		}
	}
}

func TestSubSeedsDiffer(t *testing.T) {
	t.Parallel()
	seen := map[uint64]string{}
	for seed := range uint64(10) {
		for _, label := range []string{"", "a", "b", "ab"} {
			for index := range 50 {
				key := fmt.Sprint(seed, label, index)
				s := SubSeed(seed, label, index)
				if old, ok := seen[s]; ok {
					t.Fatalf("%q and %q share a sub-seed", old, key)
				}
				seen[s] = key
			}
		}
	}
	if a, b := Rand(1, "a", 2).Uint64(), Rand(1, "a", 2).Uint64(); a != b {
		t.Error("the same sub-seed gives different draws")
	}
}
