package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"plumbline/runner/sandbox"
	"plumbline/runner/workspace"
)

// GitSource is a git repository of the user's own from which a patch is judged.
// Only reading commands are run on it; no hook, filter or setting of it decides
// what runs.
type GitSource struct {
	dir    string // the git folder, of a linked work tree if it is one
	common string // where the objects are
}

// OpenGit finds the repository that a folder belongs to.
func OpenGit(ctx context.Context, dir string) (GitSource, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return GitSource{}, fmt.Errorf("open the repository %s: %w", dir, err)
	}
	var out bytes.Buffer
	err = sandbox.Trusted(ctx, sandbox.TrustedCmd{
		Path: "git", Args: []string{"-C", abs, "-c", "safe.directory=*", "rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir"}, Dir: os.TempDir(), Env: gitEnv, Stdout: &out,
	})
	if err != nil {
		return GitSource{}, fmt.Errorf("open the repository %s: %w", dir, err)
	}
	git, common, ok := strings.Cut(strings.TrimSuffix(out.String(), "\n"), "\n")
	if !ok {
		return GitSource{}, fmt.Errorf("open the repository %s: git says %q", dir, out.String())
	}
	return GitSource{git, common}, nil
}

var gitEnv = []string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1"}

func (g GitSource) run(ctx context.Context, args ...string) (string, error) {
	var out bytes.Buffer
	safe := []string{"--git-dir=" + g.dir, "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never"}
	err := sandbox.Trusted(ctx, sandbox.TrustedCmd{Path: "git", Args: append(safe, args...), Dir: os.TempDir(), Env: gitEnv, Stdout: &out})
	return out.String(), err
}

// ErrRevision says that a name is no commit of the repository.
var ErrRevision = errors.New("not a commit of the repository")

// Commit is the full hash of a revision.
func (g GitSource) Commit(ctx context.Context, rev string) (string, error) {
	if rev == "" || strings.HasPrefix(rev, "-") {
		return "", fmt.Errorf("revision %q: %w", rev, ErrRevision)
	}
	out, err := g.run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		if ctx.Err() != nil {
			return "", err
		}
		return "", fmt.Errorf("revision %q: %w", rev, ErrRevision)
	}
	return strings.TrimSpace(out), nil
}

// Fork is the commit at which head left base, so that what happened on base since
// is no part of the patch. The error wraps ErrRevision where they share none here.
func (g GitSource) Fork(ctx context.Context, base, head string) (string, error) {
	out, err := g.run(ctx, "merge-base", "--end-of-options", base, head)
	if err != nil {
		if ctx.Err() != nil {
			return "", err
		}
		return "", fmt.Errorf("%.12s and %.12s share no commit in this clone, which may be a shallow one: %w", base, head, ErrRevision)
	}
	return strings.TrimSpace(out), nil
}

// Diff is the patch from one commit to another, renames told apart. It does not
// depend on settings of the repository.
func (g GitSource) Diff(ctx context.Context, base, head string) (string, error) {
	out, err := g.run(ctx, "diff-tree", "-r", "-p", "-M", "--no-ext-diff", "--no-textconv", "--no-color", "--binary", "--full-index", "--src-prefix=a/", "--dst-prefix=b/", "--end-of-options", base, head)
	if err != nil {
		return "", fmt.Errorf("compare %s with %s: %w", base, head, err)
	}
	return out, nil
}

// Tree is the tree of a commit, kept in the host's folder of base trees.
func (h *CheckHost) Tree(ctx context.Context, g GitSource, commit string) (*workspace.Base, error) {
	return h.cache.FromGit(ctx, g.common, commit)
}
