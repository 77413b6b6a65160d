package gentest

import (
	"strings"

	"plumbline/experiments/evidence"
	"plumbline/experiments/trace"
)

// A generator that knows only issue and patch still writes lines that official
// tests have too: the obvious assertion is obvious to both. So a few equal lines
// are withheld where the test is shown, and only a test that is mostly made of them
// is taken for one that was remembered.
const (
	recalledLines = 5
	recalledShare = 0.5
)

// Recalled reports a test that repeats hidden material rather than meets it: at
// least five of its lines, and half of those that are not blank, are lines or names
// of the oracle. visible and submitted are as for evidence.Audit.
func Recalled(source, visible string, oracle trace.Oracle, submitted string) bool {
	lines := numbered(source)
	hit := map[int]bool{}
	for _, l := range evidence.Audit(evidence.Evidence{Lines: lines}, visible, oracle, submitted) {
		hit[l.Line] = true
	}
	full := 0
	for _, l := range lines {
		if strings.TrimSpace(l.Text) != "" {
			full++
		}
	}
	return len(hit) >= recalledLines && float64(len(hit)) >= recalledShare*float64(full)
}

// Withheld is a text with every line that holds hidden material replaced by a note.
func Withheld(text, visible string, oracle trace.Oracle, submitted string) string {
	lines := numbered(text)
	leaks := evidence.Audit(evidence.Evidence{Lines: lines}, visible, oracle, submitted)
	if len(leaks) == 0 {
		return text
	}
	for _, l := range leaks {
		lines[l.Line-1].Text = "[line withheld by the leakage audit]"
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text + "\n")
	}
	return b.String()
}

func numbered(text string) []evidence.Line {
	var out []evidence.Line
	for line := range strings.Lines(text) {
		out = append(out, evidence.Line{N: len(out) + 1, Text: strings.TrimRight(line, "\r\n")})
	}
	return out
}
