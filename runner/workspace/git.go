package workspace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"plumbline/runner/sandbox"
)

// ErrNoCommit says that no repository at hand has the commit.
var ErrNoCommit = errors.New("the commit is in no repository at hand")

// Repos is a folder of git repositories, bare or with a work tree, or one
// repository.
type Repos struct{ Dir string }

var commitName = regexp.MustCompile(`^[0-9a-fA-F]{7,64}$`)

// Find returns the repository that has a commit. name is owner/name; its folder
// may be owner/name, owner__name or name, each with or without .git. The error
// wraps ErrNoCommit where there is none.
func (r Repos) Find(ctx context.Context, name, commit string) (string, error) {
	if !commitName.MatchString(commit) {
		return "", fmt.Errorf("find %s at %q: that is not the name of a commit: %w", name, commit, ErrNoCommit)
	}
	var tried []string
	for _, dir := range r.candidates(name) {
		git, ok := gitDir(dir)
		if !ok {
			continue
		}
		tried = append(tried, dir)
		if _, err := gitLine(ctx, git, "rev-parse", "--verify", "--quiet", commit+"^{tree}"); err == nil {
			return dir, nil
		}
		if err := ctx.Err(); err != nil {
			return "", err
		}
	}
	if len(tried) == 0 {
		return "", fmt.Errorf("find %s: there is no clone of it in %s: %w", name, r.Dir, ErrNoCommit)
	}
	return "", fmt.Errorf("find %s at %s in %s: %w", name, commit, strings.Join(tried, ", "), ErrNoCommit)
}

func (r Repos) candidates(name string) []string {
	var out []string
	add := func(parts ...string) {
		p := filepath.Join(append([]string{r.Dir}, parts...)...)
		out = append(out, p, p+".git")
	}
	owner, short, ok := strings.Cut(name, "/")
	if ok && checkPath(owner) == nil && checkPath(short) == nil {
		add(owner, short)
		add(owner + "__" + short)
		add(short)
	} else if checkPath(name) == nil {
		add(name)
	}
	return append(out, r.Dir)
}

// gitDir finds the git folder of a repository.
func gitDir(dir string) (string, bool) {
	if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
		return filepath.Join(dir, ".git"), true
	}
	_, head := os.Stat(filepath.Join(dir, "HEAD"))
	_, objects := os.Stat(filepath.Join(dir, "objects"))
	return dir, head == nil && objects == nil
}

// gitCmd is a reading git command that no setting can make run anything else.
func gitCmd(git string, stdin io.Reader, stdout io.Writer, args ...string) sandbox.TrustedCmd {
	safe := []string{"--git-dir=" + git, "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never"}
	return sandbox.TrustedCmd{
		Path: "git", Args: append(safe, args...), Dir: os.TempDir(), Stdin: stdin, Stdout: stdout,
		Env: []string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1"},
	}
}

func gitLine(ctx context.Context, git string, args ...string) (string, error) {
	var out bytes.Buffer
	if err := sandbox.Trusted(ctx, gitCmd(git, nil, &out, args...)); err != nil {
		return "", err
	}
	return strings.TrimSpace(out.String()), nil
}

// FromGit keeps the tree of a commit as a base. Files are taken as they are
// stored: no line end is converted, no filter runs, and a submodule is an empty
// folder.
func (c *Cache) FromGit(ctx context.Context, repo, commit string) (*Base, error) {
	git, ok := gitDir(repo)
	if !ok {
		return nil, fmt.Errorf("read commit %s: %s is not a git repository", commit, repo)
	}
	if !commitName.MatchString(commit) {
		return nil, fmt.Errorf("read commit %q of %s: %w", commit, repo, ErrNoCommit)
	}
	hash, err := gitLine(ctx, git, "rev-parse", "--verify", "--quiet", commit+"^{tree}")
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("read commit %s of %s: %w", commit, repo, ErrNoCommit)
	}
	return c.keep(ctx, "git-"+hash, func(dir string) error {
		if err := unpack(ctx, git, hash, dir); err != nil {
			return fmt.Errorf("read commit %s of %s: %w", commit, repo, err)
		}
		return nil
	})
}

// entry is a file of a git tree.
type entry struct{ mode, hash, path string }

func listTree(ctx context.Context, git, hash string) ([]entry, error) {
	var out bytes.Buffer
	if err := sandbox.Trusted(ctx, gitCmd(git, nil, &out, "ls-tree", "-r", "-z", "--full-tree", hash)); err != nil {
		return nil, err
	}
	var list []entry
	for _, line := range strings.Split(strings.TrimSuffix(out.String(), "\x00"), "\x00") {
		if line == "" {
			continue
		}
		meta, p, ok := strings.Cut(line, "\t")
		f := strings.Fields(meta)
		if !ok || len(f) != 3 {
			return nil, fmt.Errorf("git lists %q", line)
		}
		if err := checkPath(p); err != nil {
			return nil, err
		}
		list = append(list, entry{f[0], f[2], p})
	}
	return list, nil
}

// unpack writes the files of a tree.
func unpack(ctx context.Context, git, hash, dir string) error {
	list, err := listTree(ctx, git, hash)
	if err != nil {
		return err
	}
	var asked strings.Builder
	var blobs []entry
	for _, e := range list {
		if e.mode == "160000" {
			if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(e.path)), 0o755); err != nil {
				return err
			}
			continue
		}
		blobs = append(blobs, e)
		asked.WriteString(e.hash + "\n")
	}
	r, w := io.Pipe()
	failed := make(chan error, 1)
	go func() {
		err := sandbox.Trusted(ctx, gitCmd(git, strings.NewReader(asked.String()), w, "cat-file", "--batch"))
		w.CloseWithError(err)
		failed <- err
	}()
	err = writeBlobs(bufio.NewReaderSize(r, 1<<20), blobs, dir)
	r.CloseWithError(err)
	if gitErr := <-failed; gitErr != nil && err == nil {
		err = gitErr
	}
	return err
}

func writeBlobs(in *bufio.Reader, blobs []entry, dir string) error {
	for _, e := range blobs {
		head, err := in.ReadString('\n')
		if err != nil {
			return fmt.Errorf("read %s: %w", e.path, err)
		}
		f := strings.Fields(head)
		if len(f) != 3 || f[1] != "blob" {
			return fmt.Errorf("read %s: git says %q", e.path, strings.TrimSpace(head))
		}
		size, err := strconv.Atoi(f[2])
		if err != nil {
			return fmt.Errorf("read %s: git says %q", e.path, strings.TrimSpace(head))
		}
		data := make([]byte, size)
		if _, err := io.ReadFull(in, data); err != nil {
			return fmt.Errorf("read %s: %w", e.path, err)
		}
		if _, err := in.Discard(1); err != nil {
			return fmt.Errorf("read %s: %w", e.path, err)
		}
		if err := writeFile(dir, path.Clean(e.path), File{Data: data, Mode: gitMode(e.mode)}); err != nil {
			return fmt.Errorf("write %s: %w", e.path, err)
		}
	}
	return nil
}

// gitMode is the mode of a file from git's octal text; anything unknown is a
// plain file.
func gitMode(octal string) fs.FileMode {
	switch octal {
	case "120000":
		return fs.ModeSymlink | 0o777
	case "100755":
		return 0o755
	}
	return 0o644
}
