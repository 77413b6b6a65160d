// Package bundledtest checks that the labels of the bundled cases are facts: it
// writes each tree, applies each attempt's patch as git does, lays the hidden
// tests over it, runs them, and compares with what the archive says.
package bundledtest

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"plumbline/experiments/bundled"
	"plumbline/experiments/trace"
)

// limit is for one run of a case's hidden tests. It only stops what hangs: with an
// empty build cache, the first run compiles the standard library.
const limit = 5 * time.Minute

// need skips, or fails when everything is required, without the program.
func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		if os.Getenv("PLUMBLINE_TEST_REQUIRE") == "all" {
			t.Fatalf("%s is needed: %v", program, err)
		}
		t.Skipf("%s is needed: %v", program, err)
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	need(t, "git")
	cases, err := bundled.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.File, func(t *testing.T) {
			t.Parallel()
			need(t, map[bundled.Runner]string{bundled.Unittest: "python3", bundled.GoTest: "go"}[c.Runner])
			o := c.Instance.Oracle

			t.Run("base", func(t *testing.T) {
				t.Parallel()
				passed := run(t, c, "")
				if got := kept(passed, o.FailToPass); len(got) != 0 {
					t.Errorf("fail-to-pass tests pass on base: %v", got)
				}
				if got := kept(passed, o.PassToPass); len(got) != len(o.PassToPass) {
					t.Errorf("of %v, only %v pass on base", o.PassToPass, got)
				}
			})
			t.Run("gold", func(t *testing.T) {
				t.Parallel()
				passed := run(t, c, o.GoldPatch)
				if got := kept(passed, slices.Concat(o.FailToPass, o.PassToPass)); len(got) != len(o.FailToPass)+len(o.PassToPass) {
					t.Errorf("only %v pass on gold", got)
				}
			})
			for _, a := range c.Attempts {
				t.Run(a.Name, func(t *testing.T) {
					t.Parallel()
					passed := run(t, c, a.Trace.Patch)
					f2p, p2p := kept(passed, o.FailToPass), kept(passed, o.PassToPass)
					got := trace.TestCounts{
						FailToPassOK: len(f2p), FailToPassAll: len(o.FailToPass),
						PassToPassOK: len(p2p), PassToPassAll: len(o.PassToPass), Applied: true,
					}
					if want := *a.Trace.Outcome.Tests; got != want {
						t.Errorf("counts %+v, the record says %+v; passed: %v %v", got, want, f2p, p2p)
					}
					label, bucket := bundled.Classify(len(f2p) == len(o.FailToPass), len(p2p) == len(o.PassToPass), a.Trace.Patch == "")
					if want := a.Trace.Outcome; label != want.Label || bucket != want.Bucket {
						t.Errorf("label %q %q, the record says %q %q", label, bucket, want.Label, want.Bucket)
					}
				})
			}
		})
	}
}

// kept returns the ids that passed, in order.
func kept(passed map[string]bool, ids []string) []string {
	var out []string
	for _, id := range ids {
		if passed[id] {
			out = append(out, id)
		}
	}
	return out
}

// run applies the patch to base, overlays the hidden files and runs all hidden
// tests in one process. It returns the ids that passed.
func run(t *testing.T, c bundled.Case, patch string) map[string]bool {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, c.Base)
	if patch != "" {
		cmd := exec.Command("git", "apply", "--whitespace=nowarn", "-")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(patch)
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git apply: %v\n%s", err, out)
		}
	}
	write(t, dir, c.Hidden)
	ids := slices.Concat(c.Instance.Oracle.FailToPass, c.Instance.Oracle.PassToPass)
	if c.Runner == bundled.Unittest {
		return runUnittest(t, dir, ids)
	}
	return runGo(t, dir, c.Base["go.mod"], ids)
}

func write(t *testing.T, dir string, tree map[string]string) {
	t.Helper()
	for p, text := range tree {
		file := filepath.Join(dir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// script runs each test id by itself and prints which of them passed. An id that
// cannot be loaded counts as a failure, as do skipped tests.
const script = `
import json, sys, unittest
passed = {}
for name in sys.argv[1:]:
    result = unittest.TestResult()
    try:
        unittest.defaultTestLoader.loadTestsFromName(name).run(result)
    except Exception:
        continue
    passed[name] = result.wasSuccessful() and result.testsRun == 1 and not result.skipped
with open("passed.json", "w") as out:
    json.dump(passed, out)
`

func runUnittest(t *testing.T, dir string, ids []string) map[string]bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "python3", append([]string{"-c", script}, ids...)...)
	cmd.Dir, cmd.WaitDelay = dir, 5*time.Second
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("python3: %v\n%s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(dir, "passed.json"))
	if err != nil {
		t.Fatal(err)
	}
	passed := map[string]bool{}
	if err := json.Unmarshal(data, &passed); err != nil {
		t.Fatal(err)
	}
	return passed
}

// runGo runs the tests in the packages that the ids name. A package that does
// not build has no passing test.
func runGo(t *testing.T, dir, goMod string, ids []string) map[string]bool {
	t.Helper()
	fields := strings.Fields(goMod)
	if len(fields) < 2 || fields[0] != "module" {
		t.Fatalf("go.mod does not begin with a module line:\n%s", goMod)
	}
	var packages, names []string
	byEvent := map[string]string{} // "import/path TestName" → id
	for _, id := range ids {
		pkg, name, ok := strings.Cut(id, " ")
		if !ok {
			t.Fatalf("test id %q is not a package and a test", id)
		}
		packages, names = append(packages, pkg), append(names, regexp.QuoteMeta(name))
		byEvent[path.Join(fields[1], pkg)+" "+name] = id
	}
	slices.Sort(packages)
	// Vet is no part of the label, and nobody debugs these binaries.
	args := []string{"test", "-json", "-count=1", "-vet=off", "-ldflags=-s -w", "-run", "^(" + strings.Join(names, "|") + ")$"}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", append(args, slices.Compact(packages)...)...)
	cmd.Dir, cmd.WaitDelay = dir, 5*time.Second
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off", "CGO_ENABLED=0")
	out, err := cmd.Output()
	// A failed test is exit code 1 with events on stdout; anything without an
	// event, or out of time, is a failure of the run and says nothing.
	if ctx.Err() != nil || (err != nil && len(out) == 0) {
		t.Fatalf("go test: %v", err)
	}
	passed := map[string]bool{}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for dec.More() {
		var e struct{ Action, Package, Test string }
		if err := dec.Decode(&e); err != nil {
			t.Fatalf("go test output: %v", err)
		}
		if id, ok := byEvent[e.Package+" "+e.Test]; ok && e.Action == "pass" {
			passed[id] = true
		}
	}
	return passed
}
