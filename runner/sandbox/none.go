package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// none runs commands on the host as they are. Its reports are marked.
type none struct{}

func (*none) Name() string    { return None }
func (*none) Sandboxed() bool { return false }
func (*none) Images() bool    { return false }

// Run runs a command on the host, in a folder that is removed afterwards. Only
// its time and its output are limited, and processes that leave its process
// group outlive it.
func (n *none) Run(ctx context.Context, c Cmd) (Report, error) {
	c.Limits = c.Limits.filled()
	r, err := n.run(ctx, c)
	if err != nil {
		return Report{}, fmt.Errorf("run %s without a sandbox: %w", c.Path, err)
	}
	return r, nil
}

func (n *none) run(ctx context.Context, c Cmd) (Report, error) {
	if err := c.check(); err != nil {
		return Report{}, err
	}
	if c.Image != "" {
		return Report{}, fmt.Errorf("%s runs no images", n.Name())
	}
	box, err := os.MkdirTemp("", "plumbline-box-")
	if err != nil {
		return Report{}, fmt.Errorf("make the box: %w", err)
	}
	defer removeTree(box)
	if err := os.Mkdir(filepath.Join(box, "home"), 0o700); err != nil {
		return Report{}, fmt.Errorf("make the box: %w", err)
	}
	for _, m := range c.Mounts {
		if err := n.mount(box, m); err != nil {
			return Report{}, err
		}
	}
	r := Report{Backend: n.Name(), Unsandboxed: true, Exit: -1, Gaps: []string{"nothing protects the host"}}
	program, ok := n.find(strings.ReplaceAll(c.Path, Box, box), place(c.Dir, box))
	if !ok {
		r.Cause, r.Detail = Refused, "the program is not there or cannot be run"
		return r, nil
	}
	if info, err := os.Stat(place(c.Dir, box)); err != nil || !info.IsDir() {
		r.Cause, r.Detail = Refused, "the folder to start in is not there"
		return r, nil
	}
	env := c.environ(box, os.Getenv("PATH"))
	for i, e := range env {
		if e == "TMPDIR=/tmp" {
			env[i] = "TMPDIR=" + filepath.Join(box, "home")
		}
	}
	l := &launch{cmd: exec.Command(program, boxed(c.Args, box)...), stdin: c.Stdin, limits: c.Limits, watched: []string{box}}
	l.cmd.Dir, l.cmd.Env = place(c.Dir, box), env
	ownGroup(l.cmd)
	l.kill = func() { killGroup(l.cmd) }
	e, err := l.run(ctx)
	if err != nil {
		return Report{}, err
	}
	out := e.report
	out.Backend, out.Unsandboxed, out.Gaps = r.Backend, true, r.Gaps
	settle(&out, e, c.Limits, newMark(), false)
	return out, nil
}

// find resolves the program as a shell would.
func (*none) find(p, dir string) (string, bool) {
	if strings.Contains(p, "/") && !filepath.IsAbs(p) {
		p = filepath.Join(dir, p)
	}
	found, err := exec.LookPath(p)
	return found, err == nil
}

func (*none) mount(box string, m Mount) error {
	if filepath.IsAbs(m.Target) {
		if m.Target == m.Source && m.Mode == ReadOnly {
			return nil
		}
		return fmt.Errorf("mount %s: without a sandbox nothing can be put there", m.Target)
	}
	to := filepath.Join(box, m.Target)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return fmt.Errorf("mount %s: %w", m.Target, err)
	}
	var err error
	switch m.Mode {
	case Writable, ReadOnly:
		err = os.Symlink(m.Source, to)
	case Links:
		err = linkAll(to, m.Source, m.Source)
	default:
		err = copyMount(m, to)
	}
	if err != nil {
		return fmt.Errorf("mount %s: %w", m.Target, err)
	}
	return nil
}

// copyMount makes the copy of a mount at a place of the host.
func copyMount(m Mount, to string) error {
	if err := CopyTree(to, m.Source); err != nil {
		return err
	}
	return changeCopy(m, to)
}

// changeCopy takes out and lays over what the mount says.
func changeCopy(m Mount, to string) error {
	for _, r := range m.Remove {
		if err := os.RemoveAll(filepath.Join(to, filepath.FromSlash(r))); err != nil {
			return err
		}
	}
	if m.Over == "" {
		return nil
	}
	return CopyTree(to, m.Over)
}

// removeTree removes a folder whose programs may have taken our rights to it.
func removeTree(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(p, 0o700) // tried once more below
		}
		return nil
	})
	_ = os.RemoveAll(dir) // what is left is in the system's folder for such things
}
