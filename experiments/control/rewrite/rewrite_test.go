package rewrite

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/bundled"
	"plumbline/experiments/patch"
)

// apply puts a diff of one file on its text, trusting the line numbers.
func apply(t *testing.T, text, diff string) string {
	t.Helper()
	d := patch.Parse(diff)
	if len(d.Files) != 1 || d.Truncated || d.Stray {
		t.Fatalf("the diff cannot be read: %+v\n%s", d, diff)
	}
	old := withoutEnd(strings.SplitAfter(text, "\n"))
	var out []string
	at := 0
	for _, h := range d.Files[0].Hunks {
		if h.Lied {
			t.Fatalf("a hunk lies about its length:\n%s", diff)
		}
		start := h.OldStart - 1
		if h.OldLines == 0 {
			start = h.OldStart
		}
		out = append(out, old[at:start]...)
		at = start
		for _, l := range h.Lines {
			line := l.Text
			if !l.NoNewline {
				line += "\n"
			}
			switch l.Op {
			case patch.Context, patch.Delete:
				if at >= len(old) || old[at] != line {
					t.Fatalf("line %d is %q in the diff:\n%s", at+1, line, diff)
				}
				at++
			}
			if l.Op != patch.Delete {
				out = append(out, line)
			}
		}
	}
	return strings.Join(append(out, old[at:]...), "")
}

// Whatever a text is changed into, the diff leads there.
func TestDiffLeadsToTheNewText(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	words := []string{"a", "b", "c", "", "  d", "@@ -1 +1 @@", "--- x", "+++ y", "\\ No"}
	text := func() string {
		var b strings.Builder
		for range rng.IntN(30) {
			b.WriteString(words[rng.IntN(len(words))] + "\n")
		}
		if rng.IntN(3) == 0 {
			b.WriteString("last line without an end")
		}
		return b.String()
	}
	for range 500 {
		from, to := text(), text()
		if from == "" || from == to {
			continue
		}
		diff := changed(File{"x.txt", from}, File{"x.txt", to})
		if got := apply(t, from, diff); got != to {
			t.Fatalf("from %q to %q, the diff leads to %q:\n%s", from, to, got, diff)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	files := []File{{"pkg/a.py", "one\ntwo\nthree\n"}, {"b.py", "x"}}
	edited := "diff --git a/pkg/a.py b/pkg/a.py\n--- a/pkg/a.py\n+++ b/pkg/a.py\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
	for name, x := range map[string]struct{ reply, diff, why string }{
		"a changed file":     {"Here.\n<<<<FILE pkg/a.py\none\n2\nthree\n>>>>FILE\n", edited, ""},
		"in a fence, CRLF":   {"<<<<FILE `pkg/a.py`\r\n```python\r\none\r\n2\r\nthree\r\n```\r\n>>>>FILE", edited, ""},
		"given twice":        {"<<<<FILE pkg/a.py\nno\n>>>>FILE\n<<<<FILE pkg/a.py\none\n2\nthree\n>>>>FILE\n", edited, ""},
		"a new file":         {"<<<<FILE c/d.py\nz\n>>>>FILE\n", "diff --git a/c/d.py b/c/d.py\nnew file mode 100644\n--- /dev/null\n+++ b/c/d.py\n@@ -0,0 +1,1 @@\n+z\n", ""},
		"keeps no last line": {"<<<<FILE b.py\ny\n>>>>FILE\n", "diff --git a/b.py b/b.py\n--- a/b.py\n+++ b/b.py\n@@ -1,1 +1,1 @@\n-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n", ""},
		"a diff":             {"```diff\n" + edited + "```\n", edited, ""},
		"nothing changed":    {"<<<<FILE b.py\nx\n>>>>FILE\n", "", "the reply changes no file"},
		"no file":            {"I cannot do that.", "", "the reply holds neither a file nor a diff"},
		"empty":              {"", "", "the reply holds neither a file nor a diff"},
		"cut off":            {"<<<<FILE b.py\ny\n>>>>FILE\n<<<<FILE pkg/a.py\none\n", "", "the reply ends within the file pkg/a.py"},
		"outside the tree":   {"<<<<FILE ../../etc/passwd\nx\n>>>>FILE\n", "", "the reply names a path outside the tree"},
		"absolute":           {"<<<<FILE /etc/passwd\nx\n>>>>FILE\n", "", "the reply names a path outside the tree"},
		"of git":             {"<<<<FILE .git/hooks/post-checkout\nx\n>>>>FILE\n", "", "the reply names a file of the version control"},
	} {
		diff, why := Parse(x.reply, files)
		if d := cmp.Diff(x.diff, diff); d != "" || why != x.why {
			t.Errorf("%s: %q (-want +got):\n%s", name, why, d)
		}
	}
}

// What is shown fits the budget, names first what the issue and the attempts name,
// and holds no test.
func TestChoose(t *testing.T) {
	t.Parallel()
	all := []File{{"README.md", "read"}, {"src/deep/named.py", "n"}, {"src/touched.py", "t"}, {"src/big.py", strings.Repeat("word ", 4000)}, {"a.py", "a"},
		{"tests/test_a.py", "hidden"}, {"bin.py", "\x00"}, {"bad.py", "\xff"}, {"marks.py", shut}}
	chosen, left := Choose(all, "named.py does not work", []string{"src/touched.py"}, 200)
	var got []string
	for _, f := range chosen {
		got = append(got, f.Path)
	}
	if d := cmp.Diff([]string{"src/touched.py", "src/deep/named.py", "a.py", "README.md"}, got); d != "" || left != 5 {
		t.Errorf("%d left out, (-want +got):\n%s", left, d)
	}
}

// The prompt holds issue and files as they are and nothing of the oracle.
func TestPromptHoldsNoOracle(t *testing.T) {
	t.Parallel()
	cases, err := bundled.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		var all []File
		for name, text := range c.Base {
			all = append(all, File{name, text})
		}
		in := Input{Language: c.Instance.Language, Issue: c.Instance.Issue}
		in.Files, in.Left = Choose(all, in.Issue, nil, DefaultBudget)
		m, err := Prompt(in, Current)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(m.User, c.Instance.Issue) || len(in.Files) == 0 {
			t.Errorf("%s: %d files in %q", c.Instance.ID, len(in.Files), m.User)
		}
		for _, hidden := range append(c.Instance.Oracle.FailToPass, c.Instance.Oracle.GoldPatch, c.Instance.Oracle.TestPatch) {
			if strings.Contains(m.User, hidden) {
				t.Errorf("%s: the prompt holds %q", c.Instance.ID, hidden)
			}
		}
	}
	m, err := Prompt(Input{Issue: "{{files}} {{left}}", Left: 3}, Current)
	if err != nil || !strings.Contains(m.User, "{{files}} {{left}}") || !strings.Contains(m.User, "(3 more are not shown)") {
		t.Errorf("an issue is expanded, or what is left out is not said: %v\n%s", err, m.User)
	}
	if _, err := Prompt(Input{}, "v0"); err == nil {
		t.Error("a version that does not exist is taken")
	}
}
