package evidence

import (
	"strings"

	"plumbline/experiments/trace"
)

const caseIssue = `Truncating a title cuts words apart

` + "`shorten(text, width)`" + ` should cut at a word boundary. It must not return more than ` + "`width`" + ` characters.

` + "```python" + `
shorten("one two", 5)  # must not be read as a requirement
` + "```" + `

- An empty ` + "`text`" + ` should give an empty string.
- ` + "`shorten_all`" + ` in titles/batch.py must use the same rule.
`

const casePatch = `diff --git a/titles/text.py b/titles/text.py
--- a/titles/text.py
+++ b/titles/text.py
@@ -3,2 +3,8 @@ def shorten(text, width):
     """Shorten text to width characters."""
-    return text[:width]
+    if len(text) <= width:
+        return text
+    cut = text.rfind(" ", 0, width + 1)  # TODO hyphens
+    return text[:cut] if cut > 0 else text[:width]
+
+def boundary(text):
+    return text.find(" ")
`

func caseInput() Input {
	exit1, exit0 := 1, 0
	return Input{
		Issue: caseIssue, PatchState: trace.PatchText, Patch: casePatch,
		Summary: "I changed shorten to cut at word boundaries. All tests pass.",
		Steps: []trace.Step{
			{Index: 0, Kind: trace.StepSystem, Observation: "You are an agent."},
			{Index: 1, Kind: trace.StepUser, Observation: caseIssue},
			{Index: 2, Kind: trace.StepAction, Tool: "bash", Thought: "Look at the code.", Action: "cat titles/text.py", Observation: "def shorten(text, width):\n    return text[:width]", ExitCode: &exit0},
			{Index: 3, Kind: trace.StepAction, Tool: "bash", Action: "python -m pytest -q", Observation: "no module named pytest", ExitCode: &exit1},
			{Index: 4, Kind: trace.StepMessage, Thought: "Done."},
		},
		Tests:   &trace.TestCounts{FailToPassOK: 1, FailToPassAll: 2, PassToPassOK: 14, PassToPassAll: 14, Applied: true},
		Missing: "shorten_all still cuts words apart",
		Checks: []Check{
			{Kind: StaticFinding, Counts: true, Tool: "pyflakes", Rule: "undefined-name", File: "titles/text.py", Line: 9, Message: "undefined name 're'"},
			{Kind: StaticFinding, Tool: "pyflakes", Rule: "unused-import", File: "titles/old.py", Message: "'os' imported but unused"},
			{Kind: GeneratedTest, Counts: true, Base: Failed, Patched: Failed, Message: "shorten_all cuts at a word boundary", Source: "def test_batch():\n    assert shorten_all(['one two'], 5) == ['one']", Output: "AssertionError: ['one t'] != ['one']"},
			{Kind: GeneratedTest, Counts: true, Base: Failed, Patched: Passed, Message: "shorten cuts at a word boundary"},
			{Kind: GeneratedTest, Base: NotRun, Patched: NotRun, Output: "ImportError: environment"},
		},
	}
}

func lineWith(ev Evidence, part string) (Line, bool) {
	for _, l := range ev.Lines {
		if strings.Contains(l.Text, part) {
			return l, true
		}
	}
	return Line{}, false
}
