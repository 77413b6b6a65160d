package tooluse

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"plumbline/experiments/toolreview"
	"plumbline/runner/checks"
	"plumbline/runner/sandbox"
	"plumbline/runner/workspace"
)

// Desk is a patched tree made ready for a reviewer with tools. Close it after use. It
// is safe for concurrent use.
type Desk struct {
	policy toolreview.Policy
	exec   checks.Exec
	dir    string // holds the whole tree; empty where an image does
}

// atOnce bounds the commands of all reviews in this process: dozens of reviews wait
// for their models most of the time, and their commands share the processors.
var atOnce = make(chan struct{}, max(2, runtime.GOMAXPROCS(0)))

// Memory and output of one command.
const (
	commandMemory = 2 << 30
	commandOutput = 1 << 20
)

// Open lays the tree out. The error says that this host cannot.
func Open(ctx context.Context, x checks.Exec, s checks.Settings, p toolreview.Policy) (*Desk, error) {
	d := &Desk{policy: p.Filled(), exec: x}
	env, mounts, err := checks.Shell(ctx, x, s)
	if err != nil {
		return nil, fmt.Errorf("make a tree ready for a reviewer: %w", err)
	}
	d.exec.Env, d.exec.Mounts = append(env, x.Env...), append(mounts, x.Mounts...)
	if x.Box.Images() {
		return d, nil
	}
	if d.dir, err = os.MkdirTemp("", "plumbline-review-"); err != nil {
		return nil, fmt.Errorf("make a tree ready for a reviewer: %w", err)
	}
	if err := os.Mkdir(d.tree(), 0o755); err == nil {
		err = x.Tree.Export(d.tree())
	}
	if err != nil {
		d.Close()
		return nil, fmt.Errorf("make a tree ready for a reviewer: %w", err)
	}
	return d, nil
}

func (d *Desk) tree() string { return filepath.Join(d.dir, "tree") }

// Close removes the tree.
func (d *Desk) Close() {
	if d.dir != "" {
		_ = os.RemoveAll(d.dir) // what is left lies in the system's folder for such things
	}
}

// Perform performs the calls of an action, one after the other. The error says that
// nothing can be run here; whatever a command does is in its result.
func (d *Desk) Perform(ctx context.Context, calls []toolreview.Planned) ([]toolreview.Result, error) {
	var out []toolreview.Result
	for _, c := range calls {
		if c.Problem != "" {
			out = append(out, toolreview.Result{Shown: c.Problem})
			continue
		}
		r, err := d.run(ctx, c.Command)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

func (d *Desk) run(ctx context.Context, c toolreview.Command) (toolreview.Result, error) {
	where, mount, done, err := d.stage(ctx, c)
	if err != nil {
		return toolreview.Result{}, err
	}
	defer done()
	select {
	case atOnce <- struct{}{}:
		defer func() { <-atOnce }()
	case <-ctx.Done():
		return toolreview.Result{}, ctx.Err()
	}
	report, err := d.exec.Box.Run(ctx, sandbox.Cmd{
		Path: c.Argv[0], Args: c.Argv[1:], Env: d.exec.Env, Dir: where, Image: d.exec.Image, Mounts: append([]sandbox.Mount{mount}, d.exec.Mounts...),
		Limits: sandbox.Limits{Wall: time.Duration(d.policy.CommandS * float64(time.Second)), Memory: commandMemory, Output: commandOutput},
	})
	if err != nil {
		return toolreview.Result{}, err
	}
	var exit *int
	if report.Cause == sandbox.Exited {
		exit = &report.Exit
	}
	r := d.policy.Ran(c, string(report.Cause), report.Detail, exit, report.Stdout, report.Stderr, report.Truncated)
	r.WallMS, r.Backend, r.Unsandboxed = report.Wall.Milliseconds(), report.Backend, report.Unsandboxed
	return r, nil
}

// stage shows the tree to a command: as it is to one that only looks, as a private
// copy to any other. An image holds the base already, and may hold the history of the
// repository beside it, in which the reference patch stands: that is taken out.
func (d *Desk) stage(ctx context.Context, c toolreview.Command) (where string, m sandbox.Mount, done func(), err error) {
	if d.exec.Box.Images() {
		m, done, err = d.exec.Tree.StageChanges(ctx, sandbox.ImageRepo)
		m.Remove = append(m.Remove, ".git")
		return sandbox.ImageRepo, m, done, err
	}
	m = sandbox.Mount{Source: d.tree(), Target: "tree", Mode: sandbox.Copy}
	if c.Reads && d.exec.Box.Sandboxed() {
		m.Mode = sandbox.ReadOnly
	}
	return "tree", m, func() {}, nil
}

// Patched is the base with the whole patch of an agent on it. The reason says why the
// patch is refused; a text without any diff leaves the base as it is.
func Patched(base *workspace.Base, diff string) (tree *workspace.Tree, reason string) {
	tree = base.Tree()
	if diff == "" {
		return tree, ""
	}
	rep := tree.Apply(diff, workspace.ApplyOptions{})
	if rep.Applied {
		return tree, ""
	}
	if all := rep.Rejected(); len(all) > 0 {
		return nil, all[0]
	}
	return nil, "it is refused: " + rep.Reason
}
