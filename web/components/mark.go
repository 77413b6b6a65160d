package components

import (
	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
	"plumbline/web/components/visible"
)

// Mark is what can stand in one square of a vote strip or as a decision: the four
// classes of a vote, and the three ways in which there is none.
type Mark string

// Marks. The first four have the values of vote.Vote.
const (
	Accept      Mark = "accept"
	Reject      Mark = "reject"
	Uncertain   Mark = "uncertain"
	Unparseable Mark = "unparseable"
	Errored     Mark = "error"   // the provider or a check failed; never a vote
	Missing     Mark = "missing" // not asked yet
	Blocked     Mark = "blocked" // the leakage audit stopped the vote
)

// MarkOf is the mark of a vote; an unknown class is shown as unparseable.
func MarkOf(v vote.Vote) Mark {
	switch m := Mark(v); m {
	case Accept, Reject, Uncertain, Unparseable:
		return m
	}
	return Unparseable
}

// known returns m, or Missing for a value outside the list, so that a class name
// never comes from data.
func (m Mark) known() Mark {
	switch m {
	case Accept, Reject, Uncertain, Unparseable, Errored, Blocked:
		return m
	}
	return Missing
}

// Symbol is the sign that tells marks apart without colour.
func (m Mark) Symbol() string {
	switch m.known() {
	case Accept:
		return "✓"
	case Reject:
		return "✗"
	case Uncertain:
		return "?"
	case Unparseable:
		return "∅"
	case Errored:
		return "!"
	case Blocked:
		return "⊘"
	}
	return "·"
}

// Says is the one-sentence meaning of a mark.
func (m Mark) Says() string {
	switch m.known() {
	case Accept:
		return "accept: the reviewer would merge the patch"
	case Reject:
		return "reject: the reviewer would not merge the patch"
	case Uncertain:
		return "uncertain: the reviewer abstained, or the votes tied"
	case Unparseable:
		return "unparseable: the reply holds no vote; counted as decided and wrong"
	case Errored:
		return "error: no answer was received; not a vote"
	case Blocked:
		return "blocked: the evidence held oracle content, so nothing was asked"
	}
	return "missing: not asked yet"
}

// Wrong reports whether a decision contradicts the truth: the wrong side, or
// unparseable with a known label. Abstentions, absences and unknown labels are
// never wrong.
func Wrong(m Mark, truth trace.Label) bool {
	if truth != trace.Acceptable && truth != trace.Defective {
		return false
	}
	switch m {
	case Unparseable:
		return true
	case Accept:
		return truth == trace.Defective
	case Reject:
		return truth == trace.Acceptable
	}
	return false
}

// Square is one vote of a strip.
type Square struct {
	Mark   Mark
	Says   string // first line of the rationale, or the error; shown on hover
	Href   string // the vote on the trace page
	Cached bool
}

func (s Square) title(i int) string {
	text := "vote " + Count(i+1) + ": " + string(s.Mark.known())
	if s.Cached {
		text += " (cached)"
	}
	if s.Says != "" {
		text += " – " + visible.String(firstLine(s.Says, 160))
	}
	return text
}

// firstLine cuts s at its first line break and at max runes.
func firstLine(s string, max int) string {
	n := 0
	for i, r := range s {
		if r == '\n' || r == '\r' {
			return s[:i]
		}
		if n == max {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// FirstLine is the first line of a text, cut at max runes with an ellipsis.
func FirstLine(s string, max int) string { return firstLine(s, max) }

// Truth is the label of a trace with its kind of defect.
type Truth struct {
	Label  trace.Label
	Bucket trace.Bucket
	From   trace.LabelSource
}

func (t Truth) symbol() string {
	switch t.Label {
	case trace.Acceptable:
		return "○"
	case trace.Defective:
		return "●"
	}
	return "◌"
}

func (t Truth) word() string {
	switch t.Label {
	case trace.Acceptable, trace.Defective:
		return string(t.Label)
	}
	return string(trace.Unknown)
}

func (t Truth) title() string {
	text := "truth: " + t.word()
	if t.Bucket != trace.NoBucket && t.Label == trace.Defective {
		text += ", " + BucketWord(t.Bucket)
	}
	switch t.From {
	case trace.Execution:
		text += " (official tests run here)"
	case trace.Imported:
		text += " (imported evaluation)"
	case trace.Constructed:
		text += " (true by construction)"
	case trace.Manual:
		text += " (labelled by a person)"
	}
	return text
}

// BucketWord is the bucket as it is written on pages.
func BucketWord(b trace.Bucket) string {
	if b == trace.NoChange {
		return "no change"
	}
	return string(b)
}
