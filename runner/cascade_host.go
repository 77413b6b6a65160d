package runner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
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
	// places bounds the programs that run at a time: more of them than processors
	// would run into their time limits through no fault of their own.
	places chan struct{}

	mu    sync.Mutex
	boxes map[string]openBox
	sets  map[string]*setLock
}

// setLock lets one item at a time work on a set of checks that many share.
type setLock struct {
	free  chan struct{}
	users int
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
	return &CheckHost{dir: dir, mirrors: mirrors, cache: cache, places: make(chan struct{}, runtime.NumCPU()), boxes: map[string]openBox{}, sets: map[string]*setLock{}}, nil
}

// enter waits for a place to run programs in, and gives the function that leaves it;
// false when ctx ended first.
func (h *CheckHost) enter(ctx context.Context) (leave func(), ok bool) {
	select {
	case <-ctx.Done():
		return nil, false
	case h.places <- struct{}{}:
		return func() { <-h.places }, true
	}
}

// hold waits until nobody else in this process works on a set, so that items which
// share it do not run the same programs twice; false when ctx ended first. Of two
// processes that work on one set, the first to store an observation counts.
func (h *CheckHost) hold(ctx context.Context, setID string) (release func(), ok bool) {
	h.mu.Lock()
	l := h.sets[setID]
	if l == nil {
		l = &setLock{free: make(chan struct{}, 1)}
		h.sets[setID] = l
	}
	l.users++
	h.mu.Unlock()
	leave := func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if l.users--; l.users == 0 {
			delete(h.sets, setID)
		}
	}
	select {
	case <-ctx.Done():
		leave()
		return nil, false
	case l.free <- struct{}{}:
		return sync.OnceFunc(func() {
			<-l.free
			leave()
		}), true
	}
}

// Settings are those of test runners on this host; without a host they are empty.
func (h *CheckHost) Settings() checks.Settings {
	if h == nil {
		return checks.Settings{}
	}
	return checks.Settings{GoCache: filepath.Join(h.dir, "go", runtime.Version())}
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
