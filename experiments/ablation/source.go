package ablation

import (
	"fmt"
	"strings"

	"plumbline/experiments/patch"
)

// source is a file with the reference patch in it.
type source struct {
	file  string
	lines []string // of the new file, without line feeds
	added []bool   // by index of lines: the patch added it
	base  string
}

// newSource puts a file of the patch on its base text.
func newSource(f *patch.File, base string) (source, error) {
	src := source{file: f.New, base: base}
	var old []string
	if base != "" {
		old = strings.Split(strings.TrimSuffix(base, "\n"), "\n")
	}
	at := 0 // lines of old that are used up
	keep := func(until int) {
		for ; at < until && at < len(old); at++ {
			src.lines, src.added = append(src.lines, old[at]), append(src.added, false)
		}
	}
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op == patch.Insert {
				src.lines, src.added = append(src.lines, l.Text), append(src.added, true)
				continue
			}
			keep(l.Old - 1)
			if at >= len(old) || old[at] != l.Text {
				return src, fmt.Errorf("the reference patch does not fit %s at line %d", f.New, l.Old)
			}
			if l.Op == patch.Context {
				src.lines, src.added = append(src.lines, l.Text), append(src.added, false)
			}
			at++
		}
	}
	keep(len(old))
	return src, nil
}

// allAdded reports whether the patch added every line from first to last, 1-based;
// blank lines at the ends do not count.
func (s source) allAdded(first, last int) bool {
	if first < 1 || last > len(s.lines) || first > last {
		return false
	}
	for i := first; i <= last; i++ {
		if !s.added[i-1] {
			return false
		}
	}
	return true
}

// anyAdded reports whether the patch added one of the lines.
func (s source) anyAdded(first, last int) bool {
	for i := max(first, 1); i <= last && i <= len(s.lines); i++ {
		if s.added[i-1] {
			return true
		}
	}
	return false
}

// text is the lines from first to last.
func (s source) text(first, last int) string {
	return strings.Join(s.lines[max(first-1, 0):min(last, len(s.lines))], "\n")
}

// without is the file without the lines from first to last.
func (s source) without(first, last int) string {
	return strings.Join(s.lines[:first-1], "\n") + "\n" + strings.Join(s.lines[last:], "\n")
}
