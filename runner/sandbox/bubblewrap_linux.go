package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// bubblewrap runs commands by bwrap: all namespaces, no capability, a system call
// filter, and no user namespaces inside.
type bubblewrap struct {
	path   string
	groups hierarchy
	filter []byte
	more   []string
	userns bool // bwrap can forbid further user namespaces
}

func openBubblewrap(ctx context.Context, o Options) (Backend, error) {
	p, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, fmt.Errorf("%w: bwrap is not installed", ErrUnavailable)
	}
	f, err := newFilter()
	if err != nil {
		return nil, err
	}
	help, err := run(ctx, p, "--help")
	if err != nil {
		return nil, fmt.Errorf("%w: bwrap does not start: %w", ErrUnavailable, err)
	}
	return &bubblewrap{path: p, groups: findHierarchy(), filter: f.bytes(), more: o.ReadOnly, userns: strings.Contains(help, "--disable-userns")}, nil
}

func (*bubblewrap) Name() string    { return Bubblewrap }
func (*bubblewrap) Sandboxed() bool { return true }
func (*bubblewrap) Images() bool    { return false }

// Run runs a command; see Backend.
func (b *bubblewrap) Run(ctx context.Context, c Cmd) (Report, error) {
	if err := c.check(); err != nil {
		return Report{}, fmt.Errorf("run %s in a sandbox: %w", c.Path, err)
	}
	if c.Image != "" {
		return Report{}, fmt.Errorf("run %s in a sandbox: %s runs no images", c.Path, b.Name())
	}
	c.Limits = c.Limits.filled()
	r, err := b.run(ctx, c)
	if err != nil {
		return Report{}, fmt.Errorf("run %s in bubblewrap: %w", c.Path, err)
	}
	return r, nil
}

func (b *bubblewrap) run(ctx context.Context, c Cmd) (Report, error) {
	var fds descriptors
	defer fds.close()
	info, infoW, err := fds.pipe()
	if err != nil {
		return Report{}, err
	}
	blockR, block, err := fds.pipe()
	if err != nil {
		return Report{}, err
	}
	args := []string{"--info-fd", fds.give(infoW), "--block-fd", fds.give(blockR)}
	bad := func(err error) (Report, error) { return Report{}, err }
	filterFD, err := fds.data(b.filter)
	if err != nil {
		return bad(err)
	}
	args = append(args, b.isolation()...)
	args = append(args, "--seccomp", filterFD)
	files, err := b.system(&fds)
	if err != nil {
		return bad(err)
	}
	args = append(args, files...)
	mounts, todo, watched, err := b.mounts(c)
	if err != nil {
		return bad(err)
	}
	args = append(args, mounts...)
	args = append(args, "--remount-ro", "/")
	env := c.environ(boxDir, SystemPath)
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		args = append(args, "--setenv", name, value)
	}
	text, mark := shellScript(place(c.Dir, boxDir), todo, false)
	// In a file, because what is on the command line can be read inside.
	options, err := fds.data([]byte(strings.Join(args, "\x00") + "\x00"))
	if err != nil {
		return bad(err)
	}
	args = append([]string{"--args", options, "--", "/bin/sh", "-c", text, "sandbox", strings.ReplaceAll(c.Path, Box, boxDir)}, boxed(c.Args, boxDir)...)

	g, err := b.groups.make(c.Limits)
	if err != nil {
		return bad(err)
	}
	l := &launch{cmd: exec.Command(b.path, args...), stdin: c.Stdin, limits: c.Limits, watched: watched}
	if g != nil {
		defer g.remove()
		l.group = g
	}
	l.cmd.Env = []string{}
	l.cmd.ExtraFiles = fds.given
	ownGroup(l.cmd)
	inner := processHandle{fd: -1}
	defer inner.close()
	l.kill = func() { inner.kill(l.cmd) }
	l.attach = func() error {
		fds.started()
		pid, err := childPID(info)
		if err != nil {
			return err
		}
		inner.open(pid)
		if g != nil {
			if err := g.add(pid); err != nil {
				return err
			}
		}
		if err := limitProcess(pid, c.Limits, g == nil); err != nil {
			return err
		}
		_, err = block.Write([]byte{1})
		return err
	}
	e, err := l.run(ctx)
	if err != nil {
		return bad(err)
	}
	r := e.report
	r.Backend, r.Gaps = b.Name(), b.groups.gaps()
	// bwrap reports a death by signal n as exit code 128+n.
	settle(&r, e, c.Limits, mark, true)
	return r, nil
}

func (b *bubblewrap) isolation() []string {
	args := []string{
		"--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL", "--hostname", sandboxHost,
		"--uid", strconv.Itoa(sandboxID), "--gid", strconv.Itoa(sandboxID),
	}
	if b.userns {
		args = append(args, "--disable-userns")
	}
	return args
}

func (b *bubblewrap) system(fds *descriptors) ([]string, error) {
	var args []string
	for _, s := range systemShown(b.more) {
		if s.Link != "" {
			args = append(args, "--symlink", s.Link, s.Path)
			continue
		}
		args = append(args, "--ro-bind", s.Source, s.Path)
	}
	for _, f := range writtenFiles {
		fd, err := fds.data([]byte(f.text))
		if err != nil {
			return nil, err
		}
		args = append(args, "--ro-bind-data", fd, f.path)
	}
	// Where the operator is root, the kernel's settings below /proc obey it still.
	return append(args, "--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"), nil
}

// mounts are the private folders and the command's own mounts, and what the
// script has to do about them inside.
func (b *bubblewrap) mounts(c Cmd) (args []string, todo []setup, watched []string, err error) {
	size := strconv.FormatInt(c.Limits.Disk, 10)
	args = []string{"--remount-ro", "/dev"}
	for _, dir := range []string{"/dev/shm", "/tmp", boxDir} {
		args = append(args, "--size", size, "--tmpfs", dir)
	}
	args = append(args, "--dir", boxDir+"/home")
	for i, m := range c.Mounts {
		to := place(m.Target, boxDir)
		if _, err := os.Stat(m.Source); err != nil {
			return nil, nil, nil, fmt.Errorf("mount %s: %w", m.Target, err)
		}
		switch m.Mode {
		case ReadOnly:
			args = append(args, "--ro-bind", m.Source, to)
		case Writable:
			args = append(args, "--bind", m.Source, to)
			watched = append(watched, m.Source)
		default:
			s, more := staged(i, m, to)
			for _, x := range more {
				args = append(args, "--ro-bind", x[0], x[1])
			}
			todo = append(todo, s)
		}
	}
	return args, todo, watched, nil
}

// childPID reads what bwrap says about the first process inside. Nothing means
// that bwrap gave up, and its standard error says why.
func childPID(info *os.File) (int, error) {
	if err := info.SetReadDeadline(time.Now().Add(trialTime)); err != nil {
		return 0, fmt.Errorf("wait for the sandbox: %w", err)
	}
	var got struct {
		PID int `json:"child-pid"`
	}
	if err := json.NewDecoder(info).Decode(&got); err != nil {
		if errors.Is(err, io.EOF) {
			return 0, errors.New("bwrap did not start the sandbox")
		}
		return 0, fmt.Errorf("read what bwrap started: %w", err)
	}
	return got.PID, nil
}

// descriptors are files handed to a child process.
type descriptors struct {
	given []*os.File // fd 3 and on
	ours  []*os.File
}

func (d *descriptors) pipe() (r, w *os.File, err error) {
	r, w, err = os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("open a pipe: %w", err)
	}
	d.ours = append(d.ours, r, w)
	return r, w, nil
}

// give hands a file over and returns its number in the child.
func (d *descriptors) give(f *os.File) string {
	d.given = append(d.given, f)
	return strconv.Itoa(2 + len(d.given))
}

// data hands over a file with the given content.
func (d *descriptors) data(content []byte) (string, error) {
	fd, err := unix.MemfdCreate("sandbox", unix.MFD_CLOEXEC)
	if err != nil {
		return "", fmt.Errorf("make a file in memory: %w", err)
	}
	f := os.NewFile(uintptr(fd), "sandbox")
	d.ours = append(d.ours, f)
	if _, err := f.Write(content); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return "", fmt.Errorf("fill a file in memory: %w", err)
	}
	return d.give(f), nil
}

// started closes the child's ends, so that the end of the child ends our reads.
func (d *descriptors) started() {
	for _, f := range d.given {
		f.Close()
	}
}

func (d *descriptors) close() {
	for _, f := range d.ours {
		f.Close() // closing twice does no harm
	}
}

// processHandle kills a process without the danger of hitting another one that
// got its number.
type processHandle struct{ fd int }

func (p *processHandle) open(pid int) {
	if fd, err := unix.PidfdOpen(pid, 0); err == nil {
		p.fd = fd
	}
}

// kill ends the first process inside, and with it all others; before it is known,
// the sandbox program itself.
func (p *processHandle) kill(outer *exec.Cmd) {
	if p.fd >= 0 && unix.PidfdSendSignal(p.fd, unix.SIGKILL, nil, 0) == nil {
		return
	}
	if p.fd < 0 && outer.Process != nil {
		_ = outer.Process.Kill() // it may be gone already
	}
}

func (p *processHandle) close() {
	if p.fd >= 0 {
		unix.Close(p.fd)
	}
}
