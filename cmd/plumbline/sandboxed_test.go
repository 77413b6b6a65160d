package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"plumbline/runner/sandbox"
)

// needSandbox skips, or fails when everything is required, where no sandbox runs the
// shell commands.
func needSandbox(t *testing.T, commands ...string) {
	t.Helper()
	skip := func(why string) {
		t.Helper()
		if os.Getenv("PLUMBLINE_TEST_REQUIRE") == "all" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	if _, err := sandbox.LookPath("git"); err != nil {
		skip("git is needed: " + err.Error())
	}
	box, err := sandbox.Open(context.Background(), sandbox.Auto, sandbox.Options{})
	if err != nil {
		skip("a sandbox is needed: " + err.Error())
	}
	for _, c := range commands {
		r, err := box.Run(context.Background(), sandbox.Cmd{Path: "sh", Args: []string{"-c", c}})
		if err != nil || !r.OK() {
			skip(c + " does not work in the sandbox " + box.Name())
		}
	}
}

// scripts runs the scripts of a folder of testdata. Beside the usual commands they
// know "code N ARG…": the program run with the arguments ends with the exit code N.
// Lines after [long], which take minutes, run where PLUMBLINE_TEST_LONG is set.
func scripts(t *testing.T, dir string) {
	testscript.Run(t, testscript.Params{
		Dir:  dir,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": exitCode},
		Condition: func(c string) (bool, error) {
			if c != "long" {
				return false, fmt.Errorf("there is no condition %q", c)
			}
			return os.Getenv("PLUMBLINE_TEST_LONG") != "", nil
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("PLUMBLINE_DATA", e.Getenv("WORK")+"/data")
			if err := shareCompiled(e.Getenv("WORK") + "/data"); err != nil {
				return err
			}
			e.Setenv("HOME", e.Getenv("WORK"))
			for _, who := range []string{"AUTHOR", "COMMITTER"} {
				e.Setenv("GIT_"+who+"_NAME", "t")
				e.Setenv("GIT_"+who+"_EMAIL", "t@example.org")
			}
			return nil
		},
	})
}

// shareCompiled lets the runs of all tests keep what Go has compiled in one place:
// the standard library alone takes a minute.
func shareCompiled(data string) error {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil // then each test compiles it
	}
	shared := filepath.Join(dir, "plumbline-test-gocache")
	if err := os.MkdirAll(shared, 0o755); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(data, "checks"), 0o755); err != nil {
		return err
	}
	return os.Symlink(shared, filepath.Join(data, "checks", "go"))
}

func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec("plumbline", args[1:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("plumbline: %v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
