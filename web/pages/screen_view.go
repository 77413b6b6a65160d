package pages

import (
	"strconv"
	"strings"

	"plumbline/web/components"
)

// ScreenMark is the verdict of a reviewer's screening where only one word has
// room. The zero value is a reviewer that was not screened.
type ScreenMark struct {
	Verdict string // as runner.ScreenVerdict; empty: not screened
	Why     string
	Href    string
}

// Badge is the mark as a badge.
func (m ScreenMark) Badge() components.Badge {
	b := components.Badge{Key: "screening", Text: "not screened", Why: m.Why, Tone: components.Note}
	switch m.Verdict {
	case ScreenBelow:
		b.Text, b.Tone = "screened", components.Good
	case ScreenAbove:
		b.Text, b.Tone = "misreads evidence", components.Bad
	case ScreenOpen:
		b.Text, b.Tone = "screening open", components.Note
	}
	if b.Why == "" {
		b.Why = "No audited vote of this reviewer is stored."
	}
	return b
}

// The verdicts of a screening.
const (
	ScreenBelow = "below the threshold"
	ScreenAbove = "above the threshold"
	ScreenOpen  = "open"
)

// Screening is the part of a reviewer's page that says whether it reads what it is
// shown.
type Screening struct {
	Mark      ScreenMark
	Threshold float64
	Lines     []ScreenLine
	Form      *ScreenForm // nil: the viewer may not change the threshold
}

// ScreenLine is one prompt version on one class of evidence.
type ScreenLine struct {
	Prompt    string
	Grounded  bool
	Versions  []int // of the reviewer
	Rate      components.Rate
	Unaudited int
	Verdict   string
	Badges    []components.Badge
}

// ScreenForm changes the threshold of the server.
type ScreenForm struct {
	Action, Back string
	Error        string
}

func (s Screening) percent() string { return strconv.FormatFloat(100*s.Threshold, 'f', -1, 64) + "%" }

func (s Screening) table() components.Table {
	t := components.Table{ID: "screening", Caption: "Votes that contradict their evidence", Columns: []components.Column{
		{Head: "Prompt", Primary: true}, {Head: "Evidence"}, {Head: "Contradictions", Metric: "screening", Numeric: true}, {Head: "Not audited", Numeric: true}, {Head: "Against " + s.percent()},
	}, Empty: components.Empty{Why: "No vote of this reviewer is stored."}}
	for _, l := range s.Lines {
		t.Rows = append(t.Rows, components.Row{Cells: cells(screenPrompt(l), screenEvidence(l), components.RateCell(l.Rate), components.CountLink(l.Unaudited, ""), screenVerdict(l.Verdict))})
	}
	return t
}

func (l ScreenLine) versions() string {
	parts := make([]string, len(l.Versions))
	for i, v := range l.Versions {
		parts[i] = strconv.Itoa(v)
	}
	word := "version "
	if len(parts) > 1 {
		word = "versions "
	}
	return word + strings.Join(parts, ", ")
}
