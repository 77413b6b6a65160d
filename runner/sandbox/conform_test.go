package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plumbline/runner/sandbox"
)

// open gives a backend or skips the test where it does not work.
func open(t testing.TB, name string) sandbox.Backend {
	t.Helper()
	b, err := sandbox.Open(context.Background(), name, sandbox.Options{})
	if err != nil {
		need(t, err.Error())
	}
	return b
}

// need skips the test, or fails it where everything is required.
func need(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("PLUMBLINE_TEST_REQUIRE") == "all" {
		t.Fatalf("required here, and missing: %s", why)
	}
	t.Skip(why)
}

// each runs a test on every backend that runs the host's programs.
func each(t *testing.T, f func(t *testing.T, b sandbox.Backend)) {
	for _, name := range []string{sandbox.Bubblewrap, sandbox.Namespaces, sandbox.None} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, open(t, name))
		})
	}
}

// inImage runs every command in one image.
type inImage struct {
	sandbox.Backend
	image string
}

func (b inImage) Run(ctx context.Context, c sandbox.Cmd) (sandbox.Report, error) {
	c.Image = b.image
	return b.Backend.Run(ctx, c)
}

// The container engines need an image: PLUMBLINE_TEST_IMAGE names an engine and
// one with a shell and the usual small programs, such as "podman busybox:latest".
func TestConformanceInImage(t *testing.T) {
	t.Parallel()
	name, image, ok := strings.Cut(os.Getenv("PLUMBLINE_TEST_IMAGE"), " ")
	if !ok {
		t.Skip("PLUMBLINE_TEST_IMAGE names no engine and image")
	}
	b := inImage{open(t, name), image}
	for name, f := range conformance {
		if name == "figures" || name == "refuses a bad command" {
			continue // engines do not measure, and need an image
		}
		t.Run(name, func(t *testing.T) { f(t, b) })
	}
	for _, name := range []string{"disk filler in a writable mount", "daemon that holds the output"} {
		t.Run(name, func(t *testing.T) { hostile[name](t, b) })
	}
	t.Run("memory", func(t *testing.T) {
		c := sh("dd if=/dev/zero of=/dev/null bs=200000000 count=1; exit 3")
		c.Limits.Memory = 64 << 20
		if r := run(t, b, c); r.Cause != sandbox.Memory {
			t.Errorf("%v", shown(r))
		}
	})
	t.Run("network", func(t *testing.T) {
		if r := run(t, b, sh("ip route get 192.0.2.1 || wget -T 2 http://192.0.2.1/")); r.OK() {
			t.Errorf("%v", shown(r))
		}
	})
}

// shown is a report for people.
type shown sandbox.Report

func (r shown) String() string {
	return fmt.Sprintf("%s %d %d %q, after %v; prints %.300q and %.600q", r.Cause, r.Exit, r.Signal, r.Detail, r.Wall, r.Stdout, r.Stderr)
}

func run(t testing.TB, b sandbox.Backend, c sandbox.Cmd) sandbox.Report {
	t.Helper()
	r, err := b.Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if r.Backend != b.Name() || r.Unsandboxed == b.Sandboxed() {
		t.Errorf("the report is of %q, unsandboxed %v", r.Backend, r.Unsandboxed)
	}
	return r
}

func sh(text string) sandbox.Cmd { return sandbox.Cmd{Path: "sh", Args: []string{"-c", text}} }

// How every backend must behave, protected or not.
func TestConformance(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b sandbox.Backend) {
		for name, f := range conformance {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				f(t, b)
			})
		}
	})
}

var conformance = map[string]func(t *testing.T, b sandbox.Backend){
	"streams and exit code": func(t *testing.T, b sandbox.Backend) {
		c := sh("cat; echo err >&2; exit 7")
		c.Stdin = strings.NewReader("in\n")
		r := run(t, b, c)
		if r.Cause != sandbox.Exited || r.Exit != 7 || string(r.Stdout) != "in\n" || string(r.Stderr) != "err\n" || r.Truncated || r.OK() || !r.Ended() {
			t.Errorf("%v", shown(r))
		}
	},
	"no input is empty input": func(t *testing.T, b sandbox.Backend) {
		if r := run(t, b, sh("wc -c")); strings.TrimSpace(string(r.Stdout)) != "0" {
			t.Errorf("%v", shown(r))
		}
	},
	"exit codes that look like signals": func(t *testing.T, b sandbox.Backend) {
		if r := run(t, b, sh("exit 126")); r.Cause != sandbox.Exited || r.Exit != 126 {
			t.Errorf("%v", shown(r))
		}
	},
	"signal": func(t *testing.T, b sandbox.Backend) {
		r := run(t, b, sh("kill -SEGV $$"))
		if r.Cause != sandbox.Signaled || r.Signal != 11 || r.Exit != -1 || !r.Ended() {
			t.Errorf("%v", shown(r))
		}
	},
	"only the given environment": func(t *testing.T, b sandbox.Backend) {
		c := sh("env")
		c.Env = []string{"GIVEN=1 2", "AT=" + sandbox.Box + "/x", "TZ=CET"}
		got := map[string]string{}
		for line := range strings.Lines(string(run(t, b, c).Stdout)) {
			k, v, _ := strings.Cut(strings.TrimSpace(line), "=")
			got[k] = v
		}
		if got["GIVEN"] != "1 2" || !strings.HasSuffix(got["AT"], "/x") || !filepath.IsAbs(got["AT"]) || got["TZ"] != "CET" || got["LANG"] != "C.UTF-8" {
			t.Errorf("%v", got)
		}
		for k := range got {
			switch k {
			case "GIVEN", "AT", "TZ", "LANG", "PATH", "HOME", "TMPDIR", "TERM", "PWD", "OLDPWD", "SHLVL", "_":
			case "HOSTNAME", "container": // of container engines
			default:
				t.Errorf("%s is inherited", k)
			}
		}
	},
	"starts in the box, with a home": func(t *testing.T, b sandbox.Backend) {
		c := sh(`[ "$(pwd)" = "$1" ] && cd "$HOME" && touch x && [ -n "$TMPDIR" ] && touch "$TMPDIR/x"`)
		c.Args = append(c.Args, "sh", sandbox.Box)
		if r := run(t, b, c); !r.OK() {
			t.Errorf("%v", shown(r))
		}
	},
	"refuses what is not there": func(t *testing.T, b sandbox.Backend) {
		for _, c := range []sandbox.Cmd{{Path: "no-such-program"}, {Path: "/etc"}, {Path: "true", Dir: "nowhere"}, {Path: sandbox.Box + "/home"}} {
			r := run(t, b, c)
			if r.Cause != sandbox.Refused || r.Detail == "" || len(r.Stderr) != 0 || r.Ended() {
				t.Errorf("%v: %v", c, shown(r))
			}
		}
	},
	"wall clock": func(t *testing.T, b sandbox.Backend) {
		c := sh("echo part; sleep 60")
		c.Limits.Wall = 200 * time.Millisecond
		begin := time.Now()
		r := run(t, b, c)
		if r.Cause != sandbox.Time || string(r.Stdout) != "part\n" || r.Detail == "" || r.Ended() || time.Since(begin) > 20*time.Second {
			t.Errorf("%v", shown(r))
		}
	},
	"output": func(t *testing.T, b sandbox.Backend) {
		c := sh("yes")
		c.Limits.Output = 1 << 20
		r := run(t, b, c)
		if r.Cause != sandbox.Output || !r.Truncated || len(r.Stdout) != 1<<20 {
			t.Errorf("cause %s, truncated %v, %d bytes", r.Cause, r.Truncated, len(r.Stdout))
		}
	},
	"ends with its context": func(t *testing.T, b sandbox.Backend) {
		ctx, stop := context.WithTimeout(context.Background(), 150*time.Millisecond)
		defer stop()
		if _, err := b.Run(ctx, sh("sleep 60")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	},
	"mounts": func(t *testing.T, b sandbox.Backend) {
		src, over, out := tree(t, map[string]string{"a": "1", "d/b": "2", "gone/c": "3"}), tree(t, map[string]string{"a": "over", "new": "4"}), t.TempDir()
		c := sh(`cat ro/a && cat copy/a copy/d/b copy/new links/d/b && ! [ -e copy/gone ] && echo x >copy/a && echo y >copy/d/z && echo z >links/added && echo out >out/file`)
		c.Mounts = []sandbox.Mount{
			{Source: src, Target: "ro"},
			{Source: src, Target: "copy", Mode: sandbox.Copy, Over: over, Remove: []string{"gone"}},
			{Source: src, Target: "links", Mode: sandbox.Links},
			{Source: out, Target: "out", Mode: sandbox.Writable},
		}
		r := run(t, b, c)
		if !r.OK() || string(r.Stdout) != "1over242" {
			t.Errorf("%v", shown(r))
		}
		if d := cmp.Diff(map[string]string{"a": "1", "d/b": "2", "gone/c": "3"}, files(t, src)); d != "" {
			t.Errorf("the source of a copy changed: %s", d)
		}
		if d := cmp.Diff(map[string]string{"file": "out\n"}, files(t, out)); d != "" {
			t.Error(d)
		}
	},
	"the box is new each time": func(t *testing.T, b sandbox.Backend) {
		for range 2 {
			if r := run(t, b, sh("[ ! -e left ] && touch left")); !r.OK() {
				t.Errorf("%v", shown(r))
			}
		}
	},
	"refuses a bad command": func(t *testing.T, b sandbox.Backend) {
		for _, c := range []sandbox.Cmd{
			{}, {Path: "true", Args: []string{"a\x00b"}}, {Path: "true", Env: []string{"novalue"}}, {Path: "true", Image: "an-image"},
			{Path: "true", Mounts: []sandbox.Mount{{Source: "relative", Target: "x"}}}, {Path: "true", Mounts: []sandbox.Mount{{Source: "/usr", Target: "../x"}}},
			{Path: "true", Mounts: []sandbox.Mount{{Source: "/usr", Target: "x", Remove: []string{"a"}}}},
			{Path: "true", Mounts: []sandbox.Mount{{Source: "/usr", Target: "x", Mode: sandbox.Copy, Remove: []string{"../a"}}}},
			{Path: "true", Mounts: []sandbox.Mount{{Source: "/nowhere/at/all", Target: "x", Mode: sandbox.Copy}}},
		} {
			if r, err := b.Run(context.Background(), c); err == nil {
				t.Errorf("%+v ran: %+v", c, r)
			}
		}
	},
	"many at once": func(t *testing.T, b sandbox.Backend) {
		errs := make(chan error, 16)
		for i := range cap(errs) {
			go func() {
				r, err := b.Run(context.Background(), sh(fmt.Sprint("echo ", i, "; exit ", i)))
				if err == nil && (r.Exit != i || strings.TrimSpace(string(r.Stdout)) != fmt.Sprint(i)) {
					err = fmt.Errorf("%d: %+v", i, r)
				}
				errs <- err
			}()
		}
		for range cap(errs) {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
	},
	"figures": func(t *testing.T, b sandbox.Backend) {
		r := run(t, b, sh("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"))
		if r.Wall <= 0 || r.CPU == nil || *r.CPU <= 0 || r.MaxRSS == nil || *r.MaxRSS <= 0 {
			t.Errorf("%v", shown(r))
		}
	},
}

func tree(t testing.TB, content map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range content {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := os.Open(p)
		if err != nil {
			return err
		}
		defer f.Close()
		raw, err := io.ReadAll(f)
		rel, _ := filepath.Rel(dir, p)
		out[rel] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
