package controltest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/simulate"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/runner/runnertest"
)

// A generator behind an endpoint writes the candidates, the tests that pass before
// the change and the official ones run in the sandbox, the reviewer is asked about
// what was written; each call is made once, and the log replays to the same.
func TestLiveGeneratorAndSuites(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b := newBed(t, modelstest.SQLite(t))
	votes := b.endpoint.Stats().Requests
	e, err := b.Runner.LaunchControl(ctx, admin, b.spec("live", "1-decision", "public"))
	if err != nil {
		t.Fatal(err)
	}
	p := b.Wait(t, e.ID, runnertest.Ended)
	got, err := b.Runner.ControlResults(ctx, admin, e.ID)
	if err != nil {
		t.Fatal(err)
	}
	if p.State != models.StateDone || p.Done != 3*len(played) {
		for _, x := range got.Episodes {
			t.Logf("%s on %s: %s %s %s", x.Policy, x.InstanceID, x.State, x.Status, x.Why)
		}
		t.Fatalf("ended as %+v", p)
	}
	if got.Written != 2*len(played) || b.asked() != got.Written {
		t.Errorf("%d patches stored, %d asked for; want %d", got.Written, b.asked(), 2*len(played))
	}
	if now := b.endpoint.Stats().Requests - votes; now != got.Votes {
		t.Errorf("%d requests, %d calls counted", now, got.Votes)
	}
	if got.USD <= 0 || got.UnknownCost != 0 {
		t.Errorf("cost %v, %d unknown", got.USD, got.UnknownCost)
	}
	for _, x := range got.Policies {
		if len(x.Differs) > 0 || x.Replayed != len(played) || x.Errors > 0 {
			t.Errorf("%s: %d replayed from the log, different on %v, %d errors", x.Name, x.Replayed, x.Differs, x.Errors)
		}
	}
	// The last candidate is the reference: verifying it pays on every task.
	if last := got.Policies[1].Played; last.Solve.K != len(played) {
		t.Errorf("best_of_n_last solves %d of %d", last.Solve.K, len(played))
	}
	b.checkWritten(t, e.ID, got)
}

// checkWritten looks at the candidates that were written and what was found out
// about them.
func (b *bed) checkWritten(t *testing.T, id string, got runner.ControlResults) {
	t.Helper()
	ctx := context.Background()
	all, err := b.Store.ControlCandidates(ctx, admin, id)
	if err != nil || len(all) != 3*len(played) {
		t.Fatalf("%d candidates, %v", len(all), err)
	}
	for i, c := range all {
		d, err := b.Store.TraceDetail(ctx, admin, c.TraceID)
		if err != nil {
			t.Fatal(err)
		}
		switch i % 3 {
		case 1:
			if d.Patch != "" || d.Row.Agent != "plumbline, writer" || d.Row.CostUSD == nil {
				t.Errorf("the first reply of task %d gave %+v", c.TaskIdx, d.Row)
			}
		case 2:
			if d.Row.Label != "acceptable" || d.Row.LabelSource != "execution" || !strings.HasPrefix(d.Patch, "diff --git") {
				t.Errorf("the second reply of task %d: %s by %s\n%s", c.TaskIdx, d.Row.Label, d.Row.LabelSource, d.Patch)
			}
		}
	}
	sources := map[string]int{}
	for _, steps := range got.Steps {
		for _, x := range steps {
			if x.Source != "" {
				sources[strings.SplitN(x.Action, ":", 2)[0]+" "+x.Source]++
			}
		}
	}
	if sources["regenerate live"] == 0 || sources["verify live"] == 0 || sources["critic live"] == 0 || sources["verify recorded"] != 0 {
		t.Errorf("sources %v", sources)
	}
}

// Verifying recorded attempts by the tests themselves finds what was recorded.
func TestSuitesConfirmRecords(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b := newBed(t, modelstest.SQLite(t))
	for _, mode := range []runner.VerifyMode{runner.VerifyOfficial, runner.VerifyExisting} {
		spec := b.spec(string(mode), "1-decision", "public")
		spec.Generator, spec.Verify, spec.Policies = "", mode, []string{"best_of_n_last", "gate:existing tests", "always_verify"}
		e, err := b.Runner.LaunchControl(ctx, admin, spec)
		if err != nil {
			t.Fatal(err)
		}
		b.Wait(t, e.ID, runnertest.Ended)
		got, err := b.Runner.ControlResults(ctx, admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		labels, passed := map[string]string{}, map[bool]int{}
		all, err := b.Store.ControlCandidates(ctx, admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			labels[c.TraceID] = c.Label
		}
		for _, ep := range got.Episodes {
			if ep.State != models.EpisodeDone {
				t.Errorf("%s: %s on %s is %s: %s", mode, ep.Policy, ep.InstanceID, ep.State, ep.Why)
			}
			for _, x := range got.Steps[ep.ID] {
				if x.Action != "verify" {
					continue
				}
				pass := x.Says == "pass"
				passed[pass]++
				right := labels[x.TraceID] == "acceptable"
				if mode == runner.VerifyOfficial && pass != right {
					t.Errorf("the official tests say %s of a patch recorded as %s: %s", x.Says, labels[x.TraceID], x.Note)
				}
				if mode == runner.VerifyExisting && right && !pass {
					t.Errorf("the existing tests fail on a correct patch: %s", x.Note)
				}
			}
		}
		if passed[true] == 0 || passed[true]+passed[false] < len(played) {
			t.Errorf("%s: verifications %v", mode, passed)
		}
	}
}

// Checks that ran before are taken as they are; on a new patch they run.
func TestLiveChecks(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b := newBed(t, modelstest.SQLite(t))
	traces, _, err := b.Store.CriticRecords(ctx, admin, b.source.ID)
	if err != nil {
		t.Fatal(err)
	}
	// A check of one trace under its settings is enough for the critic to exist.
	config := `{"generator":"recorded","repeats":1,"test_wall_s":40,"audit":false,"prompt":"v1"}`
	set, err := b.Store.OpenCheckSet(ctx, traces[0].ID, "of the source", config)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Store.SaveStaticCheck(ctx, set.ID, models.StaticCheck{Ran: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Store.AddGeneratedTest(ctx, models.GeneratedTest{SetID: set.ID, Attempt: 1, Recorded: true, Flaw: "no test in the reply"}, models.GeneratedTestText{}); err != nil {
		t.Fatal(err)
	}
	spec := b.spec("checks", "static", "generated")
	spec.Generator, spec.Verify, spec.Policies = "", "", []string{"pipeline", "best_of_n_select"}
	first := map[string][]string{}
	for _, name := range []string{"once", "again"} {
		spec.Name = name
		e, err := b.Runner.LaunchControl(ctx, admin, spec)
		if err != nil {
			t.Fatal(err)
		}
		b.Wait(t, e.ID, runnertest.Ended)
		got, err := b.Runner.ControlResults(ctx, admin, e.ID)
		if err != nil {
			t.Fatal(err)
		}
		sources, says := map[string]int{}, map[string][]string{}
		for _, ep := range got.Episodes {
			if ep.State != models.EpisodeDone {
				t.Errorf("%s: %s on %s is %s: %s", name, ep.Policy, ep.InstanceID, ep.State, ep.Why)
			}
			for _, x := range got.Steps[ep.ID] {
				if strings.HasPrefix(x.Action, "critic:") {
					if x.Says != "missing" { // of a patch that does not apply nothing is kept
						sources[x.Source]++
					}
					says[ep.Policy+ep.InstanceID] = append(says[ep.Policy+ep.InstanceID], x.Action+" "+x.Says)
				}
			}
		}
		if name == "once" {
			if first = says; sources["live"] == 0 {
				t.Errorf("the first time: %v", sources)
			}
			continue
		}
		if sources["live"] != 0 || sources["recorded"] == 0 {
			t.Errorf("the second time checks ran again: %v", sources)
		}
		if d := cmp.Diff(first, says); d != "" {
			t.Errorf("the second time (-first +second):\n%s", d)
		}
	}
	var counts [3]int
	for _, all := range first {
		for _, s := range all {
			for i, end := range []string{" pass", " fail", " missing"} {
				if strings.HasSuffix(s, end) {
					counts[i]++
				}
			}
		}
	}
	if counts[0] == 0 || counts[1] == 0 {
		t.Errorf("pass, fail, missing: %v", counts)
	}
}

// A limit of calls counts patches too, and going on asks for what is missing alone.
func TestLiveBudgetCountsPatches(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b := newBed(t, modelstest.SQLite(t))
	spec := b.spec("limited", "1-decision")
	spec.Policies, spec.MaxVotes = []string{"best_of_n_last"}, 3
	e, err := b.Runner.LaunchControl(ctx, admin, spec)
	if err != nil {
		t.Fatal(err)
	}
	p := b.Wait(t, e.ID, runnertest.Ended)
	got, err := b.Runner.ControlResults(ctx, admin, e.ID)
	if err != nil {
		t.Fatal(err)
	}
	if p.State != models.StateStopped || got.Written != 3 || b.asked() != 3 || got.Spent == "" {
		t.Fatalf("after the limit: %+v, %d written, %d asked, spent %q", p, got.Written, b.asked(), got.Spent)
	}
	unlimited := 0
	if err := b.Runner.ResumeControl(ctx, admin, e.ID, &unlimited, nil); err != nil {
		t.Fatal(err)
	}
	if p := b.Wait(t, e.ID, runnertest.Ended); p.State != models.StateDone {
		t.Fatalf("after the resume: %+v", p)
	}
	if b.asked() != 2*len(played) {
		t.Errorf("%d patches asked for, want %d", b.asked(), 2*len(played))
	}
}

func TestLiveRefuses(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b := newBed(t, modelstest.SQLite(t))
	simulated := b.Reviewer(t, "simulated", reviewer.Spec{Kind: reviewer.KindSimulated, Model: simulate.Strong, Simulated: &reviewer.Simulated{Preset: simulate.Strong}})
	for field, change := range map[string]func(*runner.ControlSpec){
		"verify":    func(s *runner.ControlSpec) { s.Verify = "" },
		"ask":       func(s *runner.ControlSpec) { s.Ask = runner.AskRecords },
		"sandbox":   func(s *runner.ControlSpec) { s.Sandbox = "castle" },
		"generator": func(s *runner.ControlSpec) { s.Generator = simulated },
	} {
		spec := b.spec("x", "1-decision")
		change(&spec)
		_, err := b.Runner.LaunchControl(ctx, admin, spec)
		var invalid *models.InvalidError
		if !errors.As(err, &invalid) || invalid.Fields[field] == "" {
			t.Errorf("%s: %v", field, err)
		}
	}
}
