package runner_test

import (
	"math"
	"strings"
	"testing"

	"plumbline/experiments/belief"
	"plumbline/experiments/control"
	"plumbline/runner"
)

// recordsOf makes records of one critic: tasks are strings of candidates, each a
// letter for the verdict (p, f, m missing, u unrecorded) in upper case where the
// candidate is correct.
func recordsOf(tasks ...string) *runner.Recorded {
	r := &runner.Recorded{Title: "bad", Seed: 1, Generators: 1}
	r.Table.Critics = []belief.Column{{Name: "tests", Outcomes: 2}}
	r.Table.Scores = []string{"sure"}
	r.Scores = []runner.RecordedScore{{Key: "sure", Name: "sure", Kind: runner.ScoreColumn, Known: 1}}
	r.Critics = []runner.RecordedCritic{{Key: "tests", Name: "tests", Kind: runner.CriticColumn, Arm: -1, Usual: true}, {Key: "cut-sure", Name: "sure (cut)", Kind: runner.CriticCut, Arm: -1, Score: "sure"}}
	outcomes := map[rune]belief.Outcome{'p': belief.Pass, 'f': belief.Fail, 'm': belief.Missing, 'u': belief.Unrecorded}
	for i, text := range tasks {
		k := belief.Task{ID: string(rune('a' + i))}
		for j, c := range text {
			lower := []rune(strings.ToLower(string(c)))[0]
			k.Candidates = append(k.Candidates, belief.Candidate{ID: k.ID + string(rune('0'+j)), Y: belief.LabelOf(c != lower), Outcomes: []belief.Outcome{outcomes[lower]}, Scores: []float64{math.NaN()}})
		}
		r.Table.Tasks = append(r.Table.Tasks, k)
		r.Splits = append(r.Splits, "")
	}
	return r
}

var plenty = []string{"Pf", "fP", "ff", "Pp", "Ff", "fp", "PF", "ffP", "Pf", "fp"}

// everyView computes all that the pages show, and gives all words that it says.
func everyView(t *testing.T, s *runner.Study) string {
	t.Helper()
	var out []string
	say := func(err error) {
		if err != nil {
			out = append(out, err.Error())
		}
	}
	out = append(out, s.Warnings...)
	say(s.ProblemError)
	say(s.FoldError)
	for _, c := range s.Intervals().Critics {
		for _, f := range c.Findings {
			out = append(out, f.Text)
		}
	}
	deps, _ := s.Dependence()
	for _, d := range deps {
		out = append(out, d.Why)
	}
	scores := s.Scores()
	out = append(append(out, scores.Why), scores.Notes...)
	for _, x := range scores.Scores {
		out = append(out, x.Why, x.NoMap, x.AUROC.Reason)
		if v := x.AUROC.Value; v != nil && math.IsNaN(*v) {
			t.Errorf("the AUROC of %s is NaN", x.Name)
		}
	}
	report := s.Policies(5)
	out = append(out, report.Notes...)
	for _, p := range report.Policies {
		out = append(out, p.Why, p.ReplayWhy)
		if p.Exact != nil && (math.IsNaN(p.Exact.Utility) || math.IsInf(p.Exact.Utility, 0)) {
			t.Errorf("%s is worth %v", p.Name, p.Exact.Utility)
		}
	}
	_, err := s.Regimes(0)
	say(err)
	_, err = s.Robust()
	say(err)
	s.Beliefs()
	if len(s.Recorded.Table.Tasks) > 0 {
		_, err = s.PathOf(0, 0, "dp")
		say(err)
	}
	return strings.Join(out, "\n")
}

// Whatever is wrong with data or choice is said in words, nothing is NaN and nothing
// stops the program.
func TestBadInputIsSaidInWords(t *testing.T) {
	t.Parallel()
	own := func(name string, x float64) runner.BeliefChoice {
		return runner.BeliefChoice{Costs: runner.CostChoice{Rule: runner.OwnCosts, Units: map[string]float64{name: x}}}
	}
	cut := runner.BeliefChoice{Critics: []string{"tests", "cut-sure"}}
	for name, x := range map[string]struct {
		records *runner.Recorded
		choice  runner.BeliefChoice
		says    string
	}{
		"equal to the oracle":      {recordsOf("Pf", "fP", "ff", "Pf", "fP", "ff", "P"), runner.BeliefChoice{}, "make sure that it is not the label itself"},
		"a constant critic":        {recordsOf("Pp", "pP", "pp", "Pp", "pP", "pp"), runner.BeliefChoice{}, "it cannot change a belief and only costs"},
		"verifying beyond reward":  {recordsOf(plenty...), own(runner.VerifyCost, 500), "no policy that verifies can gain"},
		"a negative cost":          {recordsOf(plenty...), own("tests", -1), "not negative"},
		"a cost that is no number": {recordsOf(plenty...), own(runner.RegenerateCost, math.NaN()), "must be a number"},
		"one class: all wrong":     {recordsOf("ff", "pf", "ff", "fp", "ff", "ff"), runner.BeliefChoice{}, "never seen on a correct candidate"},
		"one class: all right":     {recordsOf("PP", "FP", "PP", "PF", "PP", "PP"), runner.BeliefChoice{}, "never seen on a defective candidate"},
		"no pair for the kernel":   {recordsOf("P", "f", "p", "F", "P", "f"), runner.BeliefChoice{}, "the kernel is unknown"},
		"a single task":            {recordsOf("Pf"), runner.BeliefChoice{}, "task"},
		"no task":                  {recordsOf(), runner.BeliefChoice{}, ""},
		"nothing recorded":         {recordsOf("uU", "Uu", "uu", "UU", "uU"), runner.BeliefChoice{}, "no recorded outcome"},
		"all missing":              {recordsOf("mM", "Mm", "mm", "MM", "mM"), runner.BeliefChoice{}, "no recorded outcome"},
		"a score that is NaN":      {recordsOf(plenty...), cut, ""},
	} {
		s, err := runner.NewStudy(x.records, x.choice)
		if err != nil {
			if x.says != "" && !strings.Contains(err.Error(), x.says) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if words := everyView(t, s); !strings.Contains(words, x.says) {
			t.Errorf("%s: nothing says %q:\n%s", name, x.says, words)
		}
	}
}

// Likelihoods of 0 and 1 make some observations impossible: the belief is kept and
// the step is marked, in an update and in a replay.
func TestImpossibleObservationsKeepTheBelief(t *testing.T) {
	t.Parallel()
	p := control.Problem{Reward: 100, CostVerify: 30, CostRegenerate: 5, Prior: 1, Critics: []control.Critic{{Critic: belief.Binary("tests", 1, 0), Cost: 1}}}
	if _, err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	policy, err := control.New("gate:tests", p, control.Budget{Actions: control.Unlimited})
	if err != nil {
		t.Fatal(err)
	}
	got, err := control.Replay(policy, recordsOf("F").Table, control.ReplayOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e := got.Episodes[0]
	if e.Impossible != 1 || e.Events[0].After != 1 {
		t.Errorf("%d impossible, belief %v after the first", e.Impossible, e.Events[0].After)
	}
}
