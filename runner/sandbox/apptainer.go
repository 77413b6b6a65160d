package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// apptainer runs commands in images on machines where nothing else may: a file
// or folder on this host, or with Options.Pull a name such as docker://….
type apptainer struct {
	path string
	pull bool
}

func openApptainer(ctx context.Context, o Options) (Backend, error) {
	p, err := exec.LookPath("apptainer")
	if err != nil {
		if p, err = exec.LookPath("singularity"); err != nil {
			return nil, fmt.Errorf("%w: apptainer is not installed", ErrUnavailable)
		}
	}
	if text, err := try(ctx, p, []string{"--version"}); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrUnavailable, trouble("apptainer", []string{"--version"}, text, err))
	}
	return &apptainer{path: p, pull: o.Pull}, nil
}

func (*apptainer) Name() string    { return Apptainer }
func (*apptainer) Sandboxed() bool { return true }
func (*apptainer) Images() bool    { return true }

// Run runs a command in Cmd.Image; see Backend.
func (a *apptainer) Run(ctx context.Context, c Cmd) (Report, error) {
	c.Limits = c.Limits.filled()
	r, err := a.run(ctx, c)
	if err != nil {
		return Report{}, fmt.Errorf("run %s in apptainer: %w", c.Path, err)
	}
	return r, nil
}

func (a *apptainer) run(ctx context.Context, c Cmd) (Report, error) {
	if err := c.check(); err != nil {
		return Report{}, err
	}
	if c.Image == "" {
		return Report{}, errors.New("no image is named")
	}
	r := Report{Backend: a.Name(), Exit: -1}
	if _, err := os.Stat(c.Image); err != nil && !a.pull {
		r.Cause, r.Detail = Refused, fmt.Sprintf("the image %s is not a file or folder here, and fetching it was not asked for", c.Image)
		return r, nil
	}
	args, mark, watched := a.arguments(c)
	l := &launch{cmd: exec.Command(a.path, args...), stdin: c.Stdin, limits: c.Limits, watched: watched, slow: true}
	l.cmd.Env = environment()
	ownGroup(l.cmd)
	// Its first process dies with the program, and the process namespace with it.
	l.kill = func() { killGroup(l.cmd) }
	ended, err := l.run(ctx)
	if err != nil {
		return r, err
	}
	out := ended.report
	var ok bool
	if out.Stderr, ok = begun(out.Stderr, mark); !ok && ended.hit == nil {
		return r, fmt.Errorf("apptainer did not start the container%s", said(out.Stderr))
	}
	out.Backend = a.Name()
	out.Gaps = []string{"memory and processes are limited for each process by itself"}
	settle(&out, ended, c.Limits, mark, true)
	return out, nil
}

func (a *apptainer) arguments(c Cmd) (args []string, mark string, watched []string) {
	args = []string{
		"--silent", "exec", "--containall", "--cleanenv", "--no-home", "--no-privs", "--pid", "--net", "--network", "none",
		"--writable-tmpfs", "--hostname", sandboxHost, "--pwd", "/",
	}
	var todo []setup
	bind := func(from, to, mode string) { args = append(args, "--bind", from+":"+to+":"+mode) }
	for i, m := range c.Mounts {
		to := place(m.Target, boxDir)
		switch m.Mode {
		case ReadOnly:
			bind(m.Source, to, "ro")
		case Writable:
			bind(m.Source, to, "rw")
			watched = append(watched, m.Source)
		default:
			s, binds := staged(i, m, to)
			for _, b := range binds {
				bind(b[0], b[1], "ro")
			}
			todo = append(todo, s)
		}
	}
	for _, v := range c.environ(boxDir, "") {
		if v != "PATH=" {
			args = append(args, "--env", v)
		}
	}
	text, mark := shellScript(place(c.Dir, boxDir), todo, true)
	l := c.Limits
	text = fmt.Sprintf("ulimit -c 0 -n %d -t %s\nulimit -d %d\n", l.OpenFiles,
		strconv.FormatInt(int64(l.CPU.Seconds())+1, 10), l.Memory>>10) + text
	args = append(args, c.Image, "/bin/sh", "-c", text, "sandbox", strings.ReplaceAll(c.Path, Box, boxDir))
	return append(args, boxed(c.Args, boxDir)...), mark, watched
}
