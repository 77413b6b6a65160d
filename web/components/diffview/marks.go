package diffview

import (
	"fmt"
	"strconv"

	"plumbline/experiments/patch"
)

// fileMarks names what is unusual about a file.
func fileMarks(f *patch.File) []Mark {
	var m []Mark
	add := func(on bool, text, title string) {
		if on {
			m = append(m, Mark{text, title})
		}
	}
	add(f.Kind == patch.Added, "new file", "the file does not exist on the base")
	add(f.Kind == patch.Deleted, "deleted", "the file is removed")
	if f.Kind == patch.Renamed || f.Kind == patch.Copied {
		text := string(f.Kind)
		if f.Similarity >= 0 {
			text += " " + strconv.Itoa(f.Similarity) + "%"
		}
		add(true, text, "moved from "+f.Old)
	}
	if f.OldMode != f.NewMode && f.OldMode != "" && f.NewMode != "" {
		add(true, "mode "+f.OldMode+" → "+f.NewMode, "the file mode changes")
	} else {
		add(f.Kind == patch.Added && f.NewMode == "100755", "executable", "new file with mode 100755")
	}
	add(f.Binary, "binary", "the content is not text")
	add(f.Submodule, "submodule", "a pointer to a commit of another repository")
	add(f.Symlink, "symlink", "the content is the target of a symbolic link")
	add(patch.IsTestPath(f.Path()), "test", "the path names a test by the conventions of its language")
	one := patch.Diff{Files: []patch.File{*f}}
	add(one.WhitespaceOnly(), "white space only", "removed and added text are equal without white space")
	return m
}

// hunkMarks names what is unusual about a hunk.
func hunkMarks(h patch.Hunk) []Mark {
	var m []Mark
	if h.Lied {
		m = append(m, Mark{"wrong length", fmt.Sprintf("the header states %d and %d lines; the lines that are there are shown", h.OldLines, h.NewLines)})
	}
	f := patch.File{Kind: patch.Modified, Hunks: []patch.Hunk{h}}
	for _, l := range h.Lines {
		switch l.Op {
		case patch.Insert:
			f.Added++
		case patch.Delete:
			f.Removed++
		}
	}
	one := patch.Diff{Files: []patch.File{f}}
	if one.WhitespaceOnly() {
		m = append(m, Mark{"white space only", "removed and added text of this hunk are equal without white space"})
	}
	return m
}

// noLines says why a file shows no hunks.
func noLines(f *patch.File) string {
	switch {
	case f.BinaryData:
		return "Binary content; the patch carries it, it is not shown."
	case f.Binary:
		return "Binary content that is not in the patch."
	case len(f.Hunks) > 0:
		return ""
	case f.Kind == patch.Renamed || f.Kind == patch.Copied:
		return "No change of content."
	case f.Kind == patch.Mode:
		return "Only the file mode changes."
	case f.Kind == patch.Added:
		return "An empty file."
	case f.Kind == patch.Deleted:
		return "The deleted file was empty, or its lines are not in the patch."
	}
	return "A header without hunks: nothing changes."
}

// textNotes are facts about the patch as a whole.
func textNotes(d *patch.Diff) []string {
	var n []string
	add := func(on bool, s string) {
		if on {
			n = append(n, s)
		}
	}
	add(d.Fenced, "The diff stood inside a Markdown code fence.")
	add(d.Prose, "There was other text before the diff; it is in the raw patch.")
	add(d.ANSI, "Terminal colour codes were removed from the diff.")
	add(d.CRLF, "Every line ended in CRLF; the line ends were normalised.")
	add(d.Truncated, "The diff ends in the middle of a hunk.")
	add(d.WhitespaceOnly(), "Only white space changes.")
	add(d.TestOnly(), "Only test files change.")
	return n
}
