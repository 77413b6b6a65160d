package runner_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/evidence"
	"plumbline/experiments/simulate"
	"plumbline/experiments/stats"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/runner/runnertest"
)

// judged performs an experiment of one simulated reviewer and returns its arms.
func judged(t *testing.T, b *runnertest.Bench, votes int) (models.Experiment, []models.Arm) {
	t.Helper()
	ctx, admin := context.Background(), models.LocalAdmin()
	d, err := b.Runner.LoadBundled(ctx, admin, b.Project.ID)
	if err != nil {
		t.Fatal(err)
	}
	id := b.Reviewer(t, "small", reviewer.Spec{Kind: reviewer.KindSimulated, Simulated: &reviewer.Simulated{Preset: simulate.Small}})
	e, err := b.Runner.Launch(ctx, admin, runner.LaunchSpec{
		DatasetID: d.ID, Name: "past", Votes: votes, Seed: 2, Budget: 8000,
		Arms: []runner.ArmSpec{{ReviewerVersionID: id, Form: evidence.Patch}, {ReviewerVersionID: id, Form: evidence.Structured}},
	})
	if err != nil {
		t.Fatal(err)
	}
	stop := b.Work(t, 4)
	b.Wait(t, e.ID, runnertest.Ended)
	stop()
	arms, err := b.Store.Arms(ctx, admin, e.ID)
	if err != nil {
		t.Fatal(err)
	}
	return e, arms
}

func TestPower(t *testing.T) {
	t.Parallel()
	ctx, admin := context.Background(), models.LocalAdmin()
	b := runnertest.New(t, modelstest.SQLite(t))
	e, arms := judged(t, b, 3)
	res, err := b.Runner.Results(ctx, admin, e.ID, runner.ResultOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c := res.Arms[0].Counts
	spec := runner.PowerSpec{
		Defective: c.Defect.N(), Acceptable: c.Acceptable.N(), Votes: 3, Seed: 5, ArmsAlike: 0.5,
		First: runner.PowerArm{ArmID: arms[0].ID}, Second: runner.PowerArm{ArmID: arms[1].ID},
	}
	p, err := b.Runner.Power(ctx, admin, spec)
	if err != nil {
		t.Fatal(err)
	}
	// On its own traces and its own K, a measured arm is expected to do what it did.
	for i, a := range []runner.PlannedArm{p.First, p.Second} {
		for _, r := range a.Rates {
			m := res.Arms[i].Measures.Of(r.Metric)
			if (m.Value == nil) != (r.Value == nil) || m.Value != nil && (math.Abs(*m.Value-*r.Value) > 1e-9 || math.Abs(float64(m.N)-r.N) > 1e-9) {
				t.Errorf("arm %d, %s: planned %v of %v, measured %v of %d", i, r.Metric, r.Value, r.N, m.Value, m.N)
			}
			if m.Wilson != nil && (math.Abs(m.Wilson.Lo-r.Lo) > 1e-9 || math.Abs(m.Wilson.Hi-r.Hi) > 1e-9) {
				t.Errorf("arm %d, %s: planned interval %v to %v, measured %+v", i, r.Metric, r.Lo, r.Hi, m.Wilson)
			}
		}
	}
	if len(p.Notes) != 0 || !p.ArmsMeasured || p.First.Name == "" || p.First.Experiment.ID != e.ID {
		t.Errorf("notes %v, measured %t, arm %q of %s", p.Notes, p.ArmsMeasured, p.First.Name, p.First.Experiment.ID)
	}
	if p.Simulated.Power.N != runner.PowerExperiments || p.Simulated.Interval == nil || p.Seed != 5 {
		t.Errorf("simulation without its size, interval or seed: %+v", p.Simulated)
	}
	again, err := b.Runner.Power(ctx, admin, spec)
	if err != nil || !cmp.Equal(p.Simulated, again.Simulated) || !cmp.Equal(p.First.Simulated, again.First.Simulated) {
		t.Errorf("the same seed simulates something else: %v", err)
	}

	// More traces are narrower and find more.
	big := spec
	big.Defective, big.Acceptable = 20*spec.Defective, 20*spec.Acceptable
	q, err := b.Runner.Power(ctx, admin, big)
	if err != nil {
		t.Fatal(err)
	}
	width := func(p runner.PowerPlan) float64 {
		for _, r := range p.First.Rates {
			if r.Metric == stats.Catch {
				return r.Hi - r.Lo
			}
		}
		return 0
	}
	if width(q) > width(p)/3 || *q.Pair.Detectable.Value > *p.Pair.Detectable.Value/3 || q.Simulated.Power.K < p.Simulated.Power.K {
		t.Errorf("20 times the traces: width %v of %v, detectable %v of %v, power %d of %d", width(q), width(p),
			*q.Pair.Detectable.Value, *p.Pair.Detectable.Value, q.Simulated.Power.K, p.Simulated.Power.K)
	}
	spec.Votes = 9
	if p, err := b.Runner.Power(ctx, admin, spec); err != nil || len(p.Notes) != 2 {
		t.Errorf("nine votes from three recorded: %v, %v", p.Notes, err)
	}
	if _, err := b.Runner.Power(ctx, models.Viewer{}, spec); !errors.Is(err, models.ErrNotFound) && !errors.Is(err, models.ErrForbidden) {
		t.Errorf("a stranger plans with somebody's arm: %v", err)
	}
}

func TestPowerRefuses(t *testing.T) {
	t.Parallel()
	b := runnertest.New(t, modelstest.SQLite(t))
	fine := runner.PowerSpec{Defective: 10, Acceptable: 10, Votes: 5, VotesAlike: 0.5, ArmsAlike: 0.5, First: runner.PowerArm{Catch: 0.7}, Second: runner.PowerArm{Catch: 0.7}}
	if _, err := b.Runner.Power(context.Background(), models.LocalAdmin(), fine); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*runner.PowerSpec){
		"votes":                        func(s *runner.PowerSpec) { s.Votes = 100 },
		"the likeness of votes":        func(s *runner.PowerSpec) { s.VotesAlike = math.NaN() },
		"the likeness of the arms":     func(s *runner.PowerSpec) { s.ArmsAlike = 2 },
		"catch of the first arm":       func(s *runner.PowerSpec) { s.First.Catch = -0.1 },
		"of the second arm are more":   func(s *runner.PowerSpec) { s.Second.Uncertain = 0.4 },
		"over-rejection of the second": func(s *runner.PowerSpec) { s.Second.OverRejection = math.Inf(1) },
	} {
		s := fine
		change(&s)
		_, err := b.Runner.Power(context.Background(), models.LocalAdmin(), s)
		var invalid *models.InvalidError
		if !errors.As(err, &invalid) || !strings.Contains(invalid.Fields["power"], name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Without a trace of a class its rates are undefined, with a reason.
	none := fine
	none.Acceptable = 0
	p, err := b.Runner.Power(context.Background(), models.LocalAdmin(), none)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range p.First.Rates {
		if r.Metric == stats.OverRejection && (r.Value != nil || r.Reason == "") {
			t.Errorf("%+v", r)
		}
	}
}
