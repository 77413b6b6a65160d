package diffview

import (
	"fmt"
	"strconv"

	"plumbline/experiments/patch"
	"plumbline/web/components/visible"
)

// hunk builds rows from to (exclusive) of one hunk.
func (b *builder) hunk(fi, hi, from, to int, plain bool) Hunk {
	ph := &b.d.Files[fi].Hunks[hi]
	h := Hunk{Section: ph.Section, Marks: hunkMarks(*ph)}
	if from == 0 {
		h.Anchor = b.o.Prefix + fmt.Sprintf("f%dh%d", fi+1, hi+1)
		h.Header = fmt.Sprintf("@@ -%s +%s @@", length(ph.OldStart, ph.OldLines), length(ph.NewStart, ph.NewLines))
	} else {
		h.Header = fmt.Sprintf("from line %d of the hunk", from+1)
	}
	cells := b.cells(fi, hi, ph.Lines[from:to], from, plain)
	if b.o.Layout == Split {
		h.Rows = split(cells)
		return h
	}
	for i := range cells {
		if cells[i].Op == '-' {
			h.Rows = append(h.Rows, Row{Left: &cells[i]})
		} else {
			h.Rows = append(h.Rows, Row{Right: &cells[i]})
		}
	}
	return h
}

func length(start, n int) string {
	if n == 1 {
		return strconv.Itoa(start)
	}
	return strconv.Itoa(start) + "," + strconv.Itoa(n)
}

// cells styles the lines of one hunk in the window.
func (b *builder) cells(fi, hi int, lines []patch.Line, from int, plain bool) []Cell {
	path := b.d.Files[fi].Path()
	shown := make([]string, len(lines))
	cells := make([]Cell, len(lines))
	prefix := "f" + strconv.Itoa(fi+1)
	if b.d.Files[fi].Hunks[hi].Lied {
		prefix += "h" + strconv.Itoa(hi+1) // numbers may occur twice
	}
	for i, l := range lines {
		c := &cells[i]
		var cut bool
		if shown[i], cut = visible.Cut(l.Text, CutLine); cut {
			c.CutBytes = len(l.Text) - len(shown[i])
			if b.o.Raw != nil {
				c.CutHref = b.o.Raw(Position{fi, hi, from + i}.String())
			}
		}
		c.Op, c.Old, c.New, c.NoNewline = byte(l.Op), l.Old, l.New, l.NoNewline
		if l.Op != patch.Insert {
			c.OldAnchor, c.OldHref = b.anchor(prefix, "L", l.Old)
		}
		if l.Op != patch.Delete {
			c.NewAnchor, c.NewHref = b.anchor(prefix, "R", l.New)
		}
	}
	changes := pairs(lines, shown)
	var colours [][]piece
	if !plain {
		colours = b.colours(path, lines, shown)
	}
	for i := range cells {
		var ps []piece
		if colours != nil {
			ps = colours[i]
		}
		cells[i].Runs = runs(shown[i], ps, changes[i])
	}
	return cells
}

func (b *builder) anchor(prefix, side string, n int) (id, href string) {
	at := prefix + side + strconv.Itoa(n)
	id = b.o.Prefix + at
	href = "#" + id
	if b.paged && b.o.URL != nil {
		href = b.o.URL(at) + href
	}
	return id, href
}

// colours reads the two sides as two texts, so that a string or comment that was
// opened on a removed line does not run on into the new side.
func (b *builder) colours(path string, lines []patch.Line, shown []string) [][]piece {
	out := make([][]piece, len(lines))
	side := func(skip, keep patch.Op) {
		var text []string
		var at []int
		wanted := false
		for i, l := range lines {
			if l.Op != skip {
				text, at = append(text, shown[i]), append(at, i)
				wanted = wanted || l.Op == keep
			}
		}
		if !wanted && keep == patch.Delete {
			return
		}
		for i, ps := range b.paint.paint(path, text) {
			if lines[at[i]].Op == keep || keep == patch.Insert {
				out[at[i]] = ps
			}
		}
	}
	side(patch.Insert, patch.Delete)
	side(patch.Delete, patch.Insert)
	return out
}

// pairs compares the lines of each change block: the n-th removed with the n-th
// added line.
func pairs(lines []patch.Line, shown []string) [][]span {
	out := make([][]span, len(lines))
	for i := 0; i < len(lines); {
		del := i
		for i < len(lines) && lines[i].Op == patch.Delete {
			i++
		}
		ins := i
		for i < len(lines) && lines[i].Op == patch.Insert {
			i++
		}
		for k := 0; del+k < ins && ins+k < i; k++ {
			out[del+k], out[ins+k] = words(shown[del+k], shown[ins+k])
		}
		if i == del {
			i++
		}
	}
	return out
}

// split sets removed and added lines of a block side by side.
func split(cells []Cell) []Row {
	var rows []Row
	for i := 0; i < len(cells); {
		if cells[i].Op == ' ' {
			rows = append(rows, Row{&cells[i], &cells[i]})
			i++
			continue
		}
		del := i
		for i < len(cells) && cells[i].Op == '-' {
			i++
		}
		ins := i
		for i < len(cells) && cells[i].Op == '+' {
			i++
		}
		for k := 0; del+k < ins || ins+k < i; k++ {
			var r Row
			if del+k < ins {
				r.Left = &cells[del+k]
			}
			if ins+k < i {
				r.Right = &cells[ins+k]
			}
			rows = append(rows, r)
		}
	}
	return rows
}
