package checks_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plumbline/runner/checks"
	"plumbline/runner/sandbox"
	"plumbline/runner/workspace"
)

// require skips the test, or fails it where everything is required.
func require(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("PLUMBLINE_TEST_REQUIRE") == "all" {
		t.Fatalf("required here, and missing: %s", why)
	}
	t.Skip(why)
}

// bench is a sandbox with a cache of base trees.
func bench(t testing.TB, program ...string) (sandbox.Backend, *workspace.Cache) {
	t.Helper()
	box, err := sandbox.Open(context.Background(), sandbox.Auto, sandbox.Options{})
	if err != nil {
		require(t, err.Error())
	}
	for _, p := range program {
		r, err := box.Run(context.Background(), sandbox.Cmd{Path: "/bin/sh", Args: []string{"-c", p}, Limits: sandbox.Limits{Wall: time.Minute}})
		if err != nil || !r.OK() {
			require(t, "in the sandbox, this fails: "+p)
		}
	}
	c, err := workspace.OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return box, c
}

// goCache is kept between runs of the tests, because filling it takes long.
func goCache(t testing.TB) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		return t.TempDir()
	}
	return filepath.Join(dir, "plumbline-test-gocache")
}

func treeOf(t testing.TB, c *workspace.Cache, files map[string]string) *workspace.Tree {
	t.Helper()
	b, err := c.FromFiles(context.Background(), files)
	if err != nil {
		t.Fatal(err)
	}
	return b.Tree()
}

// line is a test for comparing, without text and time.
type line struct {
	ID     string
	Status checks.Status
	Phase  checks.Phase
	Kind   string
	Where  string
}

func lines(tests []checks.Test) []line {
	var out []line
	for _, t := range tests {
		out = append(out, line{t.ID, t.Status, t.Phase, t.Kind, t.Where})
	}
	slices.SortFunc(out, func(a, b line) int { return strings.Compare(a.ID, b.ID) })
	return out
}

func runTests(t *testing.T, runner string, s checks.Settings, x checks.Exec, ask checks.Ask) checks.Run {
	t.Helper()
	r, err := checks.NewRunner(runner, s)
	if err != nil {
		t.Fatal(err)
	}
	run, err := r.Run(context.Background(), x, ask)
	if err != nil {
		t.Fatal(err)
	}
	if run.Runner != runner {
		t.Errorf("the run is of %q", run.Runner)
	}
	return run
}

const pyTests = `
import unittest
import pytest

def test_ok(): pass
def test_assert(): assert 1 == 2, "no"
def test_raise(): {}["k"]
def test_import(): import not_there
def test_name(): undefined
@pytest.fixture
def broken(): raise ValueError("fixture")
def test_setup(broken): pass
@pytest.fixture
def messy():
    yield
    raise OSError("late")
def test_teardown(messy): pass
@pytest.mark.skip(reason="why")
def test_skip(): pass
@pytest.mark.xfail
def test_xfail(): assert 0
@pytest.mark.xfail
def test_xpass(): pass
@pytest.mark.parametrize("x", [1, "a b", "c[d]"])
def test_param(x): assert x != 1
class TestIn:
    class TestDeep:
        def test_deep(self): pass
class TestUnit(unittest.TestCase):
    def setUp(self):
        if "bad" in self.id(): raise RuntimeError("x")
    def test_bad(self): pass
    def test_good(self): pass
def test_exit(): raise SystemExit(3)
`

func TestPytest(t *testing.T) {
	t.Parallel()
	box, c := bench(t, "python3 -m pytest --version")
	x := checks.Exec{Box: box, Tree: treeOf(t, c, map[string]string{
		"tests/test_a.py": pyTests, "tests/test_broken.py": "import not_there\ndef test_x(): pass\n", "tests/test_syntax.py": "def test_x(:\n",
		"tests/__init__.py": "", "tests/test_none.py": "x = 1\n",
	})}
	run := runTests(t, checks.Pytest, checks.Settings{}, x, checks.Ask{IDs: []string{
		"tests/test_a.py::test_ok", "tests/test_broken.py::test_x", "tests/test_syntax.py::test_x", "tests/test_gone.py::test_x",
	}})
	want := []line{
		{"tests/test_a.py::TestIn::TestDeep::test_deep", checks.Passed, checks.Call, "", ""},
		{"tests/test_a.py::TestUnit::test_bad", checks.Failed, checks.Call, "RuntimeError", "tests/test_a.py"},
		{"tests/test_a.py::TestUnit::test_good", checks.Passed, checks.Call, "", ""},
		{"tests/test_a.py::test_assert", checks.Failed, checks.Call, "AssertionError", "tests/test_a.py"},
		{"tests/test_a.py::test_exit", checks.Failed, checks.Call, "SystemExit", "tests/test_a.py"},
		{"tests/test_a.py::test_import", checks.Failed, checks.Call, "ModuleNotFoundError", "tests/test_a.py"},
		{"tests/test_a.py::test_name", checks.Failed, checks.Call, "NameError", "tests/test_a.py"},
		{"tests/test_a.py::test_ok", checks.Passed, checks.Call, "", ""},
		{"tests/test_a.py::test_param[1]", checks.Failed, checks.Call, "AssertionError", "tests/test_a.py"},
		{"tests/test_a.py::test_param[a b]", checks.Passed, checks.Call, "", ""},
		{"tests/test_a.py::test_param[c[d]]", checks.Passed, checks.Call, "", ""},
		{"tests/test_a.py::test_raise", checks.Failed, checks.Call, "KeyError", "tests/test_a.py"},
		{"tests/test_a.py::test_setup", checks.Errored, checks.Setup, "ValueError", "tests/test_a.py"},
		{"tests/test_a.py::test_skip", checks.Skipped, checks.Call, "", ""},
		{"tests/test_a.py::test_teardown", checks.Errored, checks.Teardown, "OSError", "tests/test_a.py"},
		{"tests/test_a.py::test_xfail", checks.ExpectedFail, checks.Call, "", ""},
		{"tests/test_a.py::test_xpass", checks.Passed, checks.Call, "", ""},
		{"tests/test_broken.py", checks.Errored, checks.Collection, "ModuleNotFoundError", "tests/test_broken.py"},
		{"tests/test_syntax.py", checks.Errored, checks.Collection, "SyntaxError", "tests/test_syntax.py"},
	}
	if d := cmp.Diff(want, lines(run.Tests)); d != "" {
		t.Errorf("%s\n%s", d, run.Report.Stdout)
	}
	if run.Fault != checks.FaultCollection || run.Report.Unsandboxed || len(run.Command) == 0 {
		t.Errorf("%s %s", run.Fault, run.Detail)
	}
	var behaviour []string
	for _, x := range run.Tests {
		if x.Behavioural(func(p string) bool { return strings.HasPrefix(p, "tests/") }) {
			behaviour = append(behaviour, x.ID[len("tests/test_a.py::"):])
		}
	}
	slices.Sort(behaviour)
	if d := cmp.Diff([]string{"TestUnit::test_bad", "test_assert", "test_exit", "test_param[1]", "test_raise"}, behaviour); d != "" {
		t.Error(d)
	}
	f2p := run.Look([]string{"tests/test_a.py::test_ok", "test_raise", "tests/test_a.py::test_param[a", "tests/test_a.py::test_param[", "tests/test_a.py::test_skip", "tests/test_a.py::test_xfail", "tests/test_broken.py::test_x", "tests/test_gone.py::test_x"}, false)
	var got []checks.Status
	for _, x := range f2p {
		got = append(got, x.Test.Status)
	}
	if d := cmp.Diff([]checks.Status{checks.Passed, checks.Failed, checks.Passed, checks.Failed, checks.Skipped, checks.ExpectedFail, checks.Errored, checks.Missing}, got); d != "" {
		t.Error(d)
	}
	if n := checks.Held(f2p); n != 3 {
		t.Errorf("%d fail-to-pass tests hold: %+v", n, f2p)
	}
	if p2p := run.Look([]string{"tests/test_a.py::test_skip"}, true); !p2p[0].OK {
		t.Error("a skipped test breaks a pass-to-pass promise")
	}
}

func TestPytestFaults(t *testing.T) {
	t.Parallel()
	box, c := bench(t, "python3 -m pytest --version")
	one := checks.Ask{IDs: []string{"test_a.py::test_ok"}}
	tests := []struct {
		name   string
		files  map[string]string
		limits sandbox.Limits
		fault  checks.Fault
		ok     bool
	}{
		{"nothing collected", map[string]string{"test_a.py": "x = 1\n"}, sandbox.Limits{}, checks.FaultNothing, false},
		{"no file", map[string]string{"a.py": "x = 1\n"}, sandbox.Limits{}, checks.FaultNothing, false},
		{"ends the process", map[string]string{"test_a.py": "import os\ndef test_ok(): os._exit(0)\n"}, sandbox.Limits{}, checks.FaultNoReport, false},
		{"dies", map[string]string{"test_a.py": "import os\ndef test_ok(): os.kill(os.getpid(), 11)\n"}, sandbox.Limits{}, checks.FaultCrash, false},
		{"eats memory", map[string]string{"test_a.py": "def test_ok(): x = bytearray(1 << 30)\n"}, sandbox.Limits{Memory: 128 << 20}, checks.FaultMemory, false},
		{"options for a plugin that is not here", map[string]string{"test_a.py": "def test_ok(): pass\n", "pytest.ini": "[pytest]\naddopts = --no-such-option\n"}, sandbox.Limits{}, "", true},
		{"writes its own report", map[string]string{"test_a.py": "import os\ndef test_ok():\n    open('../out/report.xml', 'w').write('<testsuites/>')\n    os._exit(0)\n"}, sandbox.Limits{}, checks.FaultNothing, false},
		{"leaves a link for a report", map[string]string{"test_a.py": "import os\ndef test_ok():\n    os.symlink('/etc/passwd', '../out/report.xml')\n    os._exit(0)\n"}, sandbox.Limits{}, checks.FaultNoReport, false},
		{"cuts the report off", map[string]string{"test_a.py": "import os\ndef test_ok():\n    open('../out/report.xml', 'w').write('<testsuites><testsuite name=\"x\"><testcase')\n    os._exit(0)\n"}, sandbox.Limits{}, checks.FaultBadReport, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := runTests(t, checks.Pytest, checks.Settings{}, checks.Exec{Box: box, Tree: treeOf(t, c, tt.files), Limits: tt.limits}, one)
			if run.Fault != tt.fault || (run.Fault != "") != (run.Detail != "") {
				t.Errorf("%q %q, want %q; %s", run.Fault, run.Detail, tt.fault, run.Report.Stdout)
			}
			if got := run.Look(one.IDs, false)[0]; got.OK != tt.ok {
				t.Errorf("%+v", got)
			}
		})
	}
}

// A test that hangs is named, and the others have their outcome.
func TestHangs(t *testing.T) {
	t.Parallel()
	box, c := bench(t, "python3 -m pytest --version")
	x := checks.Exec{Box: box, Limits: sandbox.Limits{Wall: 3 * time.Second}, Tree: treeOf(t, c, map[string]string{
		"test_a.py": "import time, unittest\ndef test_first(): pass\ndef test_hang(): time.sleep(600)\ndef test_last(): assert 0\nclass C(unittest.TestCase):\n    def test_m(self): pass\n    def test_n(self): time.sleep(600)\n    def test_o(self): pass\n",
	})}
	run := runTests(t, checks.Pytest, checks.Settings{}, x, checks.Ask{IDs: []string{"test_a.py::test_first"}})
	want := []line{
		{"test_a.py::C::test_m", checks.Passed, checks.Call, "", ""}, {"test_a.py::C::test_n", checks.TimedOut, checks.Call, "", ""}, {"test_a.py::C::test_o", checks.Passed, checks.Call, "", ""},
		{"test_a.py::test_first", checks.Passed, checks.Call, "", ""}, {"test_a.py::test_hang", checks.TimedOut, checks.Call, "", ""}, {"test_a.py::test_last", checks.Failed, checks.Call, "AssertionError", "test_a.py"},
	}
	if d := cmp.Diff(want, lines(run.Tests)); d != "" || len(run.Hung) != 2 {
		t.Errorf("%s %v %s", d, run.Hung, run.Report.Stdout)
	}
	run = runTests(t, checks.Unittest, checks.Settings{}, x, checks.Ask{IDs: []string{"test_a.C.test_m", "test_n (test_a.C)", "test_a.C.test_o"}})
	if d := cmp.Diff([]line{{"test_a.C.test_m", checks.Passed, checks.Call, "", ""}, {"test_a.C.test_o", checks.Passed, checks.Call, "", ""}, {"test_n (test_a.C)", checks.TimedOut, checks.Call, "", ""}}, lines(run.Tests)); d != "" {
		t.Error(d)
	}
}

func TestUnittest(t *testing.T) {
	t.Parallel()
	box, c := bench(t, "python3 -c 'import unittest'")
	x := checks.Exec{Box: box, Tree: treeOf(t, c, map[string]string{
		"pkg/__init__.py": "", "pkg/test_broken.py": "import not_there\n",
		"pkg/test_a.py": `
import unittest
class A(unittest.TestCase):
    def test_ok(self): pass
    def test_assert(self): self.assertEqual(1, 2)
    def test_raise(self): {}["k"]
    @unittest.skip("why")
    def test_skip(self): pass
    @unittest.expectedFailure
    def test_xfail(self): self.fail()
    def test_sub(self):
        for i in range(2):
            with self.subTest(i=i): self.assertEqual(i, 0)
    def test_exit(self): raise SystemExit
class B(unittest.TestCase):
    def setUp(self): raise OSError("no")
    def test_setup(self): pass
class D(unittest.TestCase):
    def tearDown(self): raise OSError("no")
    def test_teardown(self): pass
class E(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise OSError("no")
    def test_class(self): pass
`})}
	ids := []string{"pkg.test_a.A.test_ok", "test_assert (pkg.test_a.A)", "test_raise (pkg.test_a.A.test_raise)", "pkg.test_a.A.test_skip", "pkg.test_a.A.test_xfail", "pkg.test_a.A.test_sub",
		"pkg.test_a.B.test_setup", "pkg.test_a.D.test_teardown", "pkg.test_a.E.test_class", "pkg.test_broken.X.test_x", "pkg.test_a.A.gone", "pkg.gone.X.test_x", "pkg.test_a.A.test_exit"}
	run := runTests(t, checks.Unittest, checks.Settings{}, x, checks.Ask{IDs: ids})
	want := []line{
		{"pkg.gone.X.test_x", checks.Errored, checks.Collection, "ImportError", ""},
		{"pkg.test_a.A.gone", checks.Errored, checks.Collection, "AttributeError", ""},
		{"pkg.test_a.A.test_exit", checks.Failed, checks.Call, "SystemExit", "pkg/test_a.py"},
		{"pkg.test_a.A.test_ok", checks.Passed, checks.Call, "", ""},
		{"pkg.test_a.A.test_skip", checks.Skipped, checks.Call, "", ""},
		{"pkg.test_a.A.test_sub", checks.Failed, checks.Call, "AssertionError", "pkg/test_a.py"},
		{"pkg.test_a.A.test_xfail", checks.ExpectedFail, checks.Call, "", ""},
		{"pkg.test_a.B.test_setup", checks.Errored, checks.Setup, "OSError", "pkg/test_a.py"},
		{"pkg.test_a.D.test_teardown", checks.Errored, checks.Teardown, "OSError", "pkg/test_a.py"},
		{"pkg.test_a.E.test_class", checks.Errored, checks.Setup, "OSError", "pkg/test_a.py"},
		{"pkg.test_broken.X.test_x", checks.Errored, checks.Collection, "ImportError", ""},
		{"test_assert (pkg.test_a.A)", checks.Failed, checks.Call, "AssertionError", "pkg/test_a.py"},
		{"test_raise (pkg.test_a.A.test_raise)", checks.Failed, checks.Call, "KeyError", "pkg/test_a.py"},
	}
	if d := cmp.Diff(want, lines(run.Tests)); d != "" {
		t.Errorf("%s\n%s", d, run.Report.Stderr)
	}
	x.Tree = treeOf(t, c, map[string]string{"test_a.py": "import os, unittest\nclass A(unittest.TestCase):\n    def test_ok(self): os._exit(0)\n    def test_b(self): pass\n"})
	run = runTests(t, checks.Unittest, checks.Settings{}, x, checks.Ask{IDs: []string{"test_a.A.test_ok", "test_a.A.test_b"}})
	if run.Fault != checks.FaultCrash || checks.Held(run.Look([]string{"test_a.A.test_ok", "test_a.A.test_b"}, false)) != 0 {
		t.Errorf("%+v", run)
	}
}

func TestGoTest(t *testing.T) {
	t.Parallel()
	box, c := bench(t, "/usr/local/go/bin/go version || go version")
	s := checks.Settings{GoCache: goCache(t)}
	x := checks.Exec{Box: box, Limits: sandbox.Limits{Wall: 5 * time.Minute}, Tree: treeOf(t, c, map[string]string{
		"go.mod": "module example.invalid/m\n\ngo 1.21\n", "m.go": "package m\n\nfunc Two() int { return 2 }\n",
		"m_test.go":     "package m\n\nimport \"testing\"\n\nfunc TestOK(t *testing.T) {}\nfunc TestBad(t *testing.T) { t.Error(Two()) }\nfunc TestSkip(t *testing.T) { t.Skip() }\nfunc TestSub(t *testing.T) { t.Run(\"a b\", func(t *testing.T) {}); t.Run(\"c\", func(t *testing.T) { t.Fail() }) }\nfunc TestOther(t *testing.T) {}\n",
		"p/p_test.go":   "package p\n\nimport \"testing\"\n\nfunc TestPanic(t *testing.T) { var m map[string]int; m[\"x\"] = 1 }\nfunc TestAfter(t *testing.T) {}\n",
		"q/q_test.go":   "package q\n\nimport \"testing\"\n\nfunc TestBuild(t *testing.T) { undefined() }\n",
		"e/e_test.go":   "package e\n\nimport (\"os\"; \"testing\")\n\nfunc init() { os.Exit(0) }\nfunc TestNever(t *testing.T) {}\n",
		"s/s_test.go":   "package s\n\nfunc TestSyntax(t *testing.T) {\n",
		"none/none.go":  "package none\n",
		"r/r_test.go":   "package r\n\nimport (\"testing\"; \"os\")\n\nfunc TestEnv(t *testing.T) { if os.Getenv(\"HOME\") != \"/box/home\" { t.Fatal(os.Environ()) } }\n",
		"m2/m2_test.go": "package m2\n\nimport \"testing\"\n\nfunc TestBare(t *testing.T) {}\n",
	})}
	ids := []string{". TestOK", ". TestBad", ". TestSkip", ". TestSub/a_b", "./p TestPanic", "./p TestAfter", "./q TestBuild", "./e TestNever", "./s TestSyntax", "./none TestNone", "./r TestEnv", "TestBare"}
	run := runTests(t, checks.GoTest, s, x, checks.Ask{IDs: ids, Files: []string{"m2/m2_test.go", "m2/data.txt"}})
	var got []string
	for _, l := range run.Look(ids, false) {
		got = append(got, l.ID+" "+string(l.Test.Status)+" "+string(l.Test.Phase)+" "+l.Test.Kind)
	}
	want := []string{
		". TestOK passed call ", ". TestBad failed call assertion", ". TestSkip skipped call ", ". TestSub/a_b passed call ", "./p TestPanic failed call panic", "./p TestAfter missing  ",
		"./q TestBuild errored collection build", "./e TestNever missing  ", "./s TestSyntax errored collection build", "./none TestNone missing  ", "./r TestEnv passed call ", "TestBare passed call ",
	}
	if d := cmp.Diff(want, got); d != "" || run.Fault != checks.FaultBuild {
		t.Errorf("%s %s %s\n%s", d, run.Fault, run.Detail, run.Report.Stdout)
	}
	if slices.ContainsFunc(run.Tests, func(t checks.Test) bool { return strings.HasSuffix(t.ID, "TestOther") }) {
		t.Error("a test ran that nobody asked for")
	}
	x.Limits.Wall = 20 * time.Second
	x.Tree = treeOf(t, c, map[string]string{"go.mod": "module m\n", "m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\nfunc TestHang(t *testing.T) { for {} }\nfunc TestZ(t *testing.T) {}\n"})
	run = runTests(t, checks.GoTest, s, x, checks.Ask{IDs: []string{". TestA", ". TestHang", ". TestZ"}})
	if d := cmp.Diff([]line{{". TestA", checks.Passed, checks.Call, "", ""}, {". TestHang", checks.TimedOut, checks.Call, "", ""}, {". TestZ", checks.Passed, checks.Call, "", ""}}, lines(run.Tests)); d != "" {
		t.Errorf("%s %s", d, run.Detail)
	}
}

func TestNode(t *testing.T) {
	t.Parallel()
	// PLUMBLINE_TEST_NODE is a folder with another node to try; the system's otherwise.
	other := os.Getenv("PLUMBLINE_TEST_NODE")
	works := "cd /tmp && echo \"require('node:test')('x', () => {})\" >x.test.js && node --test --test-reporter=junit x.test.js"
	if other != "" {
		works = "true"
	}
	box, c := bench(t, works)
	x := checks.Exec{Box: box, Tree: treeOf(t, c, map[string]string{
		"test/a.test.js": `
const {test, describe, it, before} = require('node:test'); const assert = require('assert');
test('ok', () => {}); test('bad', () => assert.equal(1, 2)); test('throws', () => null.x);
describe('s', () => { it('in', () => {}); describe('t', () => it('deep', () => assert.ok(false))) });
test('skip', {skip: true}, () => {}); test('todo', {todo: true}, () => assert.ok(0));
test('slow', {timeout: 50}, () => new Promise(r => setTimeout(r, 5000)));
test('asks', () => require('not-there'));
`, "test/b.test.js": "require('not-there')\n"})}
	if other != "" {
		x.Mounts = []sandbox.Mount{{Source: other, Target: "node"}}
		x.Env = []string{"PATH=" + sandbox.Box + "/node:" + sandbox.SystemPath}
	}
	ids := []string{"ok", "bad", "throws", "s > in", "s > t > deep", "deep", "skip", "todo", "slow", "asks", "test/b.test.js::anything", "test/a.test.js::s > in"}
	run := runTests(t, checks.NodeTest, checks.Settings{}, x, checks.Ask{IDs: ids, Files: []string{"test/a.test.js", "test/b.test.js", "package.json"}})
	var got []string
	for _, l := range run.Look(ids, false) {
		got = append(got, l.ID+" "+string(l.Test.Status)+" "+string(l.Test.Phase)+" "+l.Test.Kind)
	}
	want := []string{"ok passed call ", "bad failed call AssertionError", "throws failed call TypeError", "s > in passed call ", "s > t > deep failed call AssertionError", "deep failed call AssertionError",
		"skip skipped call ", "todo xfail call ", "slow timed_out call ", "asks failed call MODULE_NOT_FOUND", "test/b.test.js::anything errored collection ", "test/a.test.js::s > in passed call "}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s\n%+v", d, run.Tests)
	}
}

// A node that is too old says so and is nobody's failed test.
func TestOldNode(t *testing.T) {
	t.Parallel()
	for _, says := range []string{"Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'junit' imported from /box/tree/\n\nNode.js v18.17.1", "/usr/bin/node: bad option: --test\nNode.js v18.17.1"} {
		box, c := bench(t)
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "node"), []byte("#!/bin/sh\ncat >&2 <<'X'\n"+says+"\nX\nexit 7\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		x := checks.Exec{
			Box: box, Tree: treeOf(t, c, map[string]string{"test/a.test.js": ""}), Mounts: []sandbox.Mount{{Source: dir, Target: "node"}},
			Env: []string{"PATH=" + sandbox.Box + "/node:" + sandbox.SystemPath},
		}
		run := runTests(t, checks.NodeTest, checks.Settings{}, x, checks.Ask{IDs: []string{"ok"}, Files: []string{"test/a.test.js"}})
		if run.Fault != checks.FaultUsage || !run.Fault.Environmental() || !strings.Contains(run.Detail, "node v18.17.1 writes no JUnit report") {
			t.Errorf("%s: %s", run.Fault, run.Detail)
		}
	}
}

func TestJUnitCommand(t *testing.T) {
	t.Parallel()
	box, c := bench(t)
	x := checks.Exec{Box: box, Tree: treeOf(t, c, map[string]string{"make.sh": `
cat >"$REPORTS/a.xml" <<'X'
<?xml version="1.0"?><testsuites><testsuite name="outer"><testsuite name="inner">
<testcase classname="a.B" name="good" time="0.5"/><testcase classname="a.B" name="bad"><failure message="m" type="AssertionError">text</failure></testcase>
<testcase name="both"><skipped/><error message="e"/></testcase><testcase name="again"/><testcase name="again"><failure/></testcase>
</testsuite></testsuite></testsuites>
X
printf '<testsuite><testcase name="ctl\001x"/>' >"$REPORTS/b.xml"
exit 1
`})}
	run := runTests(t, checks.JUnit, checks.Settings{Command: []string{"sh", "make.sh"}}, x, checks.Ask{})
	ids := []string{"a.B.good", "good", "a.B::bad", "outer > inner > both", "again"}
	var got []checks.Status
	for _, l := range run.Look(ids, false) {
		got = append(got, l.Test.Status)
	}
	if d := cmp.Diff([]checks.Status{checks.Passed, checks.Passed, checks.Failed, checks.Failed, checks.Failed}, got); d != "" {
		t.Errorf("%s %+v", d, run)
	}
	if run.Fault != checks.FaultBadReport || !strings.Contains(run.Detail, "to its end") {
		t.Errorf("%s %s", run.Fault, run.Detail)
	}
	run = runTests(t, checks.JUnit, checks.Settings{Command: []string{"true"}}, x, checks.Ask{})
	if run.Fault != checks.FaultNoReport {
		t.Errorf("%s %s", run.Fault, run.Detail)
	}
	run = runTests(t, checks.JUnit, checks.Settings{Command: []string{"no-such-command"}}, x, checks.Ask{})
	if run.Fault != checks.FaultRefused || !run.Fault.Environmental() {
		t.Errorf("%s %s", run.Fault, run.Detail)
	}
	if _, err := checks.NewRunner(checks.JUnit, checks.Settings{}); err == nil {
		t.Error("a runner without a command was made")
	}
	if _, err := checks.NewRunner("tape", checks.Settings{}); err == nil {
		t.Error("an unknown runner was made")
	}
}
