package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Errors of Render for a form that the input cannot fill.
var (
	ErrNoOutcome = errors.New("no official outcome is known for this trace")
	ErrNoMissing = errors.New("no missing item is known for this trace; the form is for controlled cases")
	ErrBudget    = errors.New("the token budget is too small")
)

// Evidence is a rendered text and what was left out of it.
type Evidence struct {
	Form   Form
	Text   string // the numbered lines as a reviewer reads them, each ending in \n
	Hash   string // SHA-256 of Text, hex
	Lines  []Line
	Tokens int // estimate of Text, see Tokens
	Cut    []Cut
}

// Line of an evidence text.
type Line struct {
	N    int  // 1-based
	Own  bool // written by the pipeline; otherwise quoted from the issue or the agent
	Text string
}

// Cut is something that was left out.
type Cut struct {
	What   string // "steps 4 to 17", "diff", "issue" …
	Why    CutReason
	Steps  int
	Lines  int
	Tokens int
}

// CutReason says why something was left out.
type CutReason string

// Reasons. Prompts are the system and user messages the agent itself was given:
// they repeat the issue and say nothing about the attempt.
const (
	CutBudget   CutReason = "budget"
	CutLongLine CutReason = "long line"
	CutPrompts  CutReason = "prompts to the agent"
	CutWithheld CutReason = "leakage audit"
)

// Marks between the number and the text of a line. Quoted text cannot forge a
// line of the pipeline, because every quoted line carries its own mark.
const (
	markOwn   = "# "
	markQuote = "| "
)

// Render writes the evidence of in as form, in at most budget estimated tokens; a
// budget of 0 or less is no limit. The issue is always there. What does not fit is
// cut in a fixed order (whole steps from the middle first, then the middle of the
// diff, the summary, unchecked notes and last the issue), a line says so where it
// stood, and Cut lists it. Official outcomes and check results are never cut.
//
// Errors: an unknown form, ErrNoOutcome, ErrNoMissing, and ErrBudget when even the
// headings, the results and a third of the budget's worth of issue do not fit.
func Render(in Input, form Form, budget int) (Evidence, error) {
	if !form.Valid() {
		return Evidence{}, fmt.Errorf("render evidence: unknown form %q", form)
	}
	d := newDocument(in)
	switch form {
	case Summary:
		d.issue()
		d.summary()
	case Patch:
		d.issue()
		d.diff()
	case Trace:
		d.issue()
		d.diff()
		d.steps()
		d.summary()
	case Structured:
		d.issue()
		d.hunks()
		d.notes()
	case StructuredEmpty:
		d.issue()
		d.emptyHeadings()
	case StructuredMissing:
		if strings.TrimSpace(in.Missing) == "" {
			return Evidence{}, fmt.Errorf("render %s: %w", form, ErrNoMissing)
		}
		d.issue()
		d.hunks()
		d.notes()
		d.missing()
	case Official, OfficialNotes:
		d.issue()
		d.hunks()
		if err := d.official(); err != nil {
			return Evidence{}, fmt.Errorf("render %s: %w", form, err)
		}
		if form == OfficialNotes {
			d.notes()
		}
	case Checked:
		d.issue()
		d.diff()
		d.checks()
	}
	if budget > 0 {
		if err := d.fit(budget); err != nil {
			return Evidence{}, fmt.Errorf("render %s: %w", form, err)
		}
	}
	return d.write(form), nil
}

func (d *document) write(form Form) Evidence {
	ev := Evidence{Form: form, Cut: d.cuts}
	for _, s := range d.sections {
		ev.Cut = append(ev.Cut, s.cuts...)
		for _, l := range s.all() {
			l.N = len(ev.Lines) + 1
			ev.Lines = append(ev.Lines, l)
		}
	}
	ev.seal()
	return ev
}

// seal writes text, hash and tokens from the lines.
func (ev *Evidence) seal() {
	var b strings.Builder
	for _, l := range ev.Lines {
		writeLine(&b, l)
	}
	ev.Text = b.String()
	sum := sha256.Sum256([]byte(ev.Text))
	ev.Hash = hex.EncodeToString(sum[:])
	ev.Tokens = Tokens(ev.Text)
}

func writeLine(b *strings.Builder, l Line) {
	n := strconv.Itoa(l.N)
	for i := len(n); i < 4; i++ {
		b.WriteByte(' ')
	}
	b.WriteString(n)
	b.WriteString(l.mark())
	b.WriteString(l.Text)
	b.WriteByte('\n')
}

func (l Line) mark() string {
	if l.Own {
		return markOwn
	}
	return markQuote
}

// weight of a line as written: number, mark, text and line feed.
func (l Line) weight() int { return weigh(l.Text) + 7 }

// ReadLines recovers the lines of a stored Text. Lines that do not have the form
// of a rendered one are skipped, so that a foreign text gives none.
func ReadLines(text string) []Line {
	var out []Line
	for row := range strings.Lines(text) {
		row = strings.TrimSuffix(row, "\n")
		at := strings.IndexAny(row, "#|")
		if at < 0 || at+1 >= len(row) || row[at+1] != ' ' {
			continue
		}
		n, err := strconv.Atoi(strings.TrimLeft(row[:at], " "))
		if err != nil || n < 1 {
			continue
		}
		out = append(out, Line{N: n, Own: row[at] == '#', Text: row[at+2:]})
	}
	return out
}
