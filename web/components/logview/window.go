package logview

import (
	"strconv"
	"strings"

	"plumbline/web/components/visible"
)

// Limits of one window.
const (
	WindowLines = 500     // lines rendered at once
	WindowBytes = 200_000 // bytes of text rendered at once
	CutLine     = 4_000   // bytes of one line shown before the rest becomes a link
)

// View is a window of a text, ready to render.
type View struct {
	ID     string // prefix of the anchors: line n is ID + "L" + n
	Lines  []Line
	First  int    // number of the first line shown, from 1; 0 when the text is empty
	Total  int    // lines in the whole text
	Bytes  int    // bytes in the whole text
	Before string // URL of the window before, empty at the start
	After  string // URL of the window after, empty at the end
	Raw    string // URL of the whole text as text/plain; may be empty
}

// Line is one line of a window.
type Line struct {
	Number   int
	Anchor   string
	Href     string
	Runs     []visible.Run
	CutBytes int // bytes left off; the raw text has them
}

// Options say where a window starts and how its links look.
type Options struct {
	ID   string
	From int                   // first line wanted, from 1; values out of range are clamped
	Raw  string                // URL of the whole text; may be empty
	URL  func(from int) string // URL of the window that starts at a line; nil leaves out the links
}

// Window cuts the lines to show out of text. Only the shown lines are split and
// styled; the others are counted. Line ends are LF or CRLF. A colour that was set
// before the window is not carried into it.
func Window(text string, o Options) View {
	v := View{ID: o.ID, Bytes: len(text), Raw: o.Raw}
	if text == "" {
		return v
	}
	body := strings.TrimSuffix(text, "\n")
	v.Total = strings.Count(body, "\n") + 1
	v.First = min(max(o.From, 1), v.Total)
	rest := body
	for n := 1; n < v.First; n++ {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	var st style
	size := 0
	for n := v.First; n <= v.Total && len(v.Lines) < WindowLines && size < WindowBytes; n++ {
		var text string
		text, rest, _ = strings.Cut(rest, "\n")
		line := Line{Number: n, Anchor: v.anchor(n)}
		line.Href = "#" + line.Anchor
		if o.URL != nil && v.Total > WindowLines {
			line.Href = o.URL(n) + line.Href
		}
		text = strings.TrimSuffix(text, "\r")
		if i := strings.LastIndexByte(text, '\r'); i >= 0 {
			line.Runs = append(line.Runs, visible.Run{
				Class: visible.Box, Text: "CR×" + strconv.Itoa(strings.Count(text, "\r")),
				Title: "earlier text on this line was overwritten on the terminal",
			})
			text = text[i+1:]
		}
		shown, cut := visible.Cut(text, CutLine)
		if cut {
			line.CutBytes = len(text) - len(shown)
		}
		line.Runs, st = ansi(line.Runs, shown, st)
		size += len(shown)
		v.Lines = append(v.Lines, line)
	}
	if o.URL != nil {
		if v.First > 1 {
			v.Before = o.URL(max(1, v.First-WindowLines))
		}
		if last := v.First + len(v.Lines) - 1; last < v.Total {
			v.After = o.URL(last + 1)
		}
	}
	return v
}

// Last is the number of the last line shown, 0 when the text is empty.
func (v View) Last() int {
	if len(v.Lines) == 0 {
		return 0
	}
	return v.First + len(v.Lines) - 1
}

func (v View) anchor(n int) string { return v.ID + "L" + strconv.Itoa(n) }
