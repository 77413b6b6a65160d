package evidence

import (
	"fmt"
	"strings"

	"plumbline/experiments/patch"
)

// Headings of the structured forms.
const (
	headHunks    = "Changed hunks"
	headCoverage = "Requirement coverage (matched by names alone; mechanical, unchecked)"
	headSignals  = "Audit signals (heuristic, unchecked)"
	headMissing  = "Possible missing work (heuristic, unchecked)"
)

// emptyHeadings is the control: the headings and nothing under them.
func (d *document) emptyHeadings() {
	for _, h := range []string{headHunks, headCoverage, headSignals, headMissing} {
		d.add(partFixed, "", h)
	}
}

// hunks shows the changed regions file by file. A diff that cannot be split is
// shown as it came.
func (d *document) hunks() {
	s := d.add(partDiff, "changed hunks", headHunks)
	if !hasChange(d.in) {
		s.own("%s", noChange(d.in.PatchState))
		return
	}
	if len(d.parsed.Files) == 0 {
		s.own("the submitted text is not a unified diff; it is shown as it came")
		s.lines = append(s.lines, d.quote("changed hunks", d.in.Patch)...)
		return
	}
	for i := range d.parsed.Files {
		f := &d.parsed.Files[i]
		switch {
		case f.Binary:
			s.own("file %q: %s, binary", f.Path(), f.Kind)
		case f.Kind == patch.Renamed || f.Kind == patch.Copied:
			s.own("file %q: %s from %q, +%d -%d", f.Path(), f.Kind, f.Old, f.Added, f.Removed)
		default:
			s.own("file %q: %s, +%d -%d", f.Path(), f.Kind, f.Added, f.Removed)
		}
		for _, h := range f.Hunks {
			var b strings.Builder
			fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@ %s", h.OldStart, h.OldLines, h.NewStart, h.NewLines, h.Section)
			for _, l := range h.Lines {
				b.WriteByte('\n')
				b.WriteByte(byte(l.Op))
				b.WriteString(l.Text)
			}
			s.lines = append(s.lines, d.quote("changed hunks", b.String())...)
		}
	}
}

// notes are the parts that organise and suspect without checking anything.
func (d *document) notes() {
	names := changedNames(d.parsed)
	reqs := requirements(d.in.Issue)
	matched := make([][]string, len(reqs))

	s := d.add(partNotes, "requirement coverage", headCoverage)
	for i, r := range reqs {
		matched[i] = names.match(r)
		if len(matched[i]) > 0 {
			s.own("requirement %d shares names with the diff: %s", i+1, strings.Join(matched[i], ", "))
		} else {
			s.own("requirement %d shares no name with the diff", i+1)
		}
		s.lines = append(s.lines, d.quote("requirement coverage", r)...)
	}
	if len(reqs) == 0 {
		s.own("no requirement sentence was found in the issue")
	}

	list := func(name, head string, items []string) {
		s := d.add(partNotes, name, head)
		for _, x := range items {
			s.own("%s", x)
		}
		if len(items) == 0 {
			s.own("none found")
		}
	}
	list("audit signals", headSignals, signals(d.in, d.parsed))
	list("possible missing work", headMissing, missingWork(d.in, d.parsed, names, reqs, matched))
}

// maxListed bounds names in one note.
const maxListed = 6

func listed(names []string) string {
	if len(names) > maxListed {
		return strings.Join(names[:maxListed], ", ") + fmt.Sprintf(" and %d more", len(names)-maxListed)
	}
	return strings.Join(names, ", ")
}
