package checks_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/bundled"
	"plumbline/experiments/trace"
	"plumbline/runner/checks"
	"plumbline/runner/sandbox"
	"plumbline/runner/workspace"
)

func subject(t testing.TB, box sandbox.Backend, cache *workspace.Cache, in trace.Instance, files map[string]string, limits sandbox.Limits) (checks.Subject, checks.InstanceCheck) {
	t.Helper()
	base, err := cache.FromFiles(context.Background(), files)
	if err != nil {
		t.Fatal(err)
	}
	r, err := checks.NewRunner(checks.ChooseRunner(in), checks.Settings{GoCache: goCache(t)})
	if err != nil {
		t.Fatal(err)
	}
	return checks.NewSubject(in, base, r, checks.Exec{Box: box, Limits: limits}, 2)
}

// Every bundled trace gets the label, the bucket and the counts that it was
// recorded with.
func TestBundledLabels(t *testing.T) {
	t.Parallel()
	box, cache := bench(t, "python3 -c 'import unittest'", "/usr/local/go/bin/go version || go version")
	cases, err := bundled.Cases()
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for _, c := range cases {
		t.Run(c.File, func(t *testing.T) {
			t.Parallel()
			s, ic := subject(t, box, cache, c.Instance, c.Base, sandbox.Limits{})
			if ic.State != checks.Usable || s.Runner.Name() != string(c.Runner) {
				t.Fatalf("%s %s with %s", ic.State, ic.Reason, s.Runner.Name())
			}
			ic, err := s.CheckInstance(ctx, checks.InstanceOptions{Repeat: 1})
			if err != nil {
				t.Fatal(err)
			}
			if ic.State != checks.Usable || len(ic.Notes) > 0 {
				t.Fatalf("%s %s %v", ic.State, ic.Reason, ic.Notes)
			}
			for _, a := range c.Attempts {
				got, err := s.CheckTrace(ctx, a.Trace, ic, 1)
				if err != nil {
					t.Fatal(err)
				}
				want := a.Trace.Outcome
				if got.Label != want.Label || got.Bucket != want.Bucket || got.Counts == nil {
					t.Errorf("%s: %+v, recorded %q %q", a.Name, got, want.Label, want.Bucket)
					continue
				}
				if d := cmp.Diff(*want.Tests, *got.Counts); d != "" {
					t.Errorf("%s: %s", a.Name, d)
				}
				for _, e := range got.Executions {
					if e.Run.Report.Unsandboxed {
						t.Error("a run had no sandbox")
					}
				}
			}
		})
	}
}

// A small instance to go wrong in every way.
const (
	calcBase  = "def add(a, b):\n    return a - b\n\n\ndef sub(a, b):\n    return a - b\n"
	calcGold  = "diff --git a/calc.py b/calc.py\n--- a/calc.py\n+++ b/calc.py\n@@ -1,3 +1,3 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n \n"
	calcTests = "diff --git a/tests/test_calc.py b/tests/test_calc.py\nnew file mode 100644\n--- /dev/null\n+++ b/tests/test_calc.py\n@@ -0,0 +1,9 @@\n+from calc import add, sub\n+\n+\n+def test_add():\n+    assert add(1, 2) == 3\n+\n+\n+def test_sub():\n+    assert sub(3, 2) == 1\n"
)

func calc() trace.Instance {
	return trace.Instance{ID: "x__calc-1", Language: "python", Oracle: trace.Oracle{
		GoldPatch: calcGold, TestPatch: calcTests, FailToPass: []string{"tests/test_calc.py::test_add"}, PassToPass: []string{"tests/test_calc.py::test_sub"},
	}}
}

func calcPatch(body string) string {
	return "diff --git a/calc.py b/calc.py\n--- a/calc.py\n+++ b/calc.py\n@@ -1,3 +1,3 @@\n def add(a, b):\n-    return a - b\n+    " + body + "\n \n"
}

func addedTest(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return "diff --git a/tests/test_calc.py b/tests/test_calc.py\nnew file mode 100644\n--- /dev/null\n+++ b/tests/test_calc.py\n@@ -0,0 +1," +
		fmt.Sprint(len(lines)) + " @@\n+" + strings.Join(lines, "\n+") + "\n"
}

func TestInstancesThatCannotLabel(t *testing.T) {
	t.Parallel()
	box, cache := bench(t, "python3 -m pytest --version")
	tests := []struct {
		name   string
		change func(in *trace.Instance)
		base   string
		drop   bool
		want   checks.Usability
		reason string
	}{
		{"usable", func(*trace.Instance) {}, calcBase, false, checks.Usable, ""},
		{"no gold patch", func(in *trace.Instance) { in.Oracle.GoldPatch = "" }, calcBase, false, checks.NoOracle, "gold"},
		{"no tests named", func(in *trace.Instance) { in.Oracle.FailToPass = nil }, calcBase, false, checks.NoOracle, "fail-to-pass"},
		{"gold does not apply", func(in *trace.Instance) { in.Oracle.GoldPatch = strings.Replace(calcGold, "a - b", "a * b", 1) }, calcBase, false, checks.GoldDoesNotApply, "1 hunks"},
		{"test patch does not apply", func(in *trace.Instance) {
			in.Oracle.TestPatch = strings.Replace(calcTests, "tests/test_calc.py", "calc.py", -1)
		}, calcBase, false, checks.TestsDoNotApply, "1 whole files"},
		{"gold fails", func(in *trace.Instance) { in.Oracle.GoldPatch = calcPatch("return a + b + 1") }, calcBase, false, checks.GoldFails, "0 of 1 fail-to-pass and 1 of 1 pass-to-pass"},
		{"gold breaks a pass-to-pass test", func(in *trace.Instance) {
			in.Oracle.PassToPass = append(in.Oracle.PassToPass, "tests/test_calc.py::test_gone")
		}, calcBase, false, checks.GoldFails, "1 of 2 pass-to-pass"},
		{"the broken test is left out", func(in *trace.Instance) {
			in.Oracle.PassToPass = append(in.Oracle.PassToPass, "tests/test_calc.py::test_gone")
		}, calcBase, true, checks.Usable, ""},
		{"base passes", func(in *trace.Instance) {
			in.Oracle.FailToPass, in.Oracle.PassToPass = []string{"tests/test_calc.py::test_sub"}, []string{"tests/test_calc.py::test_add"}
		}, calcBase, true, checks.BasePasses, "1 of 1 fail-to-pass tests pass on the base"},
		{"base does not build", func(in *trace.Instance) {
			in.Oracle.GoldPatch = "diff --git a/calc.py b/calc.py\n--- a/calc.py\n+++ b/calc.py\n@@ -1,3 +1,3 @@\n-def add(a, b:\n-    return a - b\n+def add(a, b):\n+    return a + b\n \n"
		}, strings.Replace(calcBase, "(a, b)", "(a, b", 1), false, checks.BaseDoesNotBuild, "no pass-to-pass test runs on the base"},
		{"needs a module that is not here", func(in *trace.Instance) {
			in.Oracle.TestPatch = addedTest("import not_there\ndef test_add(): pass\ndef test_sub(): pass\n")
		}, calcBase, false, checks.GoldFails, "missing_module"},
		{"hangs", func(in *trace.Instance) { in.Oracle.GoldPatch = calcPatch("while True: pass") }, calcBase, false, checks.GoldFails, "0 of 1 fail-to-pass"},
		{"limits too low", func(in *trace.Instance) {
			in.Oracle.TestPatch = addedTest("x = bytearray(1 << 30)\ndef test_add(): pass\ndef test_sub(): pass\n")
		}, calcBase, false, checks.EnvironmentFails, "out_of_memory"},
		{"always another outcome", func(in *trace.Instance) {
			in.Oracle.TestPatch = addedTest("import random\nfrom calc import add\ndef test_add(): assert random.random() < 0.5\ndef test_sub(): assert True\n")
		}, calcBase, false, checks.TooFlaky, "ends alike"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := calc()
			tt.change(&in)
			s, c := subject(t, box, cache, in, map[string]string{"calc.py": tt.base}, sandbox.Limits{Wall: 4 * time.Second, Memory: 512 << 20})
			repeat := 1
			if tt.want == checks.TooFlaky {
				repeat = 20
			}
			if c.State == checks.Usable {
				var err error
				if c, err = s.CheckInstance(context.Background(), checks.InstanceOptions{Repeat: repeat, DropBroken: tt.drop}); err != nil {
					t.Fatal(err)
				}
			}
			if c.State != tt.want || !strings.Contains(c.Reason, tt.reason) || (c.State == checks.Usable) != (c.Reason == "") {
				t.Errorf("%s %q, want %s with %q", c.State, c.Reason, tt.want, tt.reason)
			}
			if strings.Contains(c.Reason, "test_") {
				t.Errorf("the reason names hidden tests: %s", c.Reason)
			}
			if tt.name == "the broken test is left out" && (len(c.Broken) != 1 || len(c.Notes) != 1 || c.Gold.PassToPassAll != 1) {
				t.Errorf("%+v", c)
			}
		})
	}
}

func TestOutcomesOfTraces(t *testing.T) {
	t.Parallel()
	box, cache := bench(t, "python3 -m pytest --version")
	in := calc()
	s, c := subject(t, box, cache, in, map[string]string{"calc.py": calcBase, "README": "x\n"}, sandbox.Limits{Wall: 4 * time.Second, Memory: 512 << 20})
	c, err := s.CheckInstance(context.Background(), checks.InstanceOptions{Repeat: 1})
	if err != nil || c.State != checks.Usable {
		t.Fatalf("%+v %v", c, err)
	}
	text := func(p string) trace.Trace { return trace.Trace{PatchState: trace.PatchText, Patch: p} }
	counts := func(f, p int) *trace.TestCounts {
		return &trace.TestCounts{FailToPassOK: f, FailToPassAll: 1, PassToPassOK: p, PassToPassAll: 1, Applied: true}
	}
	tests := []struct {
		name   string
		trace  trace.Trace
		repeat int
		want   checks.Outcome
		label  trace.Label
		bucket trace.Bucket
		counts *trace.TestCounts
		reason string
	}{
		{"gold", text(calcGold), 2, checks.Labelled, trace.Acceptable, trace.NoBucket, counts(1, 1), "1 of 1 fail-to-pass and 1 of 1 pass-to-pass tests pass; 2 runs agree"},
		{"wrong", text(calcPatch("return a")), 1, checks.Labelled, trace.Defective, trace.Omission, counts(0, 1), "0 of 1"},
		{"breaks another", text(calcGold + "diff --git a/conftest_.py b/conftest_.py\nnew file mode 100644\n--- /dev/null\n+++ b/conftest_.py\n@@ -0,0 +1 @@\n+x = 1\n" + "--- a/calc.py\n+++ b/calc.py\n@@ -4,3 +4,3 @@\n \n def sub(a, b):\n-    return a - b\n+    return a\n"), 1, checks.Labelled, trace.Defective, trace.Regression, counts(1, 0), ""},
		{"does not compile", text(calcPatch("return (")), 1, checks.Labelled, trace.Defective, trace.Regression, counts(0, 0), ""},
		{"ends the process", text(calcPatch("import os; os._exit(0)")), 1, checks.Labelled, trace.Defective, trace.Regression, counts(0, 0), ""},
		{"cannot be read", text(strings.Replace(calcGold, "@@\n def", "@@\n# gone\n def", 1)), 1, checks.DoesNotApply, trace.Unknown, "", nil, "cannot be read"},
		{"empty", trace.Trace{PatchState: trace.PatchEmpty}, 1, checks.Unchanged, trace.Defective, trace.NoChange, counts(0, 1), "no patch"},
		{"null", trace.Trace{PatchState: trace.PatchNull}, 1, checks.Unchanged, trace.Defective, trace.NoChange, counts(0, 1), ""},
		{"only tests", text(addedTest("def test_add(): pass\ndef test_sub(): pass\n")), 1, checks.Unchanged, trace.Defective, trace.NoChange, counts(0, 1), "nothing but tests"},
		{"own tests do not count", text(calcPatch("return a") + addedTest("def test_add(): pass\ndef test_sub(): pass\n")), 1, checks.Labelled, trace.Defective, trace.Omission, counts(0, 1), ""},
		{"field missing", trace.Trace{PatchState: trace.PatchAbsent}, 1, checks.PatchUnknown, trace.Unknown, "", nil, "no field"},
		{"prose", trace.Trace{PatchState: trace.PatchNoDiffFound, Patch: "sorry"}, 1, checks.DoesNotApply, trace.Unknown, "", nil, "no diff"},
		{"does not apply", text(strings.Replace(calcGold, "a - b", "a ^ b", 1)), 1, checks.DoesNotApply, trace.Unknown, "", nil, "line 2 differs"},
		{"hangs", text(calcPatch("while True: pass")), 1, checks.Hangs, trace.Unknown, "", nil, "1 expected tests ran into the time limit"},
		{"hangs in import", text("--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,3 @@\n+while True: pass\n def add(a, b):\n     return a - b\n"), 1, checks.Hangs, trace.Unknown, "", nil, "time limit"},
		{"eats memory", text(calcPatch("return bytearray(1 << 30)")), 1, checks.Environment, trace.Unknown, "", nil, "out_of_memory"},
		{"another outcome each time", text(calcPatch("import os; return (a + b) if os.urandom(1)[0] < 128 else 0")), 20, checks.Unsteady, trace.Unknown, "", nil, "disagree"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := s.CheckTrace(context.Background(), tt.trace, c, tt.repeat)
			if err != nil {
				t.Fatal(err)
			}
			if got.Outcome != tt.want || got.Label != tt.label || got.Bucket != tt.bucket || !strings.Contains(got.Reason, tt.reason) {
				t.Errorf("%s %q %q %q", got.Outcome, got.Label, got.Bucket, got.Reason)
				for _, e := range got.Executions {
					t.Logf("%+v %s", e.Run.Tests, e.Run.Report.Stdout)
				}
			}
			if tt.want != checks.Unsteady {
				if d := cmp.Diff(tt.counts, got.Counts); d != "" {
					t.Error(d)
				}
			}
			if len(got.Executions) > 0 && got.Outcome != checks.Hangs && strings.Contains(got.Reason, "test_") {
				t.Errorf("the reason names hidden tests: %s", got.Reason)
			}
		})
	}
	broken := checks.InstanceCheck{State: checks.GoldFails, Reason: "why"}
	got, err := s.CheckTrace(context.Background(), text(calcGold), broken, 1)
	if err != nil || got.Outcome != checks.NotUsable || got.Label != trace.Unknown || !strings.Contains(got.Reason, "gold_fails: why") {
		t.Errorf("%+v %v", got, err)
	}
	got, err = s.CheckTrace(context.Background(), trace.Trace{PatchState: trace.PatchEmpty}, broken, 1)
	if err != nil || got.Outcome != checks.Unchanged || got.Bucket != trace.NoChange {
		t.Errorf("an empty patch needs no instance: %+v %v", got, err)
	}
}
