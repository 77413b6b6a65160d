package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/cascade"
	"plumbline/experiments/findings"
	"plumbline/experiments/vote"
	"plumbline/runner"
	"plumbline/runner/reviewer"
)

// hostileText is what a stranger may put into an issue, a patch or a message.
const hostileText = "Totals `are` wrong</details><script>alert(1)</script> @everyone #1 ![x](http://evil.example/x.png)\n\n# heading\n````\n| a |\n\u202e\x1b[31m"

func reviewDoc(verdict, stage, why string) runner.ReviewDocument {
	cost := 0.0123
	s, _ := cascade.ParseStage(stage)
	return runner.ReviewDocument{
		Format: runner.ReviewFormat, ID: "sr_1", Title: hostileText, Repo: "/repo", Base: "0123456789abcdef0123456789abcdef01234567", Version: "v1.2.3",
		Verdict: verdict, Stage: stage, StageName: s.Name(), Why: why, Policy: runner.DefaultPolicy(), CostUSD: &cost, Sandbox: "bubblewrap",
		StartedAt: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC), Took: 1500 * time.Millisecond, Issue: hostileText,
		Patch: "diff --git a/a dir/x.py b/a dir/x.py\n--- a/a dir/x.py\n+++ b/a dir/x.py\n@@ -3,3 +3,3 @@\n a\n-b\n+c\n d\n",
	}
}

func reviewDocs() map[string]runner.ReviewDocument {
	reject := reviewDoc("reject", "static", string(cascade.WhyStatic))
	reject.Static = &runner.ReviewStatic{
		Static: cascade.Static{Ran: true, Decisive: 1, Caused: 2}, Tools: []runner.ReviewTool{{Name: "pyflakes", Version: "3.2.0"}, {Name: "ruff", Why: "on the base: it did not end by itself: time"}},
		Found: []findings.Finding{
			{Tool: "pyflakes", Rule: "F821", File: "a dir/x.py", Line: 4, Class: findings.Unbound, Message: "undefined name 'c'"},
			{Tool: "pyflakes", Rule: "F401", File: "a dir/x.py", Line: 1, Class: findings.Other, Message: hostileText},
		},
	}
	reject.Spent[cascade.StageStatic].Runs = 4

	accept := reviewDoc("accept", "residual", string(cascade.WhyVotes))
	accept.Head, accept.Simulated = "89abcdef0123456789abcdef0123456789abcdef", true
	accept.Policy.ReviewerName, accept.Policy.Reviewer = "small", &reviewer.Spec{Kind: reviewer.KindSimulated, Model: "simulated-small"}
	accept.Static = &runner.ReviewStatic{Static: cascade.Static{Why: "no tool here reads the changed files"}}
	accept.Tests = []runner.ReviewTest{
		{Attempt: 1, Discard: "passes on the base"},
		{Attempt: 2, Kept: true, Source: "def test():\n    assert '```'\n" + hostileText, Base: runner.ReviewRun{Result: cascade.FailedTest}, Patched: runner.ReviewRun{Result: cascade.Passed, Headline: "1 of 1 tests passed", Output: hostileText}},
	}
	accept.Votes = []runner.ReviewVote{{Vote: vote.Accept, Rationale: hostileText}, {Vote: vote.Unparseable, Problem: "no decision in the reply"}, {Vote: vote.Accept}}
	accept.Spent[cascade.StageResidual].Calls = 3

	uncertain := reviewDoc("uncertain", "residual", string(cascade.WhyNoReviewer))
	uncertain.CostUSD, uncertain.CostWhy, uncertain.Unsafe, uncertain.Sandbox = nil, "the price of some calls is unknown", true, "none"

	failed := reviewDoc("error", "no_change", string(cascade.PatchNotApplied))
	failed.Trouble = &cascade.Failed{Trouble: cascade.PatchNotApplied, Detail: hostileText}
	return map[string]runner.ReviewDocument{"reject": reject, "accept": accept, "uncertain": uncertain, "error": failed}
}

// Each verdict in each format is what the golden files say.
func TestReviewFormats(t *testing.T) {
	t.Parallel()
	formats := map[string]func(runner.ReviewDocument, string) (string, error){"txt": reviewText, "json": reviewJSON, "sarif": reviewSARIF, "md": reviewMarkdown}
	for name, doc := range reviewDocs() {
		for ending, write := range formats {
			got, err := write(doc, "https://plumbline.example/reviews/sr_1")
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", "review", name+"."+ending)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("%s (-want +got):\n%s", file, d)
			}
		}
	}
}

// Nothing of a stranger stands outside code in a comment, and no control character
// reaches a terminal or a page.
func TestReviewMarkdownIsInert(t *testing.T) {
	t.Parallel()
	for name, doc := range reviewDocs() {
		md, err := reviewMarkdown(doc, "")
		if err != nil {
			t.Fatal(err)
		}
		outside := outsideCode(md)
		for _, bad := range []string{"script", "@everyone", "evil.example", "heading", "![", "</details><"} {
			if strings.Contains(outside, bad) {
				t.Errorf("%s: %q stands outside code:\n%s", name, bad, outside)
			}
		}
		text, err := reviewText(doc, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []string{md, text} {
			if strings.ContainsAny(s, "\x1b\u202e") {
				t.Errorf("%s: a control character is left:\n%q", name, s)
			}
		}
	}
	if got := outsideCode("a `b` c\n```text\nd\n```\ne ``f ` g`` h"); got != "a  c\ne  h" {
		t.Errorf("the test reads Markdown as %q", got)
	}
}

// outsideCode is what is left of a Markdown text without its spans and blocks of
// code, as CommonMark reads them.
func outsideCode(md string) string {
	var kept []string
	fence := ""
	for _, l := range strings.Split(md, "\n") {
		ticks := l[:len(l)-len(strings.TrimLeft(l, "`"))]
		switch {
		case fence == "" && len(ticks) >= 3 && !strings.Contains(l[len(ticks):], "`"):
			fence = ticks
		case fence != "" && len(ticks) >= len(fence) && strings.TrimSpace(l[len(ticks):]) == "":
			fence = ""
		case fence == "":
			kept = append(kept, withoutSpans(l))
		}
	}
	return strings.Join(kept, "\n")
}

func withoutSpans(l string) string {
	var out strings.Builder
	for l != "" {
		at := strings.IndexByte(l, '`')
		if at < 0 {
			break
		}
		rest := strings.TrimLeft(l[at:], "`")
		n := len(l) - at - len(rest)
		end := closing(rest, n)
		if end < 0 {
			out.WriteString(l[:at+n])
			l = rest
			continue
		}
		out.WriteString(l[:at])
		l = rest[end+n:]
	}
	return out.String() + l
}

// closing is where a run of exactly n backticks begins.
func closing(s string, n int) int {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		j := i
		for j < len(s) && s[j] == '`' {
			j++
		}
		if j-i == n {
			return i
		}
		i = j
	}
	return -1
}

// The SARIF logs hold what version 2.1.0 of the standard asks for, and are read by
// the product's own reader.
func TestReviewSARIF(t *testing.T) {
	t.Parallel()
	for name, doc := range reviewDocs() {
		text, err := reviewSARIF(doc, "")
		if err != nil {
			t.Fatal(err)
		}
		var log sarifLog
		dec := json.NewDecoder(strings.NewReader(text))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&log); err != nil {
			t.Fatal(err)
		}
		if log.Version != "2.1.0" || len(log.Runs) != 1 || log.Runs[0].Tool.Driver.Name == "" {
			t.Fatalf("%s: %s", name, text)
		}
		run := log.Runs[0]
		if got := run.Invocations[0].ExecutionSuccessful; got != (doc.Verdict != "error") {
			t.Errorf("%s: executionSuccessful is %t", name, got)
		}
		for _, r := range run.Results {
			if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || r.Message.Text == "" || len(r.Locations) != 1 {
				t.Errorf("%s: result %+v", name, r)
			}
			// Kinds other than fail have the level none (SARIF 2.1.0 §3.27.10).
			if r.Kind != "fail" && r.Level != "none" {
				t.Errorf("%s: kind %s has level %s", name, r.Kind, r.Level)
			}
			if u := r.Locations[0].Physical.Artifact.URI; u != "a%20dir/x.py" {
				t.Errorf("%s: uri %q", name, u)
			}
		}
		read, err := findings.Read(findings.SARIF, strings.NewReader(text), "Plumbline", "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		want := map[string]int{"reject": 3, "accept": 1, "uncertain": 1, "error": 0}[name]
		if len(read) != want {
			t.Errorf("%s: %d findings are read back, want %d: %v", name, len(read), want, read)
		}
	}
}

func TestUsageCode(t *testing.T) {
	t.Parallel()
	for want, args := range map[int][]string{3: {"--data", "x", "review", "--nope"}, 2: {"run", "--nope"}} {
		if got := usageCode(args); got != want {
			t.Errorf("%v: %d, want %d", args, got, want)
		}
	}
}
