package evidence

import (
	"fmt"
	"strings"

	"plumbline/experiments/patch"
	"plumbline/experiments/trace"
)

// part says what a section holds; it decides when the section is cut.
type part int

const (
	partFixed part = iota // headings of controls, official outcomes, checks
	partSteps
	partDiff
	partSummary
	partNotes
	partIssue
)

// section is a heading and what stands under it. The heading is never cut.
type section struct {
	part  part
	name  string // how a cut of it is called
	head  []Line
	lines []Line
	steps []step // of the steps section, which has no lines of its own until cut
	full  []Line // lines before the first cut of lines
	cuts  []Cut  // what the budget took, at most one of steps and one of lines
}

// step is the lines of one step of the agent.
type step struct {
	number int // 1-based
	lines  []Line
}

// all is every line of the section in order.
func (s *section) all() []Line {
	out := append([]Line(nil), s.head...)
	for _, st := range s.steps {
		out = append(out, st.lines...)
	}
	return append(out, s.lines...)
}

func (s *section) weight() int {
	w := weightOf(s.head) + weightOf(s.lines)
	for _, st := range s.steps {
		w += weightOf(st.lines)
	}
	return w
}

func weightOf(lines []Line) int {
	w := 0
	for _, l := range lines {
		w += l.weight()
	}
	return w
}

// document is a text being put together.
type document struct {
	in       Input
	parsed   patch.Diff
	sections []*section
	cuts     []Cut // what went before the budget was looked at
}

func newDocument(in Input) *document {
	d := &document{in: in}
	if hasChange(in) {
		d.parsed = patch.Parse(in.Patch)
	}
	return d
}

// hasChange reports whether there is anything to read as a diff.
func hasChange(in Input) bool { return strings.TrimSpace(in.Patch) != "" }

func (d *document) add(p part, name string, head ...string) *section {
	s := &section{part: p, name: name}
	for _, h := range head {
		s.head = append(s.head, Line{Own: true, Text: h})
	}
	d.sections = append(d.sections, s)
	return s
}

func (s *section) own(format string, args ...any) {
	s.lines = append(s.lines, Line{Own: true, Text: strings.ReplaceAll(Show(fmt.Sprintf(format, args...)), "\n", " ")})
}

// quote appends hostile text line by line: made visible, long lines clipped.
func (d *document) quote(name, text string) []Line {
	text = strings.TrimSuffix(Show(text), "\n")
	rows := strings.Split(text, "\n")
	out := make([]Line, len(rows))
	long, gone := 0, 0
	for i, row := range rows {
		short, n := clip(row)
		if n > 0 {
			long++
			gone += weigh(row) - weigh(short)
		}
		out[i] = Line{Text: short}
	}
	if long > 0 {
		d.cuts = append(d.cuts, Cut{What: name, Why: CutLongLine, Lines: long, Tokens: toTokens(gone)})
	}
	return out
}

func (d *document) issue() {
	s := d.add(partIssue, "issue", "Issue")
	if strings.TrimSpace(d.in.Issue) == "" {
		s.own("no issue text is known")
		return
	}
	s.lines = d.quote("issue", strings.Trim(d.in.Issue, "\r\n"))
}

func (d *document) summary() {
	s := d.add(partSummary, "summary", "Agent's final summary (the agent's own words)")
	if strings.TrimSpace(d.in.Summary) == "" {
		s.own("the agent left no summary")
		return
	}
	s.lines = d.quote("summary", strings.Trim(d.in.Summary, "\r\n"))
}

func (d *document) diff() {
	s := d.add(partDiff, "diff", "Diff submitted by the agent")
	if !hasChange(d.in) {
		s.own("%s", noChange(d.in.PatchState))
		return
	}
	s.lines = d.quote("diff", d.in.Patch)
}

// noChange says in words why there is no diff.
func noChange(state trace.PatchState) string {
	switch state {
	case trace.PatchNull, trace.PatchAbsent, trace.PatchNone:
		return "no code change: the agent submitted no patch"
	default:
		return "no code change: the submitted patch is empty"
	}
}

func (d *document) missing() {
	s := d.add(partFixed, "missing item", "Known missing item")
	s.lines = d.quote("missing item", strings.TrimSpace(d.in.Missing))
}
