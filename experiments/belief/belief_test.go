package belief_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"plumbline/experiments/belief"
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
