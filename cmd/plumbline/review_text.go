package main

import (
	"fmt"
	"strings"

	"plumbline/experiments/findings"
	"plumbline/experiments/patch"
	"plumbline/runner"
	"plumbline/web/components"
	"plumbline/web/components/visible"
)

// reviewJSON is the document itself.
func reviewJSON(doc runner.ReviewDocument, _ string) (string, error) {
	var b strings.Builder
	err := writeJSON(&b, doc)
	return b.String(), err
}

// reviewSays is the verdict in a sentence without its full stop.
func reviewSays(doc runner.ReviewDocument) string {
	switch {
	case doc.Verdict != "error":
		return fmt.Sprintf("%s at the stage %s: %s", doc.Verdict, doc.StageName, doc.Why)
	case doc.Trouble != nil && doc.Trouble.Detail != "":
		return "no verdict: " + doc.Why + ": " + doc.Trouble.Detail
	}
	return "no verdict: " + doc.Why
}

// fact is a name with a value; both may hold anything.
type fact struct{ name, value string }

// reviewFacts is where a verdict comes from and what it cost.
func reviewFacts(doc runner.ReviewDocument) []fact {
	policy := doc.Policy.Name + ", sha256 " + doc.Policy.SHA256
	if doc.Policy.ReviewerName != "" {
		policy += ", reviewer " + doc.Policy.ReviewerName
		if doc.Policy.Reviewer.Model != "" {
			policy += " (" + doc.Policy.Reviewer.Model + ")"
		}
	}
	out := []fact{{"policy", policy}, {"base", doc.Base}}
	if doc.Head != "" {
		out = append(out, fact{"head", doc.Head})
	}
	s := patch.Stats(doc.Patch)
	size := components.Plural(len(s.Files), "file", "files")
	if s.Added != nil && s.Removed != nil {
		size += fmt.Sprintf(", +%d -%d", *s.Added, *s.Removed)
	}
	out = append(out, fact{"patch", size})
	if doc.Sandbox != "" {
		name := doc.Sandbox
		if doc.Unsafe {
			name += ", which protects nothing"
		}
		out = append(out, fact{"sandbox", name})
	}
	calls, runs := 0, 0
	for _, s := range doc.Spent {
		calls, runs = calls+s.Calls, runs+s.Runs
	}
	cost := "unknown, because " + doc.CostWhy
	if doc.CostUSD != nil {
		cost = components.Money(doc.CostUSD)
	}
	cost += fmt.Sprintf(", %s, %s, %s", components.Plural(calls, "call", "calls"), components.Plural(runs, "program run", "program runs"), components.Span(doc.Took))
	out = append(out, fact{"cost", cost})
	if doc.Simulated {
		out = append(out, fact{"simulated", "the votes are drawn at random, not given by a model"})
	}
	return append(out, fact{"version", doc.Version}, fact{"review", doc.ID})
}

// reviewCounts says what the static checks gave.
func reviewCounts(s *runner.ReviewStatic) string {
	if !s.Ran {
		return "no static check gave an outcome: " + s.Why
	}
	return fmt.Sprintf("%s caused by the patch, %d of them decisive", components.Plural(s.Caused, "finding", "findings"), s.Decisive)
}

func findingText(f findings.Finding) string {
	return fmt.Sprintf("%s:%d: %s (%s)", f.File, f.Line, f.Message, strings.TrimSpace(f.Tool+" "+f.Rule))
}

// testText says what became of an attempt at a test.
func testText(t runner.ReviewTest) string {
	if t.Discard != "" {
		return fmt.Sprintf("attempt %d: discarded: %s", t.Attempt, t.Discard)
	}
	out := fmt.Sprintf("attempt %d: %s on the base", t.Attempt, t.Base.Result)
	if t.Patched.Result != "" {
		out += fmt.Sprintf(", %s on the patch", t.Patched.Result)
	}
	if t.Patched.Headline != "" {
		out += ": " + t.Patched.Headline
	}
	return out
}

func voteText(v runner.ReviewVote) string {
	out := string(v.Vote)
	if v.Rationale != "" {
		out += ": " + v.Rationale
	}
	if v.Problem != "" {
		out += " (" + v.Problem + ")"
	}
	return out
}

// textLine is a stranger's text on one line of a terminal.
func textLine(s string, limit int) string {
	s = visible.String(strings.Join(strings.Fields(s), " "))
	if r := []rune(s); len(r) > limit {
		s = string(r[:limit-1]) + "…"
	}
	return s
}

// reviewText is the review for a terminal.
func reviewText(doc runner.ReviewDocument, page string) (string, error) {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s", textLine(reviewSays(doc), 400))
	line("  %s", textLine(doc.Title, 120))
	if doc.Static != nil {
		line("\nstatic checks: %s", textLine(reviewCounts(doc.Static), 300))
		for _, f := range doc.Static.Found {
			mark := "noted  "
			if findings.Decides(f) {
				mark = "decides"
			}
			line("  %s  %s", mark, textLine(findingText(f), 300))
		}
		for _, t := range doc.Static.Tools {
			if t.Why != "" {
				line("  %s gave no outcome: %s", t.Name, textLine(t.Why, 300))
			}
		}
	}
	if len(doc.Tests) > 0 {
		line("\ngenerated tests:")
	}
	for _, t := range doc.Tests {
		line("  %s", textLine(testText(t), 300))
	}
	if len(doc.Votes) > 0 {
		line("\nvotes of the residual reviewer, shown the form %s:", doc.Policy.Form)
	}
	for _, v := range doc.Votes {
		line("  %s", textLine(voteText(v), 300))
	}
	line("")
	for _, f := range reviewFacts(doc) {
		line("%-10s %s", f.name, textLine(f.value, 200))
	}
	if page != "" {
		line("%-10s %s", "page", page)
	}
	return b.String(), nil
}
