package sandbox

import (
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// Box stands for the program's own folder in Cmd.Args, Cmd.Env and Cmd.Dir; each
// backend puts the real path in its place.
const Box = "$BOX"

// boxDir is where isolating backends have the box.
const boxDir = "/box"

// Who a program is inside, and on which host.
const (
	sandboxID   = 1000
	sandboxHost = "sandbox"
)

// Cmd is a program to run. The zero value of a limit takes its default.
type Cmd struct {
	// Path is the program: with a slash a path in the sandbox, without one it is
	// looked up in the PATH of Env.
	Path string
	Args []string // without the program's own name
	// Env is added to a few harmless variables (PATH, HOME, TMPDIR, LANG, TZ);
	// nothing is inherited.
	Env []string
	// Dir is where the program starts; relative to the box, default the box.
	Dir    string
	Stdin  io.Reader // nil: empty
	Limits Limits
	Mounts []Mount
	// Image names the file system for backends that run images; others refuse it.
	Image string
}

// Mode says what a program may do with a mount.
type Mode string

// Modes of a mount.
const (
	// ReadOnly shows the source as it is.
	ReadOnly Mode = ""
	// Writable lets the program change the source itself. The source counts
	// against Limits.Disk.
	Writable Mode = "writable"
	// Copy gives the program a copy that disappears with it.
	Copy Mode = "copy"
	// Links gives the program a folder of its own with a symbolic link for each
	// file of the source: what is there can be read and not changed, and files can
	// be added. It suits large caches.
	Links Mode = "links"
)

// Mount makes a folder or file of the host visible to the program.
type Mount struct {
	Source string // absolute path on the host
	// Target is relative to the box, or absolute for a place in the program's file
	// system, which the backend "none" refuses unless it equals Source.
	Target string
	Mode   Mode
	// Over is a folder laid over a Copy, after the paths of Remove were taken out.
	Over   string
	Remove []string
}

// Limits of one run.
type Limits struct {
	Wall time.Duration // default 5 min
	// CPU is the processor time of all processes together where a control group
	// counts it, of each process otherwise; default four times Wall.
	CPU       time.Duration
	Memory    int64 // bytes of all processes together, the box included; default 2 GiB
	Processes int   // processes and threads; default 256
	Output    int64 // bytes of standard output, and as many of standard error; default 8 MiB
	Disk      int64 // bytes in the box, in /tmp and in each writable mount; default 1 GiB
	OpenFiles int   // of each process; default 1024
}

func (l Limits) filled() Limits {
	if l.Wall <= 0 {
		l.Wall = 5 * time.Minute
	}
	if l.CPU <= 0 {
		l.CPU = 4 * l.Wall
	}
	if l.Memory <= 0 {
		l.Memory = 2 << 30
	}
	if l.Processes <= 0 {
		l.Processes = 256
	}
	if l.Output <= 0 {
		l.Output = 8 << 20
	}
	if l.Disk <= 0 {
		l.Disk = 1 << 30
	}
	if l.OpenFiles <= 0 {
		l.OpenFiles = 1024
	}
	return l
}

// check refuses a command that no backend could run as it is meant.
func (c Cmd) check() error {
	if c.Path == "" {
		return errors.New("no program is named")
	}
	for _, s := range append(append([]string{c.Path, c.Dir}, c.Args...), c.Env...) {
		if strings.ContainsRune(s, 0) {
			return errors.New("a NUL byte stands in the program, its arguments or its environment")
		}
	}
	for _, e := range c.Env {
		if !strings.Contains(e, "=") {
			return fmt.Errorf("environment entry %q is not NAME=value", e)
		}
	}
	for _, m := range c.Mounts {
		switch {
		case !filepath.IsAbs(m.Source):
			return fmt.Errorf("mount source %q is not an absolute path", m.Source)
		case m.Target == "" || path.Clean(m.Target) != m.Target || strings.HasPrefix(m.Target, "..") || m.Target == "/":
			return fmt.Errorf("mount target %q is not a clean path inside the sandbox", m.Target)
		case m.Mode != Copy && (m.Over != "" || len(m.Remove) > 0):
			return fmt.Errorf("mount %s: only a copy can be changed before the start", m.Target)
		}
		for _, r := range m.Remove {
			if !filepath.IsLocal(r) {
				return fmt.Errorf("mount %s: path %q to remove leads out of it", m.Target, r)
			}
		}
	}
	return nil
}

// boxed replaces Box by a real path.
func boxed(list []string, dir string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.ReplaceAll(s, Box, dir)
	}
	return out
}

// place is a path of the command as the program sees it.
func place(p, box string) string {
	p = strings.ReplaceAll(p, Box, box)
	if path.IsAbs(p) {
		return p
	}
	return path.Join(box, p)
}

// SystemPath is where programs are looked for inside, in the form of PATH.
const SystemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// environ is the whole environment of the program; later entries win.
func (c Cmd) environ(box, searched string) []string {
	env := []string{
		"PATH=" + searched, "HOME=" + path.Join(box, "home"), "TMPDIR=/tmp", "LANG=C.UTF-8", "TZ=UTC", "TERM=dumb",
	}
	at := map[string]int{}
	for i, e := range env {
		name, _, _ := strings.Cut(e, "=")
		at[name] = i
	}
	for _, e := range boxed(c.Env, box) {
		name, _, _ := strings.Cut(e, "=")
		if i, ok := at[name]; ok {
			env[i] = e
			continue
		}
		at[name] = len(env)
		env = append(env, e)
	}
	return env
}
