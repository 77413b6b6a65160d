package workspace_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plumbline/runner/sandbox"
	"plumbline/runner/workspace"
)

// repo makes a git repository with one commit and returns its name. The
// repository tries to have commands run by whoever checks it out.
func repo(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	needGit(t)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		switch {
		case strings.HasPrefix(text, "-> "):
			err = os.Symlink(text[3:], p)
		case strings.HasPrefix(text, "x "):
			err = os.WriteFile(p, []byte(text[2:]), 0o755)
		default:
			err = os.WriteFile(p, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.invalid")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "one")
	trap := filepath.Join(dir, "..", "trap-"+filepath.Base(dir))
	for _, key := range []string{"filter.evil.smudge", "filter.evil.clean", "core.fsmonitor", "core.sshCommand", "core.pager"} {
		git("config", key, "touch "+trap)
	}
	t.Cleanup(func() {
		if _, err := os.Stat(trap); err == nil {
			t.Error("the repository had a command run")
		}
	})
	return git("rev-parse", "HEAD")
}

var project = map[string]string{
	".gitattributes": "*.txt filter=evil text eol=crlf\nhidden.py export-ignore\n",
	"a.txt":          "one\ntwo\n", "hidden.py": "x = 1\n", "bin/run": "x #!/bin/sh\n", "link": "-> a.txt", "out": "-> /etc/passwd", "ä b/ü.py": "y\n",
}

func TestFromGit(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	commit := repo(t, filepath.Join(root, "owner", "name"), project)
	ctx := context.Background()
	repos := workspace.Repos{Dir: root}
	dir, err := repos.Find(ctx, "owner/name", commit[:10])
	if err != nil {
		t.Fatal(err)
	}
	c := cache(t)
	b, err := c.FromGit(ctx, dir, commit)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(project, readDir(t, b.Dir)); d != "" {
		t.Errorf("files are as they are stored, neither converted nor left out: %s", d)
	}
	again, err := c.FromGit(ctx, dir, commit)
	if err != nil || again.Dir != b.Dir {
		t.Errorf("%v %v", again, err)
	}
	if _, err := c.FromGit(ctx, dir, strings.Repeat("0", 40)); !errors.Is(err, workspace.ErrNoCommit) {
		t.Error(err)
	}
	for _, bad := range []struct{ name, commit string }{
		{"owner/name", strings.Repeat("1", 40)}, {"owner/other", commit}, {"../../etc", commit}, {"owner/name", "--upload-pack=touch"}, {"owner/name", "HEAD"}, {"owner/name", ""},
	} {
		if got, err := repos.Find(ctx, bad.name, bad.commit); !errors.Is(err, workspace.ErrNoCommit) {
			t.Errorf("%v: %q %v", bad, got, err)
		}
	}
}

func TestReposAreFoundUnderUsualNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"owner/name", "owner__name", "name", "owner/name.git", "."} {
		root := t.TempDir()
		commit := repo(t, filepath.Join(root, "in", name), map[string]string{"f": name})
		if _, err := (workspace.Repos{Dir: filepath.Join(root, "in")}).Find(context.Background(), "owner/name", commit); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	root := t.TempDir()
	commit := repo(t, filepath.Join(root, "work"), map[string]string{"f": "1"})
	bare := filepath.Join(root, "mirror", "owner__name.git")
	if out, err := exec.Command("git", "clone", "-q", "--bare", filepath.Join(root, "work"), bare).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if got, err := (workspace.Repos{Dir: filepath.Join(root, "mirror")}).Find(context.Background(), "owner/name", commit); err != nil || got != bare {
		t.Errorf("%q %v", got, err)
	}
}

func TestCacheIsSharedAndPruned(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			c, err := workspace.OpenCache(dir)
			if err == nil {
				_, err = c.FromFiles(context.Background(), map[string]string{"a/b": "1", "c": "2"})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	trees, err := filepath.Glob(filepath.Join(dir, "trees", "*"))
	if err != nil || len(trees) != 1 {
		t.Fatalf("%v %v", trees, err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "filling-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("%v %v", left, err)
	}
	c, err := workspace.OpenCache(dir)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := c.FromFiles(context.Background(), map[string]string{"d": "3"})
	if err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-5 * time.Hour)
	if err := os.Chtimes(trees[0], long, long); err != nil {
		t.Fatal(err)
	}
	if err := c.Prune(0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(trees[0]); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a tree that was not used for hours is kept")
	}
	if _, err := os.Stat(fresh.Dir); err != nil {
		t.Error("a tree in use was removed")
	}
	if _, err := c.FromFiles(context.Background(), map[string]string{"../x": "1"}); !errors.Is(err, workspace.ErrPath) {
		t.Error(err)
	}
}

func TestTree(t *testing.T) {
	t.Parallel()
	b := base(t, map[string]string{"a": "1", "d/b": "2", "d/c": "3"})
	tree := b.Tree()
	if tree.Key() != b.Key || tree.HasDir("x") || !tree.HasDir("d") {
		t.Error("an unchanged tree is its base")
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(tree.Write("d/b", workspace.File{Data: []byte("new"), Mode: 0o755}))
	must(tree.Remove("a"))
	must(tree.Write("a/inside", workspace.File{Data: []byte("4"), Mode: 0o644}))
	hidden := b.Tree()
	must(hidden.Write("d/b", workspace.File{Data: []byte("hidden"), Mode: 0o644}))
	must(hidden.Remove("d/c"))
	clone := tree.Clone()
	must(tree.Lay(hidden))
	if d := cmp.Diff(map[string]string{"a/inside": "4", "d/b": "hidden"}, content(t, tree)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]string{"a/inside": "4", "d/b": "x new", "d/c": "3"}, content(t, clone)); d != "" {
		t.Errorf("a clone is another tree: %s", d)
	}
	if clone.Key() == tree.Key() || clone.Key() == b.Key {
		t.Error("different trees have one key")
	}
	if err := tree.Lay(base(t, map[string]string{"z": "1"}).Tree()); err == nil {
		t.Error("a tree on another base was laid over")
	}
	for _, bad := range []string{"", ".", "/x", "../x", "a/../b", ".git/config", "d/.GIT/x"} {
		if err := tree.Write(bad, workspace.File{}); !errors.Is(err, workspace.ErrPath) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := tree.Read("d/c"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := tree.Read("d"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// What the sandbox sees is what Export writes.
func TestStage(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, name := range []string{sandbox.Bubblewrap, sandbox.Namespaces, sandbox.None} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box, err := sandbox.Open(ctx, name, sandbox.Options{})
			if err != nil {
				need(t, err.Error())
			}
			b := base(t, map[string]string{"a": "1", "d/b": "2", "d/c": "3", "keep": "5"})
			tree := b.Tree()
			rep := tree.Apply("diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n\\ No newline at end of file\n"+
				"diff --git a/d/c b/e\nsimilarity index 100%\nrename from d/c\nrename to e\n--- /dev/null\n+++ b/n/m\n@@ -0,0 +1 @@\n+new\n", workspace.ApplyOptions{})
			if !rep.Applied {
				t.Fatalf("%+v", rep)
			}
			for _, tr := range []*workspace.Tree{tree, b.Tree()} {
				m, done, err := tr.Stage(ctx, "tree")
				if err != nil {
					t.Fatal(err)
				}
				defer done()
				r, err := box.Run(ctx, sandbox.Cmd{Path: "sh", Args: []string{"-c", "find . -type f | sort | xargs grep -H ''; echo changed >keep"}, Dir: "tree", Mounts: []sandbox.Mount{m}})
				if err != nil || !r.OK() {
					t.Fatalf("%+v %v", r, err)
				}
				got := map[string]string{}
				for line := range strings.Lines(string(r.Stdout)) {
					name, text, _ := strings.Cut(strings.TrimSpace(line), ":")
					got[strings.TrimPrefix(name, "./")] = text
				}
				want := content(t, tr)
				for k, v := range want {
					want[k] = strings.TrimSpace(v)
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Error(d)
				}
			}
			if d := cmp.Diff(map[string]string{"a": "1", "d/b": "2", "d/c": "3", "keep": "5"}, readDir(t, b.Dir)); d != "" {
				t.Errorf("the base changed: %s", d)
			}
		})
	}
}
