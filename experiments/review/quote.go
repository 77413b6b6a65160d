package review

import (
	"regexp"
	"strings"

	"plumbline/experiments/evidence"
)

// find looks for a quote: on the cited line first, then anywhere, then across lines
// that follow each other. Parts around an ellipsis must follow in order on one line.
// The answer is the number of the line where the quote begins.
func (m *misreader) find(quote string, cited int) (int, bool) {
	q := strings.Trim(fold(quote), " .,;:")
	if q == "" {
		return 0, false
	}
	parts := strings.Split(q, "...")
	if cited >= 1 && cited <= len(m.folded) && holds(m.at(cited-1), parts) {
		return cited, true
	}
	for i := range m.lines {
		if holds(m.at(i), parts) {
			return i + 1, true
		}
	}
	return m.findAcross(q)
}

func holds(line string, parts []string) bool {
	for _, p := range parts {
		if p = strings.TrimSpace(p); p == "" {
			continue
		}
		at := strings.Index(line, p)
		if at < 0 {
			return false
		}
		line = line[at+len(p):]
	}
	return true
}

// maxSpan is how many lines one quote may run over.
const maxSpan = 8

// findAcross joins lines from each line on that the quote begins in.
func (m *misreader) findAcross(q string) (int, bool) {
	for i := range m.lines {
		l := m.at(i)
		if l == "" || !strings.Contains(q, tail(l)) {
			continue
		}
		joined := l
		for j := i + 1; j < len(m.folded) && j < i+maxSpan; j++ {
			joined += " " + m.at(j)
			if strings.Contains(strings.Join(strings.Fields(joined), " "), q) {
				return i + 1, true
			}
		}
	}
	return 0, false
}

// tail is the last word of a line, which a quote that runs on must hold.
func tail(l string) string { return l[strings.LastIndexByte(l, ' ')+1:] }

// turned reports a quote that matches a result line once passed and failed are
// exchanged: the quoted line was rewritten (paper G, S3.4, run 3).
func (m *misreader) turned(c Citation) (evidence.Outcome, bool) {
	q := strings.Trim(fold(c.Quote), " .,;:")
	if !claim.MatchString(q) {
		return evidence.Outcome{}, false
	}
	flipped := flip(q)
	for _, o := range m.results {
		line := fold(o.Text)
		if c.Line == o.Line && says(q) != nil && *says(q) != o.Passed && mentions(q, o) {
			return o, true
		}
		if strings.Contains(line, flipped) || flipped != q && resultWords(flipped) == resultWords(line) {
			return o, true
		}
	}
	return evidence.Outcome{}, false
}

var claim = regexp.MustCompile(`\b(passed|failed)\b`)

func flip(s string) string {
	return claim.ReplaceAllStringFunc(s, func(w string) string {
		if w == "passed" {
			return "failed"
		}
		return "passed"
	})
}

// resultWords is a result without its counts.
func resultWords(s string) string {
	if at := strings.IndexByte(s, '('); at > 0 {
		s = s[:at]
	}
	return strings.Trim(s, " .:;,")
}
