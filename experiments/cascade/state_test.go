package cascade_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/cascade"
	"plumbline/experiments/vote"
)

const arm = "weak · checked"

// Shorthands of outcomes.
var (
	code    = cascade.Change{}
	nothing = cascade.Change{None: true, Why: "the patch is empty"}
	clean   = cascade.Static{Ran: true}
	test    = cascade.Generated{TestID: "t1"}
	onBase  = func(r cascade.Result) cascade.BaseRan { return cascade.BaseRan{Result: r} }
	onPatch = func(r cascade.Result) cascade.PatchRan { return cascade.PatchRan{Result: r} }
	votes   = func(all ...vote.Vote) []cascade.Outcome {
		var out []cascade.Outcome
		for i, v := range all {
			out = append(out, cascade.Voted{Index: i, Vote: v})
		}
		return out
	}
)

func path(parts ...any) []cascade.Outcome {
	var out []cascade.Outcome
	for _, p := range parts {
		switch p := p.(type) {
		case cascade.Outcome:
			out = append(out, p)
		case []cascade.Outcome:
			out = append(out, p...)
		}
	}
	return out
}

func play(t *testing.T, p cascade.Policy, outcomes []cascade.Outcome) (cascade.State, cascade.Action) {
	t.Helper()
	s := cascade.Start(p)
	for i, o := range outcomes {
		next, err := s.Observe(o)
		if err != nil {
			t.Fatalf("outcome %d: %v", i, err)
		}
		s = next
	}
	return s, cascade.Next(s)
}

func TestAlgorithm1(t *testing.T) {
	t.Parallel()
	const a, r, u, x = vote.Accept, vote.Reject, vote.Uncertain, vote.Unparseable
	evaluated, recommended := cascade.Evaluated(arm), cascade.Recommended(arm)
	followed := func(p cascade.Policy) cascade.Policy { p.Tests.OnFail = cascade.GoOn; return p }
	stop := func(d vote.Decision, s cascade.Stage, w cascade.Why) cascade.Action {
		return cascade.Action{Kind: cascade.Stop, Stage: s, Verdict: &cascade.Verdict{Decision: d, Stage: s, Why: w}}
	}
	ask := func(indices ...int) cascade.Action {
		return cascade.Action{Kind: cascade.AskVotes, Stage: cascade.StageResidual, Votes: indices}
	}
	all := ask(0, 1, 2, 3, 4)
	for _, tt := range []struct {
		name     string
		policy   cascade.Policy
		outcomes []cascade.Outcome
		want     cascade.Action
	}{
		{"first the patch is looked at", evaluated, nil, cascade.Action{Kind: cascade.LookAtPatch}},
		{"no change rejects", evaluated, path(nothing), stop(r, cascade.StageNoChange, cascade.WhyNoChange)},
		{"then static checks run", evaluated, path(code), cascade.Action{Kind: cascade.RunStatic, Stage: cascade.StageStatic}},
		{"a decisive caused finding rejects", evaluated, path(code, cascade.Static{Ran: true, Decisive: 1, Caused: 1, Standing: 1}), stop(r, cascade.StageStatic, cascade.WhyStatic)},
		{"an old error is ignored", evaluated, path(code, cascade.Static{Ran: true, Standing: 3}), cascade.Action{Kind: cascade.Generate, Stage: cascade.StageTest, Attempt: 1}},
		{"an unused import is ignored", evaluated, path(code, cascade.Static{Ran: true, Caused: 2}), cascade.Action{Kind: cascade.Generate, Stage: cascade.StageTest, Attempt: 1}},
		{"without a tool it goes on", evaluated, path(code, cascade.Static{Why: "no tool"}), cascade.Action{Kind: cascade.Generate, Stage: cascade.StageTest, Attempt: 1}},
		{"a test first runs on the base", evaluated, path(code, clean, test), cascade.Action{Kind: cascade.RunOnBase, Stage: cascade.StageTest, Attempt: 1, TestID: "t1"}},
		{"failing there it runs on the patch", evaluated, path(code, clean, test, onBase(cascade.FailedTest)), cascade.Action{Kind: cascade.RunOnPatch, Stage: cascade.StageTest, Attempt: 1, TestID: "t1"}},
		{"failing on the patch rejects", evaluated, path(code, clean, test, onBase(cascade.FailedTest), onPatch(cascade.FailedTest)), stop(r, cascade.StageTest, cascade.WhyTestFails)},
		{"no longer loading rejects", evaluated, path(code, clean, test, onBase(cascade.FailedTest), onPatch(cascade.SetUp)), stop(r, cascade.StageTest, cascade.WhyTestBroken)},
		{"passing accepts in the evaluated rule", evaluated, path(code, clean, test, onBase(cascade.FailedTest), onPatch(cascade.Passed)), stop(a, cascade.StageTest, cascade.WhyTestPasses)},
		{"passing goes on in the recommended rule", recommended, path(code, clean, test, onBase(cascade.FailedTest), onPatch(cascade.Passed)), all},
		{"failing rejects in the recommended rule too", recommended, path(code, clean, test, onBase(cascade.FailedTest), onPatch(cascade.FailedTest)), stop(r, cascade.StageTest, cascade.WhyTestFails)},
		{"a variant follows a failure up", followed(recommended), path(code, clean, test, onBase(cascade.FailedTest), onPatch(cascade.FailedTest)), all},
		{"a hang on the patch decides nothing", evaluated, path(code, clean, test, onBase(cascade.FailedTest), onPatch(cascade.TimedOut)), all},
		{"a crash on the patch decides nothing", evaluated, path(code, clean, test, onBase(cascade.FailedTest), onPatch(cascade.Crashed)), all},
		{"a discarded test is tried again with what the base said", evaluated, path(code, clean, test, cascade.BaseRan{Result: cascade.SetUp, Feedback: "ImportError: x"}),
			cascade.Action{Kind: cascade.Generate, Stage: cascade.StageTest, Attempt: 2, Feedback: "ImportError: x"}},
		{"prose is tried again", evaluated, path(code, clean, cascade.Generated{Flaw: cascade.NoTest}),
			cascade.Action{Kind: cascade.Generate, Stage: cascade.StageTest, Attempt: 2, Feedback: "no test in the reply"}},
		{"a test that passes on the base is told so", evaluated, path(code, clean, test, onBase(cascade.Passed)),
			cascade.Action{Kind: cascade.Generate, Stage: cascade.StageTest, Attempt: 2, Feedback: "it passes on the base"}},
		{"without a generator it asks once", evaluated, path(code, clean, cascade.Generated{Flaw: cascade.NoGenerator}), all},
		{"three discards go to the reviewer", evaluated, path(code, clean, cascade.Generated{Flaw: cascade.NoTest}, test, onBase(cascade.TimedOut), test, onBase(cascade.Flaky)), all},
		{"only missing votes are asked", evaluated, path(code, clean, cascade.Generated{Flaw: cascade.NoTest}, cascade.Generated{Flaw: cascade.Refused}, cascade.Generated{Flaw: cascade.Trivial},
			cascade.Voted{Index: 3, Vote: r}), ask(0, 1, 2, 4)},
		{"the majority decides", cascade.ReviewOnly("patch", arm), path(votes(a, r, r, u, r)), stop(r, cascade.StageResidual, cascade.WhyVotes)},
		{"uncertain abstains", cascade.ReviewOnly("patch", arm), path(votes(u, u, u, r, r)), stop(u, cascade.StageResidual, cascade.WhyVotes)},
		{"a tie abstains", cascade.ReviewOnly("patch", arm), path(votes(a, a, r, r, u)), stop(u, cascade.StageResidual, cascade.WhyTie)},
		{"unparseable is a decision of its own", cascade.ReviewOnly("patch", arm), path(votes(x, x, x, a, r)), stop(x, cascade.StageResidual, cascade.WhyVotes)},
		{"rules only abstain", cascade.RulesOnly(), path(code, clean), stop(u, cascade.StageResidual, cascade.WhyNoReviewer)},
		{"tests only look at nothing else", cascade.TestsOnly(), nil, cascade.Action{Kind: cascade.Generate, Stage: cascade.StageTest, Attempt: 1}},
		{"trouble is no verdict", evaluated, path(cascade.Failed{Trouble: cascade.PatchNotApplied, Detail: "hunk 2"}),
			cascade.Action{Kind: cascade.Stop, Trouble: &cascade.Failed{Trouble: cascade.PatchNotApplied, Detail: "hunk 2"}}},
		{"trouble keeps its stage", evaluated, path(code, clean, cascade.Failed{Trouble: cascade.GeneratorDown}),
			cascade.Action{Kind: cascade.Stop, Stage: cascade.StageTest, Trouble: &cascade.Failed{Trouble: cascade.GeneratorDown}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if bad := tt.policy.Validate(); len(bad) > 0 {
				t.Fatalf("policy: %v", bad)
			}
			_, got := play(t, tt.policy, tt.outcomes)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("next (-want +got):\n%s", diff)
			}
		})
	}
}

func TestObserveRefuses(t *testing.T) {
	t.Parallel()
	p := cascade.Evaluated(arm)
	for _, tt := range []struct {
		name   string
		before []cascade.Outcome
		o      cascade.Outcome
	}{
		{"static before the patch was looked at", nil, clean},
		{"a second look", path(code), code},
		{"a run without a test", path(code, clean), onBase(cascade.FailedTest)},
		{"the patch before the base", path(code, clean, test), onPatch(cascade.Passed)},
		{"a run without a result", path(code, clean, test), onBase(cascade.NotRun)},
		{"a vote before its time", path(code, clean), cascade.Voted{Vote: vote.Accept}},
		{"a vote beyond the last", path(code, clean, test, onBase(cascade.FailedTest), onPatch(cascade.TimedOut)), cascade.Voted{Index: 5, Vote: vote.Accept}},
		{"the same vote twice", path(code, clean, test, onBase(cascade.FailedTest), onPatch(cascade.TimedOut), cascade.Voted{Vote: vote.Accept}), cascade.Voted{Vote: vote.Reject}},
		{"a word that is no vote", path(code, clean, test, onBase(cascade.FailedTest), onPatch(cascade.TimedOut)), cascade.Voted{Vote: "maybe"}},
		{"trouble after the end", path(nothing), cascade.Failed{Trouble: cascade.NoSandbox}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, _ := play(t, p, tt.before)
			after, err := s.Observe(tt.o)
			if !errors.Is(err, cascade.ErrUnasked) {
				t.Fatalf("error %v, want ErrUnasked", err)
			}
			if diff := cmp.Diff(s, after); diff != "" {
				t.Errorf("the state changed (-before +after):\n%s", diff)
			}
		})
	}
}

// A state is a value: going on from one in two ways leaves it as it was.
func TestStatesShareNothing(t *testing.T) {
	t.Parallel()
	s, _ := play(t, cascade.Evaluated(arm), path(code, clean, test))
	one, err := s.Observe(cascade.BaseRan{Result: cascade.SetUp, Feedback: "one"})
	if err != nil {
		t.Fatal(err)
	}
	two, err := s.Observe(onBase(cascade.FailedTest))
	if err != nil {
		t.Fatal(err)
	}
	if s.Attempts[0].Base != cascade.NotRun || one.Attempts[0].Base != cascade.SetUp || two.Attempts[0].Base != cascade.FailedTest {
		t.Errorf("states share their attempts: %v %v %v", s.Attempts, one.Attempts, two.Attempts)
	}
	v, _ := play(t, cascade.ReviewOnly("patch", arm), nil)
	first, err := v.Observe(cascade.Voted{Index: 0, Vote: vote.Accept})
	if err != nil {
		t.Fatal(err)
	}
	left, _ := first.Observe(cascade.Voted{Index: 1, Vote: vote.Accept})
	right, _ := first.Observe(cascade.Voted{Index: 1, Vote: vote.Reject})
	if left.Votes[1] != vote.Accept || right.Votes[1] != vote.Reject || first.Votes[1] != "" {
		t.Errorf("states share their votes: %v %v %v", first.Votes, left.Votes, right.Votes)
	}
}

// What the generator is told comes from the base alone, whatever the patch does.
func TestFeedbackIsOfTheBase(t *testing.T) {
	t.Parallel()
	p := cascade.Evaluated(arm)
	_, a := play(t, p, path(code, clean, test, cascade.BaseRan{Result: cascade.NoneFound, Feedback: "collected 0 items"}))
	if a.Feedback != "collected 0 items" {
		t.Errorf("feedback %q", a.Feedback)
	}
	for _, r := range []cascade.Result{cascade.Passed, cascade.FailedTest, cascade.SetUp, cascade.TimedOut, cascade.NoneFound, cascade.Crashed, cascade.Flaky} {
		_, a := play(t, p, path(code, clean, test, onBase(cascade.FailedTest), onPatch(r)))
		if a.Kind == cascade.Generate || a.Feedback != "" {
			t.Errorf("after %q on the patch the generator is asked again: %+v", r, a)
		}
	}
}

func TestPolicyValidate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(*cascade.Policy)
		want   string
	}{
		{"no name", func(p *cascade.Policy) { p.Name = " " }, "name"},
		{"static", func(p *cascade.Policy) { p.Static = "all" }, "static rule"},
		{"attempts", func(p *cascade.Policy) { p.Tests.Attempts = 4 }, "0 to 3 attempts"},
		{"then", func(p *cascade.Policy) { p.Tests.OnPass = "shrug" }, "shrug"},
		{"failing accepts", func(p *cascade.Policy) { p.Tests.OnFail = cascade.ThenAccept }, "failing test cannot accept"},
		{"passing rejects", func(p *cascade.Policy) { p.Tests.OnPass = cascade.ThenReject }, "passing test cannot reject"},
		{"votes", func(p *cascade.Policy) { p.Residual.Votes = -1 }, "0 to 99 votes"},
		{"tally", func(p *cascade.Policy) { p.Residual.Rule = "loudest" }, "tally rule"},
		{"nothing", func(p *cascade.Policy) { *p = cascade.Policy{Name: "x"} }, "no stage"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := cascade.Evaluated(arm)
			tt.change(&p)
			if bad := strings.Join(p.Validate(), "; "); !strings.Contains(bad, tt.want) {
				t.Errorf("problems %q, want one with %q", bad, tt.want)
			}
		})
	}
}

func TestStageKeys(t *testing.T) {
	t.Parallel()
	for _, s := range cascade.Stages {
		back, ok := cascade.ParseStage(s.Key())
		if !ok || back != s || s.Name() == "" || s.Explain() == "" {
			t.Errorf("stage %d: key %q, name %q, back %d %v", s, s.Key(), s.Name(), back, ok)
		}
	}
	if _, ok := cascade.ParseStage("later"); ok {
		t.Error("an unknown key is a stage")
	}
}
