// Package evidenceview shows an evidence text exactly as the reviewer read it:
// numbered lines that are links, with the votes that cite them in the margin.
package evidenceview

import (
	"strconv"
	"strings"

	"plumbline/experiments/evidence"
	"plumbline/web/components/visible"
)

// Limits of one window.
const (
	WindowLines = 1_500
	WindowBytes = 300_000
	CutLine     = 4_000 // bytes of one line shown before the rest becomes a link
)

// Cited says which votes cite which lines: line → vote numbers from 1, ascending.
type Cited map[int][]int

// Options say where a window starts and how its links look.
type Options struct {
	From  int // first line wanted, from 1; clamped
	Cited Cited
	Leaks map[int]string        // line → kind of hidden material found on it
	Raw   string                // URL of the text as text/plain; may be empty
	URL   func(from int) string // URL of the window that starts at a line; nil leaves out the links
}

// View is a window of an evidence text, ready to render.
type View struct {
	Lines         []Line
	First, Total  int // numbers of the first line shown and of the last line of the text
	Raw           string
	Before, After string
}

// Line is one line.
type Line struct {
	Number   int
	Anchor   string // e12
	Href     string
	Own      bool // written by the pipeline, not quoted
	Runs     []visible.Run
	CutBytes int
	Cited    []int  // vote numbers from 1
	Leak     string // kind of hidden material; empty for none
}

// Build makes the window of text. The numbers are those the reviewer saw; a text
// that carries none is numbered by its rows.
func Build(text string, o Options) View {
	v := View{Raw: o.Raw}
	if text == "" {
		return v
	}
	rows := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	lines := evidence.ReadLines(text)
	if len(lines) != len(rows) {
		lines = make([]evidence.Line, len(rows))
		for i, r := range rows {
			lines[i] = evidence.Line{N: i + 1, Text: r}
		}
	}
	v.Total = len(lines)
	v.First = min(max(o.From, 1), v.Total)
	size := 0
	for i := v.First - 1; i < v.Total && len(v.Lines) < WindowLines && size < WindowBytes; i++ {
		l := lines[i]
		out := Line{Number: l.N, Anchor: Anchor(l.N), Own: l.Own, Cited: o.Cited[l.N], Leak: o.Leaks[l.N]}
		out.Href = "#" + out.Anchor
		if o.URL != nil && v.Total > WindowLines {
			out.Href = o.URL(i+1) + out.Href
		}
		shown, cut := visible.Cut(l.Text, CutLine)
		if cut {
			out.CutBytes = len(l.Text) - len(shown)
		}
		out.Runs = visible.Split(shown)
		size += len(shown)
		v.Lines = append(v.Lines, out)
	}
	if o.URL == nil {
		return v
	}
	if v.First > 1 {
		v.Before = o.URL(max(1, v.First-WindowLines))
	}
	if last := v.First + len(v.Lines) - 1; last < v.Total {
		v.After = o.URL(last + 1)
	}
	return v
}

// Anchor is the id of a line: e12.
func Anchor(line int) string { return "e" + strconv.Itoa(line) }

// Shows reports whether a line is in the window.
func (v View) Shows(line int) bool {
	return len(v.Lines) > 0 && line >= v.Lines[0].Number && line <= v.Lines[len(v.Lines)-1].Number
}

// MaxLit is the highest vote number whose lines light up with its card; the style
// sheet has one rule for each.
const MaxLit = 16

// classes of a line: its kind, and one class for each vote that cites it.
func (l Line) classes() string {
	c := "ev-line"
	if l.Own {
		c += " ev-own"
	}
	if len(l.Cited) > 0 {
		c += " cited"
	}
	for _, n := range l.Cited {
		if n >= 1 && n <= MaxLit {
			c += " cited-" + strconv.Itoa(n)
		}
	}
	if l.Leak != "" {
		c += " ev-leak"
	}
	return c
}
