package belief_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"plumbline/experiments/belief"
	"plumbline/experiments/stats"
)

// simulated draws tasks of one candidate with two critics that are copies of
// each other with the given probability, and a score.
func simulated(n int, copies float64, seed uint64) belief.Table {
	rng := rand.New(rand.NewPCG(seed, 7))
	t := belief.Table{Critics: []belief.Column{{Name: "a", Outcomes: 2}, {Name: "b", Outcomes: 2}}, Scores: []string{"s"}}
	for i := range n {
		y := rng.Float64() < 0.4
		pass := func() belief.Outcome {
			p := 0.3
			if y {
				p = 0.8
			}
			if rng.Float64() < p {
				return belief.Pass
			}
			return belief.Fail
		}
		a, b := pass(), pass()
		if rng.Float64() < copies {
			b = a
		}
		s := rng.NormFloat64()
		if y {
			s += 2
		}
		t.Tasks = append(t.Tasks, belief.Task{ID: "t" + string(rune('A'+i%26)) + strings.Repeat("x", i/26), Candidates: []belief.Candidate{
			{Outcomes: []belief.Outcome{a, b}, Scores: []float64{s}, Y: belief.LabelOf(y)},
		}})
	}
	return t
}

func TestTemperingDiscountsCopies(t *testing.T) {
	t.Parallel()
	lambda := func(copies float64) float64 {
		tab := simulated(2000, copies, 3)
		folds, err := belief.KFold(tab, 5)
		if err != nil {
			t.Fatal(err)
		}
		fits, err := belief.CrossFit(tab, folds, belief.CrossOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got := belief.FitTempering(belief.CrossBeliefs(fits, belief.FirstCandidates))
		if got.Lambda == nil || got.LogLoss > got.Ignored+1e-12 || got.LogLoss > got.Trusted+1e-12 {
			t.Fatalf("got %+v", got)
		}
		return *got.Lambda
	}
	if l := lambda(0); l < 0.9 {
		t.Errorf("independent critics are tempered by %v", l)
	}
	if l := lambda(1); l < 0.4 || l > 0.6 { // the same evidence twice: half of it each
		t.Errorf("copied critics are tempered by %v, want about 1/2", l)
	}
}

func TestCrossFitSeesOtherTasksOnly(t *testing.T) {
	t.Parallel()
	tab := simulated(60, 0, 5)
	folds, err := belief.LeaveOneOut(tab)
	if err != nil {
		t.Fatal(err)
	}
	opts := belief.CrossOptions{Cuts: []belief.CutSpec{{Name: "cut", Score: "s"}}, Temper: true}
	fits, err := belief.CrossFit(tab, folds, opts)
	if err != nil {
		t.Fatal(err)
	}
	// Changing the held-out task must not change its own estimate.
	changed := simulated(60, 0, 5)
	c := &changed.Tasks[7].Candidates[0]
	c.Y, c.Scores[0] = belief.Correct+belief.Defective-c.Y, 100
	again, err := belief.CrossFit(changed, folds, opts)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(fits[7].Estimate, again[7].Estimate); d != "" {
		t.Errorf("the estimate saw its own task:\n%s", d)
	}
	if fits[7].Lambda != again[7].Lambda || fits[7].Cuts[0] != again[7].Cuts[0] {
		t.Error("threshold or tempering saw its own task")
	}
	if cmp.Equal(fits[8].Estimate, again[8].Estimate) {
		t.Error("another fold did not see the change")
	}
	if _, err := belief.CrossFit(tab, make([]int, 60), opts); err == nil {
		t.Error("one fold is accepted")
	}
}

func TestFolds(t *testing.T) {
	t.Parallel()
	tab := simulated(500, 0, 1)
	folds, err := belief.KFold(tab, 5)
	if err != nil {
		t.Fatal(err)
	}
	var n [5]int
	for _, f := range folds {
		n[f]++
	}
	if slices.Min(n[:]) < 60 || slices.Max(n[:]) > 140 {
		t.Errorf("folds of 500 tasks have sizes %v", n)
	}
	one := belief.Table{Tasks: []belief.Task{{ID: "a"}, {ID: "a", Group: "g"}}}
	if _, err := belief.LeaveOneOut(one); err == nil || !strings.Contains(err.Error(), "only the task a") {
		t.Errorf("error %v", err)
	}
	if _, err := belief.KFold(tab, 1); err == nil {
		t.Error("one fold is accepted")
	}
	if _, err := belief.KFold(belief.Table{}, 2); err == nil {
		t.Error("folds of nothing are accepted")
	}
}

func TestChooseCut(t *testing.T) {
	t.Parallel()
	cut, err := simulated(3000, 0, 11).ChooseCut("s", 0, belief.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// The best threshold for N(0,1) against N(2,1) is 1, with gap 2Φ(1)-1.
	if math.Abs(cut.Threshold-1) > 0.25 || math.Abs(cut.Gap-0.683) > 0.05 {
		t.Errorf("got %+v", cut)
	}
	if _, err := (belief.Table{Scores: []string{"s"}}).ChooseCut("s", 0, belief.Options{}); err == nil {
		t.Error("a threshold without data is accepted")
	}
}

// TestIntervalsCover checks by simulation that 95% intervals by task cover the
// true kernel and prior about as often as they say.
func TestIntervalsCover(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(9, 9))
	const runs, truth = 200, 0.25
	covered := 0
	for run := range runs {
		var tab belief.Table
		for i := range 60 {
			k := belief.Task{ID: string(rune('a' + i))}
			y := rng.Float64() < 0.5
			for range 5 {
				k.Candidates = append(k.Candidates, belief.Candidate{Y: belief.LabelOf(y)})
				if y {
					y = rng.Float64() >= 0.1
				} else {
					y = rng.Float64() < truth
				}
			}
			tab.Tasks = append(tab.Tasks, k)
		}
		est, err := belief.Fit(tab, belief.Options{})
		if err != nil {
			t.Fatal(err)
		}
		est, err = est.Bootstrap(tab, belief.Options{}, stats.Options{Resamples: 400, Seed: uint64(run)})
		if err != nil {
			t.Fatal(err)
		}
		if iv := est.Kernel.FixRate.ByTask; iv.Lo <= truth && truth <= iv.Hi {
			covered++
		}
		if run == 0 {
			again, _ := est.Bootstrap(tab, belief.Options{}, stats.Options{Resamples: 400, Seed: 0})
			if d := cmp.Diff(est, again); d != "" {
				t.Errorf("the same seed gives another interval:\n%s", d)
			}
		}
	}
	if covered < 180 || covered > 199 {
		t.Errorf("%d of %d intervals cover the truth, expected about 190", covered, runs)
	}
}

func TestBootstrapUndefined(t *testing.T) {
	t.Parallel()
	est, err := belief.Fit(table("c", task("a", "0f"), task("b", "0p")), belief.Options{})
	if err != nil {
		t.Fatal(err)
	}
	est, err = est.Bootstrap(table("c", task("a", "0f"), task("b", "0p")), belief.Options{}, stats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if est.Kernel.FixRate.ByTask != nil || est.Critics[0].PassCorrect.ByTask != nil || est.Critics[0].PassCorrect.Wilson != nil {
		t.Error("an interval without data is defined")
	}
	if _, err := (belief.Estimate{}).Bootstrap(belief.Table{}, belief.Options{}, stats.Options{}); err == nil {
		t.Error("a bootstrap of nothing is accepted")
	}
}
