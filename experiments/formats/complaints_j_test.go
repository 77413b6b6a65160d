package formats_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/formats"
	"plumbline/experiments/trace"
)

func gitDiff(name, hunk string) string {
	return "diff --git a/" + name + " b/" + name + "\n--- a/" + name + "\n+++ b/" + name + "\n" + hunk
}

const oneHunk = "@@ -1 +1 @@\n-a\n+b\n"

// What diffs do to tools, as they come in with an import: each row is one diff that
// others freeze on, refuse or misread, and what is read here. How they are drawn is
// tested where pages are, how fast in docs/benchmarks.md.
func TestComplaintsJ(t *testing.T) {
	t.Parallel()
	var many, tall strings.Builder
	for i := range 20_000 {
		many.WriteString(gitDiff(fmt.Sprintf("f%d.py", i), oneHunk))
	}
	tall.WriteString("diff --git a/min.js b/min.js\n--- /dev/null\n+++ b/min.js\n@@ -0,0 +1,100000 @@\n")
	for range 100_000 {
		tall.WriteString("+x\n")
	}
	type facts struct {
		State          trace.PatchState
		Files          int
		First          string
		Added, Removed int // -1: cannot be counted
		Kinds          string
	}
	quote := func(s string) string { return fmt.Sprintf("%q", s) }
	tests := []struct {
		name string
		json string // of model_patch
		want facts
	}{
		{"one line of 5.6 MB freezes the view", quote(gitDiff("bundle.js", "@@ -1 +1 @@\n-a\n+"+strings.Repeat("x", 5_600_000)+"\n")), facts{"text", 1, "bundle.js", 1, 1, ""}},
		{"two minified lines take twenty seconds", quote(gitDiff("a.min.js", "@@ -1 +1 @@\n-"+strings.Repeat("var a=1;", 90_000)+"\n+"+strings.Repeat("var a=2;", 90_000)+"\n")), facts{"text", 1, "a.min.js", 1, 1, ""}},
		{"a large diff needs its colours switched off", quote(tall.String()), facts{"text", 1, "min.js", 100_000, 0, "new_file"}},
		{"generated files are not told from written ones", quote(gitDiff("dist/app.js", oneHunk) + gitDiff("src/app.js", oneHunk)), facts{"text", 2, "dist/app.js", 2, 2, ""}},
		{"all rows are mounted though few are seen: 20,000 files", quote(many.String()), facts{"text", 20_000, "f0.py", 20_000, 20_000, ""}},
		{"an empty patch", `""`, facts{State: "empty", Added: -1, Removed: -1}},
		{"a patch that is null", `null`, facts{State: "null", Added: -1, Removed: -1}},
		{"a patch of white space", `" \n\t"`, facts{State: "blank", Added: -1, Removed: -1}},
		{"a mode and nothing else", quote("diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"), facts{"text", 1, "run.sh", 0, 0, ""}},
		{"a rename of 100%", quote("diff --git a/a.py b/b.py\nsimilarity index 100%\nrename from a.py\nrename to b.py\n"), facts{"text", 1, "b.py", 0, 0, "rename"}},
		{"a binary file as data", quote("diff --git a/i b/i\nindex 1..2\nGIT binary patch\nliteral 3\nKcmZ\n\nliteral 0\nHcmV\n\n"), facts{"text", 1, "i", 0, 0, "binary"}},
		{"binary files that differ", quote("diff --git a/i.png b/i.png\nindex 1..2 100644\nBinary files a/i.png and b/i.png differ\n"), facts{"text", 1, "i.png", 0, 0, "binary"}},
		{"a submodule", quote("diff --git a/sub b/sub\nindex 1..2 160000\n--- a/sub\n+++ b/sub\n@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n"), facts{"text", 1, "sub", 1, 1, "submodule"}},
		{"a quoted path", quote("diff --git \"a/\\303\\244.py\" \"b/\\303\\244.py\"\n--- \"a/\\303\\244.py\"\n+++ \"b/\\303\\244.py\"\n" + oneHunk), facts{"text", 1, "ä.py", 1, 1, ""}},
		{"blanks in a name", quote("diff --git a/my file.py b/my file.py\n--- a/my file.py\t\n+++ b/my file.py\t\n" + oneHunk), facts{"text", 1, "my file.py", 1, 1, ""}},
		{"a tab in a name", quote("diff --git \"a/a\\tb.py\" \"b/a\\tb.py\"\n--- \"a/a\\tb.py\"\n+++ \"b/a\\tb.py\"\n" + oneHunk), facts{"text", 1, "a\tb.py", 1, 1, ""}},
		{"a file that is new", quote("diff --git a/n.py b/n.py\nnew file mode 100644\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+x\n"), facts{"text", 1, "n.py", 1, 0, "new_file"}},
		{"a file that is gone", quote("diff --git a/o.py b/o.py\ndeleted file mode 100644\n--- a/o.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"), facts{"text", 1, "o.py", 0, 1, "deleted_file"}},
		{"a diff inside a string of the diff", quote(gitDiff("gen.py", "@@ -1 +1,3 @@\n a\n+diff --git a/x b/x\n+--- a/x\n")), facts{"text", 1, "gen.py", 2, 0, ""}},
		{"hunk lengths that lie", quote(gitDiff("f.py", "@@ -1,9 +1,9 @@\n a\n+b\n")), facts{"text", 1, "f.py", -1, -1, "hunk_length_mismatch"}},
		{"CRLF throughout", quote(strings.ReplaceAll(gitDiff("w.py", oneHunk), "\n", "\r\n")), facts{"text", 1, "w.py", 1, 1, "crlf"}},
		{"no line feed at the end", quote(strings.TrimSuffix(gitDiff("w.py", oneHunk), "\n")), facts{"text", 1, "w.py", 1, 1, "no_final_newline"}},
		{"a mark of a missing last line feed", quote(gitDiff("w.py", "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n")), facts{"text", 1, "w.py", 1, 1, "no_newline_marker"}},
		{"text that is no diff", `"ERROR: gave up"`, facts{"no_diff_found", 0, "", 0, 0, "does_not_start_with_diff_git no_final_newline"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := strings.ReplaceAll(tt.json, `\x`, `\u00`) + "}\n"
			_, recs := readSeed(t, formats.PredictionsJSONL, seed{path: "p.jsonl", bytes: []byte(`{"instance_id": "acme__shop-7", "model_patch": ` + text)})
			if len(recs) != 1 {
				t.Fatalf("%d records", len(recs))
			}
			p, ok := recs[0].(*formats.Prediction)
			if !ok {
				t.Fatalf("%+v", recs[0])
			}
			f := formats.Facts(p.State, p.Patch)
			got := facts{State: f.State, Files: len(f.Files), Added: -1, Removed: -1, Kinds: strings.Join(f.Kinds, " ")}
			if len(f.Files) > 0 {
				got.First = f.Files[0]
			}
			if f.Added != nil {
				got.Added, got.Removed = *f.Added, *f.Removed
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
