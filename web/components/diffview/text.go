package diffview

import "plumbline/experiments/patch"

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// span4 is the width of a hunk header in columns.
func span4(l Layout) string {
	if l == Split {
		return "4"
	}
	return "3"
}

// side is the class of a row or cell.
func side(op byte) string {
	switch op {
	case '+':
		return "add"
	case '-':
		return "del"
	}
	return "ctx"
}

// RowText is the text of one row as the raw link serves it: without the
// operation, with a final line feed. ok is false when the row does not exist.
func RowText(d *patch.Diff, at string) (text string, ok bool) {
	t := ParseTarget(at)
	if t.File >= len(d.Files) || t.Hunk >= len(d.Files[t.File].Hunks) {
		return "", false
	}
	ls := d.Files[t.File].Hunks[t.Hunk].Lines
	if t.Side != 0 || t.Line >= len(ls) {
		return "", false
	}
	return ls[t.Line].Text + "\n", true
}
