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
	dir string // the git folder
}

// OpenGit finds the repository that a folder belongs to.
func OpenGit(ctx context.Context, dir string) (GitSource, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return GitSource{}, fmt.Errorf("open the repository %s: %w", dir, err)
	}
	var out bytes.Buffer
	err = sandbox.Trusted(ctx, sandbox.TrustedCmd{
		Path: "git", Args: []string{"-C", abs, "-c", "safe.directory=*", "rev-parse", "--absolute-git-dir"}, Dir: os.TempDir(), Env: gitEnv, Stdout: &out,
	})
	if err != nil {
		return GitSource{}, fmt.Errorf("open the repository %s: %w", dir, err)
	}
	return GitSource{dir: strings.TrimSpace(out.String())}, nil
}

var gitEnv = []string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_OPTIONAL_LOCKS=0", "GIT_EXTERNAL_DIFF="}

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

// Diff is the patch from one commit to another, renames told apart.
func (g GitSource) Diff(ctx context.Context, base, head string) (string, error) {
	out, err := g.run(ctx, "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--binary", "--find-renames", base, head, "--")
	if err != nil {
		return "", fmt.Errorf("compare %s with %s: %w", base, head, err)
	}
	return out, nil
}

// Tree is the tree of a commit, kept in the host's folder of base trees.
func (h *CheckHost) Tree(ctx context.Context, g GitSource, commit string) (*workspace.Base, error) {
	return h.cache.FromGit(ctx, g.dir, commit)
}
