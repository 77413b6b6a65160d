package control_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"plumbline/experiments/belief"
	"plumbline/experiments/control"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change   func(*control.Problem)
		warnings []string
		errs     []string
	}{
		"fine":          {func(*control.Problem) {}, nil, nil},
		"dear verifier": {func(p *control.Problem) { p.CostVerify = 130 }, []string{"a verification costs 130 and a solved task pays 100: no policy that verifies can gain"}, nil},
		"useless critic": {func(p *control.Problem) { p.Critics[0].Critic = belief.Binary("syntax", 0.5, 0.5) },
			[]string{`critic "syntax" says the same about correct and defective candidates: it is never worth its cost`}, nil},
		"certain critic": {func(p *control.Problem) { p.Critics[1].Critic = belief.Binary("tests", 1, 0.2) },
			[]string{`critic "tests" has a likelihood of 0 or 1: one outcome makes the belief certain; smooth the estimate unless this is meant`}, nil},
		"certain prior": {func(p *control.Problem) { p.Prior = 1 }, []string{"the prior is 1: no critic can change it"}, nil},
		"bad likelihood": {func(p *control.Problem) { p.Critics[1].Critic = belief.Binary("tests", 1.2, -0.1) }, nil, []string{
			`critic "tests": P(fail | correct): is -0.19999999999999996; a probability lies between 0 and 1`,
			`critic "tests": P(pass | correct): is 1.2; a probability lies between 0 and 1`,
			`critic "tests": P(fail | defective): is 1.1; a probability lies between 0 and 1`,
			`critic "tests": P(pass | defective): is -0.1; a probability lies between 0 and 1`}},
		"NaN": {func(p *control.Problem) { p.Reward, p.Prior = math.NaN(), math.NaN() }, nil, []string{
			"the reward is not a finite number", "the prior is not a number; a probability lies between 0 and 1"}},
		"negative": {func(p *control.Problem) { p.CostVerify, p.CostRegenerate, p.Critics[2].Cost = -1, -2, -3 }, nil, []string{
			"the cost of a verification is -1; it must not be negative",
			"the cost of a regeneration is -2; it must not be negative",
			`the cost of critic "llm" is -3; it must not be negative`}},
		"kernel": {func(p *control.Problem) { p.Kernel = belief.Kernel{Fix: 2, Break: -1} }, nil, []string{
			"fix probability (p01) is 2; a probability lies between 0 and 1",
			"break probability (p10) is -1; a probability lies between 0 and 1"}},
		"twice":   {func(p *control.Problem) { p.Critics[2].Name = "tests" }, nil, []string{`two critics are called "tests"`}},
		"no name": {func(p *control.Problem) { p.Critics[2].Name = "" }, nil, []string{"a critic needs a name"}},
		"verify":  {func(p *control.Problem) { p.VerifyFail = "maybe" }, nil, []string{`on_verify_fail is "maybe"; it is empty or "continue"`}},
		"many": {func(p *control.Problem) { p.Critics = append(p.Critics, make([]control.Critic, 20)...) }, nil,
			[]string{"23 critics are more than 16"}},
	} {
		p := threeCritics()
		c.change(&p)
		warnings, err := p.Validate()
		if d := cmp.Diff(c.warnings, warnings); d != "" {
			t.Errorf("%s: warnings %s", name, d)
		}
		if (err == nil) != (c.errs == nil) {
			t.Errorf("%s: error %v", name, err)
		}
		for _, want := range c.errs {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v lacks %q", name, err, want)
			}
		}
		if err != nil { // no way around the check
			for _, policy := range append(control.Names(&p), "dp_tree", "dp_grid51") {
				if _, err := control.New(policy, p, control.Budget{Actions: 3, Regenerations: 1}); err == nil {
					t.Errorf("%s: policy %s was made", name, policy)
				}
			}
		}
	}
}

func TestBudgets(t *testing.T) {
	t.Parallel()
	p := threeCritics()
	for _, b := range []control.Budget{{Actions: -2}, {Regenerations: -1}} {
		if _, err := control.Solve(p, b); err == nil {
			t.Errorf("budget %v is solved", b)
		}
		if _, err := control.New("always_verify", p, b); err == nil {
			t.Errorf("budget %v is accepted", b)
		}
	}
	for _, b := range []control.Budget{{Actions: math.MaxInt - 1}, {Regenerations: math.MaxInt - 1}, {Actions: 1 << 14, Regenerations: 1 << 14}} {
		if _, err := control.Solve(p, b); err == nil || !strings.Contains(err.Error(), "states") {
			t.Errorf("budget %v: %v", b, err)
		}
	}
	for _, name := range []string{"", "gate", "gate:", "gate:none", "loop:none", "pipeline:", "pipeline:syntax+none", "best"} {
		if _, err := control.New(name, p, control.Budget{}); err == nil {
			t.Errorf("policy %q exists", name)
		}
	}
	none := p
	none.Critics = nil
	if _, err := control.New("pipeline", none, control.Budget{}); err == nil {
		t.Error("a pipeline without critics exists")
	}
	if got, err := control.EvaluateAll(control.Names(&none), &none, control.Budget{Regenerations: 2, Actions: control.Unlimited}); err != nil || len(got) != 7 {
		t.Errorf("policies without critics: %v, %v", got, err)
	}
}

func TestCosts(t *testing.T) {
	t.Parallel()
	est := belief.Estimate{Prior: belief.Rate{Value: 0.3}, Critics: []belief.CriticEstimate{
		{Critic: belief.Binary("lint", 0.5, 0.5)}, {Critic: belief.Binary("tests", 0.9, 0.2)}, {Critic: belief.Binary("llm", 0.7, 0.3)}}}
	costs := control.SlowOracle()
	if _, err := costs.Problem(est); err == nil || !strings.Contains(err.Error(), `"syntax"`) {
		t.Errorf("a cost without a critic: %v", err)
	}
	delete(costs.Critics, "syntax")
	p, err := costs.Problem(est)
	if err != nil || len(p.Critics) != 2 || p.Critics[0].Name != "tests" || p.Critics[0].Cost != 2 || p.CostVerify != 90 || p.Prior != 0.3 {
		t.Errorf("%+v, %v", p, err)
	}
	money, seconds := 0.02, 30.0
	x := control.Exchange{Reward: 100, Worth: 5, Second: 0.001}
	if got, err := x.Units(control.Spent{Money: &money, Seconds: &seconds}); err != nil || math.Abs(got-1) > 1e-12 {
		t.Errorf("2 cents and 30 s at 0.1 cent are %v units, %v", got, err)
	}
	for _, s := range []control.Spent{{}, {Money: &money}, {Seconds: &seconds}} {
		if got, err := x.Units(s); err == nil {
			t.Errorf("an unknown amount is %v", got)
		}
	}
	x.Second = 0
	if got, err := x.Units(control.Spent{Money: &money}); err != nil || math.Abs(got-0.4) > 1e-12 {
		t.Errorf("free time: %v, %v", got, err)
	}
	if _, err := (control.Exchange{Reward: 1}).Units(control.Spent{Money: &money}); err == nil {
		t.Error("a worthless task has a price")
	}
}

func TestReasons(t *testing.T) {
	t.Parallel()
	p := threeCritics()
	budget := control.Budget{Actions: control.Unlimited, Regenerations: 1}
	plan, err := control.Solve(p, budget)
	if err != nil {
		t.Fatal(err)
	}
	asked := func(s control.State, critic string, z belief.Outcome) control.State {
		step, err := plan.Policy().Model().Observe(s, control.Event{Action: control.Ask(p.CriticIndex(critic)), Outcome: z})
		if err != nil {
			t.Fatal(err)
		}
		return step.State
	}
	start := plan.Policy().Model().Start(budget)
	got := map[string]string{}
	for _, c := range []struct {
		policy string
		after  string
		state  control.State
	}{
		{"dp", "start", start},
		{"dp", "tests passed", asked(start, "tests", belief.Pass)},
		{"dp", "tests failed", asked(start, "tests", belief.Fail)},
		{"dp", "tests missing", asked(start, "tests", belief.Missing)},
		{"greedy_kernel", "start", start},
		{"gate:tests", "start", start},
		{"gate:tests", "tests failed", asked(start, "tests", belief.Fail)},
		{"gate:tests", "tests missing", asked(start, "tests", belief.Missing)},
		{"pipeline_early_exit", "syntax failed", asked(start, "syntax", belief.Fail)},
		{"loop:tests", "tests failed at the last", func() control.State {
			s := asked(start, "tests", belief.Fail)
			s.Regenerations = 0
			return s
		}()},
		{"best_of_n_last", "start", start},
		{"best_of_n_select", "all asked at the last", func() control.State {
			s := asked(asked(asked(start, "tests", belief.Fail), "syntax", belief.Pass), "llm", belief.Pass)
			s.Regenerations, s.Best, s.BestBelief, s.Candidate = 0, 0, 0.8, 1
			return s
		}()},
		{"always_verify", "start", start},
		{"stop", "start", start},
	} {
		policy, err := control.New(c.policy, p, budget)
		if err != nil {
			t.Fatal(err)
		}
		d := policy.Decide(c.state)
		if policy.Act(c.state) != d.Action || !policy.Model().Allowed(&c.state, d.Action) {
			t.Errorf("%s, %s: decision %s is not the action or not allowed", c.policy, c.after, d.Name)
		}
		got[c.policy+", "+c.after] = d.Reason
	}
	want := map[string]string{
		"dp, start":                               "tests: net value of information 12.0, verify: 7.0 → run tests",
		"dp, tests passed":                        "verify: 48.3, syntax: net value of information -0.9 → verify",
		"dp, tests failed":                        "stop: 0.0, syntax: net value of information -1.0 → stop",
		"dp, tests missing":                       "regenerate: 13.1, syntax: net value of information 5.2 → regenerate",
		"greedy_kernel, start":                    "tests: net value of information 12.0, verify: 7.0 → run tests",
		"gate:tests, start":                       "tests has not seen this candidate → run tests",
		"gate:tests, tests failed":                "tests did not pass, 1 regeneration left → regenerate",
		"gate:tests, tests missing":               "tests did not pass, 1 regeneration left → regenerate",
		"pipeline_early_exit, syntax failed":      "syntax did not pass, 1 regeneration left → regenerate",
		"loop:tests, tests failed at the last":    "tests did not pass, but this is the last candidate → verify",
		"best_of_n_last, start":                   "candidate 1 is not the last, 1 regeneration left → regenerate",
		"best_of_n_select, all asked at the last": "candidate 1 has the highest belief, 0.80 → verify the best candidate",
		"always_verify, start":                    "the candidate in hand is verified without a look → verify",
		"stop, start":                             "nothing is done → stop",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestObserveErrors(t *testing.T) {
	t.Parallel()
	m := control.Model{Problem: threeCritics()}
	start := m.Start(control.Budget{Actions: 1})
	for _, e := range []control.Event{
		{Action: control.Regenerate}, {Action: control.Ask(3)}, {Action: control.Ask(15), Outcome: 1}, {Action: control.Ask(0), Outcome: 2},
		{Action: control.Ask(0), Outcome: belief.Unrecorded}, {Action: control.Verify, Outcome: belief.Missing}, {Action: 99}, {Action: -5},
	} {
		if step, err := m.Observe(start, e); err == nil {
			t.Errorf("%v leads to %+v", e, step)
		}
	}
	step, err := m.Observe(start, control.Event{Action: control.Ask(1), Outcome: belief.Missing})
	if err != nil || step.State.Belief != start.Belief || step.Cost != 2 || !step.State.Used.Has(1) || step.State.Actions != 0 {
		t.Errorf("a missing outcome: %+v, %v", step, err)
	}
	if _, err := m.Observe(step.State, control.Event{Action: control.Ask(0), Outcome: belief.Pass}); err == nil {
		t.Error("an action beyond the budget is allowed")
	}
	m.Problem.Critics[0].Critic = belief.Binary("syntax", 1, 0)
	m.Problem.Prior = 1
	step, err = m.Observe(m.Start(control.Budget{Actions: 1}), control.Event{Action: control.Ask(0), Outcome: belief.Fail})
	if err != nil || !step.Impossible || step.State.Belief != 1 {
		t.Errorf("an impossible outcome: %+v, %v", step, err)
	}
}

// endless asks the same critic for ever.
type endless struct{ control.Policy }

func (endless) Act(control.State) control.Action { return control.Ask(0) }

func TestEvaluateRefuses(t *testing.T) {
	t.Parallel()
	p := threeCritics()
	budget := control.Budget{Actions: control.Unlimited, Regenerations: 1}
	policy, err := control.New("dp", p, budget)
	if err != nil {
		t.Fatal(err)
	}
	other := p.Clone()
	other.Critics[0].Name = "lint"
	fewer := p.Clone()
	fewer.Critics = fewer.Critics[:2]
	for _, world := range []control.Problem{other, fewer, {Reward: -1}} {
		if _, err := control.Evaluate(policy, &world, budget); err == nil {
			t.Errorf("evaluated in another world: %+v", world)
		}
	}
	if _, err := control.Evaluate(endless{policy}, &p, budget); err == nil || !strings.Contains(err.Error(), "not available") {
		t.Errorf("a critic asked twice: %v", err)
	}
	grid, err := control.NewGrid(p, 3, 51, control.Rules{Repeat: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := control.Evaluate(endless{grid}, &p, budget); err == nil || !strings.Contains(err.Error(), "more than 64 actions") {
		t.Errorf("an endless policy: %v", err)
	}
}

func TestGridFallsBack(t *testing.T) {
	t.Parallel()
	g, err := control.NewGrid(threeCritics(), 3, 51, control.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	s := control.At(control.Unlimited, 0, 0b111, 0.4) // the grid wants the tests again
	if d := g.Decide(s); d.Name != "verify" || g.Act(s) != d.Action {
		t.Errorf("with all critics used: %s", d.Name)
	}
	s.Belief = 0.2
	if d := g.Decide(s); d.Name != "stop" {
		t.Errorf("with all critics used at a low belief: %s", d.Name)
	}
	for _, b := range []struct {
		belief float64
		want   int
	}{{0, 0}, {1, 50}, {0.009, 0}, {0.011, 1}, {0.5, 25}} {
		if got := g.Nearest(b.belief); got != b.want {
			t.Errorf("nearest of %v is %d, want %d", b.belief, got, b.want)
		}
	}
	if _, err := control.NewGrid(threeCritics(), 0, 51, control.Rules{}); err == nil {
		t.Error("a grid without a horizon")
	}
}
