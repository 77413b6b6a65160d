package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// script puts a program of this name and text into a folder.
func script(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestLook(t *testing.T) {
	dir := t.TempDir()
	script(t, dir, "good", "echo; echo \"  good 1.2 $1\"; echo more")
	script(t, dir, "refused", "[ \"$1\" = --version ] && echo 3 && exit 0; echo 'may not do that' >&2; exit 1")
	script(t, dir, "mute", "exit 4")
	script(t, dir, "loud", "i=0; while [ $i -lt 3000 ]; do echo 0123456789; i=$((i+1)); done")
	script(t, dir, "curious", "echo \"secret ${PLUMBLINE_TEST_SECRET:-unseen}\"")
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("PLUMBLINE_TEST_SECRET", "seen")
	version := []string{"--version"}
	got := Look(context.Background(), []Tool{
		{Name: "good", Version: version},
		{Name: "refused", Version: version, Try: [][]string{{"try"}}},
		{Name: "mute", Version: version},
		{Name: "loud", Version: version},
		{Name: "curious", Version: version},
		{Name: "no-such-program", Version: version},
	})
	want := []Finding{
		{Name: "good", Path: filepath.Join(dir, "good"), Version: "good 1.2 --version", Works: true},
		{Name: "refused", Path: filepath.Join(dir, "refused"), Version: "3", Problem: "may not do that"},
		{Name: "mute", Path: filepath.Join(dir, "mute"), Problem: "mute --version: exit status 4"},
		{Name: "loud", Path: filepath.Join(dir, "loud"), Version: "0123456789", Works: true},
		{Name: "curious", Path: filepath.Join(dir, "curious"), Version: "secret unseen", Works: true},
		{Name: "no-such-program", Problem: "not found in PATH"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A program that does not end is ended, and so is what holds its output open.
func TestLookEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	script(t, dir, "hangs", "sleep 5 & wait")
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	got := Look(ctx, []Tool{{Name: "hangs", Version: []string{"--version"}}})
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
	if got[0].Works || !strings.Contains(got[0].Problem, "hangs --version") {
		t.Errorf("%+v", got[0])
	}
}

func TestProbeNamesEveryBackend(t *testing.T) {
	t.Parallel()
	var names []string
	for _, f := range Probe(context.Background()) {
		names = append(names, f.Name)
		if f.Works != (f.Problem == "") || f.Works && f.Path == "" {
			t.Errorf("%+v", f)
		}
		t.Logf("%+v", f)
	}
	if d := cmp.Diff([]string{"bwrap", "unshare", "docker", "podman", "apptainer"}, names); d != "" {
		t.Error(d)
	}
}
