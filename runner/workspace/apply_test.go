package workspace_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/runner/workspace"
)

// need skips the test, or fails it where everything is required.
func need(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("PLUMBLINE_TEST_REQUIRE") == "all" {
		t.Fatalf("required here, and missing: %s", why)
	}
	t.Skip(why)
}

func needGit(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		need(t, "git is not installed")
	}
}

func cache(t testing.TB) *workspace.Cache {
	t.Helper()
	c, err := workspace.OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func base(t testing.TB, files map[string]string) *workspace.Base {
	t.Helper()
	b, err := cache(t).FromFiles(context.Background(), files)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// content reads a tree by exporting it.
func content(t testing.TB, tree *workspace.Tree) map[string]string {
	t.Helper()
	dir := t.TempDir()
	if err := tree.Export(dir); err != nil {
		t.Fatal(err)
	}
	return readDir(t, dir)
}

func readDir(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		if d.Type()&os.ModeSymlink != 0 {
			target, err := os.Readlink(p)
			out[rel] = "-> " + target
			return err
		}
		raw, err := os.ReadFile(p)
		out[rel] = string(raw)
		if info, ierr := d.Info(); ierr == nil && info.Mode()&0o111 != 0 {
			out[rel] = "x " + out[rel]
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const ten = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"

func file(name, body string) string {
	return "diff --git a/" + name + " b/" + name + "\n--- a/" + name + "\n+++ b/" + name + "\n" + body
}

const change5 = "@@ -3,5 +3,5 @@ x\n three\n four\n-five\n+FIVE\n six\n seven\n"

func TestApply(t *testing.T) {
	t.Parallel()
	five := strings.Replace(ten, "five", "FIVE", 1)
	tests := []struct {
		name    string
		base    map[string]string
		patch   string
		fuzz    int
		want    map[string]string // nil: refused
		exact   bool
		reasons []string // parts of what is said, in order
	}{
		{"as it stands", map[string]string{"f": ten}, file("f", change5), 0, map[string]string{"f": five}, true, nil},
		{"at other lines", map[string]string{"f": "zero\n\n" + ten}, file("f", change5), 0, map[string]string{"f": "zero\n\n" + five}, true, nil},
		{"in a fence with prose", map[string]string{"f": ten}, "Here it is:\n```diff\n" + file("f", change5) + "```\nDone.\n", 0, map[string]string{"f": five}, true, nil},
		{"without git's header", map[string]string{"f": ten}, "--- f\n+++ f\n" + change5, 0, map[string]string{"f": five}, true, nil},
		{"white space differs", map[string]string{"f": strings.Replace(ten, "five", "  five", 1)}, file("f", change5), 0, nil, false, []string{"f: @@ -3,5 +3,5 @@: line 5 differs in white space"}},
		{"context differs", map[string]string{"f": strings.Replace(ten, "seven", "other", 1)}, file("f", change5), 0, nil, false, []string{`needs "seven\n", the file has "other\n"`}},
		{"context differs, with fuzz", map[string]string{"f": strings.Replace(ten, "seven", "other", 1)}, file("f", change5), 2, map[string]string{"f": strings.Replace(five, "seven", "other", 1)}, false, []string{"git apply would refuse it"}},
		{"the changed line differs, with fuzz", map[string]string{"f": strings.Replace(ten, "five", "5", 1)}, file("f", change5), 5, nil, false, []string{"line 5 differs"}},
		{"hunk lengths lie", map[string]string{"f": ten}, file("f", strings.Replace(change5, "-3,5 +3,5", "-3,4 +3,4", 1)), 0, nil, false, []string{"corrupt"}},
		{"hunk lengths lie, with fuzz", map[string]string{"f": ten}, file("f", strings.Replace(change5, "-3,5 +3,5", "-3,4 +3,4", 1)), 1, map[string]string{"f": five}, false, []string{"corrupt"}},
		{"cut off, with fuzz", map[string]string{"f": ten}, file("f", "@@ -3,5 +3,5 @@\n three\n four\n-five\n"), 5, nil, false, []string{"cut off"}},
		{"all or nothing", map[string]string{"f": ten, "g": ten}, file("f", change5) + file("g", "@@ -1,2 +1,2 @@\n-1\n+2\n two\n"), 0, nil, false, []string{"g: @@ -1,2 +1,2 @@"}},
		{"every refused hunk is named", map[string]string{"f": ten}, file("f", "@@ -1,2 +1,2 @@\n-1\n+2\n two\n"+strings.Replace(change5, "three", "3", 1)), 0, nil, false, []string{"f: @@ -1,2", "f: @@ -3,5"}},
		{"new file", map[string]string{"f": ten}, "diff --git a/d/n b/d/n\nnew file mode 100755\n--- /dev/null\n+++ b/d/n\n@@ -0,0 +1,2 @@\n+a\n+b\n", 0, map[string]string{"f": ten, "d/n": "x a\nb\n"}, true, nil},
		{"new file that is there", map[string]string{"f": ten}, "diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", 5, nil, false, []string{"there already"}},
		{"new file where a folder is", map[string]string{"f/g": ten}, "diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", 0, nil, false, []string{"there already"}},
		{"new file below a file", map[string]string{"f": ten}, "--- /dev/null\n+++ b/f/g\n@@ -0,0 +1 @@\n+a\n", 0, nil, false, []string{"beyond"}},
		{"empty new file", map[string]string{"f": ten}, "diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n", 0, map[string]string{"f": ten, "e": ""}, true, nil},
		{"deleted", map[string]string{"f": "a\n", "g": "b\n"}, "diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", 0, map[string]string{"g": "b\n"}, true, nil},
		{"deleted, with more in it", map[string]string{"f": "a\nb\n"}, "diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", 0, nil, false, []string{"f: @@ -1,1"}},
		{"not there", map[string]string{"f": ten}, file("g", change5), 0, nil, false, []string{"g: the patch changes g, and it is not there"}},
		{"renamed and changed", map[string]string{"f": ten}, "diff --git a/f b/d/g\nsimilarity index 90%\nrename from f\nrename to d/g\n--- a/f\n+++ b/d/g\n" + change5, 0, map[string]string{"d/g": five}, true, nil},
		{"renamed onto a file", map[string]string{"f": ten, "g": ten}, "diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n", 0, nil, false, []string{"there already"}},
		{"copied", map[string]string{"f": ten}, "diff --git a/f b/g\nsimilarity index 100%\ncopy from f\ncopy to g\n", 0, map[string]string{"f": ten, "g": ten}, true, nil},
		{"mode", map[string]string{"f": "a\n"}, "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n", 0, map[string]string{"f": "x a\n"}, true, nil},
		{"link", map[string]string{"f": "a\n"}, "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n", 0, map[string]string{"f": "a\n", "l": "-> /etc/passwd"}, true, nil},
		{"through a link it made", map[string]string{"f": "a\n"}, "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n" + "diff --git a/l/x b/l/x\nnew file mode 100644\n--- /dev/null\n+++ b/l/x\n@@ -0,0 +1 @@\n+a\n", 0, nil, false, []string{"l/x: it lies beyond the symbolic link l"}},
		{"out of the tree", map[string]string{"f": "a\n"}, "--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+a\n", 5, nil, false, []string{"not a path inside the tree"}},
		{"absolute", map[string]string{"f": "a\n"}, "--- /dev/null\n+++ /etc/x\n@@ -0,0 +1 @@\n+a\n", 5, nil, false, []string{"not a path inside the tree"}},
		{"into git's folder", map[string]string{"f": "a\n"}, "--- /dev/null\n+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+a\n", 5, nil, false, []string{"not a path inside the tree"}},
		{"no final line feed", map[string]string{"f": "a\nb"}, file("f", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n"), 0, map[string]string{"f": "a\nc\n"}, true, nil},
		{"final line feed expected", map[string]string{"f": "a\nb"}, file("f", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"), 0, nil, false, []string{"differs"}},
		{"file in CRLF", map[string]string{"f": "a\r\nb\r\nc\r\n"}, file("f", "@@ -1,3 +1,3 @@\n a\r\n-b\r\n+B\r\n c\r\n"), 0, map[string]string{"f": "a\r\nB\r\nc\r\n"}, true, nil},
		{"patch and file in CRLF", map[string]string{"f": "a\r\nb\r\nc\r\n"}, strings.ReplaceAll(file("f", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"), "\n", "\r\n"), 0, map[string]string{"f": "a\r\nB\r\nc\r\n"}, true, nil},
		{"patch in CRLF, file not", map[string]string{"f": "a\nb\nc\n"}, strings.ReplaceAll(file("f", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"), "\n", "\r\n"), 0, map[string]string{"f": "a\nB\nc\n"}, true, nil},
		{"binary without content", map[string]string{"i": "x"}, "diff --git a/i b/i\nindex 1..2 100644\nBinary files a/i and b/i differ\n", 5, nil, false, []string{"does not hold its content"}},
		{"submodule", map[string]string{"f": "a\n"}, "diff --git a/s b/s\nindex 1..2 160000\n--- a/s\n+++ b/s\n@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n" + file("f", "@@ -1 +1 @@\n-a\n+b\n"), 0, map[string]string{"f": "b\n"}, true, nil},
		{"prose", map[string]string{"f": ten}, "I could not do it.", 5, nil, false, []string{"no diff"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tree := base(t, tt.base).Tree()
			rep := tree.Apply(tt.patch, workspace.ApplyOptions{Fuzz: tt.fuzz})
			if rep.Applied != (tt.want != nil) || rep.Exact != tt.exact {
				t.Fatalf("%+v", rep)
			}
			want := tt.want
			if want == nil {
				want = tt.base
				if len(tree.Changed()) != 0 {
					t.Errorf("a refused patch changed %v", tree.Changed())
				}
			}
			if d := cmp.Diff(want, content(t, tree)); d != "" {
				t.Error(d)
			}
			said := rep.Rejected()
			if len(said) < len(tt.reasons) || (tt.reasons == nil) != (len(said) == 0) {
				t.Fatalf("it says %q", said)
			}
			for i, part := range tt.reasons {
				if !strings.Contains(said[i], part) {
					t.Errorf("it says %q, want %q", said[i], part)
				}
			}
		})
	}
}

func TestApplyReportsPlaces(t *testing.T) {
	t.Parallel()
	tree := base(t, map[string]string{"f": "zero\n" + strings.Replace(ten, "three", "3", 1)}).Tree()
	rep := tree.Apply(file("f", change5), workspace.ApplyOptions{Fuzz: 2})
	want := []workspace.HunkReport{{Header: "@@ -3,5 +3,5 @@", Applied: true, Line: 4, Offset: 1, Fuzz: 1}}
	if d := cmp.Diff(want, rep.Files[0].Hunks); d != "" || rep.Fuzz != 1 {
		t.Errorf("%s %+v", d, rep)
	}
}

// Binary patches as git writes them.
func TestApplyBinary(t *testing.T) {
	t.Parallel()
	needGit(t)
	dir := t.TempDir()
	old, changed := bytes.Repeat([]byte{0, 1, 2, 250}, 100), append(bytes.Repeat([]byte{0, 1, 2, 250}, 90), 7, 8, 9)
	for name, data := range map[string][]byte{"a/i": old, "b/i": changed} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text := gitDiff(t, dir, "--binary")
	tree := base(t, map[string]string{"i": string(old)}).Tree()
	if rep := tree.Apply(text, workspace.ApplyOptions{}); !rep.Exact {
		t.Fatalf("%+v\n%s", rep, text)
	}
	if got := content(t, tree)["i"]; got != string(changed) {
		t.Error("the content is another")
	}
	tree = base(t, map[string]string{"i": "other"}).Tree()
	if rep := tree.Apply(text, workspace.ApplyOptions{Fuzz: 5}); rep.Applied || !strings.Contains(rep.Rejected()[0], "does not fit") {
		t.Errorf("%+v", rep)
	}
}

// gitDiff compares the folders a and b below dir.
func gitDiff(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append(append([]string{"-c", "core.autocrlf=false", "diff", "--no-index", "--no-color", "--no-prefix"}, args...), "a", "b")...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("git diff: %v", err)
	}
	return string(out)
}

// Random changes of a file with many equal lines, applied to a base that was
// changed too: whether and where they apply must be what git apply does.
func TestApplyAgreesWithGit(t *testing.T) {
	t.Parallel()
	needGit(t)
	dir := t.TempDir()
	applied, refused := 0, 0
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 7))
		from := randomLines(rng, 5+rng.IntN(40))
		to := edit(rng, from, 1+rng.IntN(4))
		on := from
		if rng.IntN(3) > 0 {
			on = edit(rng, from, 1+rng.IntN(3))
		}
		sub := filepath.Join(dir, fmt.Sprint(seed))
		write := func(name string, lines []string) {
			p := filepath.Join(sub, name)
			if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(p, []byte(strings.Join(lines, "")), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		write("a/f", from)
		write("b/f", to)
		text := gitDiff(t, sub, fmt.Sprintf("-U%d", 1+rng.IntN(3)))
		if text == "" || len(on) == 0 || len(to) == 0 {
			continue
		}
		write("on/f", on)
		cmd := exec.Command("git", "apply", "-p1", "--whitespace=nowarn", "-")
		cmd.Dir, cmd.Stdin = filepath.Join(sub, "on"), strings.NewReader(text)
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+sub)
		said, err := cmd.CombinedOutput()
		tree := base(t, map[string]string{"f": strings.Join(on, "")}).Tree()
		rep := tree.Apply(text, workspace.ApplyOptions{})
		if rep.Applied != (err == nil) {
			t.Errorf("seed %d: git says %v %s, ours %+v\n%s", seed, err, said, rep, text)
			continue
		}
		if err != nil {
			refused++
			continue
		}
		applied++
		if d := cmp.Diff(readDir(t, filepath.Join(sub, "on")), content(t, tree)); d != "" {
			t.Errorf("seed %d: %s\n%s", seed, d, text)
		}
	}
	if applied < 30 || refused < 15 {
		t.Errorf("%d applied, %d refused: too few of a kind to tell", applied, refused)
	}
}

func randomLines(rng *rand.Rand, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = string(rune('a'+rng.IntN(5))) + "\n"
	}
	return out
}

func edit(rng *rand.Rand, lines []string, n int) []string {
	out := append([]string(nil), lines...)
	for range n {
		if len(out) == 0 {
			return out
		}
		i := rng.IntN(len(out))
		switch rng.IntN(3) {
		case 0:
			out = append(out[:i], out[i+1:]...)
		case 1:
			out = append(out[:i], append([]string{string(rune('a'+rng.IntN(26))) + "\n"}, out[i:]...)...)
		default:
			out[i] = string(rune('p'+rng.IntN(8))) + "\n"
		}
	}
	return out
}
