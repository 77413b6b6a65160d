package cascadetest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"plumbline/experiments/cascade"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/runner/reviewer/reviewertest"
	"plumbline/runner/runnertest"
)

// repository commits files and gives the commit.
func repository(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.invalid")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "one")
	return git("rev-parse", "HEAD")
}

const (
	calcPatch = "diff --git a/calc.py b/calc.py\n--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n"
	toolPatch = "diff --git a/tool.go b/tool.go\n--- a/tool.go\n+++ b/tool.go\n@@ -1,3 +1,3 @@\n package tool\n \n-func One() int { return 2 }\n+func One() int { return 1 }\n"
)

// pyTest is a reply with a unittest of these lines.
func pyTest(lines ...string) string {
	return "File: test_it.py\nAsserts: the sum\n\n```python\nimport unittest\nfrom calc import add\n\n\nclass TestIt(unittest.TestCase):\n    def test_it(self):\n        " +
		strings.Join(lines, "\n        ") + "\n```\n"
}

// trial is one way for a trace to go wrong, or not.
type trial struct {
	issue string // names the trial to the generator
	repo  string
	patch string
	reply string // of the generator, each time

	trouble  cascade.Trouble // empty: a verdict of the reviewer at stage 3
	flaws    []string        // of the attempts
	base     []string        // results of the attempts on the base
	patched  string          // result of the last attempt on the patch
	requests int             // of the generator
}

var trials = []trial{
	{issue: "TRIAL-PROSE", repo: "acme/calc", patch: calcPatch, reply: "I would test that the sum is right. Good luck!", flaws: []string{"no test in the reply", "no test in the reply", "no test in the reply"}, base: []string{"", "", ""}, requests: 3},
	{issue: "TRIAL-HANGS-BEFORE", repo: "acme/calc", patch: calcPatch, reply: pyTest("while add(1, 2) != 4:", "    pass", "self.assertEqual(add(1, 2), 3)"), flaws: []string{"", "", ""}, base: []string{"timeout", "timeout", "timeout"}, requests: 3},
	{issue: "TRIAL-HANGS-AFTER", repo: "acme/calc", patch: calcPatch, reply: pyTest("while add(1, 2) == 3:", "    pass", "self.assertEqual(add(1, 2), 3)"), flaws: []string{""}, base: []string{"failed"}, patched: "timeout", requests: 1},
	{issue: "TRIAL-IMPORTS-NOTHING", repo: "acme/calc", patch: calcPatch, reply: pyTest("import calc_of_tomorrow", "self.assertEqual(add(1, 2), 3)"), flaws: []string{"", "", ""}, base: []string{"set-up", "set-up", "set-up"}, requests: 3},
	{issue: "TRIAL-REFUSED-PATCH", repo: "acme/calc", patch: strings.Replace(calcPatch, "a - b", "a * b", 1), trouble: cascade.PatchNotApplied},
	{issue: "TRIAL-BROKEN-BASE", repo: "acme/tool", patch: toolPatch, trouble: cascade.BaseBroken},
	{issue: "TRIAL-NO-REPOSITORY", repo: "acme/elsewhere", patch: calcPatch, trouble: cascade.BaseMissing},
	{issue: "TRIAL-SILENCE", repo: "acme/calc", patch: calcPatch, trouble: cascade.GeneratorDown, requests: 1},
}

// generatorFor answers for trials, and refuses the one that asks for silence.
func generatorFor(t *testing.T) *reviewertest.Server {
	find := func(c reviewertest.Call) trial {
		for _, x := range trials {
			if strings.Contains(c.Body.User(), x.issue) {
				return x
			}
		}
		t.Errorf("the generator was asked about something else: %.300s", c.Body.User())
		return trial{}
	}
	return reviewertest.New(t, reviewertest.Options{
		Answer: func(c reviewertest.Call) string { return find(c).reply },
		Fault: func(c reviewertest.Call) reviewertest.Fault {
			if find(c).reply == "" {
				return reviewertest.Status(http.StatusBadRequest, "not this one")
			}
			return nil
		},
	})
}

// Bad input ends in a named outcome, shown and counted, and never in a verdict of a
// check: patches that do not apply, bases that do not build or are not there, and a
// silent generator end without a verdict; a generator that writes prose and tests
// that hang are discarded with the reason, and the reviewer decides.
func TestTrials(t *testing.T) {
	ctx := context.Background()
	mirrors := t.TempDir()
	commits := map[string]string{
		"acme/calc":      repository(t, filepath.Join(mirrors, "acme__calc"), map[string]string{"calc.py": "def add(a, b):\n    return a - b\n"}),
		"acme/tool":      repository(t, filepath.Join(mirrors, "acme__tool"), map[string]string{"go.mod": "module acme.example/tool\n\ngo 1.22\n", "tool.go": "package tool\n\nfunc One() int { return 2 }\n", "broken.go": "package tool\n\nfunc Two() int { return two }\n"}),
		"acme/elsewhere": strings.Repeat("e", 40),
	}
	b := runnertest.NewWith(t, modelstest.SQLite(t), func(c *runner.Config) { c.Checks = hostWith(t, mirrors) })
	d, err := b.Store.EnsureDataset(ctx, admin, b.Project.ID, "trials", "", false)
	if err != nil {
		t.Fatal(err)
	}
	byTrace := map[string]trial{}
	for i, x := range trials {
		in := trace.Instance{ID: fmt.Sprintf("acme__trial-%d", i), Repo: x.repo, BaseCommit: commits[x.repo], Issue: x.issue + ": the sum of two numbers is wrong."}
		res, err := b.Store.ImportTraces(ctx, admin, d.ID, []trace.Instance{in}, []models.TraceInput{{Trace: trace.Trace{
			InstanceID: in.ID, Agent: "a", Model: "m", PatchState: trace.PatchText, Patch: x.patch, Outcome: trace.Outcome{Label: trace.Acceptable, From: trace.Manual},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		byTrace[res[0].TraceID] = x
	}
	endpoint := generatorFor(t)
	gen := b.Reviewer(t, "writer", reviewer.Spec{Kind: reviewer.KindOpenAI, BaseURL: endpoint.URL, Model: "m"})
	e := launch(t, b, "", func(s *runner.CascadeSpec) {
		s.DatasetID, s.Checks.Generator, s.Checks.TestWallS, s.Policy = d.ID, gen, 4, s.Policy[:2]
	})
	b.Work(t, 2)
	wait(t, b, e.ID)
	rows, err := b.Store.CascadeRows(ctx, admin, e.ID)
	if err != nil || len(rows) != 2*len(trials) {
		t.Fatalf("%d rows of %d, %v", len(rows), 2*len(trials), err)
	}
	stuck, asked := 0, 0
	for _, r := range rows {
		x := byTrace[r.TraceID]
		if x.trouble != "" {
			stuck++
			if r.Trouble != string(x.trouble) || r.Detail == "" || r.Decision != "" || r.State != models.ItemError {
				t.Errorf("%s: trouble %q (%s) at %q, decision %q, state %s; want %q", x.issue, r.Trouble, r.Detail, r.TroubleAt, r.Decision, r.State, x.trouble)
			}
			continue
		}
		if r.Stage != cascade.StageResidual.Key() || r.Decision == "" || r.Trouble != "" {
			t.Errorf("%s: ended at %q with %q, trouble %q (%s); want a vote of the reviewer", x.issue, r.Stage, r.Decision, r.Trouble, r.Detail)
		}
		sets, err := b.Store.TraceChecks(ctx, admin, r.TraceID)
		if err != nil || len(sets) != 1 {
			t.Fatalf("%s: %d sets, %v", x.issue, len(sets), err)
		}
		var flaws, base []string
		patched := ""
		for _, g := range sets[0].Tests {
			flaws, base, patched = append(flaws, g.Flaw), append(base, g.BaseResult), g.PatchedResult
		}
		if fmt.Sprint(flaws, base, patched) != fmt.Sprint(x.flaws, x.base, x.patched) {
			t.Errorf("%s: attempts %q, on the base %q, on the patch %q; want %q, %q, %q", x.issue, flaws, base, patched, x.flaws, x.base, x.patched)
		}
	}
	// Both policies share every observation, so each attempt was asked for once;
	// what was refused is tried by each.
	for _, x := range trials {
		asked += x.requests
	}
	if got, most := endpoint.Stats().Requests, asked+1; got < asked || got > most {
		t.Errorf("the generator was asked %d times, want %d to %d", got, asked, most)
	}
	res, err := b.Runner.CascadeResults(ctx, admin, e.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range res.Arms {
		n := 0
		for _, k := range p.Funnel.Troubles {
			n += k
		}
		if n*2 != stuck || p.Funnel.Verdicts != len(trials)-n || p.Funnel.Missing != 0 {
			t.Errorf("%s: troubles %v, %d verdicts, %d missing", p.Name, p.Funnel.Troubles, p.Funnel.Verdicts, p.Funnel.Missing)
		}
	}
}
