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
	done, err := g.fill(ctx, x, tool, dir, open)
	if err != nil {
		return nil, err
	}
	if done {
		for _, p := range open {
			warmed[dir+" "+p] = true
		}
	}
	return mounts, nil // what could not be compiled is compiled in each run
}

// fill compiles packages of the standard library, and has vet look at them in both
// ways in which it is asked to later: what it learns of a package is kept as well,
// and takes longer than any patch.
func (g *gotest) fill(ctx context.Context, x Exec, tool goTool, dir string, packages []string) (bool, error) {
	probe, err := probeModule(packages)
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(probe)
	mounts := append(slices.Clone(tool.mounts),
		sandbox.Mount{Source: dir, Target: "gocache", Mode: sandbox.Writable}, sandbox.Mount{Source: probe, Target: "probe", Mode: sandbox.Copy})
	for _, args := range [][]string{append([]string{"build"}, packages...), {"test", "-run", "^$", "."}, {"vet", "-json", "."}} {
		r, err := x.Box.Run(ctx, sandbox.Cmd{
			Path: tool.path, Args: args, Env: goEnv, Dir: "probe", Mounts: mounts, Limits: sandbox.Limits{Wall: 10 * time.Minute, Disk: 4 << 30, Memory: 4 << 30},
		})
		if err != nil {
			return false, fmt.Errorf("compile the standard library: %w", err)
		}
		if !r.OK() {
			return false, nil
		}
	}
	return true, nil
}

// probeModule is a module on the host that imports packages and does nothing.
func probeModule(packages []string) (string, error) {
	var b strings.Builder
	b.WriteString("package probe\n\nimport (\n")
	for _, p := range packages {
		if strings.HasPrefix(p, "vendor/") || slices.Contains(strings.Split(p, "/"), "internal") {
			continue // reached through those that import them
		}
		fmt.Fprintf(&b, "\t_ %q\n", p)
	}
	b.WriteString(")\n")
	dir, err := os.MkdirTemp("", "plumbline-probe-")
	if err != nil {
		return "", fmt.Errorf("compile the standard library: %w", err)
	}
	for name, text := range map[string]string{
		"go.mod": "module plumbline.invalid/probe\n\ngo 1.21\n", "probe.go": b.String(),
		"probe_test.go": "package probe\n\nimport \"testing\"\n\nfunc TestNothing(*testing.T) {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			os.RemoveAll(dir)
			return "", fmt.Errorf("compile the standard library: %w", err)
		}
	}
	return dir, nil
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
