package workspace

import (
	"bytes"
	"fmt"
	"strings"

	"plumbline/experiments/patch"
)

// image is a file being patched: its lines with their line feeds, and which of
// them a hunk has made already. Those are matched by no later hunk.
type image struct {
	lines []string
	done  []bool
}

func newImage(data []byte) *image {
	im := &image{}
	for len(data) > 0 {
		n := bytes.IndexByte(data, '\n') + 1
		if n == 0 {
			n = len(data)
		}
		im.lines = append(im.lines, string(data[:n]))
		data = data[n:]
	}
	im.done = make([]bool, len(im.lines))
	return im
}

func (im *image) bytes() []byte { return []byte(strings.Join(im.lines, "")) }

// sides are the lines of a hunk before and after, and the context around them.
type sides struct {
	before, after []string
	lead, trail   int
}

func sidesOf(h patch.Hunk, crlf bool) sides {
	var s sides
	changed := false
	for _, l := range h.Lines {
		text := l.Text
		if crlf {
			text += "\r"
		}
		if !l.NoNewline {
			text += "\n"
		}
		switch l.Op {
		case patch.Context:
			s.before, s.after = append(s.before, text), append(s.after, text)
			if !changed {
				s.lead++
			}
			s.trail++
		case patch.Delete:
			s.before = append(s.before, text)
			changed, s.trail = true, 0
		case patch.Insert:
			s.after = append(s.after, text)
			changed, s.trail = true, 0
		}
	}
	if !changed {
		s.trail = 0
	}
	return s
}

// trimmed drops context at both ends, more of it where there is more.
func (s sides) trimmed(fuzz int) (sides, int) {
	context := max(s.lead, s.trail)
	head, tail := max(0, fuzz+s.lead-context), max(0, fuzz+s.trail-context)
	head, tail = min(head, s.lead), min(tail, s.trail)
	return sides{
		before: s.before[head : len(s.before)-tail], after: s.after[head : len(s.after)-tail], lead: s.lead - head, trail: s.trail - tail,
	}, head
}

// applyHunks changes a file by its hunks in order. It goes on behind a refused
// hunk, so that the report names them all.
func applyHunks(data []byte, hunks []patch.Hunk, p placing) (out []byte, reports []HunkReport, ok bool) {
	im := newImage(data)
	crlf := p.crlf && bytes.Count(data, []byte("\r\n"))*2 > len(im.lines)
	ok = true
	moved := 0
	for _, h := range hunks {
		rep := HunkReport{Header: header(h)}
		if h.Lied && !p.recount {
			rep.Reason = "the header states other lengths than the hunk has, or none: the patch is corrupt or cut off"
			reports, ok = append(reports, rep), false
			continue
		}
		s := sidesOf(h, crlf)
		at, fuzz, found := im.place(h, s, moved, p)
		if !found {
			rep.Reason = im.mismatch(h, s)
			reports, ok = append(reports, rep), false
			continue
		}
		t, head := s.trimmed(fuzz)
		im.replace(at, t)
		rep.Applied, rep.Line, rep.Fuzz = true, at-head+1, fuzz
		rep.Offset = at - head - expected(h)
		moved = rep.Offset
		reports = append(reports, rep)
	}
	return im.bytes(), reports, ok
}

func header(h patch.Hunk) string {
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
}

// expected is the index of the line where a hunk should stand once those before it
// are applied.
func expected(h patch.Hunk) int {
	if h.NewStart == 0 {
		return 0
	}
	n := h.NewStart - 1
	if h.NewLines == 0 {
		n++ // a pure deletion names the line before it
	}
	return n
}

// place finds where a hunk fits. As in git, a hunk without leading context that
// starts at the first line fits only there, and one without trailing context only
// at the end.
func (im *image) place(h patch.Hunk, s sides, moved int, p placing) (at, fuzz int, ok bool) {
	atStart, atEnd := h.OldStart <= 1, s.trail == 0
	if at, ok = im.search(s.before, expected(h), atStart, atEnd); ok {
		return at, 0, true
	}
	for fuzz = range min(p.fuzz, max(s.lead, s.trail)) + 1 {
		if p.fuzz == 0 {
			break
		}
		t, head := s.trimmed(fuzz)
		if len(t.before) == 0 && len(s.before) > 0 {
			break // nothing is left that could tell the place
		}
		if at, ok = im.search(t.before, expected(h)+moved+head, false, false); ok {
			return at, fuzz, true
		}
	}
	return 0, 0, false
}

// search looks for lines at an index and then ever further from it, forwards
// first.
func (im *image) search(want []string, from int, atStart, atEnd bool) (int, bool) {
	last := len(im.lines) - len(want)
	if atStart {
		from = 0
	} else if atEnd {
		from = last
	}
	from = max(0, min(from, len(im.lines)))
	fits := func(i int) bool {
		return i >= 0 && i <= last && (!atStart || i == 0) && (!atEnd || i == last) && im.matches(want, i)
	}
	for d := 0; d <= len(im.lines); d++ {
		if fits(from + d) {
			return from + d, true
		}
		if d > 0 && fits(from-d) {
			return from - d, true
		}
	}
	return 0, false
}

func (im *image) matches(want []string, at int) bool {
	for i, w := range want {
		if im.done[at+i] || im.lines[at+i] != w {
			return false
		}
	}
	return true
}

func (im *image) replace(at int, s sides) {
	n := len(s.before)
	done := make([]bool, len(s.after))
	for i := range done {
		done[i] = true
	}
	im.lines = append(im.lines[:at:at], append(append([]string(nil), s.after...), im.lines[at+n:]...)...)
	im.done = append(im.done[:at:at], append(done, im.done[at+n:]...)...)
}

// mismatch says where a hunk first differs from the file at the place its header
// names.
func (im *image) mismatch(h patch.Hunk, s sides) string {
	if len(s.before) == 0 {
		return "there is no context that tells where it belongs"
	}
	at := min(expected(h), len(im.lines))
	for i, want := range s.before {
		if at+i >= len(im.lines) {
			return fmt.Sprintf("the file ends at line %d, and the hunk needs %s there", len(im.lines), show(want))
		}
		if got := im.lines[at+i]; got != want {
			if strings.TrimSpace(got) == strings.TrimSpace(want) {
				return fmt.Sprintf("line %d differs in white space: the hunk needs %s, the file has %s", at+i+1, show(want), show(got))
			}
			return fmt.Sprintf("line %d differs, and the lines are nowhere else: the hunk needs %s, the file has %s", at+i+1, show(want), show(got))
		}
		if im.done[at+i] {
			return fmt.Sprintf("line %d was changed by an earlier hunk", at+i+1)
		}
	}
	return "the lines match, but the hunk says that it stands at the start or end of the file, and it does not"
}

// show quotes a line, cut so that a report stays short.
func show(line string) string {
	if len(line) > 100 {
		line = strings.ToValidUTF8(line[:100], "") + "…"
	}
	return fmt.Sprintf("%q", line)
}
