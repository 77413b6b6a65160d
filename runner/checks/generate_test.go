package checks_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/bundled"
	"plumbline/experiments/cascade"
	"plumbline/experiments/cascade/gentest"
	"plumbline/experiments/patch"
	"plumbline/runner/checks"
	"plumbline/runner/sandbox"
	"plumbline/runner/workspace"
)

var update = flag.Bool("update", false, "write golden files anew")

// golden compares text with a file of testdata, or writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// attemptsAt drives the generator as the cascade does, and tells what came of each
// attempt on base, patch and reference.
func attemptsAt(t *testing.T, b sandbox.Backend, c bundled.Case, diff string, base, patched, gold *workspace.Tree) string {
	t.Helper()
	ctx := context.Background()
	framework, ok := checks.FrameworkFor(c.Instance.Language, base)
	if !ok {
		t.Fatalf("no framework for %s", c.Instance.Language)
	}
	r, err := checks.RunnerFor(framework, checks.Settings{GoCache: goCache(t)})
	if err != nil {
		t.Fatal(err)
	}
	in := gentest.Input{Language: c.Instance.Language, Framework: framework, Issue: c.Instance.Issue, Patch: diff}
	run := func(tree *workspace.Tree, test gentest.Test) checks.GeneratedRun {
		x := checks.Exec{Box: b, Tree: tree, Limits: sandbox.Limits{Wall: 15 * time.Second}}
		if c.Instance.Language == "go" {
			x.Limits.Wall = 60 * time.Second
		}
		out, err := checks.RunGenerated(ctx, x, r, test, 1)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	var out strings.Builder
	for n := 1; n <= cascade.MaxAttempts; n++ {
		g, err := checks.RecordedGenerator{}.Generate(ctx, checks.GenerateRequest{Instance: c.Instance.ID, Attempt: n, Input: in})
		if err != nil {
			t.Fatal(err)
		}
		test, flaw := gentest.Parse(g.Reply, in)
		if flaw != cascade.NoFlaw {
			fmt.Fprintf(&out, " | %s", flaw)
			continue
		}
		onBase := run(base, test)
		fmt.Fprintf(&out, " | base %s", onBase.Result)
		if onBase.Result != cascade.FailedTest {
			in.Last, in.Feedback = test.Source, onBase.Feedback()
			continue
		}
		onPatch, onGold := run(patched, test), run(gold, test)
		fmt.Fprintf(&out, ", patch %s, reference %s", onPatch.Result, onGold.Result)
		break
	}
	return out.String()
}

// What the recorded replies come to for every bundled attempt: the mix of kept,
// discarded, over- and under-specified tests that the demo shows.
func TestRecordedReplies(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it runs a hundred test processes")
	}
	b, _ := bench(t, "python3 --version")
	cases, err := bundled.Cases()
	if err != nil {
		t.Fatal(err)
	}
	lines := make([]string, len(cases))
	// Two at a time: a machine of the usual size has no room for more.
	gate := make(chan struct{}, 2)
	var wg sync.WaitGroup
	for i, c := range cases {
		wg.Add(1)
		go func() {
			defer wg.Done()
			gate <- struct{}{}
			defer func() { <-gate }()
			lines[i] = caseLines(t, b, c)
		}()
	}
	wg.Wait()
	golden(t, "recorded.golden", strings.Join(lines, ""))
}

func caseLines(t *testing.T, b sandbox.Backend, c bundled.Case) string {
	cache, err := workspace.OpenCache(t.TempDir())
	if err != nil {
		t.Error(err)
		return ""
	}
	root, err := cache.FromFiles(context.Background(), c.Base)
	if err != nil {
		t.Error(err)
		return ""
	}
	tree := func(diff string) *workspace.Tree {
		out := root.Tree()
		kept, _ := patch.StripTests(diff)
		if strings.TrimSpace(kept) != "" {
			if r := out.Apply(kept, workspace.ApplyOptions{}); !r.Applied {
				t.Errorf("%s: %v", c.File, r.Rejected())
			}
		}
		return out
	}
	gold := tree(c.Instance.Oracle.GoldPatch)
	var out strings.Builder
	for _, a := range c.Attempts {
		if a.Trace.Patch == "" {
			continue
		}
		fmt.Fprintf(&out, "%s %s: %s%s\n", strings.TrimSuffix(c.File, ".txtar"), a.Name, a.Trace.Outcome.Label,
			attemptsAt(t, b, c, a.Trace.Patch, root.Tree(), tree(a.Trace.Patch), gold))
	}
	return out.String()
}

// A reply that was never recorded is an error of its own, and no discarded attempt.
func TestNotRecorded(t *testing.T) {
	t.Parallel()
	_, err := checks.RecordedGenerator{}.Generate(context.Background(), checks.GenerateRequest{Instance: "elsewhere-1", Attempt: 1})
	if !errors.Is(err, checks.ErrNotRecorded) {
		t.Errorf("error %v, want ErrNotRecorded", err)
	}
}
