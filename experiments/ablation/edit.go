package ablation

import (
	"fmt"
	"strings"

	"plumbline/experiments/patch"
)

// apply writes the patch without the cut; false when nothing of a change would be
// left or when removed lines stand inside a piece that is not to be reverted.
func (c cut) apply(d patch.Diff, index int) (string, bool) {
	var b strings.Builder
	changes := false
	for i := range d.Files {
		f := d.Files[i]
		if i == index {
			hunks, ok := c.hunks(f.Hunks)
			if !ok {
				return "", false
			}
			f.Hunks = hunks
		}
		if len(f.Hunks) > 0 {
			changes = true
			write(&b, f)
		}
	}
	return b.String(), changes
}

// hunks edits the hunks of the file that the piece is in.
func (c cut) hunks(hunks []patch.Hunk) ([]patch.Hunk, bool) {
	var out []patch.Hunk
	removed := 0
	shift := 0 // of the new side, by what earlier hunks lost or gained
	for _, h := range hunks {
		now := h
		now.Lines, now.NewStart = nil, h.NewStart+shift
		placed := false
		next := h.NewStart // number of the new line that follows
		if h.NewLines == 0 {
			next++
		}
		for _, l := range h.Lines {
			inside := next >= c.from && next <= c.to
			if l.Op != patch.Delete {
				next = l.New + 1
				inside = l.New >= c.from && l.New <= c.to
			}
			switch {
			case inside && l.Op == patch.Insert:
				removed++
				if !placed {
					placed = true
					for _, w := range c.with {
						now.Lines = append(now.Lines, patch.Line{Op: patch.Insert, Text: w})
					}
				}
			case inside && l.Op == patch.Delete && c.revert:
				now.Lines = append(now.Lines, patch.Line{Op: patch.Context, Text: l.Text, NoNewline: l.NoNewline})
			case inside && l.Op == patch.Delete && l.New == 0 && next > c.from:
				return nil, false // a replaced line in the middle of the piece
			case l.Op == patch.Insert && c.isAlso(l.New):
				removed++
			default:
				now.Lines = append(now.Lines, l)
			}
		}
		now.OldLines, now.NewLines = count(now.Lines)
		shift += now.NewLines - h.NewLines
		if changed(now.Lines) {
			out = append(out, now)
		}
	}
	return out, removed > 0
}

func (c cut) isAlso(n int) bool {
	for _, r := range c.also {
		if r[0] <= n && n <= r[1] {
			return true
		}
	}
	return false
}

func count(lines []patch.Line) (old, now int) {
	for _, l := range lines {
		if l.Op != patch.Insert {
			old++
		}
		if l.Op != patch.Delete {
			now++
		}
	}
	return old, now
}

func changed(lines []patch.Line) bool {
	for _, l := range lines {
		if l.Op != patch.Context {
			return true
		}
	}
	return false
}

// write writes one file of a patch as git does.
func write(b *strings.Builder, f patch.File) {
	before, after := f.Old, f.New
	if before == "" {
		before = f.New
	}
	if after == "" {
		after = f.Old
	}
	fmt.Fprintf(b, "diff --git a/%s b/%s\n", before, after)
	from, to := "a/"+before, "b/"+after
	mode := func(m string) string {
		if m == "" {
			return "100644"
		}
		return m
	}
	switch f.Kind {
	case patch.Added:
		fmt.Fprintf(b, "new file mode %s\n", mode(f.NewMode))
		from = "/dev/null"
	case patch.Deleted:
		fmt.Fprintf(b, "deleted file mode %s\n", mode(f.OldMode))
		to = "/dev/null"
	case patch.Renamed:
		fmt.Fprintf(b, "rename from %s\nrename to %s\n", f.Old, f.New)
	}
	fmt.Fprintf(b, "--- %s\n+++ %s\n", from, to)
	for _, h := range f.Hunks {
		now := h.NewStart
		if h.NewLines == 0 && h.OldLines > 0 {
			now = max(now-1, 0)
		}
		fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@", h.OldStart, h.OldLines, now, h.NewLines)
		if h.Section != "" {
			b.WriteString(" " + strings.TrimSpace(h.Section))
		}
		b.WriteByte('\n')
		for _, l := range h.Lines {
			b.WriteByte(byte(l.Op))
			b.WriteString(l.Text + "\n")
			if l.NoNewline {
				b.WriteString("\\ No newline at end of file\n")
			}
		}
	}
}
