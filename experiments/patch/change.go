package patch

import "strings"

// IsEmpty reports whether the patch changes nothing: no file, or only headers
// without hunks, mode changes, renames, or binary files.
func (d *Diff) IsEmpty() bool {
	for i := range d.Files {
		f := &d.Files[i]
		if f.Binary || f.Kind != Modified || f.Added+f.Removed > 0 {
			return false
		}
	}
	return true
}

// WhitespaceOnly reports whether there is a change and all of it is white space:
// in every file the removed and the added text are equal once spaces, tabs and
// line ends are taken away. In Python this can still change the meaning; it is a
// mark for the reader, not a verdict.
func (d *Diff) WhitespaceOnly() bool {
	changed := false
	for i := range d.Files {
		f := &d.Files[i]
		if f.Binary || f.Kind != Modified {
			return false
		}
		if f.Added+f.Removed == 0 {
			continue
		}
		changed = true
		if !f.whitespaceOnly() {
			return false
		}
	}
	return changed
}

func (f *File) whitespaceOnly() bool {
	for _, h := range f.Hunks {
		var removed, added strings.Builder
		for _, l := range h.Lines {
			switch l.Op {
			case Insert:
				squeeze(&added, l.Text)
			case Delete:
				squeeze(&removed, l.Text)
			}
		}
		if removed.String() != added.String() {
			return false
		}
	}
	return true
}

// squeeze appends s without ASCII white space.
func squeeze(b *strings.Builder, s string) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case ' ', '\t', '\r', '\v', '\f':
		default:
			b.WriteByte(c)
		}
	}
}

// TestOnly reports whether the patch touches files and every one is a test.
func (d *Diff) TestOnly() bool {
	for i := range d.Files {
		if !IsTestPath(d.Files[i].Path()) {
			return false
		}
	}
	return len(d.Files) > 0
}

// Span is a range of lines, both ends included, 1-based.
type Span struct{ First, Last int }

// Touched are the changed lines of the new version of a file: inserted lines,
// and for a pure deletion the line that now stands where the text was. Spans are
// in order and do not overlap.
func (f *File) Touched() []Span {
	var out []Span
	add := func(n int) {
		if n < 1 {
			n = 1
		}
		if k := len(out); k > 0 && n <= out[k-1].Last+1 {
			if n > out[k-1].Last {
				out[k-1].Last = n
			}
			return
		}
		out = append(out, Span{n, n})
	}
	for _, h := range f.Hunks {
		next := h.NewStart // the new line number that follows
		pending := false   // deletions not yet known to be replaced
		for _, l := range h.Lines {
			switch l.Op {
			case Insert:
				add(l.New)
				pending, next = false, l.New+1
			case Delete:
				// Insertions earlier in the same block stand for it too.
				pending = pending || len(out) == 0 || out[len(out)-1].Last != next-1
			case Context:
				if pending {
					add(next)
				}
				pending, next = false, l.New+1
			}
		}
		if pending {
			add(next)
		}
	}
	return out
}
