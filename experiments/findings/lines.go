package findings

import "plumbline/experiments/patch"

// matcher knows how a patch moves files and lines.
type matcher struct {
	empty   bool
	renames map[string]string // old path → new path
	files   map[string]*patch.File
}

func newMatcher(d patch.Diff) matcher {
	m := matcher{empty: len(d.Files) == 0, renames: map[string]string{}, files: map[string]*patch.File{}}
	for i := range d.Files {
		f := &d.Files[i]
		if f.New != "" {
			m.files[f.New] = f
		}
		if f.Kind == patch.Renamed && f.Old != "" && f.New != "" {
			m.renames[f.Old] = f.New
		}
	}
	return m
}

// rename is the path of a base file on the patched tree.
func (m matcher) rename(file string) string {
	if to, ok := m.renames[file]; ok {
		return to
	}
	return file
}

// sameLine reports whether the base's line stands, unchanged, where the patched
// finding is. Without a diff or without lines nothing is known, which the counting
// of sameChange then settles.
func (m matcher) sameLine(b, p Finding) bool {
	if m.empty || b.Line == 0 || p.Line == 0 {
		return false
	}
	n, kept := m.lineAfter(b)
	return kept && n == p.Line
}

// sameChange reports whether base and patched finding may be one: the base's line
// was removed in the very change that the patched line was added in, or too little
// is known to tell them apart.
func (m matcher) sameChange(b, p Finding) bool {
	f := m.files[p.File]
	if m.empty || f == nil || b.Line == 0 || p.Line == 0 {
		return true
	}
	for _, blk := range blocksOf(f) {
		if blk.oldFrom <= b.Line && b.Line < blk.oldTo {
			return blk.newFrom <= p.Line && p.Line < blk.newTo
		}
	}
	return false
}

// lineAfter is the line of the patched tree on which a kept line of the base
// stands; false when the patch removed it.
func (m matcher) lineAfter(b Finding) (int, bool) {
	f := m.files[m.rename(b.File)]
	if f == nil {
		return b.Line, true
	}
	shift := 0
	for _, blk := range blocksOf(f) {
		if b.Line < blk.oldFrom {
			break
		}
		if b.Line < blk.oldTo {
			return 0, false
		}
		shift += (blk.newTo - blk.newFrom) - (blk.oldTo - blk.oldFrom)
	}
	return b.Line + shift, true
}

// block is a run of removed lines [oldFrom,oldTo) that added lines [newFrom,newTo)
// stand for; either may be empty.
type block struct{ oldFrom, oldTo, newFrom, newTo int }

// blocksOf lists the changes of a file in order.
func blocksOf(f *patch.File) []block {
	var out []block
	for _, h := range f.Hunks {
		old, now := h.OldStart, h.NewStart
		if h.OldLines == 0 {
			old++ // an insertion names the line before it
		}
		if h.NewLines == 0 {
			now++
		}
		open := false
		for _, l := range h.Lines {
			if l.Op == patch.Context {
				old, now, open = old+1, now+1, false
				continue
			}
			if !open {
				out = append(out, block{old, old, now, now})
				open = true
			}
			last := &out[len(out)-1]
			if l.Op == patch.Delete {
				old++
				last.oldTo = old
			} else {
				now++
				last.newTo = now
			}
		}
	}
	return out
}
