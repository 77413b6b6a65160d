package checks

import (
	"context"
	"path/filepath"

	"plumbline/runner/sandbox"
)

// Shell is what a free command on a tree needs of this host, so that it can run the
// tests of the tree as a runner would: programs in PATH, no network, and the compiled
// standard library of Go where the tree is a Go module.
func Shell(ctx context.Context, x Exec, s Settings) (env []string, mounts []sandbox.Mount, err error) {
	env = []string{"PYTHONDONTWRITEBYTECODE=1", "PYTHONHASHSEED=0", "NO_COLOR=1"}
	if x.Box.Images() {
		return append(env, "PATH="+sandbox.ImagePath), nil, nil
	}
	tool, err := findGo()
	if err != nil || !x.Tree.Has("go.mod") {
		return env, nil, nil // a tree without Go needs none
	}
	g := &gotest{settings: s}
	cached, err := g.warm(ctx, x, tool)
	if err != nil {
		return nil, nil, err
	}
	env = append(append(env, goEnv...), "PATH="+filepath.Dir(tool.path)+":"+sandbox.SystemPath)
	return env, append(tool.mounts, cached...), nil
}
