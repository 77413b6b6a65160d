package runner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"plumbline/experiments/bundled"
	"plumbline/experiments/trace"
	"plumbline/runner/checks"
	"plumbline/runner/sandbox"
	"plumbline/runner/workspace"
)

// CheckHost is what checks need of this machine: a sandbox, a folder for base trees
// and compiled packages, and repositories to take base trees from. Make one with
// NewCheckHost; it is safe for concurrent use and opens what it needs when it is
// first asked for.
type CheckHost struct {
	dir     string
	mirrors string
	cache   *workspace.Cache

	mu    sync.Mutex
	boxes map[string]openBox
}

type openBox struct {
	box   sandbox.Backend
	tools []checks.StaticTool
}

// NewCheckHost makes the folder if there is none. mirrors may be empty: then only
// bundled cases have base trees.
func NewCheckHost(dir, mirrors string) (*CheckHost, error) {
	cache, err := workspace.OpenCache(filepath.Join(dir, "bases"))
	if err != nil {
		return nil, err
	}
	return &CheckHost{dir: dir, mirrors: mirrors, cache: cache, boxes: map[string]openBox{}}, nil
}

// Settings are those of test runners on this host.
func (h *CheckHost) Settings() checks.Settings {
	return checks.Settings{GoCache: filepath.Join(h.dir, "go-build")}
}

// open opens a backend by name, with the static tools that work in it.
func (h *CheckHost) open(ctx context.Context, backend, image string) (openBox, error) {
	if backend == "" {
		backend = sandbox.Auto
	}
	key := backend + "\x00" + image
	h.mu.Lock()
	defer h.mu.Unlock()
	if b, ok := h.boxes[key]; ok {
		return b, nil
	}
	box, err := sandbox.Open(ctx, backend, sandbox.Options{})
	if err != nil {
		return openBox{}, err
	}
	tools, err := checks.FindStatic(ctx, box, image, h.Settings())
	if err != nil {
		return openBox{}, err
	}
	b := openBox{box, tools}
	h.boxes[key] = b
	return b, nil
}

// ErrNoBase says that the base tree of an instance is not at hand.
var ErrNoBase = errors.New("the base tree is not at hand")

// Base is the tree that an instance starts from: of a bundled case, or a commit of
// a repository in the mirrors.
func (h *CheckHost) Base(ctx context.Context, in trace.Instance) (*workspace.Base, error) {
	cases, err := bundled.Cases()
	if err != nil {
		return nil, fmt.Errorf("read the bundled cases: %w", err)
	}
	for _, c := range cases {
		if c.Instance.ID == in.ID && c.Instance.BaseCommit == in.BaseCommit {
			return h.cache.FromFiles(ctx, c.Base)
		}
	}
	if h.mirrors == "" {
		return nil, fmt.Errorf("%w: no folder of repositories is set", ErrNoBase)
	}
	repo, err := workspace.Repos{Dir: h.mirrors}.Find(ctx, in.Repo, in.BaseCommit)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoBase, err)
	}
	return h.cache.FromGit(ctx, repo, in.BaseCommit)
}
