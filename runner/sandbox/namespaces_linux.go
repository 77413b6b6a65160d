package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// namespaces runs commands by making the namespaces itself. The program starts
// itself once more as the first process inside, see initMain; that process builds
// the file system, drops every right and starts the command.
type namespaces struct {
	groups hierarchy
	filter filter
	more   []string
}

func openNamespaces(o Options) (Backend, error) {
	f, err := newFilter()
	if err != nil {
		return nil, err
	}
	return &namespaces{groups: findHierarchy(), filter: f, more: o.ReadOnly}, nil
}

func (*namespaces) Name() string    { return Namespaces }
func (*namespaces) Sandboxed() bool { return true }
func (*namespaces) Images() bool    { return false }

// order is what the process inside is told.
type order struct {
	Path, Dir string
	Args, Env []string
	Shown     []shown
	Mounts    []Mount
	Limits    Limits
	Alone     bool // no control group caps all processes together
	Filter    []unix.SockFilter
}

// answer is what it tells: one when the command starts, one when it ended.
type answer struct {
	Started bool
	Refused string // why the command cannot be started
	Broken  string // why the sandbox cannot be set up
	Ended   bool
	Exit    int
	Signal  int
	Gaps    []string
}

// Run runs a command; see Backend.
func (n *namespaces) Run(ctx context.Context, c Cmd) (Report, error) {
	c.Limits = c.Limits.filled()
	r, err := n.run(ctx, c)
	if err != nil {
		return Report{}, fmt.Errorf("run %s in namespaces: %w", c.Path, err)
	}
	return r, nil
}

func (n *namespaces) run(ctx context.Context, c Cmd) (Report, error) {
	if err := c.check(); err != nil {
		return Report{}, err
	}
	if c.Image != "" {
		return Report{}, fmt.Errorf("%s runs no images", n.Name())
	}
	var fds descriptors
	defer fds.close()
	answers, answersW, err := fds.pipe()
	if err != nil {
		return Report{}, err
	}
	waitR, goAhead, err := fds.pipe()
	if err != nil {
		return Report{}, err
	}
	mounts, watched, err := resolved(c.Mounts)
	if err != nil {
		return Report{}, err
	}
	g, err := n.groups.make(c.Limits)
	if err != nil {
		return Report{}, err
	}
	raw, err := json.Marshal(order{
		Path: strings.ReplaceAll(c.Path, Box, boxDir), Dir: place(c.Dir, boxDir), Args: boxed(c.Args, boxDir), Env: c.environ(boxDir, SystemPath),
		Shown: systemShown(n.more), Mounts: mounts, Limits: c.Limits, Alone: g == nil, Filter: n.filter,
	})
	if err != nil {
		return Report{}, fmt.Errorf("write the order: %w", err)
	}
	fds.give(answersW)
	fds.give(waitR)
	if _, err := fds.data(raw); err != nil {
		return Report{}, err
	}
	l := &launch{cmd: exec.Command("/proc/self/exe"), stdin: c.Stdin, limits: c.Limits, watched: watched}
	if g != nil {
		defer g.remove()
		l.group = g
	}
	l.cmd.Args = []string{initName}
	l.cmd.Env = []string{"GOGC=off", "GOMEMLIMIT=64MiB"}
	l.cmd.ExtraFiles = fds.given
	l.cmd.SysProcAttr = &syscall.SysProcAttr{
		Setsid: true, Pdeathsig: syscall.SIGKILL,
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: sandboxID, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: sandboxID, HostID: os.Getgid(), Size: 1}},
		// A new program started by a user other than root loses what the namespace
		// gave it, unless it is ambient. An overlay works in a folder of its own that
		// nobody may enter; all of this is dropped before the command starts.
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP, unix.CAP_DAC_OVERRIDE},
	}
	// The first process inside takes all others with it.
	l.kill = func() { _ = l.cmd.Process.Kill() } // it may be gone already
	dec := json.NewDecoder(answers)
	l.attach = func() error {
		fds.started()
		if g != nil {
			if err := g.add(l.cmd.Process.Pid); err != nil {
				return err
			}
		}
		_, err := goAhead.Write([]byte{1})
		return err
	}
	e, err := l.run(ctx)
	if err != nil {
		return Report{}, err
	}
	return n.report(c.Limits, e, dec)
}

// resolved replaces sources by their real paths: inside, a link that starts at
// the root would lead elsewhere.
func resolved(mounts []Mount) (out []Mount, watched []string, err error) {
	for _, m := range mounts {
		if m.Source, err = filepath.EvalSymlinks(m.Source); err != nil {
			return nil, nil, fmt.Errorf("mount %s: %w", m.Target, err)
		}
		if m.Over != "" {
			if m.Over, err = filepath.EvalSymlinks(m.Over); err != nil {
				return nil, nil, fmt.Errorf("mount %s: %w", m.Target, err)
			}
		}
		if m.Mode == Writable {
			watched = append(watched, m.Source)
		}
		out = append(out, m)
	}
	return out, watched, nil
}

// report joins how the first process inside ended with what it told before.
func (n *namespaces) report(l Limits, e ended, dec *json.Decoder) (Report, error) {
	var last answer
	var gaps []string
	for {
		var a answer
		err := dec.Decode(&a)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Report{}, fmt.Errorf("read what happened inside: %w", err)
		}
		if a.Gaps != nil {
			gaps = a.Gaps
		}
		last = a
	}
	r := e.report
	r.Backend, r.Gaps = n.Name(), append(n.groups.gaps(), gaps...)
	if last.Broken != "" {
		return Report{}, errors.New(last.Broken)
	}
	// The first process inside ends well whatever the command did.
	hit := e.hit
	if hit == nil && (!last.Ended || last.Exit != 0 || last.Signal != 0) {
		hit = e.late
	}
	if hit == nil && last.Ended && last.Signal != 0 {
		hit = signalCause(last.Signal, l)
	}
	switch {
	case last.Refused != "" && hit == nil:
		r.Cause, r.Detail = Refused, last.Refused
	case hit != nil:
		r.Cause, r.Detail = hit.cause, hit.detail
	case !last.Ended:
		return Report{}, fmt.Errorf("the first process inside ended early: %v%s", e.state, said(r.Stderr))
	case last.Signal != 0:
		r.Cause, r.Signal, r.Detail = Signaled, last.Signal, fmt.Sprintf("signal %d (%v)", last.Signal, syscall.Signal(last.Signal))
	default:
		r.Cause, r.Exit = Exited, last.Exit
	}
	return r, nil
}
