package gentest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/cascade"
	"plumbline/experiments/cascade/gentest"
)

const pyTest = "import unittest\n\nclass T(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(f(1), 2)\n"

const goTest = "package limiter\n\nimport \"testing\"\n\nfunc TestIt(t *testing.T) {\n\tif F() != 1 {\n\t\tt.Error(\"no\")\n\t}\n}\n"

const goPatch = "diff --git a/limiter/x_test.go b/limiter/x_test.go\n--- a/limiter/x_test.go\n+++ b/limiter/x_test.go\n@@ -1 +1 @@\n-a\n+b\n" +
	"diff --git a/limiter/x.go b/limiter/x.go\n--- a/limiter/x.go\n+++ b/limiter/x.go\n@@ -1 +1 @@\n-a\n+b\n"

func TestParse(t *testing.T) {
	t.Parallel()
	py := gentest.Input{Language: "python", Framework: gentest.Unittest}
	golang := gentest.Input{Language: "go", Framework: gentest.GoTest, Patch: goPatch}
	for _, tt := range []struct {
		name  string
		reply string
		in    gentest.Input
		want  gentest.Test
		flaw  cascade.Flaw
	}{
		{"as asked", "FILE: tests/test_new.py\n```python\n" + pyTest + "```\nASSERTS: f adds one.\nLIMITS: nothing else.\n", py,
			gentest.Test{Path: "tests/test_plumbline_generated.py", Source: pyTest, Asserts: "f adds one.", Limits: "nothing else."}, cascade.NoFlaw},
		{"prose around, two blocks, bold words", "Sure! First run\n```\npip install x\n```\nthen:\n**File:** `test_a.py`\n\n~~~py\n" + pyTest + "~~~\n**ASSERTS:** it adds.", py,
			gentest.Test{Path: "test_plumbline_generated.py", Source: pyTest, Asserts: "it adds."}, cascade.NoFlaw},
		{"a fence that never ends", "FILE: test_a.py\n```python\n" + pyTest, py, gentest.Test{Path: "test_plumbline_generated.py", Source: pyTest}, cascade.NoFlaw},
		{"nothing but code", pyTest, py, gentest.Test{Path: "test_plumbline_generated.py", Source: pyTest}, cascade.NoFlaw},
		{"reasoning with another test in it", "<think>```python\ndef test_x(): assert y\n```</think>\n```python\n" + pyTest + "```", py,
			gentest.Test{Path: "test_plumbline_generated.py", Source: pyTest}, cascade.NoFlaw},
		{"a path that leads out", "FILE: ../../etc/test_x.py\n```python\n" + pyTest + "```", py, gentest.Test{Path: "test_plumbline_generated.py", Source: pyTest}, cascade.NoFlaw},
		{"an absolute path", "FILE: /etc/test_x.py\n```python\n" + pyTest + "```", py, gentest.Test{Path: "test_plumbline_generated.py", Source: pyTest}, cascade.NoFlaw},
		{"go beside its package", "```go\n" + goTest + "```", golang, gentest.Test{Path: "limiter/plumbline_generated_test.go", Source: goTest}, cascade.NoFlaw},
		{"go that does not parse", "```go\npackage x\nfunc TestX(t *testing.T) { if }\n```", golang,
			gentest.Test{Path: "limiter/plumbline_generated_test.go", Source: "package x\nfunc TestX(t *testing.T) { if }\n"}, cascade.Unloadable},
		{"prose", "I would test that the retry header is rounded up. A good test would call the server.", py, gentest.Test{}, cascade.NoTest},
		{"a refusal", "I cannot help with that.", py, gentest.Test{}, cascade.NoTest},
		{"nothing", "", py, gentest.Test{}, cascade.NoTest},
		{"another language", "```go\n" + goTest + "```", py, gentest.Test{}, cascade.NoTest},
		{"code that is no test", "```python\ndef add(a, b):\n    return a + b\n```", py, gentest.Test{}, cascade.NoTest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, flaw := gentest.Parse(tt.reply, tt.in)
			if diff := cmp.Diff(tt.want, got); diff != "" || flaw != tt.flaw {
				t.Errorf("flaw %q, want %q; test (-want +got):\n%s", flaw, tt.flaw, diff)
			}
		})
	}
}

func TestInspect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, language, source string
		want                   cascade.Flaw
	}{
		{"python", "python", pyTest, cascade.NoFlaw},
		{"pytest raises", "python", "def test_x():\n    with pytest.raises(ValueError):\n        f()\n", cascade.NoFlaw},
		{"assert True", "python", "def test_x():\n    f()\n    assert True\n", cascade.Trivial},
		{"assert True with a message", "python", "def test_x():\n    assert True, 'it ran'\n", cascade.Trivial},
		{"constants compared", "python", "class T(TestCase):\n    def test_x(self):\n        self.assertEqual(1, 1)\n        self.assertTrue(True)\n", cascade.Trivial},
		{"one that counts among constants", "python", "def test_x():\n    assert True\n    assert f() == 1\n", cascade.NoFlaw},
		{"prints only", "python", "def test_x():\n    print(f())\n", cascade.NoAssertion},
		{"an assertion in a comment", "python", "def test_x():\n    f()  # assert it worked\n", cascade.NoAssertion},
		{"an assertion in a docstring", "python", "def test_x():\n    \"\"\"\n    assert that it works\n    \"\"\"\n    f()\n", cascade.NoAssertion},
		{"go", "go", goTest, cascade.NoFlaw},
		{"go without assertion", "go", "package x\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { F() /* t.Error() */ }\n", cascade.NoAssertion},
		{"go constants", "go", "package x\n\nfunc TestX(t *testing.T) { require.True(t, true) }\n", cascade.Trivial},
		{"node", "javascript", "test('x', () => { assert.equal(f(), 2) })\n", cascade.NoFlaw},
		{"node constants", "javascript", "test('x', () => { assert(true) })\n", cascade.Trivial},
		{"node expectations", "javascript", "it('x', () => { expect(f()).toBe(2) })\n", cascade.NoFlaw},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := gentest.Inspect(tt.language, tt.source); got != tt.want {
				t.Errorf("flaw %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPrompt(t *testing.T) {
	t.Parallel()
	in := gentest.Input{Language: "python", Framework: gentest.Pytest, Issue: "Add {{patch}} please", Patch: "+x = 1"}
	m, err := gentest.Prompt(in, gentest.Current)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Language: python", "pytest", "Add {{patch}} please", "+x = 1"} {
		if !strings.Contains(m.User, want) {
			t.Errorf("the prompt lacks %q:\n%s", want, m.User)
		}
	}
	if strings.Contains(m.User, "could not be used") || strings.Contains(m.User, "{{again}}") || strings.Count(m.User, "+x = 1") != 1 {
		t.Errorf("the first prompt is\n%s", m.User)
	}
	in.Last, in.Feedback = "def test_x(): pass", "ImportError: no module named y"
	if m, err = gentest.Prompt(in, gentest.Current); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(m.User, "ImportError: no module named y") || !strings.Contains(m.User, "def test_x(): pass") {
		t.Errorf("the repair prompt is\n%s", m.User)
	}
	in.Patch = strings.Repeat("é", 100_000)
	if m, err = gentest.Prompt(in, gentest.Current); err != nil || len(m.User) > 100_000 || !strings.Contains(m.User, "[… cut …]") {
		t.Errorf("a long patch gives %d bytes, error %v", len(m.User), err)
	}
	if _, err := gentest.Prompt(in, "v0"); err == nil {
		t.Error("an unknown version is written")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("FILE: a.py\n```python\ndef test(): assert x\n```")
	f.Add("```\n~~~\n```go\nfunc TestX(t *testing.T) {")
	f.Fuzz(func(t *testing.T, reply string) {
		for _, lang := range []string{"python", "go", "javascript"} {
			got, flaw := gentest.Parse(reply, gentest.Input{Language: lang, Patch: goPatch})
			if flaw == cascade.NoFlaw && (got.Source == "" || got.Path == "" || strings.HasPrefix(got.Path, "/") || strings.HasPrefix(got.Path, "..")) {
				t.Errorf("test %+v without a flaw", got)
			}
		}
	})
}
