package runner_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/belief"
	"plumbline/experiments/control"
	"plumbline/experiments/evidence"
	"plumbline/experiments/simulate"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/runner/runnertest"
)

// reviewed is a finished review experiment of two simulated reviewers on all
// bundled cases: what a control experiment learns from.
type reviewed struct {
	*runnertest.Bench
	source models.Experiment
	splits map[string]string
	stop   func()
}

func review(t *testing.T, s *models.Store) reviewed {
	t.Helper()
	ctx := context.Background()
	r := reviewed{Bench: runnertest.New(t, s), splits: map[string]string{}}
	set, err := r.Runner.LoadBundled(ctx, admin, r.Project.ID)
	if err != nil {
		t.Fatal(err)
	}
	splits, err := s.Splits(ctx, admin, set.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range splits {
		r.splits[x.Name] = x.ID
	}
	spec := runner.LaunchSpec{DatasetID: set.ID, Name: "source", Votes: 3, Seed: 5, Budget: 9000, OnLeak: runner.Withhold}
	for _, preset := range []string{simulate.Strong, simulate.Small} {
		id := r.Reviewer(t, preset, reviewer.Spec{Kind: reviewer.KindSimulated, Model: preset, Simulated: &reviewer.Simulated{Preset: preset, LatencyMS: 8}})
		spec.Arms = append(spec.Arms, runner.ArmSpec{ReviewerVersionID: id, Form: evidence.Structured})
	}
	if r.source, err = r.Runner.Launch(ctx, admin, spec); err != nil {
		t.Fatal(err)
	}
	r.stop = r.Work(t, 4)
	r.Wait(t, r.source.ID, runnertest.Ended)
	return r
}

var playedPolicies = []string{"always_verify", "stop", "best_of_n_select", "pipeline", "greedy_kernel", "dp"}

func (r reviewed) spec(name string) runner.ControlSpec {
	return runner.ControlSpec{
		SourceID: r.source.ID, Name: name, Policies: playedPolicies, Seed: r.source.Seed,
		Choice: runner.BeliefChoice{Costs: runner.CostChoice{Rule: runner.DraftCosts}},
	}
}

// Policies that ask simulated reviewers themselves take the actions and earn the
// utility that a replay of the recorded votes says, since a simulated vote is a
// function of seed, trace and index. The log replays to the same.
func TestLiveAgreesWithReplay(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		r := review(t, s)
		e, err := r.Runner.LaunchControl(ctx, admin, r.spec("live"))
		if err != nil {
			t.Fatal(err)
		}
		if p := r.Wait(t, e.ID, runnertest.Ended); p.State != models.StateDone || p.Done != p.Total || p.Total != 14*len(playedPolicies) {
			t.Fatalf("the control experiment ended as %+v", p)
		}
		got, err := r.Runner.ControlResults(ctx, admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got.Simulated == 0 || got.Live != 0 || got.Recorded == 0 {
			t.Errorf("outcomes: %d simulated, %d live, %d recorded", got.Simulated, got.Live, got.Recorded)
		}
		rec, err := r.Runner.RecordedOf(ctx, admin, r.source.ID, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range got.Policies {
			if len(p.Differs) > 0 || p.Replayed != 14 {
				t.Errorf("%s: %d replayed from the log, different on %v", p.Name, p.Replayed, p.Differs)
			}
			for _, played := range p.Played.Episodes {
				want := replayOne(t, got.Config, rec, p.Name, played.Task)
				if d := cmp.Diff(want.Actions(), played.Actions()); d != "" {
					t.Errorf("%s on %s: actions (-replayed +live):\n%s", p.Name, played.Task, d)
				}
				if want.Utility != played.Utility || want.Status != played.Status || want.Solved != played.Solved {
					t.Errorf("%s on %s: live %v %s, replay %v %s", p.Name, played.Task, played.Utility, played.Status, want.Utility, want.Status)
				}
			}
		}
	})
}

// replayOne replays a policy on one task of the source with the parameters that
// the control experiment kept for it.
func replayOne(t *testing.T, c runner.ControlConfig, rec runner.Recorded, name, task string) control.Episode {
	t.Helper()
	problem := c.Problems[belief.Fold(task, 5)]
	p, err := control.New(name, problem, control.Budget{Actions: control.Unlimited, Regenerations: 5})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, k := range c.Critics {
		names = append(names, k.Name)
	}
	tab, err := rec.Table.Where(func(k belief.Task) bool { return k.ID == task }).Select(names...)
	if err != nil {
		t.Fatal(err)
	}
	got, err := control.Replay(p, tab, control.ReplayOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return got.Episodes[0]
}

// The recorded mode asks nobody and comes to the same.
func TestRecordedControlAsksNobody(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := review(t, modelstest.SQLite(t))
	spec := r.spec("recorded")
	spec.Ask, spec.SplitID = runner.AskRecords, r.splits["held-out"]
	e, err := r.Runner.LaunchControl(ctx, admin, spec)
	if err != nil {
		t.Fatal(err)
	}
	r.Wait(t, e.ID, runnertest.Ended)
	got, err := r.Runner.ControlResults(ctx, admin, e.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got.Votes != 0 || got.Simulated != 0 || len(got.Episodes) != 8*len(playedPolicies) {
		t.Errorf("%d votes, %d simulated outcomes, %d episodes", got.Votes, got.Simulated, len(got.Episodes))
	}
	for _, p := range got.Policies {
		if len(p.Differs) > 0 {
			t.Errorf("%s differs on %v", p.Name, p.Differs)
		}
	}
}

// A limit of votes stops the experiment before it is passed; raising it goes on
// where the log ends, and nothing is asked twice.
func TestControlBudgetAndResume(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		r := review(t, s)
		spec := r.spec("limited")
		spec.MaxVotes = 30
		e, err := r.Runner.LaunchControl(ctx, admin, spec)
		if err != nil {
			t.Fatal(err)
		}
		p := r.Wait(t, e.ID, runnertest.Ended)
		got, err := r.Runner.ControlResults(ctx, admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if p.State != models.StateStopped || p.Missing == 0 || got.Votes == 0 || got.Spent == "" {
			t.Fatalf("after the limit: %+v, %d votes, spent %q", p, got.Votes, got.Spent)
		}
		before := steps(got)
		unlimited := 0
		if err := r.Runner.ResumeControl(ctx, admin, e.ID, &unlimited, nil); err != nil {
			t.Fatal(err)
		}
		if p := r.Wait(t, e.ID, runnertest.Ended); p.State != models.StateDone || p.Missing != 0 {
			t.Fatalf("after the resume: %+v", p)
		}
		if got, err = r.Runner.ControlResults(ctx, admin, e.ID); err != nil {
			t.Fatal(err)
		}
		after := steps(got)
		for id, was := range before {
			if d := cmp.Diff(was, after[id][:len(was)]); d != "" {
				t.Errorf("episode %s: the log changed:\n%s", id, d)
			}
		}
		for _, p := range got.Policies {
			if len(p.Differs) > 0 {
				t.Errorf("%s differs on %v", p.Name, p.Differs)
			}
		}
		cells, err := s.ArmCosts(ctx, admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		for _, c := range cells {
			asked += c.Votes
		}
		if asked != got.Votes {
			t.Errorf("%d votes by arm, %d in all", asked, got.Votes)
		}
	})
}

func steps(r runner.ControlResults) map[string][]string {
	out := map[string][]string{}
	for id, all := range r.Steps {
		for _, x := range all {
			out[id] = append(out[id], x.Action+" "+x.Says+" "+x.CreatedAt.String())
		}
	}
	return out
}

// A worker that stops gives its episodes back, and another one goes on from the
// step that is stored; however often that happens, the experiment runs on.
func TestControlSurvivesItsWorker(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		r := review(t, s)
		r.stop()
		e, err := r.Runner.LaunchControl(ctx, admin, r.spec("handed over"))
		if err != nil {
			t.Fatal(err)
		}
		var before models.Progress
		for workers := range 4 {
			stop := r.Work(t, 1+workers%2)
			r.Wait(t, e.ID, func(p models.Progress) bool {
				return runnertest.Ended(p) || p.Done > before.Done || p.Votes > before.Votes+6
			})
			stop()
			if before, err = s.Progress(ctx, admin, e.ID); err != nil {
				t.Fatal(err)
			}
			if before.State == models.StateDone && workers > 0 {
				break
			}
			if before.State != models.StateRunning || before.Done == before.Total || before.Error > 0 {
				t.Fatalf("worker %d was not interrupted, or left: %+v", workers, before)
			}
		}
		r.Work(t, 2)
		if p := r.Wait(t, e.ID, runnertest.Ended); p.State != models.StateDone || p.Done != p.Total {
			t.Fatalf("after the last worker: %+v", p)
		}
		got, err := r.Runner.ControlResults(ctx, admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range got.Policies {
			if len(p.Differs) > 0 {
				t.Errorf("%s differs on %v", p.Name, p.Differs)
			}
		}
	})
}

func TestControlRefuses(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := review(t, modelstest.SQLite(t))
	minus := -1.0
	for field, change := range map[string]func(*runner.ControlSpec){
		"policy":    func(s *runner.ControlSpec) { s.Policies = []string{"gate:nobody"} },
		"critic":    func(s *runner.ControlSpec) { s.Choice.Critics = []string{"1-vote"} },
		"max_votes": func(s *runner.ControlSpec) { s.MaxVotes = 1 },
		"max_usd":   func(s *runner.ControlSpec) { s.MaxUSD = &minus },
		"ask":       func(s *runner.ControlSpec) { s.Ask = "guess" },
		"name":      func(s *runner.ControlSpec) { s.Name = " " },
		"costs": func(s *runner.ControlSpec) {
			s.Choice.Costs = runner.CostChoice{Rule: runner.OwnCosts, Units: map[string]float64{"verify": -1}}
		},
	} {
		spec := r.spec("x")
		change(&spec)
		_, err := r.Runner.LaunchControl(ctx, admin, spec)
		var invalid *models.InvalidError
		if !errors.As(err, &invalid) || invalid.Fields[field] == "" {
			t.Errorf("%s: %v", field, err)
		}
	}
	spec := r.spec("x")
	spec.Choice.Critics = []string{"9-decision"}
	if _, err := r.Runner.LaunchControl(ctx, admin, spec); err == nil || !strings.Contains(err.Error(), "no critic") {
		t.Errorf("an unknown critic: %v", err)
	}
	count := r.spec("counts")
	count.Choice.Critics = []string{"1-count", "2-decision"}
	e, err := r.Runner.LaunchControl(ctx, admin, count)
	if err != nil {
		t.Fatal(err)
	}
	r.Wait(t, e.ID, runnertest.Ended)
	got, err := r.Runner.ControlResults(ctx, admin, e.ID)
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(got.Policies, func(p runner.PlayedPolicy) bool { return len(p.Differs) > 0 || p.Errors > 0 }) {
		t.Errorf("a count of votes: %+v", got.Policies)
	}
}
