package checks_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/cascade"
	"plumbline/experiments/patch"
	"plumbline/runner/checks"
	"plumbline/runner/sandbox"
	"plumbline/runner/workspace"
)

func tools(t *testing.T, b sandbox.Backend, names ...string) []checks.StaticTool {
	t.Helper()
	all, err := checks.FindStatic(context.Background(), b, "", checks.Settings{GoCache: goCache(t)})
	if err != nil {
		t.Fatal(err)
	}
	var out []checks.StaticTool
	for _, tool := range all {
		for _, n := range names {
			if tool.Name == n {
				out = append(out, tool)
			}
		}
	}
	if len(out) == 0 {
		require(t, "none of "+strings.Join(names, ", ")+" works in the sandbox")
	}
	return out
}

// trees makes a base of files and the patched tree on it.
func trees(t *testing.T, files map[string]string, diff string) (base, patched *workspace.Tree) {
	t.Helper()
	_, cache := bench(t)
	base = treeOf(t, cache, files)
	patched = base.Clone()
	if r := patched.Apply(diff, workspace.ApplyOptions{}); !r.Applied {
		t.Fatalf("the patch does not apply: %v", r.Rejected())
	}
	return base, patched
}

func modify(file, text string) string {
	return "diff --git a/" + file + " b/" + file + "\n--- a/" + file + "\n+++ b/" + file + "\n" + text
}

func TestStaticPython(t *testing.T) {
	t.Parallel()
	b, _ := bench(t)
	all := tools(t, b, "pyflakes", "ruff")[:1]
	const source = "import os\n\n\ndef f():\n    return old\n"
	for _, tt := range []struct {
		name, diff string
		want       cascade.Static
	}{
		{"a new unbound name", modify("a.py", "@@ -3,3 +3,3 @@\n \n def f():\n-    return old\n+    return old + new\n"), cascade.Static{Ran: true, Decisive: 1, Caused: 1, Standing: 1}},
		{"an old one moved", modify("a.py", "@@ -1,5 +1,8 @@\n import os\n+\n+X = 1\n+\n \n \n def f():\n     return old\n"), cascade.Static{Ran: true, Standing: 1}},
		{"no program text any more", modify("a.py", "@@ -4,2 +4,2 @@\n-def f():\n+def f(:\n     return old\n"), cascade.Static{Ran: true, Decisive: 1, Caused: 1, Standing: 1}},
		{"an unused import", modify("a.py", "@@ -1,5 +1,6 @@\n import os\n+import re\n \n \n def f():\n     return old\n"), cascade.Static{Ran: true, Caused: 1, Standing: 1}},
		{"in a test of the agent", "diff --git a/tests/test_a.py b/tests/test_a.py\nnew file mode 100644\n--- /dev/null\n+++ b/tests/test_a.py\n@@ -0,0 +1 @@\n+new\n", cascade.Static{Why: "no tool here reads the changed files"}},
		{"no Python", "diff --git a/a.txt b/a.txt\nnew file mode 100644\n--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+new\n", cascade.Static{Why: "no tool here reads the changed files"}},
		{"a name that looks like an option", "diff --git a/--help.py b/--help.py\nnew file mode 100644\n--- /dev/null\n+++ b/--help.py\n@@ -0,0 +1 @@\n+new\n", cascade.Static{Ran: true, Decisive: 1, Caused: 1, Standing: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			base, patched := trees(t, map[string]string{"a.py": source}, tt.diff)
			rep, err := checks.Static(context.Background(), b, all, base, patched, patch.Parse(tt.diff))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, rep.Outcome); diff != "" {
				t.Errorf("outcome (-want +got):\n%s\n%+v", diff, rep.Tools)
			}
			for _, r := range rep.Tools {
				if r.Why != "" || r.Version == "" || r.Backend != b.Name() || r.Unsandboxed {
					t.Errorf("report %+v", r)
				}
			}
		})
	}
}

// A tool that breaks off is no tool that found nothing.
func TestStaticToolFails(t *testing.T) {
	t.Parallel()
	b, _ := bench(t)
	diff := modify("a.py", "@@ -1 +1,2 @@\n x = 1\n+y = 2\n")
	base, patched := trees(t, map[string]string{"a.py": "x = 1\n"}, diff)
	for name, tt := range map[string]struct {
		script, why string
	}{
		"exits": {"echo no such rule >&2; exit 4", "on the base: it ended with exit code 4: no such rule"},
		"prose": {"echo hello", "its output cannot be read"},
		"dies":  {"kill -9 $$", "it did not end by itself"},
	} {
		spec := checks.ToolSpec{Name: "mine", Command: []string{"sh", "-c", tt.script}, Suffixes: []string{".py"}, Format: "sarif"}
		tool, err := spec.Tool()
		if err != nil {
			t.Fatal(err)
		}
		rep, err := checks.Static(context.Background(), b, []checks.StaticTool{tool}, base, patched, patch.Parse(diff))
		if err != nil {
			t.Fatal(err)
		}
		if len(rep.Tools) != 1 || !strings.Contains(rep.Tools[0].Why, tt.why) || rep.Outcome.Ran {
			t.Errorf("%s: %+v", name, rep)
		}
	}
}

// A tool of the user's own that writes SARIF, with absolute paths.
func TestStaticSARIF(t *testing.T) {
	t.Parallel()
	b, _ := bench(t)
	diff := modify("src/a.py", "@@ -1 +1,2 @@\n x = 1\n+ghost\n")
	base, patched := trees(t, map[string]string{"src/a.py": "x = 1\n"}, diff)
	script := `printf '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"Ruff"}},"results":['
if grep -q ghost src/a.py; then printf '{"ruleId":"F821","message":{"text":"Undefined name ghost"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"file://%s/src/a.py"},"region":{"startLine":2}}}]}' "$PWD"; fi
printf ']}]}'`
	tool, err := checks.ToolSpec{Name: "ruff-sarif", Command: []string{"sh", "-c", script}, Suffixes: []string{".py"}, Format: "sarif"}.Tool()
	if err != nil {
		t.Fatal(err)
	}
	rep, err := checks.Static(context.Background(), b, []checks.StaticTool{tool}, base, patched, patch.Parse(diff))
	if err != nil {
		t.Fatal(err)
	}
	if rep.Outcome.Decisive != 1 || len(rep.Tools) != 1 || len(rep.Tools[0].Attribution.Caused) != 1 {
		t.Fatalf("report %+v", rep)
	}
	if f := rep.Tools[0].Attribution.Caused[0]; f.File != "src/a.py" || f.Context != "ghost" {
		t.Errorf("finding %+v", f)
	}
}

func TestToolSpecRefuses(t *testing.T) {
	t.Parallel()
	for _, s := range []checks.ToolSpec{
		{}, {Name: "x"}, {Name: "x", Command: []string{"x"}}, {Name: "x", Command: []string{"x"}, Suffixes: []string{".py"}, Format: "cppcheck"},
	} {
		if _, err := s.Tool(); err == nil {
			t.Errorf("%+v is taken", s)
		}
	}
}

// Of a Go module the whole is looked at: a change in one package can break another.
// A base that does not build blames no patch.
func TestStaticGo(t *testing.T) {
	t.Parallel()
	b, _ := bench(t)
	all := tools(t, b, "go build", "go vet")
	files := map[string]string{
		"go.mod": "module m\n\ngo 1.22\n", "a/a.go": "package a\n\n// F is.\nfunc F() int { return 1 }\n",
		"b/b.go": "package b\n\nimport \"m/a\"\n\nvar X = a.F()\n", "b/b_test.go": "package b\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {\n\tif X != 1 {\n\t\tt.Error(X)\n\t}\n}\n",
	}
	for _, tt := range []struct {
		name, diff string
		want       cascade.Static
	}{
		{"fine", modify("a/a.go", "@@ -3,2 +3,2 @@\n // F is.\n-func F() int { return 1 }\n+func F() int { return 2 }\n"), cascade.Static{Ran: true}},
		{"an unbound name", modify("a/a.go", "@@ -3,2 +3,2 @@\n // F is.\n-func F() int { return 1 }\n+func F() int { return ghost }\n"), cascade.Static{Ran: true, Decisive: 1, Caused: 1, Standing: 1}},
		{"another package broken", modify("a/a.go", "@@ -3,2 +3,2 @@\n // F is.\n-func F() int { return 1 }\n+func G() int { return 1 }\n"), cascade.Static{Ran: true, Decisive: 1, Caused: 1, Standing: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			base, patched := trees(t, files, tt.diff)
			rep, err := checks.Static(context.Background(), b, all, base, patched, patch.Parse(tt.diff))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, rep.Outcome); diff != "" {
				t.Errorf("outcome (-want +got):\n%s\n%+v", diff, rep.Tools)
			}
		})
	}
	t.Run("a base that does not build", func(t *testing.T) {
		t.Parallel()
		broken := map[string]string{"go.mod": files["go.mod"], "a/a.go": "package a\n\nvar X = ghost\n"}
		base, patched := trees(t, broken, modify("a/a.go", "@@ -1,3 +1,3 @@\n package a\n \n-var X = ghost\n+var X = ghost + 1\n"))
		_, err := checks.Static(context.Background(), b, all, base, patched, patch.Parse(modify("a/a.go", "@@ -3 +3 @@\n-a\n+b\n")))
		if !errors.Is(err, checks.ErrBaseBroken) || !strings.Contains(err.Error(), "ghost") {
			t.Errorf("error %v, want ErrBaseBroken that names ghost", err)
		}
	})
	t.Run("a module that go refuses to read", func(t *testing.T) {
		t.Parallel()
		refused := map[string]string{"go.mod": "module tool\n\ngo 1.22\n", "a.go": "package tool\n\nvar X = 1\n"}
		diff := modify("a.go", "@@ -1,3 +1,3 @@\n package tool\n \n-var X = 1\n+var X = 2\n")
		base, patched := trees(t, refused, diff)
		rep, err := checks.Static(context.Background(), b, all, base, patched, patch.Parse(diff))
		if err != nil || rep.Outcome.Ran || len(rep.Tools) != 2 || !strings.Contains(rep.Tools[0].Why, "exit code 1") {
			t.Errorf("a compiler that looked at nothing counts as one that found nothing: %+v, %v", rep, err)
		}
	})
}
