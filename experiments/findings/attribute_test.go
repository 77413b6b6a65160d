package findings_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/cascade"
	"plumbline/experiments/findings"
	"plumbline/experiments/patch"
)

// unbound lists a finding for each use of the name ghost in a tree, with context.
func unbound(tree map[string]string) []findings.Finding {
	var out []findings.Finding
	var files []string
	for f := range tree {
		files = append(files, f)
	}
	slices.Sort(files)
	for _, f := range files {
		for i, line := range strings.Split(tree[f], "\n") {
			for range strings.Count(line, "ghost") {
				out = append(out, findings.Finding{Tool: "pyflakes", File: f, Line: i + 1, Message: "undefined name 'ghost'", Class: findings.Unbound})
			}
		}
	}
	findings.Annotate(out, func(file string) (string, bool) { text, ok := tree[file]; return text, ok })
	return out
}

func places(list []findings.Finding) string {
	var out []string
	for _, f := range list {
		out = append(out, fmt.Sprintf("%s:%d", f.File, f.Line))
	}
	return strings.Join(out, " ")
}

func TestCaused(t *testing.T) {
	t.Parallel()
	const diffA = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n"
	for _, tt := range []struct {
		name          string
		base, patched map[string]string
		diff          string
		want          string // caused, standing, gone
	}{
		{"a new use", map[string]string{"a.py": "x\n"}, map[string]string{"a.py": "x\nghost\n"}, diffA + "@@ -1 +1,2 @@\n x\n+ghost\n", "a.py:2||"},
		{"an old use that moved down", map[string]string{"a.py": "ghost\n"}, map[string]string{"a.py": "x\ny\nghost\n"}, diffA + "@@ -1 +1,3 @@\n+x\n+y\n ghost\n", "|a.py:3|"},
		{"an old use that was indented", map[string]string{"a.py": "ghost + 1\n"}, map[string]string{"a.py": "if y:\n    ghost + 1\n"}, diffA + "@@ -1 +1,2 @@\n-ghost + 1\n+if y:\n+    ghost + 1\n", "|a.py:2|"},
		{"an old use on an edited line", map[string]string{"a.py": "f(ghost)\n"}, map[string]string{"a.py": "f(ghost, 1)\n"}, diffA + "@@ -1 +1 @@\n-f(ghost)\n+f(ghost, 1)\n", "|a.py:1|"},
		{"one removed, another added elsewhere", map[string]string{"a.py": "f(ghost)\nb\nc\nd\n"}, map[string]string{"a.py": "b\nc\nd\ng(ghost, 2)\n"},
			diffA + "@@ -1,4 +1,4 @@\n-f(ghost)\n b\n c\n d\n+g(ghost, 2)\n", "a.py:4||a.py:1"},
		{"a second one beside the first", map[string]string{"a.py": "f(ghost)\n"}, map[string]string{"a.py": "f(ghost)\ng(ghost)\n"}, diffA + "@@ -1 +1,2 @@\n f(ghost)\n+g(ghost)\n", "a.py:2|a.py:1|"},
		{"the same line twice", map[string]string{"a.py": "f(ghost)\n"}, map[string]string{"a.py": "f(ghost)\nf(ghost)\n"}, diffA + "@@ -1 +1,2 @@\n f(ghost)\n+f(ghost)\n", "a.py:2|a.py:1|"},
		{"a renamed file", map[string]string{"a.py": "f(ghost)\n"}, map[string]string{"b.py": "f(ghost)\n"},
			"diff --git a/a.py b/b.py\nsimilarity index 100%\nrename from a.py\nrename to b.py\n", "|b.py:1|"},
		{"code moved to a new file", map[string]string{"a.py": "return compute(ghost)\nx\n"}, map[string]string{"a.py": "x\n", "b.py": "return compute(ghost)\n"},
			diffA + "@@ -1,2 +1 @@\n-return compute(ghost)\n x\ndiff --git a/b.py b/b.py\nnew file mode 100644\n--- /dev/null\n+++ b/b.py\n@@ -0,0 +1 @@\n+return compute(ghost)\n", "|b.py:1|"},
		{"mended", map[string]string{"a.py": "ghost\n"}, map[string]string{"a.py": "x\n"}, diffA + "@@ -1 +1 @@\n-ghost\n+x\n", "||a.py:1"},
		{"an import removed far away", map[string]string{"a.py": "import it\nb\nc\nd\ne\nit.x\n"}, map[string]string{"a.py": "b\nc\nd\ne\nghost.x\n"}, // the tool now calls it unbound
			diffA + "@@ -1,4 +1,3 @@\n-import it\n b\n c\n d\n", "a.py:5||"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := findings.Caused(unbound(tt.base), unbound(tt.patched), patch.Parse(tt.diff))
			got := places(a.Caused) + "|" + places(a.Standing) + "|" + places(a.Gone)
			if got != tt.want {
				t.Errorf("caused|standing|gone %q, want %q", got, tt.want)
			}
		})
	}
}

// Where the tool could not read the base's file at all, what it says of the mended
// file is nobody's fault.
func TestUnreadableBase(t *testing.T) {
	t.Parallel()
	base := []findings.Finding{{Tool: "pyflakes", File: "a.py", Line: 1, Message: "invalid syntax", Class: findings.Syntax}}
	patched := []findings.Finding{
		{Tool: "pyflakes", File: "a.py", Line: 9, Message: "undefined name 'x'", Class: findings.Unbound},
		{Tool: "pyflakes", File: "b.py", Line: 1, Message: "undefined name 'y'", Class: findings.Unbound},
	}
	a := findings.Caused(base, patched, patch.Diff{})
	if places(a.Unclear) != "a.py:9" || places(a.Caused) != "b.py:1" || places(a.Gone) != "a.py:1" {
		t.Errorf("unclear %s, caused %s, gone %s", places(a.Unclear), places(a.Caused), places(a.Gone))
	}
}

// Numbers of lines inside a message are no difference; other numbers are.
func TestMessagesWithLines(t *testing.T) {
	t.Parallel()
	f := func(message string) []findings.Finding {
		return []findings.Finding{{Tool: "pyflakes", File: "a.py", Message: message, Class: findings.Other}}
	}
	if a := findings.Caused(f("redefinition of unused 'w' from line 64"), f("redefinition of unused 'w' from line 70"), patch.Diff{}); len(a.Caused) > 0 {
		t.Errorf("caused %v", a.Caused)
	}
	if a := findings.Caused(f("expected 2 arguments"), f("expected 3 arguments"), patch.Diff{}); len(a.Caused) != 1 {
		t.Errorf("caused %v", a.Caused)
	}
}

// Nothing is lost or invented: every finding of either tree is in one list, and a
// tree compared with itself causes nothing, in any order of the tool's output.
func TestAttributionIsAPartition(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	draw := func() []findings.Finding {
		out := make([]findings.Finding, rng.IntN(12))
		for i := range out {
			out[i] = findings.Finding{
				Tool: "pyflakes", File: fmt.Sprintf("%c.py", 'a'+rng.IntN(2)), Line: rng.IntN(6), Message: fmt.Sprintf("undefined name '%c'", 'x'+rng.IntN(2)),
				Class: findings.Unbound, Context: []string{"", "a=1", "returncompute(it)"}[rng.IntN(3)],
			}
		}
		return out
	}
	d := patch.Parse("diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,4 @@\n 1\n-2\n+2\n+3\n 3\n")
	for range 2000 {
		base, patched := draw(), draw()
		for _, diff := range []patch.Diff{{}, d} {
			a := findings.Caused(base, patched, diff)
			if len(a.Caused)+len(a.Standing)+len(a.Unclear) != len(patched) || len(a.Gone)+len(a.Standing) != len(base) {
				t.Fatalf("base %d, patched %d: caused %d, standing %d, unclear %d, gone %d", len(base), len(patched), len(a.Caused), len(a.Standing), len(a.Unclear), len(a.Gone))
			}
		}
		shuffled := slices.Clone(base)
		rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if a := findings.Caused(base, shuffled, patch.Diff{}); len(a.Caused)+len(a.Gone) > 0 {
			t.Fatalf("the same findings in another order: caused %v, gone %v", a.Caused, a.Gone)
		}
	}
}

func TestOutcome(t *testing.T) {
	t.Parallel()
	f := func(tool, file string, line int, c findings.Class) findings.Finding {
		return findings.Finding{Tool: tool, File: file, Line: line, Message: tool + " says so", Class: c}
	}
	got := findings.Outcome([]findings.Attribution{
		{
			Caused:   []findings.Finding{f("pyflakes", "a.py", 3, findings.Unbound), f("pyflakes", "tests/test_a.py", 1, findings.Unbound), f("pyflakes", "a.py", 9, findings.Other)},
			Standing: []findings.Finding{f("pyflakes", "a.py", 20, findings.Syntax)},
			Unclear:  []findings.Finding{f("pyflakes", "b.py", 1, findings.Unbound)},
		},
		{Caused: []findings.Finding{f("flake8", "a.py", 3, findings.Unbound)}},
	})
	want := cascade.Static{Ran: true, Decisive: 1, Caused: 3, Standing: 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
	if got := findings.Outcome(nil); got.Ran || got.Why == "" {
		t.Errorf("no tool gives %+v", got)
	}
}
