package main

import (
	"fmt"
	"strings"

	"plumbline/experiments/findings"
	"plumbline/runner"
	"plumbline/web/components/visible"
)

// Bounds that keep a comment below what code hosts take.
const (
	mdLine     = 300
	mdBlock    = 6000
	mdFindings = 40
)

// reviewMarkdown is the review as a comment on a pull request. Whatever a stranger
// wrote stands in code, where no link, image, mention, HTML or heading is made of it.
func reviewMarkdown(doc runner.ReviewDocument, page string) (string, error) {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	word := map[string]string{"accept": "✅ accept", "reject": "❌ reject", "uncertain": "❔ uncertain"}[doc.Verdict]
	if word == "" {
		word = "⚠️ no verdict"
	}
	line("### Plumbline: %s", word)
	line("")
	line("%s", mdCode(doc.Title, mdLine))
	line("")
	switch {
	case doc.Trouble != nil:
		line("No verdict: **%s**.", doc.Trouble.Trouble)
		mdBlocks(line, "", doc.Trouble.Detail)
	case doc.Verdict == "error":
		line("No verdict: **%s**.", doc.Why)
	default:
		line("Decided at the stage **%s**: %s.", doc.StageName, doc.Why)
	}
	if doc.Simulated {
		line("\n*Simulated: the votes are drawn at random, not given by a model.*")
	}
	if doc.Unsafe {
		line("\n*Unsandboxed: nothing protected the host from what ran.*")
	}
	mdStatic(line, doc.Static)
	mdTests(line, doc.Tests)
	mdVotes(line, doc)
	line("\n| | |\n| --- | --- |")
	for _, f := range reviewFacts(doc) {
		line("| %s | %s |", f.name, strings.ReplaceAll(mdCode(f.value, mdLine), "|", `\|`))
	}
	if page != "" {
		line("\n[The page of this review](<%s>)", strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "", "\r", "").Replace(page))
	}
	return b.String(), nil
}

type mdWriter = func(format string, args ...any)

func mdStatic(line mdWriter, s *runner.ReviewStatic) {
	if s == nil {
		return
	}
	line("\n**Static checks:** %s", mdCode(reviewCounts(s), mdLine))
	if len(s.Found) > 0 {
		line("")
	}
	for i, f := range s.Found {
		if i == mdFindings {
			line("- and %d more", len(s.Found)-i)
			break
		}
		mark := "noted"
		if findings.Decides(f) {
			mark = "**decides**"
		}
		line("- %s %s", mark, mdCode(findingText(f), mdLine))
	}
}

func mdTests(line mdWriter, tests []runner.ReviewTest) {
	if len(tests) == 0 {
		return
	}
	line("\n**Generated tests**\n")
	for _, t := range tests {
		line("- %s", mdCode(testText(t), mdLine))
	}
	for _, t := range tests {
		if !t.Kept {
			continue
		}
		mdBlocks(line, fmt.Sprintf("The test of attempt %d", t.Attempt), t.Source)
		mdBlocks(line, "Its output on the patch", t.Patched.Output)
	}
}

func mdVotes(line mdWriter, doc runner.ReviewDocument) {
	if len(doc.Votes) == 0 {
		return
	}
	line("\n**Votes of the residual reviewer**, shown the form %s\n", mdCode(string(doc.Policy.Form), mdLine))
	for _, v := range doc.Votes {
		line("- %s", mdCode(voteText(v), 2*mdLine))
	}
}

// mdBlocks writes a text as a folded block of code; an empty one not at all. Without
// a title it stands open.
func mdBlocks(line mdWriter, title, text string) {
	text = visible.String(strings.TrimRight(text, "\n"))
	if text == "" {
		return
	}
	if cut, more := visible.Cut(text, mdBlock); more {
		text = cut + "\n[… cut …]"
	}
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	if title == "" {
		line("\n%stext\n%s\n%s", fence, text, fence)
		return
	}
	line("\n<details><summary>%s</summary>\n\n%stext\n%s\n%s\n\n</details>", title, fence, text, fence)
}

// mdCode is a text of one line in a span of code.
func mdCode(text string, limit int) string {
	text = textLine(text, limit)
	if text == "" {
		return "(empty)"
	}
	ticks := strings.Repeat("`", longestRun(text, '`')+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return ticks + text + ticks
}

func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
