package evidence

import (
	"fmt"
	"strings"
)

const (
	headChecks  = "Checks that the review pipeline ran (official tests are not among them)"
	headDetails = "Generated tests that count: what they assert, their code and their output"
)

// checks shows results of what counts, numbers what does not, and puts code and
// output of generated tests into a section that the budget may cut.
func (d *document) checks() {
	s := d.add(partFixed, "checks", headChecks)
	var tests []Check
	findings, otherFindings, otherTests := 0, 0, 0
	for _, c := range d.in.Checks {
		switch {
		case c.Kind == StaticFinding && !c.Counts:
			otherFindings++
		case c.Kind == StaticFinding:
			findings++
			s.own("static finding %d, caused by the patch: %s", findings, where(c))
			s.lines = append(s.lines, d.quote("checks", firstLine(c.Message))...)
		case !c.Counts || c.Base != Failed || c.Patched == NotRun:
			otherTests++
		default:
			tests = append(tests, c)
		}
	}
	if findings == 0 {
		s.own("static findings caused by the patch: none")
	}
	for i, c := range tests {
		s.own("%s", testLine(i+1, c.Patched))
		if c.Patched == Passed {
			s.own("one such test covers part of the behaviour at most")
		}
	}
	if len(tests) == 0 {
		s.own("generated tests that count: none; the behaviour was not executed")
	}
	if otherFindings > 0 {
		s.own("static findings left out because the patch did not cause them: %d", otherFindings)
	}
	if otherTests > 0 {
		s.own("generated tests discarded before use, which says nothing about the patch: %d", otherTests)
	}
	if len(tests) > 0 {
		d.details(tests)
	}
}

// testLine says passed or failed once, of the patched tree, so that the line of a
// passing test cannot be quoted as a failing one.
func testLine(n int, patched Result) string {
	if patched == Passed {
		return fmt.Sprintf("generated test %d: passed on the patched tree (and, as it must, not on the base)", n)
	}
	return fmt.Sprintf("generated test %d: failed on the patched tree (as on the base)", n)
}

func (d *document) details(tests []Check) {
	s := d.add(partNotes, "generated tests", headDetails)
	for i, c := range tests {
		for _, p := range []struct{ name, text string }{{"asserts", c.Message}, {"code", c.Source}, {"output on the patched tree", c.Output}} {
			if strings.TrimSpace(p.text) == "" {
				continue
			}
			s.own("generated test %d, %s:", i+1, p.name)
			s.lines = append(s.lines, d.quote("generated tests", strings.Trim(p.text, "\r\n"))...)
		}
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

func where(c Check) string {
	out := strings.TrimSpace(c.Tool + " " + c.Rule)
	switch {
	case c.File == "":
		return out
	case c.Line > 0:
		return fmt.Sprintf("%s in %q line %d", out, c.File, c.Line)
	default:
		return fmt.Sprintf("%s in %q", out, c.File)
	}
}
