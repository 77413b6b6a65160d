package review

import (
	"fmt"
	"strings"

	"plumbline/experiments/evidence"
	"plumbline/experiments/vote"
)

// FlagKind is a way in which a vote misreads its evidence.
type FlagKind string

// The flags. The first group is about citations alone. The second contradicts a
// result that the pipeline reports: what paper G, S2.9, S2.10, S3.4 and S6 call
// misreading, in the reject and in the accept direction.
const (
	NoSuchLine     FlagKind = "no such line"
	QuoteNotFound  FlagKind = "quote not in the evidence"
	QuoteElsewhere FlagKind = "quote stands on another line"

	QuoteRewritten         FlagKind = "quote turns the result around"
	RejectsCitingPassed    FlagKind = "rejects, citing a result that passed"
	RejectsAllPassed       FlagKind = "rejects although every official result passed"
	AcceptsCitingOnlyPass  FlagKind = "accepts, citing only what passed"
	AcceptsDespiteFailed   FlagKind = "accepts although a result failed"
	SaysFailed             FlagKind = "says failed of a result that passed"
	SaysPassed             FlagKind = "says passed of a result that failed"
	DecisionAgainstReasons FlagKind = "decides against its own rationale"
)

// Contradiction reports the flags that contradict a result or the rationale; the
// others are inexact citations. Screening counts contradictions.
func (k FlagKind) Contradiction() bool {
	switch k {
	case NoSuchLine, QuoteNotFound, QuoteElsewhere:
		return false
	}
	return true
}

// Flag sets what the vote says beside the line it misreads.
type Flag struct {
	Kind     FlagKind `json:"kind"`
	Said     string   `json:"said"`               // of the vote: a citation, a sentence of the rationale, or the decision
	Line     int      `json:"line,omitempty"`     // of the evidence, 1-based; 0 when there is none
	Evidence string   `json:"evidence,omitempty"` // text of that line
}

// Misread compares a vote with the evidence it was given. It is rule-based: it reads
// results only off lines of the pipeline, numbers and words, and no meaning. An
// unparseable reply gives no flag. A kind is reported once for the same line.
//
// A passing generated test never contradicts a rejection that does not cite it,
// because one test covers part of the behaviour (paper G §6.2). Only official
// results, which decide the label, contradict a rejection by themselves.
func Misread(r Reply, lines []evidence.Line) []Flag {
	if r.Vote == vote.Unparseable {
		return nil
	}
	m := &misreader{reply: r, lines: lines, results: evidence.Outcomes(lines), byLine: map[int]evidence.Outcome{}, seen: map[Flag]bool{}}
	for _, o := range m.results {
		m.byLine[o.Line] = o
	}
	m.folded = make([]*string, len(lines))
	m.citations()
	m.decision()
	m.sentences()
	return m.flags
}

type misreader struct {
	reply   Reply
	lines   []evidence.Line
	results []evidence.Outcome
	byLine  map[int]evidence.Outcome
	folded  []*string // lines as compared, folded when first looked at
	cited   []evidence.Outcome
	flags   []Flag
	seen    map[Flag]bool
}

func (m *misreader) flag(kind FlagKind, said string, line int, text string) {
	key := Flag{Kind: kind, Line: line}
	if line == 0 {
		key.Said = said
	}
	if m.seen[key] {
		return
	}
	m.seen[key] = true
	m.flags = append(m.flags, Flag{Kind: kind, Said: said, Line: line, Evidence: text})
}

// citations checks each citation and collects the results that are cited.
func (m *misreader) citations() {
	for _, c := range m.reply.Citations {
		said := c.String()
		var at *evidence.Line
		if c.Line > 0 {
			if at = m.line(c.Line); at == nil {
				m.flag(NoSuchLine, said, 0, "")
			}
		}
		hit, found := 0, false
		if c.Quote != "" {
			hit, found = m.find(c.Quote, c.Line)
		}
		switch {
		case c.Quote == "":
		case found && at != nil && hit != c.Line:
			m.flag(QuoteElsewhere, said, hit, m.lines[hit-1].Text)
		case found:
		default:
			if o, turned := m.turned(c); turned {
				m.flag(QuoteRewritten, said, o.Line, o.Text)
				m.cite(o)
				continue
			}
			text, n := "", 0
			if at != nil {
				text, n = at.Text, at.N
			}
			m.flag(QuoteNotFound, said, n, text)
		}
		// The words count before the number: models miscount more than they misquote.
		if found {
			if o, is := m.byLine[hit]; is {
				m.cite(o)
			}
		} else if o, is := m.byLine[c.Line]; is && c.Quote == "" {
			m.cite(o)
		}
	}
}

func (m *misreader) cite(o evidence.Outcome) { m.cited = append(m.cited, o) }

// String shows a citation as a reader would write it.
func (c Citation) String() string {
	switch {
	case c.Line == 0:
		return fmt.Sprintf("“%s”", c.Quote)
	case c.Quote == "":
		return fmt.Sprintf("line %d", c.Line)
	default:
		return fmt.Sprintf("line %d: “%s”", c.Line, c.Quote)
	}
}

// decision compares the vote with the cited and with all results.
func (m *misreader) decision() {
	said := "decision: " + string(m.reply.Vote)
	citedPass, citedFail := split(m.cited)
	_, failed := split(m.results)
	official := official(m.results)
	_, officialFailed := split(official)
	switch m.reply.Vote {
	case vote.Reject:
		if len(citedFail) > 0 {
			return
		}
		for _, o := range citedPass {
			m.flag(RejectsCitingPassed, said, o.Line, o.Text)
		}
		if len(citedPass) == 0 && len(official) > 0 && len(officialFailed) == 0 {
			m.flag(RejectsAllPassed, said, official[0].Line, official[0].Text)
		}
	case vote.Accept:
		if len(failed) == 0 {
			return
		}
		if len(citedPass) > 0 && len(citedFail) == 0 {
			m.flag(AcceptsCitingOnlyPass, said+", citing "+citedPass[0].Text, failed[0].Line, failed[0].Text)
			return
		}
		m.flag(AcceptsDespiteFailed, said, failed[0].Line, failed[0].Text)
	}
}

func split(all []evidence.Outcome) (passed, failed []evidence.Outcome) {
	for _, o := range all {
		if o.Passed {
			passed = append(passed, o)
		} else {
			failed = append(failed, o)
		}
	}
	return passed, failed
}

func official(all []evidence.Outcome) []evidence.Outcome {
	var out []evidence.Outcome
	for _, o := range all {
		if o.Source == evidence.FromOfficial {
			out = append(out, o)
		}
	}
	return out
}

func (m *misreader) line(n int) *evidence.Line {
	if n < 1 || n > len(m.lines) {
		return nil
	}
	return &m.lines[n-1]
}

// at is a line as compared, by its place from 0. Most quotes stand on the line
// they name, so that few lines of a long text are ever folded.
func (m *misreader) at(i int) string {
	if m.folded[i] == nil {
		f := fold(m.lines[i].Text)
		m.folded[i] = &f
	}
	return *m.folded[i]
}

var unquoted = strings.NewReplacer("“", "", "”", "", "\"", "", "'", "", "`", "", "…", "...")

// fold is how quotes and lines are compared: lower case, no quotation marks, no
// runs of white space, nothing of the number and mark in front.
func fold(s string) string {
	if lead := strings.TrimSpace(s); lead != "" && lead[0] >= '0' && lead[0] <= '9' {
		if sub := copiedMark.FindStringSubmatch(s); sub != nil {
			s = sub[2]
		}
	}
	return strings.Join(strings.Fields(unquoted.Replace(strings.ToLower(s))), " ")
}
