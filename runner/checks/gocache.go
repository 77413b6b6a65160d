package checks

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"plumbline/runner/sandbox"
)

// Compiling the standard library takes far longer than any test. It is compiled
// once into a cache of the host, from Go's own sources alone: nothing of a tree is
// compiled where the cache can be written. A run sees the cache as links, and what
// it adds disappears with it.

// warming lets one process fill a cache at a time.
var warming sync.Mutex

// warmed remembers what was compiled into which cache.
var warmed = map[string]bool{}

// warm makes sure that the cache holds the packages of the standard library which
// the tree imports. Without a cache each run compiles them.
func (g *gotest) warm(ctx context.Context, x Exec, tool goTool) ([]sandbox.Mount, error) {
	if g.settings.GoCache == "" || x.Box.Images() {
		return nil, nil
	}
	dir, err := filepath.Abs(g.settings.GoCache)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return nil, fmt.Errorf("open the cache of compiled packages: %w", err)
	}
	mounts := []sandbox.Mount{{Source: dir, Target: "gocache", Mode: sandbox.Links}}
	warming.Lock()
	defer warming.Unlock()
	// A patch seldom imports more; what is new is compiled in its own run.
	whole := dir + " " + x.Tree.Base().Key
	if warmed[whole] {
		return mounts, nil
	}
	wanted, err := g.standard(ctx, x, tool)
	if err != nil || len(wanted) == 0 {
		return mounts, err
	}
	warmed[whole] = true
	var open []string
	for _, p := range wanted {
		if !warmed[dir+" "+p] {
			open = append(open, p)
		}
	}
	if len(open) == 0 {
		return mounts, nil
	}
	r, err := x.Box.Run(ctx, sandbox.Cmd{
		Path: tool.path, Args: append([]string{"build"}, open...), Env: goEnv, Limits: sandbox.Limits{Wall: 10 * time.Minute, Disk: 4 << 30, Memory: 4 << 30},
		Mounts: append(slices.Clone(tool.mounts), sandbox.Mount{Source: dir, Target: "gocache", Mode: sandbox.Writable}),
	})
	if err != nil {
		return nil, fmt.Errorf("compile the standard library: %w", err)
	}
	if r.OK() {
		for _, p := range open {
			warmed[dir+" "+p] = true
		}
	}
	return mounts, nil // what could not be compiled is compiled in each run
}

// standard lists the packages of the standard library that a tree and its tests
// import. go list reads the tree and runs nothing of it.
func (g *gotest) standard(ctx context.Context, x Exec, tool goTool) ([]string, error) {
	var out []string
	c := command{
		path: tool.path, env: goEnv, mounts: tool.mounts,
		args: []string{"list", "-e", "-deps", "-test", "-f", "{{if .Standard}}{{.ImportPath}}{{end}}", "./..."},
	}
	x.Limits = sandbox.Limits{Wall: time.Minute}
	err := x.run(ctx, c, func(r sandbox.Report, _ left, _ []string) {
		for line := range strings.Lines(string(r.Stdout)) {
			if p := strings.TrimSpace(line); p != "" && p != "unsafe" && !strings.ContainsAny(p, " [") {
				out = append(out, p)
			}
		}
	})
	return out, err
}
