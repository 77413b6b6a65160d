package control_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"plumbline/experiments/belief"
	"plumbline/experiments/control"
	"plumbline/experiments/stats"
)

// recorded builds a table with critics syntax, tests and llm; each string is a
// candidate, first the label (1, 0, ?), then p, f, m or u for each critic.
func recorded(tasks ...[]string) belief.Table {
	out := belief.Table{Critics: []belief.Column{{Name: "syntax", Outcomes: 2}, {Name: "tests", Outcomes: 2}, {Name: "llm", Outcomes: 2}}}
	for i, candidates := range tasks {
		k := belief.Task{ID: string(rune('a' + i))}
		for _, s := range candidates {
			c := belief.Candidate{Y: map[byte]belief.Label{'1': belief.Correct, '0': belief.Defective, '?': belief.Unknown}[s[0]]}
			for _, z := range []byte(s[1:]) {
				c.Outcomes = append(c.Outcomes, map[byte]belief.Outcome{'p': belief.Pass, 'f': belief.Fail, 'm': belief.Missing, 'u': belief.Unrecorded}[z])
			}
			k.Candidates = append(k.Candidates, c)
		}
		out.Tasks = append(out.Tasks, k)
	}
	return out
}

func replay(t testing.TB, name string, p control.Problem, tab belief.Table, o control.ReplayOptions) control.Replayed {
	t.Helper()
	policy, err := control.New(name, p, control.Budget{Actions: control.Unlimited, Regenerations: 4})
	if err != nil {
		t.Fatal(err)
	}
	got, err := control.Replay(policy, tab, o)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestReplayIsHonest(t *testing.T) {
	t.Parallel()
	tab := recorded(
		[]string{"0pfp", "1ppp"}, // fail, then pass
		[]string{"0pfp"},         // censored
		[]string{"0pup"},         // the tests were never run
		[]string{"?ppp"},         // no label
		[]string{"0pfu", "1pmp"}, // missing on the second: a fail, then censored
		nil,
	)
	two := 2
	got := replay(t, "gate:tests", threeCritics(), tab, control.ReplayOptions{Regenerations: &two, Chains: true, Feedback: []string{"tests"}})
	type row struct {
		Task    string
		Status  control.Status
		Why     string
		Utility float64
	}
	var rows []row
	for _, e := range got.Episodes {
		rows = append(rows, row{e.Task, e.Status, e.Why, e.Utility})
	}
	want := []row{
		{"a", control.Verified, "", 100 - 30 - 10 - 4},
		{"b", control.Censored, "only 1 candidates were recorded", -12},
		{"c", control.Unreplayable, "tests was not recorded on candidate 1", 0},
		{"d", control.Unreplayable, "candidate 1 has no label", -2},
		{"e", control.Censored, "only 2 candidates were recorded", -24},
		{"f", control.Unreplayable, "no candidate was recorded", 0},
	}
	if d := cmp.Diff(want, rows); d != "" {
		t.Error(d)
	}
	if got.N != 3 || got.Censored != 2 || got.Replayable.K != 3 || got.Replayable.N != 6 || got.Mismatched != 0 {
		t.Errorf("%+v", got)
	}
	if math.Abs(*got.MeanUtility-(56-12-24)/3.0) > 1e-12 || math.Abs(*got.MeanUtilityUpper-(56-12-24+140)/3.0) > 1e-12 {
		t.Errorf("mean %v, upper %v", *got.MeanUtility, *got.MeanUtilityUpper)
	}
	wantWarnings := []string{
		"3 of 6 tasks could not be replayed to the end and are left out; the rest need not be like them",
		"2 of 3 tasks were stopped for want of a recorded candidate",
	}
	if d := cmp.Diff(wantWarnings, got.Warnings); d != "" {
		t.Error(d)
	}
	// With the feedback of all critics in the log, one that ran the tests only
	// plays on candidates made for somebody else.
	if got := replay(t, "gate:tests", threeCritics(), tab, control.ReplayOptions{Chains: true}); got.Mismatched != 2 {
		t.Errorf("%d tasks mismatched, want 2", got.Mismatched)
	}
	if got := replay(t, "gate:tests", threeCritics(), tab, control.ReplayOptions{}); got.Mismatched != 0 {
		t.Errorf("independent samples mismatch")
	}
}

func TestReplayUndefined(t *testing.T) {
	t.Parallel()
	for name, tab := range map[string]belief.Table{"nothing": recorded(), "nothing replayable": recorded([]string{"?ppp"})} {
		got := replay(t, "always_verify", threeCritics(), tab, control.ReplayOptions{})
		if got.MeanUtility != nil || got.MeanUtilityUpper != nil || got.Solve.Value != nil || len(got.Warnings) == 0 {
			t.Errorf("%s: %+v", name, got)
		}
		d, err := control.Compare(got, got, 70, stats.Options{})
		if err != nil || d.Mean != nil || d.Interval != nil || len(d.Warnings) == 0 {
			t.Errorf("%s: compared %+v, %v", name, d, err)
		}
	}
	p := threeCritics()
	p.Critics[0].Name = "lint"
	policy, err := control.New("dp", p, control.Budget{Actions: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := control.Replay(policy, recorded(), control.ReplayOptions{}); err == nil || !strings.Contains(err.Error(), `no critic "lint"`) {
		t.Errorf("a critic that was not recorded: %v", err)
	}
	p = threeCritics()
	p.Critics[0].Critic = belief.Critic{Name: "syntax", Correct: []float64{0.2, 0.3, 0.5}, Defect: []float64{0.5, 0.3, 0.2}}
	if policy, err = control.New("dp", p, control.Budget{Actions: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := control.Replay(policy, recorded(), control.ReplayOptions{}); err == nil || !strings.Contains(err.Error(), "2 outcomes in the records and 3") {
		t.Errorf("a critic with other outcomes: %v", err)
	}
}

func TestReplayPublishedRefuses(t *testing.T) {
	t.Parallel()
	for name, tab := range map[string]belief.Table{
		"nothing": recorded(), "unequal": recorded([]string{"0pfp", "1ppp"}, []string{"0pfp"}), "no critics": {Tasks: []belief.Task{{ID: "a"}}},
	} {
		if _, err := control.ReplayPublished(tab, control.PublishedOptions{}); err == nil {
			t.Errorf("%s: replayed", name)
		}
	}
}

func TestReplayCapAndRepeat(t *testing.T) {
	t.Parallel()
	p := threeCritics()
	p.Critics[1].Cost = 0
	grid, err := control.NewGrid(p, 3, 51, control.Rules{Repeat: true})
	if err != nil {
		t.Fatal(err)
	}
	got, err := control.Replay(grid, recorded([]string{"1ppp"}), control.ReplayOptions{Cap: 2})
	if err != nil {
		t.Fatal(err)
	}
	e := got.Episodes[0]
	if d := cmp.Diff([]string{"critic:tests", "critic:tests"}, e.Actions()); d != "" || e.Status != control.Capped || got.Capped != 1 {
		t.Errorf("%+v %s", e, d)
	}
}

func TestReplayShipsAndContinues(t *testing.T) {
	t.Parallel()
	loss := 150.0
	p := threeCritics()
	p.ShipLoss, p.Prior = &loss, 0.9
	p.CostVerify = 90
	tab := recorded([]string{"1ppp"}, []string{"0ppp"}, []string{"?ppp"})
	got := replay(t, "stop", p, tab, control.ReplayOptions{})
	for i, want := range []struct {
		status  control.Status
		utility float64
	}{{control.Shipped, 100}, {control.Shipped, -150}, {control.Unreplayable, 0}} {
		if e := got.Episodes[i]; e.Status != want.status || e.Utility != want.utility {
			t.Errorf("task %d: %s %v, want %s %v", i, e.Status, e.Utility, want.status, want.utility)
		}
	}
	q := threeCritics()
	q.VerifyFail = control.Continue
	got = replay(t, "always_verify", q, recorded([]string{"0ppp", "0ppp", "1ppp"}, []string{"0ppp"}), control.ReplayOptions{Explain: true})
	first, second := got.Episodes[0], got.Episodes[1]
	if d := cmp.Diff([]string{"verify", "regenerate", "verify", "regenerate", "verify"}, first.Actions()); d != "" || !first.Solved || first.Utility != 100-3*30-2*10 {
		t.Errorf("%s %+v", d, first)
	}
	if d := cmp.Diff([]string{"verify", "stop"}, second.Actions()); d != "" || second.Utility != -30 || second.Solved {
		t.Errorf("%s %+v", d, second)
	}
	if first.Events[1].Decision == nil || first.Events[1].Decision.Reason != "verification found a defect, 2 regenerations left → regenerate" {
		t.Errorf("decision %+v", first.Events[1].Decision)
	}
}

func TestBestOfSelectGoesBack(t *testing.T) {
	t.Parallel()
	got := replay(t, "best_of_n_select", threeCritics(), recorded([]string{"1ppp", "0pff"}, []string{"0pff", "1ppp"}), control.ReplayOptions{})
	for _, e := range got.Episodes {
		last := e.Events[len(e.Events)-1]
		if !e.Solved || last.Action != "verify_best" || e.Cost != 16+10+30 {
			t.Errorf("%+v", e)
		}
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	one, four := 1, 4
	tab := recorded([]string{"0pfp"}, []string{"1ppp"}, []string{"0ppp"}, []string{"1pfp", "1ppp"})
	gate := replay(t, "gate:tests", threeCritics(), tab, control.ReplayOptions{Regenerations: &one})
	verify := replay(t, "always_verify", threeCritics(), tab, control.ReplayOptions{Regenerations: &one})
	got, err := control.Compare(gate, verify, 70, stats.Options{Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	// gate - verify: -12+30, 68-70, -32+30, 56-... (−2−10−2−30+100) − 70.
	want := control.Delta{Policy: "gate:tests", Reference: "always_verify", N: 4, Mean: ptr((18 - 2 - 2 - 14) / 4.0), Lower: ptr(0.0), Upper: ptr(70 / 4.0)}
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(control.Delta{}, "Interval")); d != "" {
		t.Error(d)
	}
	if iv := got.Interval; iv == nil || iv.Seed != 4 || iv.Resamples != 1000 || iv.N != 4 || iv.Lo > *got.Mean || iv.Hi < *got.Mean {
		t.Errorf("interval %+v", iv)
	}
	back, err := control.Compare(verify, gate, 70, stats.Options{Seed: 4})
	if err != nil || *back.Mean != -*got.Mean || *back.Lower != -*got.Upper || *back.Upper != -*got.Lower {
		t.Errorf("the other way round: %+v, %v", back, err)
	}
	self, err := control.Compare(verify, verify, 70, stats.Options{})
	if err != nil || *self.Mean != 0 || self.Interval.Lo != 0 || self.Interval.Hi != 0 {
		t.Errorf("against itself: %+v, %v", self, err)
	}
	other := replay(t, "always_verify", threeCritics(), recorded([]string{"0pfp"}), control.ReplayOptions{Regenerations: &four})
	if _, err := control.Compare(gate, other, 70, stats.Options{}); err == nil {
		t.Error("compared on other tasks")
	}
	alone, err := control.Compare(other, other, 70, stats.Options{})
	if err != nil || alone.Interval != nil || alone.Warnings[0] != "one task gives no interval" {
		t.Errorf("one task: %+v, %v", alone, err)
	}
}

func ptr(x float64) *float64 { return &x }

func TestSensitivities(t *testing.T) {
	t.Parallel()
	p := threeCritics()
	q := control.Shift(&p, 0.1, control.Shrink)
	if d := cmp.Diff([]float64{0.82, 0.25}, []float64{q.Critics[1].Correct[1], q.Critics[1].Defect[1]}, cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Error(d)
	}
	q = control.Shift(&p, -0.1, control.Shrink)
	if d := cmp.Diff([]float64{0.99, 0.05}, []float64{q.Critics[1].Correct[1], q.Critics[1].Defect[1]}, cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Error(d)
	}
	q = control.Shift(&p, -0.2, control.Same)
	if d := cmp.Diff([]float64{0.72, 0.01}, []float64{q.Critics[1].Correct[1], q.Critics[1].Defect[1]}, cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Error(d)
	}
	got, err := control.Sensitivities([]string{"always_verify", "dp"}, &p, control.Budget{Actions: control.Unlimited, Regenerations: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 16 {
		t.Errorf("%d rows, want 2 modes, 4 shifts, 2 policies", len(got))
	}
	for _, s := range got {
		if s.Policy == "always_verify" && (s.Loss != 0 || s.Shifted != s.Base) {
			t.Errorf("always_verify depends on likelihoods: %+v", s)
		}
		if s.Loss < -1e-9 {
			t.Errorf("a wrong estimate gains: %+v", s)
		}
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	p := threeCritics()
	x, y := control.RegimeAxes()
	if len(x.Values) != 16 || len(y.Values) != 10 || x.Values[15] != 0.85 || y.Values[9] != 95 {
		t.Errorf("axes %v, %v", x, y)
	}
	budget := control.Budget{Actions: control.Unlimited}
	names := control.PaperNames("syntax", "tests", "llm")
	got, err := control.Sweep(&p, control.Axis{Parameter: "prior", Values: []float64{0.1, 0.85}}, control.Axis{Parameter: "cost_verify", Values: []float64{5, 95}},
		control.SweepOptions{Policies: names, Budget: budget, IID: true, Simulate: 300, Resampling: stats.Options{Seed: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range got.Cells {
		for _, c := range got.Cells[i] {
			for k, v := range c.Values {
				if v > c.Values[c.Winner]+1e-9 || (k < c.Winner && v > c.Values[c.Winner]-1e-9) {
					t.Errorf("prior %v, cost %v: %s wins with %v, %s has %v", c.X, c.Y, names[c.Winner], c.Values[c.Winner], names[k], v)
				}
			}
			if c.Margin < 0 || c.Simulated == nil || c.Simulated.N != 300 || c.Simulated.Policy != names[c.Winner] {
				t.Errorf("cell %+v", c)
			}
		}
	}
	// A likely candidate with a cheap verifier needs no critic, an unlikely one
	// with a dear verifier no verification.
	if w := names[got.Cells[1][0].Winner]; w != "always_verify" {
		t.Errorf("prior 0.85, cost 5: %s wins", w)
	}
	if c := got.Cells[0][1]; c.Values[0] >= 0 || c.Values[9] < 0 {
		t.Errorf("prior 0.1, cost 95: %v", c.Values)
	}
	one := control.Axis{Parameter: "reward", Values: []float64{100}}
	costs, err := control.Sweep(&p, control.CostAxis(), one, control.SweepOptions{Policies: []string{"dp"}, Budget: budget})
	if err != nil || len(costs.Cells) != 7 || costs.Cells[0][0].RunnerUp != -1 {
		t.Errorf("%+v, %v", costs, err)
	}
	for _, bad := range []control.Axis{{Parameter: "luck", Values: []float64{1}}, {Parameter: "prior", Values: []float64{2}}, {Parameter: "prior"}} {
		if _, err := control.Sweep(&p, bad, one, control.SweepOptions{Policies: []string{"dp"}, Budget: budget}); err == nil {
			t.Errorf("swept over %v", bad)
		}
	}
}

func TestReplayCrossFitted(t *testing.T) {
	t.Parallel()
	p := threeCritics()
	tab, err := control.SimulateTasks(&p, 200, 3, 5)
	if err != nil {
		t.Fatal(err)
	}
	folds, err := belief.KFold(tab, 5)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"always_verify", "gate:tests", "dp"}
	o := control.CrossReplayOptions{Costs: control.DraftOracle()}
	got, fits, err := control.ReplayCrossFitted(names, tab, folds, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || len(fits) != 5 || got[2].N != 200 {
		t.Errorf("%d results, %d fits", len(got), len(fits))
	}
	for i, e := range got[2].Episodes {
		if e.Task != tab.Tasks[i].ID {
			t.Fatalf("episode %d is of task %s, want %s", i, e.Task, tab.Tasks[i].ID)
		}
	}
	// Task by task the same as playing the policy of its fold.
	f := fits[2]
	problem, err := o.Costs.Problem(f.Estimate)
	if err != nil {
		t.Fatal(err)
	}
	part := replay(t, "dp", problem, f.Held, control.ReplayOptions{})
	for i, at := range f.Tasks {
		if d := cmp.Diff(part.Episodes[i], got[2].Episodes[at]); d != "" {
			t.Errorf("task %s: %s", f.Held.Tasks[i].ID, d)
		}
	}
	if _, _, err := control.ReplayCrossFitted(names, tab, folds, control.CrossReplayOptions{Costs: o.Costs, Fit: belief.CrossOptions{Temper: true}}); err == nil {
		t.Error("tempered evidence is planned with")
	}
}
