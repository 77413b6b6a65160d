package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"plumbline/runner"
	"plumbline/runner/reviewer/reviewertest"
)

// Each exit code and each way to name patch and policy, on real repositories.
func TestReviewScripts(t *testing.T) {
	t.Parallel()
	needSandbox(t, "python3 -c 'import unittest'")
	scripts(t, "testdata/scripts_review")
}

// repository makes a git repository with a commit for each tree; the trees hold
// whole files by their path.
func repository(t *testing.T, trees ...map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	for i, tree := range trees {
		for name, text := range tree {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		git("add", ".")
		git("commit", "-q", "-m", "x")
		git("tag", fmt.Sprintf("c%d", i))
		if i > 0 {
			git("checkout", "-q", "c0")
		}
	}
	return dir
}

const mathIssue = "add(a, b) subtracts\n\n`add(1, 2)` must be 3.\n"

// mathTest is a reply of a generator. It fails on the base by its assertion.
const mathTest = "ASSERTS: add returns the sum\nLIMITS: one pair of numbers\n\n```python\nimport unittest\n\nimport calc\n\n\nclass AddTest(unittest.TestCase):\n" +
	"    def test_sum(self):\n        self.assertEqual(calc.add(1, 2), 3)\n```\n"

// The whole cascade against an endpoint over HTTP: a test is written from issue and
// patch, fails on the base, and runs on the patch; what passes it goes to the
// reviewer, who is shown what was checked.
func TestReviewWithEndpoint(t *testing.T) {
	needSandbox(t, "python3 -c 'import unittest'")
	base := map[string]string{"calc.py": "def add(a, b):\n    return a - b\n"}
	repo := repository(t, base, map[string]string{"calc.py": "def add(a, b):\n    return a + b\n"}, map[string]string{"calc.py": "def add(a, b):\n    return a * b\n"})
	issue := filepath.Join(t.TempDir(), "issue.md")
	if err := os.WriteFile(issue, []byte(mathIssue), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PLUMBLINE_TEST_ENDPOINT_KEY", "the-right-key")
	endpoint := reviewertest.New(t, reviewertest.Options{Key: "the-right-key", Answer: func(c reviewertest.Call) string {
		if !strings.Contains(c.Body.User(), "generated test") && strings.Contains(c.Body.User(), "unittest") {
			return mathTest
		}
		return reviewertest.Decide("accept")
	}})
	data := t.TempDir()
	ownData(t, data)
	if code, _, errs := runOwn(t, data, endpoint.URL); code != 0 {
		t.Fatalf("the reviewer is not stored: %s", errs)
	}
	asked := len(endpoint.Calls())
	policy := filepath.Join(t.TempDir(), "policy.json")
	do := func(args ...string) (int, string) {
		var out, errs bytes.Buffer
		code := program(t, streams{nil, &out, &errs}, append(args, "--data="+data, "--log-level=error")...)
		return code, out.String() + errs.String()
	}
	if code, said := do("policy", "--preset=recommended", "--reviewer=endpoint", "--generator=endpoint", "--votes=3", "--output="+policy); code != 0 {
		t.Fatal(said)
	}
	review := func(head string) (int, runner.ReviewDocument) {
		t.Helper()
		code, said := do("review", "--repo="+repo, "--base=c0", "--head="+head, "--issue="+issue, "--policy="+policy, "--format=json")
		var doc runner.ReviewDocument
		if err := json.Unmarshal([]byte(said), &doc); err != nil {
			t.Fatalf("exit code %d: %v\n%s", code, err, said)
		}
		return code, doc
	}

	code, doc := review("c2")
	if code != 1 || doc.Verdict != "reject" || doc.Stage != "test" || len(doc.Tests) != 1 || len(doc.Votes) != 0 {
		t.Errorf("the wrong patch: exit code %d, %s at %s: %s; %d tests, %d votes; trouble %+v", code, doc.Verdict, doc.Stage, doc.Why, len(doc.Tests), len(doc.Votes), doc.Trouble)
	} else if x := doc.Tests[0]; !x.Kept || x.Base.Result != "failed" || x.Patched.Result != "failed" || !strings.Contains(x.Patched.Headline, "2 != 3") {
		t.Errorf("the test on the wrong patch: %+v", x)
	}

	code, doc = review("c1")
	if code != 0 || doc.Verdict != "accept" || doc.Stage != "residual" || len(doc.Votes) != 3 || doc.Simulated {
		t.Errorf("the right patch: exit code %d, %s at %s: %s; %d votes; trouble %+v", code, doc.Verdict, doc.Stage, doc.Why, len(doc.Votes), doc.Trouble)
	}
	if doc.Evidence == nil || !strings.Contains(doc.Evidence.Text, "assertEqual(calc.add(1, 2), 3)") {
		t.Errorf("the reviewer was not shown the test: %+v", doc.Evidence)
	}
	if doc.CostUSD != nil || doc.CostWhy == "" {
		t.Errorf("a price that nobody set is %v, %q", doc.CostUSD, doc.CostWhy)
	}
	if calls := len(endpoint.Calls()) - asked; calls != 5 {
		t.Errorf("%d calls were made, want two of the generator and three of the reviewer", calls)
	}

	// A policy with one more vote is another one, and says so.
	raw, err := os.ReadFile(policy)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(policy, bytes.Replace(raw, []byte(`"votes": 3`), []byte(`"votes": 4`), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, said := do("review", "--repo="+repo, "--base=c0", "--head=c1", "--issue="+issue, "--policy="+policy); code != 3 || !strings.Contains(said, "changed after it was frozen") {
		t.Errorf("a changed policy: exit code %d\n%s", code, said)
	}

	endpoint.Close()
	if code, said := do("policy", "--preset=review", "--reviewer=endpoint", "--form=patch", "--output="+policy); code != 0 {
		t.Fatal(said)
	}
	code, said := do("review", "--repo="+repo, "--base=c0", "--head=c1", "--issue="+issue, "--policy="+policy)
	if code != 3 || !strings.Contains(said, "no verdict: reviewer did not answer") {
		t.Errorf("an endpoint that is gone: exit code %d\n%s", code, said)
	}
}

// A review that is broken off is no acceptance, though other commands end well then.
func TestReviewBrokenOff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"issue.md": mathIssue, "x.patch": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	code := run(ctx, []string{"review", "--data=" + dir, "--repo=" + dir, "--base=x", "--patch=" + filepath.Join(dir, "x.patch"), "--issue=" + filepath.Join(dir, "issue.md")}, streams{nil, &out, &errs})
	if code != exitNoVerdict || !strings.Contains(errs.String(), "broken off before there was a verdict") || out.Len() > 0 {
		t.Errorf("exit code %d\n%s%s", code, out.String(), errs.String())
	}
}
