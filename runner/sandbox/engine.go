package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// engine runs commands in containers of Docker or Podman by their command line.
// The user is the image's own, usually its root, because images of published
// datasets keep their repository where only root may write; it has no capability
// and can gain none.
type engine struct {
	name string
	path string
	pull bool

	mu    sync.Mutex
	known map[string]bool // images that are there
}

func openEngine(ctx context.Context, name string, o Options) (Backend, error) {
	p, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %s is not installed", ErrUnavailable, name)
	}
	ask := []string{"version", "--format", "{{.Server.Version}}"}
	if name == Podman {
		ask = []string{"info", "--format", "{{.Host.OCIRuntime.Name}}"}
	}
	if text, err := try(ctx, p, ask); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrUnavailable, trouble(name, ask, text, err))
	}
	return &engine{name: name, path: p, pull: o.Pull, known: map[string]bool{}}, nil
}

func (e *engine) Name() string  { return e.name }
func (*engine) Sandboxed() bool { return true }
func (*engine) Images() bool    { return true }

// Run runs a command in a container of Cmd.Image; see Backend.
func (e *engine) Run(ctx context.Context, c Cmd) (Report, error) {
	c.Limits = c.Limits.filled()
	r, err := e.run(ctx, c)
	if err != nil {
		return Report{}, fmt.Errorf("run %s in %s: %w", c.Path, e.name, err)
	}
	return r, nil
}

func (e *engine) run(ctx context.Context, c Cmd) (Report, error) {
	if err := c.check(); err != nil {
		return Report{}, err
	}
	if c.Image == "" {
		return Report{}, errors.New("no image is named")
	}
	r := Report{Backend: e.name, Exit: -1}
	if ok, why, err := e.image(ctx, c.Image); err != nil {
		return r, err
	} else if !ok {
		r.Cause, r.Detail = Refused, why
		return r, nil
	}
	for _, m := range c.Mounts {
		// The user inside is another one than ours.
		if m.Mode == Writable {
			if err := os.Chmod(m.Source, 0o777); err != nil {
				return r, fmt.Errorf("open a mount to the container: %w", err)
			}
		}
	}
	name := "plumbline-" + strings.TrimSuffix(strings.TrimPrefix(newMark(), "refused-"), ": ")
	args, mark, watched := e.arguments(name, c)
	l := &launch{cmd: exec.Command(e.path, args...), stdin: c.Stdin, limits: c.Limits, watched: watched, slow: true}
	l.cmd.Env = environment()
	ownGroup(l.cmd)
	var once sync.Once
	l.kill = func() {
		once.Do(func() {
			_, _ = e.ask("kill", name) // it may not run yet or any more; the container is removed below
			_ = l.cmd.Process.Kill()
		})
	}
	defer func() { _, _ = e.ask("rm", "-f", name) }() // nothing is there if the engine refused to make it
	ended, err := l.run(ctx)
	if err != nil {
		return r, err
	}
	out := ended.report
	// What the client used says nothing about the container.
	out.CPU, out.MaxRSS = nil, nil
	out.Backend = e.name
	out.Gaps = []string{"processor time is limited for each process by itself", "what the program used is not measured",
		"what it writes outside the box and /tmp is limited for each file by itself"}
	var ok bool
	if out.Stderr, ok = begun(out.Stderr, mark); !ok && ended.hit == nil {
		return r, fmt.Errorf("%s did not start the container%s", e.name, said(out.Stderr))
	}
	if h, rest := capHit(out.Stderr, mark, c.Limits); h != nil {
		out.Stderr = rest
		if ended.hit == nil && !ended.state.Success() {
			ended.hit = h
		}
	}
	if killed, err := e.ask("inspect", "--format", "{{.State.OOMKilled}}", name); err == nil && killed == "true" && ended.hit == nil {
		ended.hit = &limitHit{Memory, fmt.Sprintf("all processes together used more than %d MiB", c.Limits.Memory>>20)}
	}
	settle(&out, ended, c.Limits, mark, true)
	return out, nil
}

// image makes sure of an image; it is fetched only if Options.Pull says so.
func (e *engine) image(ctx context.Context, image string) (ok bool, why string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known[image] {
		return true, "", nil
	}
	if _, err := try(ctx, e.path, []string{"image", "inspect", "--format", "{{.Id}}", image}); err == nil {
		e.known[image] = true
		return true, "", nil
	}
	if ctx.Err() != nil {
		return false, "", context.Cause(ctx)
	}
	if !e.pull {
		return false, fmt.Sprintf("the image %s is not here, and fetching it was not asked for", image), nil
	}
	if text, err := run(ctx, e.path, "pull", image); err != nil {
		return false, fmt.Sprintf("the image %s cannot be fetched: %s", image, firstLine(text)), nil
	}
	e.known[image] = true
	return true, "", nil
}

// ask runs a short command of the engine, also after the caller gave up.
func (e *engine) ask(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	text, err := run(ctx, e.path, args...)
	return strings.TrimSpace(text), err
}

func (e *engine) arguments(name string, c Cmd) (args []string, mark string, watched []string) {
	l := c.Limits
	size := strconv.FormatInt(l.Disk, 10)
	args = []string{
		"run", "--name", name, "-i", "--network", "none", "--cap-drop", "ALL",
		"--security-opt", "no-new-privileges", "--pull", "never", "--hostname", sandboxHost,
		"--memory", strconv.FormatInt(l.Memory, 10), "--memory-swap", strconv.FormatInt(l.Memory, 10),
		"--pids-limit", strconv.Itoa(l.Processes), "--shm-size", size,
		"--ulimit", fmt.Sprintf("cpu=%d", int64((l.CPU+time.Second-1)/time.Second)), "--ulimit", fmt.Sprintf("nofile=%d:%d", l.OpenFiles, l.OpenFiles),
		"--ulimit", "fsize=" + size, "--ulimit", "core=0",
	}
	if e.name == Podman {
		// By itself Podman asks for more than it may have on some hosts. The limit
		// counts a user's processes in all containers; --pids-limit is the real cap.
		args = append(args, "--ulimit", "nproc=4096:4096")
	}
	for _, dir := range []string{"/tmp", boxDir} {
		args = append(args, "--tmpfs", dir+":rw,exec,nosuid,nodev,mode=1777,size="+size)
	}
	var todo []setup
	for i, m := range c.Mounts {
		to := place(m.Target, boxDir)
		switch m.Mode {
		case ReadOnly:
			args = append(args, "--mount", bindMount(m.Source, to, true))
		case Writable:
			args = append(args, "--mount", bindMount(m.Source, to, false))
			watched = append(watched, m.Source)
		default:
			s, binds := staged(i, m, to)
			for _, b := range binds {
				args = append(args, "--mount", bindMount(b[0], b[1], true))
			}
			todo = append(todo, s)
		}
	}
	for _, v := range c.environ(boxDir, "") {
		if v != "PATH=" { // the image knows its own
			args = append(args, "--env", v)
		}
	}
	text, mark := shellScript(place(c.Dir, boxDir), todo, true)
	args = append(args, "--workdir", "/", "--entrypoint", "/bin/sh", c.Image, "-c", text, "sandbox", strings.ReplaceAll(c.Path, Box, boxDir))
	return append(args, boxed(c.Args, boxDir)...), mark, watched
}

func bindMount(from, to string, readOnly bool) string {
	s := "type=bind,source=" + from + ",target=" + to
	if readOnly {
		s += ",readonly"
	}
	return s
}
