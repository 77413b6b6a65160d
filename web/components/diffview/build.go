package diffview

import (
	"fmt"

	"plumbline/experiments/patch"
	"plumbline/web/components/visible"
)

// Build makes the window of d that starts at o.At. Only the rows of the window
// are coloured and compared. A diff without files gives a view without files; the
// caller says why.
func Build(d *patch.Diff, o Options) View {
	if o.Layout != Split {
		o.Layout = Unified
	}
	b := builder{d: d, o: o, paint: newPainter()}
	v := &b.v
	*v = View{Layout: o.Layout, ID: o.Prefix + "diff", Other: o.Other, Whole: o.Whole, TotalFiles: len(d.Files), Notes: textNotes(d)}
	lines := 0
	for i := range d.Files {
		f := &d.Files[i]
		v.Added, v.Removed = v.Added+f.Added, v.Removed+f.Removed
		if patch.IsTestPath(f.Path()) {
			v.TestFiles++
		}
		for _, h := range f.Hunks {
			lines += len(h.Lines)
		}
		if i < IndexFiles {
			v.Index = append(v.Index, FileLink{visible.String(f.Path()), "", f.Added, f.Removed, fileMarks(f)})
		}
	}
	v.Rows = lines
	b.plain = lines > HighlightLines
	if b.plain {
		v.Notes = append(v.Notes, fmt.Sprintf("%d lines: shown without syntax colours (limit %d).", lines, HighlightLines))
	}
	start := b.resolve(o.At)
	end, more := b.fill(start)
	b.links(start, end, more)
	if b.paint.spent {
		v.Notes = append(v.Notes, "Colouring this text took too long; the rest is shown without syntax colours.")
	}
	return *v
}

type builder struct {
	d     *patch.Diff
	o     Options
	v     View
	paint *painter
	plain bool // no colours in the whole diff
	paged bool // the diff needs more than this window, so links name it
}

// resolve turns a target into an existing position. A numbered line starts the
// window a few rows above it.
func (b *builder) resolve(t Target) Position {
	if t.File >= len(b.d.Files) {
		return Position{}
	}
	hunks := b.d.Files[t.File].Hunks
	if t.Side != 0 {
		for h := range hunks {
			for i, l := range hunks[h].Lines {
				if t.Side == 'L' && l.Old == t.Num || t.Side == 'R' && l.New == t.Num {
					if i < WindowRows/2 {
						return Position{t.File, h, 0}
					}
					return Position{t.File, h, i - 20}
				}
			}
		}
		return Position{File: t.File}
	}
	if t.Hunk >= len(hunks) {
		return Position{File: t.File}
	}
	if t.Line >= len(hunks[t.Hunk].Lines) {
		return Position{t.File, t.Hunk, 0}
	}
	return t.Position
}

// fill adds files and hunks from start on until the window is full, and gives the
// position after it.
func (b *builder) fill(start Position) (end Position, more bool) {
	rows, size := 0, 0
	b.paged = b.large() || start != Position{}
	for fi := start.File; fi < len(b.d.Files); fi++ {
		if rows >= WindowRows {
			return Position{File: fi}, true
		}
		pf := &b.d.Files[fi]
		first := Position{File: fi}
		if fi == start.File {
			first = start
		}
		b.v.Files = append(b.v.Files, b.file(fi, first))
		f := &b.v.Files[len(b.v.Files)-1]
		rows += 3 // a header has about the height and weight of three lines
		plain := b.plain || longLine(pf)
		if plain && !b.plain {
			f.Note = fmt.Sprintf("A line is longer than %d characters: this file is shown without syntax colours.", HighlightLine)
		}
		for hi := first.Hunk; hi < len(pf.Hunks); hi++ {
			from := 0
			if hi == first.Hunk {
				from = first.Line
			}
			ls := pf.Hunks[hi].Lines
			to := from
			for to < len(ls) && rows < WindowRows && size < WindowBytes {
				size += min(len(ls[to].Text), CutLine)
				rows++
				to++
			}
			if to > from || len(ls) == 0 {
				f.Hunks = append(f.Hunks, b.hunk(fi, hi, from, to, plain))
			}
			if to < len(ls) {
				return Position{fi, hi, to}, true
			}
		}
	}
	return Position{}, false
}

// large reports whether the whole diff needs more than one window.
func (b *builder) large() bool {
	rows, size := 0, 0
	for i := range b.d.Files {
		rows += 3
		for _, h := range b.d.Files[i].Hunks {
			rows += len(h.Lines)
			for _, l := range h.Lines {
				size += min(len(l.Text), CutLine)
			}
		}
		if rows > WindowRows || size > WindowBytes {
			return true
		}
	}
	return false
}

func (b *builder) file(i int, first Position) File {
	pf := &b.d.Files[i]
	f := File{
		Number: i + 1, Path: pf.Path(), Added: pf.Added, Removed: pf.Removed,
		Marks: fileMarks(pf), Note: noLines(pf),
	}
	if pf.Old != "" && pf.New != "" && pf.Old != pf.New {
		f.OldPath = pf.Old
	}
	if first == (Position{File: i}) {
		f.Anchor = b.o.Prefix + fmt.Sprintf("f%d", i+1)
	}
	return f
}

func longLine(f *patch.File) bool {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if len(l.Text) > HighlightLine {
				return true
			}
		}
	}
	return false
}

// links names the windows around and completes the list of files.
func (b *builder) links(start, end Position, more bool) {
	v := &b.v
	v.Done = v.Rows
	if more {
		v.Done = b.before(end)
	}
	shown := map[int]bool{}
	for _, f := range v.Files {
		if f.Anchor != "" {
			shown[f.Number] = true
		}
	}
	for i := range v.Index {
		anchor := fmt.Sprintf("f%d", i+1)
		v.Index[i].Href = "#" + b.o.Prefix + anchor
		if !shown[i+1] && b.o.URL != nil {
			v.Index[i].Href = b.o.URL(anchor) + "#" + b.o.Prefix + anchor
		}
	}
	if b.o.URL == nil {
		return
	}
	if more {
		v.After = b.o.URL(end.String())
		v.AfterPart = v.After
		if b.o.Part != nil {
			v.AfterPart = b.o.Part(end.String())
		}
	}
	if start != (Position{}) {
		v.Before = b.o.URL(b.back(start).String())
	}
}

// before counts the lines in front of a position.
func (b *builder) before(p Position) int {
	n := 0
	for i := 0; i <= p.File && i < len(b.d.Files); i++ {
		for j, h := range b.d.Files[i].Hunks {
			if i == p.File && j == p.Hunk {
				return n + p.Line
			}
			if i == p.File && j > p.Hunk {
				return n
			}
			n += len(h.Lines)
		}
	}
	return n
}

// back is the start of the window that ends about where p begins.
func (b *builder) back(p Position) Position {
	left := WindowRows - 3
	for p.Line > 0 || p.Hunk > 0 || p.File > 0 {
		switch {
		case p.Line >= left:
			p.Line -= left
			return p
		case p.Line > 0:
			left -= p.Line
			p.Line = 0
		case p.Hunk > 0:
			p.Hunk--
			p.Line = len(b.d.Files[p.File].Hunks[p.Hunk].Lines)
		default:
			if left -= 3; left <= 0 {
				return p
			}
			p.File--
			if p.Hunk = len(b.d.Files[p.File].Hunks) - 1; p.Hunk < 0 {
				p.Hunk = 0
			} else {
				p.Line = len(b.d.Files[p.File].Hunks[p.Hunk].Lines)
			}
		}
	}
	return p
}
