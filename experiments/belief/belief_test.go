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

func TestLogOddsEqualBayes(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		b, c := rng.Float64(), belief.Binary("c", rng.Float64(), rng.Float64())
		for _, z := range []belief.Outcome{belief.Fail, belief.Pass, belief.Missing} {
			bayes, _ := c.Update(b, z)
			if odds := belief.Temper(b, []float64{c.LLR(z)}, 1); math.Abs(bayes-odds) > 1e-12 {
				t.Fatalf("b %v, critic %v, outcome %d: Bayes %v, log-odds %v", b, c, z, bayes, odds)
			}
		}
		// The belief is a martingale: its mean over the outcomes is the belief.
		pass, _ := c.Update(b, belief.Pass)
		fail, _ := c.Update(b, belief.Fail)
		if mean := c.Chance(b, belief.Pass)*pass + c.Chance(b, belief.Fail)*fail; math.Abs(mean-b) > 1e-12 {
			t.Fatalf("mean belief %v after a critic, %v before", mean, b)
		}
	}
}

func TestCriticValidate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		critic belief.Critic
		want   string
	}{
		"above one": {belief.Binary("tests", 1.2, 0.1), "P(pass | correct): is 1.2; a probability lies between 0 and 1"},
		"NaN":       {belief.Binary("tests", 0.5, math.NaN()), "P(pass | defective): is not a number"},
		"no name":   {belief.Binary("", 0.5, 0.1), "needs a name"},
		"sum":       {belief.Critic{Name: "v", Correct: []float64{0.2, 0.2, 0.2}, Defect: []float64{0, 0, 1}}, "correct candidates sum to 0.6"},
		"lengths":   {belief.Critic{Name: "v", Correct: []float64{1}, Defect: []float64{0.5, 0.5}}, "1 outcomes for correct candidates but 2"},
	} {
		if err := c.critic.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	if err := belief.Binary("oracle", 1, 0).Validate(); err != nil {
		t.Errorf("a perfect critic is valid: %v", err)
	}
}

// task builds a task: each string is a candidate, first the label (1, 0 or
// ?), then one letter for each critic (p, f, m, u).
func task(id string, candidates ...string) belief.Task {
	k := belief.Task{ID: id}
	for _, s := range candidates {
		c := belief.Candidate{Y: map[byte]belief.Label{'1': belief.Correct, '0': belief.Defective, '?': belief.Unknown}[s[0]]}
		for _, z := range []byte(s[1:]) {
			c.Outcomes = append(c.Outcomes, map[byte]belief.Outcome{'p': belief.Pass, 'f': belief.Fail, 'm': belief.Missing, 'u': belief.Unrecorded}[z])
		}
		k.Candidates = append(k.Candidates, c)
	}
	return k
}

func table(critics string, tasks ...belief.Task) belief.Table {
	t := belief.Table{Tasks: tasks}
	for _, name := range strings.Fields(critics) {
		t.Critics = append(t.Critics, belief.Column{Name: name, Outcomes: 2})
	}
	return t
}

func TestFindings(t *testing.T) {
	t.Parallel()
	tab := table("lint oracle inverse half never",
		task("a", "1fpfpu", "0ffpmu"), task("b", "0ffpmu"), task("c", "1fpffu"))
	est, err := belief.Fit(tab, belief.Options{Scope: belief.AllCandidates})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range est.Critics {
		for _, f := range c.Findings {
			got[c.Name] += string(f.Kind) + ": " + f.Text + "\n"
		}
	}
	want := map[string]string{
		"lint":    "constant: lint says fail on all 4 candidates: it cannot change a belief and only costs\n",
		"oracle":  "oracle: oracle agrees with the label on all 4 candidates: make sure that it is not the label itself\n",
		"inverse": "inverse: inverse says the opposite of the label on all 4 candidates: pass and fail may be exchanged\n",
		"half":    "one_class: half was never seen on a defective candidate: P(pass | defective) is a guess\n",
		"never":   "unseen: never has no recorded outcome: its likelihoods are guesses\n",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestFitWarnings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tab  belief.Table
		want []string
	}{
		"nothing": {table("c"), []string{
			"no candidate has a known label: the prior falls back on 0.5",
			"no candidate was followed by another after a defective one: the fix probability falls back on 0.5",
			"no candidate was followed by another after a correct one: the break probability falls back on 0.5"}},
		"one task, one class": {table("c", task("a", "0f", "0p")), []string{
			"all 1 labelled candidates are defective: nothing is known about critics on correct ones",
			"there is only one task: no interval by task and no cross-fitting is possible",
			"no candidate was followed by another after a correct one: the break probability falls back on 0.5"}},
	} {
		est, err := belief.Fit(c.tab, belief.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, est.Warnings); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if _, err := belief.Fit(table("c"), belief.Options{Alpha: -1, Beta: 1}); err == nil {
		t.Error("negative smoothing is accepted")
	}
}

func TestPool(t *testing.T) {
	t.Parallel()
	// 2 of 2 pass when correct, 1 of 3 when defective; both classes are small.
	tab := table("c", task("a", "1p"), task("b", "1p"), task("d", "0p"), task("e", "0f"), task("f", "0f"))
	large := belief.Estimate{Critics: []belief.CriticEstimate{{Critic: belief.Binary("c", 0.9, 0.2)}}}
	est, err := belief.Fit(tab, belief.Options{Pool: &belief.Pool{Weight: 4, From: &large}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := est.Critics[0].Correct[1], (2+4*0.9)/6; math.Abs(got-want) > 1e-15 {
		t.Errorf("pass given correct %v, want %v", got, want)
	}
	if got, want := est.Critics[0].Defect[1], (1+4*0.2)/7; math.Abs(got-want) > 1e-15 {
		t.Errorf("pass given defect %v, want %v", got, want)
	}
	own, err := belief.Fit(tab, belief.Options{Pool: &belief.Pool{Weight: 20}})
	if err != nil {
		t.Fatal(err)
	}
	free, _ := belief.Fit(tab, belief.Options{})
	if !own.Critics[0].Pooled || math.Abs(own.Critics[0].Gap()) >= math.Abs(free.Critics[0].Gap()) {
		t.Errorf("pooling over the classes gives gap %v, without %v", own.Critics[0].Gap(), free.Critics[0].Gap())
	}
}

func TestCountAndJoin(t *testing.T) {
	t.Parallel()
	tab := table("a b c", task("x", "1ppf", "0fpf", "0mpp", "1upm"))
	counted, err := tab.Count("votes", "a", "b", "c")
	if err != nil {
		t.Fatal(err)
	}
	joined, err := counted.Join("joint", "a", "c")
	if err != nil {
		t.Fatal(err)
	}
	var votes, joint []belief.Outcome
	for _, c := range joined.Tasks[0].Candidates {
		votes, joint = append(votes, c.Outcomes[3]), append(joint, c.Outcomes[4])
	}
	if d := cmp.Diff([]belief.Outcome{2, 1, belief.Missing, belief.Unrecorded}, votes); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]belief.Outcome{2, 0, belief.Missing, belief.Unrecorded}, joint); d != "" {
		t.Error(d)
	}
	if len(tab.Tasks[0].Candidates[0].Outcomes) != 3 {
		t.Error("the source table was changed")
	}
	for _, bad := range [][]string{{}, {"zzz"}, {"joint"}} {
		if _, err := joined.Count("more", bad...); err == nil {
			t.Errorf("count of %v is accepted", bad)
		}
	}
	// A joint critic of dependent copies is worth one of them: the estimates of
	// the joint table, not of the product.
	twin := table("a b", task("1", "1pp"), task("2", "1pp"), task("3", "1ff"), task("4", "0ff"), task("5", "0ff"), task("6", "0pp"))
	both, err := twin.Join("ab", "a", "b")
	if err != nil {
		t.Fatal(err)
	}
	est, err := belief.Fit(both, belief.Options{Dirichlet: 0.25})
	if err != nil {
		t.Fatal(err)
	}
	ab, _ := est.Critic("ab")
	if d := cmp.Diff([]float64{1.25 / 4, 0.25 / 4, 0.25 / 4, 2.25 / 4}, ab.Correct); d != "" {
		t.Error(d)
	}
}

func TestAssociate(t *testing.T) {
	t.Parallel()
	// By hand: 60 observations, expected 20, 10, 20, 10; χ² = 1.25+2.5+1.25+2.5.
	got := belief.Associate([][]int{{25, 5}, {15, 15}})
	if got.Chi2 == nil || math.Abs(*got.Chi2-7.5) > 1e-12 || math.Abs(*got.V-math.Sqrt(7.5/60)) > 1e-12 || got.DF != 1 {
		t.Errorf("got %+v", got)
	}
	if math.Abs(*got.P-0.006169899320544164) > 1e-12 {
		t.Errorf("p %v", *got.P)
	}
	if got := belief.Associate([][]int{{10, 5}, {0, 0}}); got.Chi2 != nil || got.P != nil || got.V != nil || got.Why == "" {
		t.Errorf("a constant critic has an association: %+v", got)
	}
}

func TestChiSquareTail(t *testing.T) {
	t.Parallel()
	// Points of the χ² table.
	for _, c := range []struct {
		x    float64
		df   int
		want float64
	}{{3.841458820694124, 1, 0.05}, {5.991464547107979, 2, 0.05}, {7.814727903251179, 3, 0.05}, {18.307038053275146, 10, 0.05}, {24.724970311318277, 11, 0.01}, {0, 4, 1}} {
		if got := belief.ChiSquareTail(c.x, c.df); math.Abs(got-c.want) > 1e-10 {
			t.Errorf("χ² %v, %d df: %v, want %v", c.x, c.df, got, c.want)
		}
	}
}

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
