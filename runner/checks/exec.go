package checks

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"plumbline/runner/sandbox"
	"plumbline/runner/workspace"
)

// Exec is where a Runner runs: a tree in a sandbox.
type Exec struct {
	Box    sandbox.Backend
	Tree   *workspace.Tree
	Limits sandbox.Limits // of one process
	Env    []string       // beside what the runner needs
	Mounts []sandbox.Mount
	Image  string // for backends that run images; the tree's changes are laid over the image's repository
}

// Places of an execution, for commands that users write.
const (
	TreeDir = sandbox.Box + "/tree" // the tree
	OutDir  = sandbox.Box + "/out"  // reports are left here
)

// command is a program that a runner starts.
type command struct {
	path string
	args []string
	env  []string
	// files are put beside the tree and can be read below $BOX/given.
	files  map[string]string
	mounts []sandbox.Mount
}

// reportLimit bounds one report that a stranger's program leaves.
const reportLimit = 64 << 20

// left reads what a program left in its output folder.
type left func(name string) (content []byte, cut bool, err error)

// run stages the tree, runs the command in it and hands what was left to read.
func (x Exec) run(ctx context.Context, c command, read func(r sandbox.Report, left left, names []string)) error {
	dir, err := os.MkdirTemp("", "plumbline-run-")
	if err != nil {
		return fmt.Errorf("prepare a run: %w", err)
	}
	defer os.RemoveAll(dir)
	out, given := filepath.Join(dir, "out"), filepath.Join(dir, "given")
	for _, d := range []string{out, given} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return fmt.Errorf("prepare a run: %w", err)
		}
	}
	for name, text := range c.files {
		if err := os.WriteFile(filepath.Join(given, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("prepare a run: %w", err)
		}
	}
	where := "tree"
	stage := x.Tree.Stage
	env := append([]string(nil), c.env...)
	if x.Box.Images() {
		where, stage = sandbox.ImageRepo, x.Tree.StageChanges
		env = append([]string{"PATH=" + sandbox.ImagePath}, env...)
	}
	tree, done, err := stage(ctx, where)
	if err != nil {
		return err
	}
	defer done()
	mounts := append([]sandbox.Mount{tree, {Source: out, Target: "out", Mode: sandbox.Writable}, {Source: given, Target: "given"}}, c.mounts...)
	report, err := x.Box.Run(ctx, sandbox.Cmd{
		Path: c.path, Args: c.args, Env: append(env, x.Env...), Dir: where,
		Limits: x.Limits, Mounts: append(mounts, x.Mounts...), Image: x.Image,
	})
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(out)
	if err != nil {
		return fmt.Errorf("look through the reports: %w", err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	read(report, func(name string) ([]byte, bool, error) { return sandbox.ReadLeft(out, name, reportLimit) }, names)
	return nil
}
