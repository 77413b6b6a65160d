package patch_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/patch"
)

const plain = `diff --git a/pkg/calc.py b/pkg/calc.py
index 83a4f00..2ad47bf 100644
--- a/pkg/calc.py
+++ b/pkg/calc.py
@@ -1,4 +1,5 @@ def total(items):
 def total(items):
-    return sum(items)
+    if not items:
+        return 0
+    return sum(items)
 
-# end
@@ -20,2 +21,2 @@
 x = 1
-y = 2
+y = 3
`

func TestParseNumbersLines(t *testing.T) {
	t.Parallel()
	d := patch.Parse(plain)
	if len(d.Files) != 1 {
		t.Fatalf("%d files", len(d.Files))
	}
	f := d.Files[0]
	if f.Old != "pkg/calc.py" || f.New != "pkg/calc.py" || f.Kind != patch.Modified || f.Added != 4 || f.Removed != 3 {
		t.Errorf("%+v", f)
	}
	want := []patch.Line{
		{Op: patch.Context, Text: "def total(items):", Old: 1, New: 1},
		{Op: patch.Delete, Text: "    return sum(items)", Old: 2},
		{Op: patch.Insert, Text: "    if not items:", New: 2},
		{Op: patch.Insert, Text: "        return 0", New: 3},
		{Op: patch.Insert, Text: "    return sum(items)", New: 4},
		{Op: patch.Context, Text: "", Old: 3, New: 5},
		{Op: patch.Delete, Text: "# end", Old: 4},
	}
	if d := cmp.Diff(want, f.Hunks[0].Lines); d != "" {
		t.Error(d)
	}
	if f.Hunks[0].Section != "def total(items):" || f.Hunks[1].Lines[1].Old != 21 || f.Hunks[1].Lines[2].New != 22 {
		t.Errorf("%+v", f.Hunks)
	}
	if f.Hunks[0].Lied || f.Hunks[1].Lied || d.Stray || d.Truncated {
		t.Error("an honest patch is flagged")
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		want     patch.File
	}{
		{"new file", "diff --git a/n.py b/n.py\nnew file mode 100755\nindex 0000000..1\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+x\n", patch.File{New: "n.py", Kind: patch.Added, NewMode: "100755", Similarity: -1, GitHeader: true, Added: 1}},
		{"deleted file", "diff --git a/o.py b/o.py\ndeleted file mode 100644\n--- a/o.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", patch.File{Old: "o.py", Kind: patch.Deleted, OldMode: "100644", Similarity: -1, GitHeader: true, Removed: 1}},
		{"pure rename", "diff --git a/a b.py b/c d.py\nsimilarity index 100%\nrename from a b.py\nrename to c d.py\n", patch.File{Old: "a b.py", New: "c d.py", Kind: patch.Renamed, Similarity: 100, GitHeader: true}},
		{"mode only", "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n", patch.File{Old: "run.sh", New: "run.sh", Kind: patch.Mode, OldMode: "100644", NewMode: "100755", Similarity: -1, GitHeader: true}},
		{"binary differs", "diff --git a/i.png b/i.png\nindex 1..2 100644\nBinary files a/i.png and b/i.png differ\n", patch.File{Old: "i.png", New: "i.png", Kind: patch.Modified, OldMode: "100644", NewMode: "100644", Similarity: -1, Binary: true, GitHeader: true}},
		{"binary data", "diff --git a/i b/i\nindex 1..2\nGIT binary patch\nliteral 3\nKcmZ\n\nliteral 0\nHcmV\n\n", patch.File{Old: "i", New: "i", Kind: patch.Modified, Similarity: -1, Binary: true, BinaryData: true, GitHeader: true}},
		{"quoted path", "diff --git \"a/\\303\\244 \\\"x\\\".py\" \"b/\\303\\244 \\\"x\\\".py\"\nold mode 100644\nnew mode 100755\n", patch.File{Old: `ä "x".py`, New: `ä "x".py`, Kind: patch.Mode, OldMode: "100644", NewMode: "100755", Similarity: -1, GitHeader: true}},
		{"symlink", "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+target\n\\ No newline at end of file\n", patch.File{New: "l", Kind: patch.Added, NewMode: "120000", Similarity: -1, Symlink: true, GitHeader: true, Added: 1}},
		{"submodule", "diff --git a/sub b/sub\nnew file mode 160000\n--- /dev/null\n+++ b/sub\n@@ -0,0 +1 @@\n+Subproject commit 1234\n", patch.File{New: "sub", Kind: patch.Added, NewMode: "160000", Similarity: -1, Submodule: true, GitHeader: true, Added: 1}},
		{"plain diff with time", "--- a/x.c\t2024-01-01 00:00:00\n+++ b/x.c\t2024-01-02 00:00:00\n@@ -1 +1 @@\n-a\n+b\n", patch.File{Old: "x.c", New: "x.c", Kind: patch.Modified, Similarity: -1, Added: 1, Removed: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := patch.Parse(tt.in)
			if len(d.Files) != 1 {
				t.Fatalf("%d files: %+v", len(d.Files), d.Files)
			}
			got := d.Files[0]
			got.Hunks = nil
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestLiesAndLitter(t *testing.T) {
	t.Parallel()
	head := "diff --git a/f.py b/f.py\n--- a/f.py\n+++ b/f.py\n"
	tests := []struct {
		name, in               string
		lied, truncated, stray bool
		added, removed         int
	}{
		{"too few stated", head + "@@ -1,1 +1,1 @@\n a\n+b\n+c\n d\n", true, false, false, 2, 0},
		{"too many stated", head + "@@ -1,9 +1,9 @@\n a\n+b\n", true, true, false, 1, 0},
		{"no numbers", head + "@@ ... @@\n a\n-b\n+c\n", true, false, false, 1, 1},
		{"next file comes early", head + "@@ -1,9 +1,9 @@\n a\n+b\ndiff --git a/g b/g\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-x\n+y\n", true, false, false, 2, 1},
		{"removed line like a header", head + "@@ -1,3 +1,2 @@\n a\n--- old\n c\n", false, false, false, 0, 1},
		{"diff inside a string", head + "@@ -1,1 +1,2 @@\n a\n+diff --git a/x b/x\n", false, false, false, 1, 0},
		{"list in the prose behind", head + "@@ -1 +1 @@\n-a\n+b\n\nWhy:\n- it works\n", false, false, true, 1, 1},
		{"mail signature", head + "@@ -1 +1 @@\n-a\n+b\n-- \n2.30.2\n", false, false, false, 1, 1},
		{"blank context without a space", head + "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", false, false, false, 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := patch.Parse(tt.in)
			lied, added, removed := false, 0, 0
			for _, f := range d.Files {
				added, removed = added+f.Added, removed+f.Removed
				for _, h := range f.Hunks {
					lied = lied || h.Lied
				}
			}
			if lied != tt.lied || d.Truncated != tt.truncated || d.Stray != tt.stray || added != tt.added || removed != tt.removed {
				t.Errorf("lied %v truncated %v stray %v +%d -%d", lied, d.Truncated, d.Stray, added, removed)
			}
			s := patch.Stats(tt.in)
			if (s.Added == nil) != (tt.lied || tt.stray) {
				t.Errorf("stats state %v lines", s.Added)
			}
		})
	}
}

func TestLineEnds(t *testing.T) {
	t.Parallel()
	crlf := strings.ReplaceAll(plain, "\n", "\r\n")
	d := patch.Parse(crlf)
	if !d.CRLF || d.Files[0].Hunks[0].Lines[0].Text != "def total(items):" {
		t.Error("a patch in CRLF throughout is not normalised")
	}
	source := "diff --git a/w.bat b/w.bat\n--- a/w.bat\n+++ b/w.bat\n@@ -1,2 +1,2 @@\n rem\r\n-a\r\n+b\r\n"
	d = patch.Parse(source)
	if d.CRLF || d.Files[0].Hunks[0].Lines[2].Text != "b\r" {
		t.Errorf("line ends of the source file are lost: %+v", d.Files[0].Hunks[0].Lines)
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	diff := "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n"
	tests := []struct{ name, in, want string }{
		{"as it is", diff, diff},
		{"fence", "Here:\n```diff\n" + diff + "```\nDone.\n", diff},
		{"two fences", "```python\nprint()\n```\n\n```diff\n" + diff + "```\n\n```diff\n" + diff + "```\n", diff + diff},
		{"prose before", "I fixed it.\n\n" + diff, diff},
		{"no final break", strings.TrimSuffix(diff, "\n"), diff},
		{"colours", "\x1b[1m--- a/x.py\x1b[m\n\x1b[1m+++ b/x.py\x1b[m\n\x1b[36m@@ -1 +1 @@\x1b[m\n\x1b[31m-a\x1b[m\n\x1b[32m+b\x1b[m\n", diff},
		{"no diff", "ERROR: could not", "ERROR: could not"},
		{"fence inside a changed file", "--- a/r.md\n+++ b/r.md\n@@ -1 +1,3 @@\n a\n+```go\n+```\n", "--- a/r.md\n+++ b/r.md\n@@ -1 +1,3 @@\n a\n+```go\n+```\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(tt.want, patch.Clean(tt.in)); d != "" {
				t.Error(d)
			}
		})
	}
}
