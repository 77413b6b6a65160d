package vote

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// Every subset is visited and tallied, which is what Expected computes from counts.
func TestExpectedIsTheMeanOverSubsets(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 7))
	for range 40 {
		votes := make([]Vote, 1+rng.IntN(9))
		for i := range votes {
			votes[i] = Classes[rng.IntN(4)]
		}
		for _, rule := range []Rule{Plurality, Strict} {
			for k := 0; k <= len(votes); k++ {
				var want [4]float64
				subsets := 0.0
				for set := uint(0); set < 1<<len(votes); set++ {
					if bits.OnesCount(set) != k {
						continue
					}
					var c Counts
					for i, v := range votes {
						if set>>i&1 == 1 {
							c.Add(v)
						}
					}
					want[c.Decide(rule).Index()]++
					subsets++
				}
				got := CountOf(votes...).Expected(k, rule).Array()
				for i := range want {
					if math.Abs(got[i]-want[i]/subsets) > 1e-12 {
						t.Fatalf("%v, k=%d, %s: %v, want %v/%v", votes, k, rule, got, want, subsets)
					}
				}
			}
		}
	}
}

func TestScalingEndsAtTheDecision(t *testing.T) {
	t.Parallel()
	c := Counts{Accept: 3, Reject: 6, Uncertain: 2, Unparseable: 1}
	curve := c.Scaling(Plurality)
	if len(curve) != 12 {
		t.Fatalf("%d points, want 12", len(curve))
	}
	if p := curve[11].Of(c.Decide(Plurality)); math.Abs(p-1) > 1e-12 {
		t.Errorf("all votes decide with probability %v", p)
	}
	for i, p := range curve[0].Array() {
		if want := float64(c.Array()[i]) / 12; math.Abs(p-want) > 1e-12 {
			t.Errorf("one vote is %s with probability %v, want %v", Classes[i], p, want)
		}
	}
}

func TestPlannedIndependentVotes(t *testing.T) {
	t.Parallel()
	q := Distribution{Accept: 0.2, Reject: 0.5, Uncertain: 0.2, Unparseable: 0.1}
	for _, rule := range []Rule{Plurality, Strict} {
		const k = 5
		var want [4]float64
		var visit func(depth int, p float64, c Counts)
		visit = func(depth int, p float64, c Counts) {
			if depth == k {
				want[c.Decide(rule).Index()] += p
				return
			}
			for i, v := range Classes {
				next := c
				next.Add(v)
				visit(depth+1, p*q.Array()[i], next)
			}
		}
		visit(0, 1, Counts{})
		got := Planned(q, 0, k, rule).Array()
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-12 {
				t.Errorf("%s: %v, want %v", rule, got, want)
			}
		}
	}
}

func TestPlannedCorrelation(t *testing.T) {
	t.Parallel()
	q := Distribution{Accept: 0.3, Reject: 0.6, Uncertain: 0.1}
	last := Planned(q, 0, 5, Plurality).Reject
	for _, correlation := range []float64{0.1, 0.3, 0.6, 0.9, 0.999999} {
		d := Planned(q, correlation, 5, Plurality)
		sum := d.Accept + d.Reject + d.Uncertain + d.Unparseable
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("correlation %v: probabilities sum to %v", correlation, sum)
		}
		// The more alike the votes, the less the majority gains over one vote.
		if d.Reject > last {
			t.Errorf("correlation %v: reject %v above %v", correlation, d.Reject, last)
		}
		last = d.Reject
	}
	for i, p := range Planned(q, 1, 5, Plurality).Array() {
		if math.Abs(p-q.Array()[i]) > 1e-12 {
			t.Errorf("identical votes are %s with probability %v, want that of one vote, %v", Classes[i], p, q.Array()[i])
		}
	}
	if got := Planned(Distribution{}, 0, 5, Plurality); got.Uncertain != 1 {
		t.Errorf("no votes possible: %v, want uncertain", got)
	}
}

func BenchmarkExpected(b *testing.B) {
	for _, k := range []int{5, 11} {
		c := Counts{Accept: k / 3, Reject: k / 3, Uncertain: k - 2*(k/3)}
		b.Run(fmt.Sprintf("K=%d", k), func(b *testing.B) {
			for b.Loop() {
				c.Scaling(Plurality)
			}
		})
	}
}
