package checks

import (
	"strings"
	"testing"

	"plumbline/experiments/cascade"
	"plumbline/experiments/cascade/gentest"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	one := func(s Status, p Phase, kind, where string) Run {
		return Run{Tests: []Test{{ID: "m.T.test_x", Status: s, Phase: p, Kind: kind, Where: where, Message: "line\n" + kind + ": why"}}}
	}
	with := func(r Run, f Fault) Run { r.Fault, r.Detail = f, "detail"; return r }
	both := func(a, b Run) Run { return Run{Tests: append(a.Tests, b.Tests...)} }
	passed, failed := one(Passed, Call, "", ""), one(Failed, Call, "AssertionError", "test_x.py")
	for _, tt := range []struct {
		name string
		run  Run
		want cascade.Result
		says string
	}{
		{"an assertion", failed, cascade.FailedTest, "test_x: AssertionError: why"},
		{"a wrong exception", one(Failed, Call, "TypeError", "pkg/a.py"), cascade.FailedTest, "TypeError"},
		{"an unknown name in the code under test", one(Failed, Call, "NameError", "pkg/a.py"), cascade.FailedTest, "NameError"},
		{"an unknown name in the test itself", one(Failed, Call, "NameError", "test_x.py"), cascade.SetUp, "NameError"},
		{"a module that is not there", one(Failed, Call, "ModuleNotFoundError", "test_x.py"), cascade.SetUp, "ModuleNotFoundError"},
		{"a broken fixture", one(Errored, Setup, "ValueError", ""), cascade.SetUp, "ValueError"},
		{"passing", passed, cascade.Passed, "1 of 1 tests passed"},
		{"one fails, others pass", both(passed, failed), cascade.FailedTest, "AssertionError"},
		{"one fails, another is not set up", both(failed, one(Errored, Setup, "OSError", "")), cascade.SetUp, "OSError"},
		{"skipped", one(Skipped, Call, "", ""), cascade.NoneFound, "no test ran"},
		{"nothing collected", with(Run{}, FaultNothing), cascade.NoneFound, "detail"},
		{"no import", with(failed, FaultCollection), cascade.SetUp, "detail"},
		{"no build", with(Run{}, FaultBuild), cascade.SetUp, "detail"},
		{"time", with(passed, FaultTime), cascade.TimedOut, "time limit"},
		{"a hang that was left out of a further run", Run{Hung: []string{"m.T.test_x"}, Fault: FaultCrash}, cascade.TimedOut, "did not end"},
		{"memory", with(passed, FaultMemory), cascade.Crashed, "out_of_memory"},
		{"no report", with(Run{}, FaultNoReport), cascade.Crashed, "no_report"},
		{"no runner", with(Run{}, FaultRefused), cascade.Crashed, "refused"},
	} {
		got, says := judge(tt.run)
		if got != tt.want || !strings.Contains(says, tt.says) {
			t.Errorf("%s: %s, %q; want %s and %q", tt.name, got, says, tt.want, tt.says)
		}
	}
}

func TestAskFor(t *testing.T) {
	t.Parallel()
	py := gentest.Test{Path: "tests/test_g.py", Source: "import x\n\nclass A(T):\n    def test_a(self):\n        pass\n\n    async def test_b(self):\n        pass\n\ndef helper():\n    pass\n"}
	golang := gentest.Test{Path: "limiter/g_test.go", Source: "package l\n\nfunc TestA(t *testing.T) {}\n\nfunc TestB(t *testing.T) {}\n"}
	for _, tt := range []struct {
		runner string
		test   gentest.Test
		want   string
	}{
		{Unittest, py, "tests.test_g.A.test_a,tests.test_g.A.test_b"},
		{Pytest, py, "tests/test_g.py::"},
		{GoTest, golang, "./limiter TestA,./limiter TestB"},
	} {
		if got := strings.Join(askFor(tt.runner, tt.test).IDs, ","); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.runner, got, tt.want)
		}
	}
}

// What the generator is told fits into a prompt and says that a test which passes
// before the change is of no use.
func TestFeedback(t *testing.T) {
	t.Parallel()
	g := GeneratedRun{Result: cascade.Passed, Headline: "2 of 2 tests passed", Output: strings.Repeat("é", 9000)}
	text := g.Feedback()
	if !strings.HasPrefix(text, "The test passes before the change") || len(text) > feedbackLimit+100 || !strings.Contains(text, "cut") {
		t.Errorf("feedback of %d bytes: %.80s", len(text), text)
	}
}
