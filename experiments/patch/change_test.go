package patch_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/patch"
	"plumbline/experiments/trace"
)

func file(name, body string) string {
	return "diff --git a/" + name + " b/" + name + "\n--- a/" + name + "\n+++ b/" + name + "\n" + body
}

func TestState(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in   string
		want trace.PatchState
	}{
		{"", trace.PatchEmpty},
		{" \n\t", trace.PatchBlank},
		{"ERROR: no patch", trace.PatchNoDiffFound},
		{"--- only one side", trace.PatchNoDiffFound},
		{plain, trace.PatchText},
		{"\n" + plain, trace.PatchText},
		{"```diff\n" + plain + "```", trace.PatchText},
		{"diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", trace.PatchText},
	}
	for _, tt := range tests {
		if got := patch.State(tt.in); got != tt.want {
			t.Errorf("State(%.20q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestKindsOfChange(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in               string
		empty, white, testOnly bool
	}{
		{"real change", plain, false, false, false},
		{"no file", "nothing", true, false, false},
		{"header only", "diff --git a/x b/x\nindex 1..1 100644\n", true, false, false},
		{"mode", "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", false, false, false},
		{"re-indented", file("x.py", "@@ -1,2 +1,2 @@\n a\n-    b = 1\n+  b = 1  \n"), false, true, false},
		{"blank lines", file("x.py", "@@ -1 +1,2 @@\n a\n+\n"), false, true, false},
		{"moved line", file("x.py", "@@ -1,3 +1,3 @@\n-a\n b\n+a\n"), false, true, false},
		{"only tests", file("tests/test_x.py", "@@ -1 +1 @@\n-a\n+b\n"), false, false, true},
		{"tests and source", file("tests/test_x.py", "@@ -1 +1 @@\n-a\n+b\n") + file("x.py", "@@ -1 +1 @@\n-a\n+b\n"), false, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := patch.Parse(tt.in)
			if d.IsEmpty() != tt.empty || d.WhitespaceOnly() != tt.white || d.TestOnly() != tt.testOnly {
				t.Errorf("empty %v, white space only %v, tests only %v", d.IsEmpty(), d.WhitespaceOnly(), d.TestOnly())
			}
		})
	}
}

func TestTouched(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		want       []patch.Span
	}{
		{"insertion", "@@ -1,2 +1,4 @@\n a\n+b\n+c\n d\n", []patch.Span{{2, 3}}},
		{"replacement", "@@ -5,3 +5,3 @@\n a\n-b\n+c\n d\n", []patch.Span{{6, 6}}},
		{"deletion", "@@ -5,3 +5,2 @@\n a\n-b\n d\n", []patch.Span{{6, 6}}},
		{"deletion at the end", "@@ -5,2 +5,1 @@\n a\n-b\n", []patch.Span{{6, 6}}},
		{"two hunks", "@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-a\n+b\n", []patch.Span{{1, 1}, {9, 9}}},
		{"whole file deleted", "@@ -1,2 +0,0 @@\n-a\n-b\n", []patch.Span{{1, 1}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := patch.Parse(file("x.py", tt.body))
			if d := cmp.Diff(tt.want, d.Files[0].Touched()); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestIsTestPath(t *testing.T) {
	t.Parallel()
	yes := []string{"tests/x.py", "a/test_x.py", "x_test.go", "src/a.test.ts", "src/__tests__/a.js", "FooTest.java", "spec/models/a_spec.rb", "conftest.py", "pkg/testdata/in.txt", `src\test\java\A.java`, "e2e/login.ts", "TestFoo.java"}
	no := []string{"src/latest.py", "numpy/testing/utils.py", "contest.py", "Latest.java", "attest/x.py", "src/inspect.ts", "testify.go", ""}
	for _, p := range yes {
		if !patch.IsTestPath(p) {
			t.Errorf("%q is a test", p)
		}
	}
	for _, p := range no {
		if patch.IsTestPath(p) {
			t.Errorf("%q is no test", p)
		}
	}
}

func TestStripTests(t *testing.T) {
	t.Parallel()
	src := file("x.py", "@@ -1 +1,2 @@\n-a\n+b\n+diff --git a/tests/y.py b/tests/y.py\n")
	test := file("tests/test_x.py", "@@ -1 +1 @@\n-a\n+b\n")
	kept, removed := patch.StripTests("\n" + test + src + test)
	if d := cmp.Diff("\n"+src, kept); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"tests/test_x.py", "tests/test_x.py"}, removed); d != "" {
		t.Error(d)
	}
	if kept, removed := patch.StripTests(test); kept != "" || len(removed) != 1 {
		t.Errorf("%q %v", kept, removed)
	}
	if kept, removed := patch.StripTests("no diff"); kept != "no diff" || removed != nil {
		t.Errorf("%q %v", kept, removed)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{plain, "```diff\n" + plain + "```", strings.ReplaceAll(plain, "\n", "\r\n"), "diff --git \"a/\\303\" b\n@@ -1,9 +1 @@\n", "--- a\n+++ b\n@@ -0,0 +1 @@\n+\n\\ No newline", "\x1b[31m--- a\x1b[m\n+++ b\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d := patch.Parse(s)
		for i := range d.Files {
			file := &d.Files[i]
			last := 0
			for _, sp := range file.Touched() {
				if sp.First < 1 || sp.Last < sp.First {
					t.Errorf("span %v after %d", sp, last)
				}
				last = sp.Last
			}
		}
		_ = patch.Clean(s)
		st := patch.StatsOf(s, d)
		if (st.Added == nil) != (st.Removed == nil) {
			t.Error("half a count")
		}
		kept, removed := patch.StripTests(s)
		if removed == nil && kept != s {
			t.Error("text changed although nothing was removed")
		}
		if len(kept) > len(s) {
			t.Error("text grew")
		}
	})
}

// A line of 5 MB and 20,000 lines or files must not be slow.
func BenchmarkParse(b *testing.B) {
	long := file("min.js", "@@ -1 +1 @@\n-a\n+"+strings.Repeat("x", 5<<20)+"\n")
	many := file("big.py", "@@ -0,0 +1,20000 @@\n"+strings.Repeat("+x = 1\n", 20000))
	files := strings.Repeat(file("a.py", "@@ -1 +1 @@\n-a\n+b\n"), 20000)
	deletions := file("big.py", "@@ -1,20000 +0,0 @@\n"+strings.Repeat("-x = 1\n", 20000))
	for _, c := range []struct{ name, in string }{{"line of 5 MB", long}, {"20000 lines", many}, {"20000 files", files}, {"20000 deletions", deletions}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.in)))
			for b.Loop() {
				d := patch.Parse(c.in)
				for i := range d.Files {
					_ = d.Files[i].Touched()
				}
				_ = patch.StatsOf(c.in, d)
				_, _ = patch.StripTests(c.in)
			}
		})
	}
}
