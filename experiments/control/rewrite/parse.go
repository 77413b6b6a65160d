package rewrite

import (
	"path"
	"slices"
	"strings"

	"plumbline/experiments/patch"
)

// The marks around a file.
const (
	open = "<<<<FILE"
	shut = ">>>>FILE"
)

// Parse reads a patch off a reply. files are those that the generator was shown: a
// file among them is changed, another one is added. An empty patch comes with the
// reason in words; it is a candidate that changes nothing.
func Parse(reply string, files []File) (diff, why string) {
	blocks, broken := blocksOf(reply)
	if len(blocks) == 0 {
		if d := patch.Clean(reply); len(patch.Parse(d).Files) > 0 {
			return d, ""
		}
		if broken != "" {
			return "", broken
		}
		return "", "the reply holds neither a file nor a diff"
	}
	var b strings.Builder
	for _, f := range blocks {
		if bad := badPath(f.Path); bad != "" {
			return "", bad
		}
		at := slices.IndexFunc(files, func(x File) bool { return x.Path == f.Path })
		if at < 0 {
			b.WriteString(added(f))
			continue
		}
		if strings.HasSuffix(files[at].Text, "\n") != strings.HasSuffix(f.Text, "\n") && f.Text != "" {
			f.Text = strings.TrimSuffix(f.Text, "\n")
			if strings.HasSuffix(files[at].Text, "\n") {
				f.Text += "\n"
			}
		}
		b.WriteString(changed(files[at], f))
	}
	if b.Len() == 0 {
		return "", "the reply changes no file"
	}
	return b.String(), ""
}

// blocksOf finds the files of a reply; of a file that is given twice the last one
// counts. broken says what is wrong with a block that does not end.
func blocksOf(reply string) (out []File, broken string) {
	var now *File
	var body strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(reply, "\r\n", "\n")) {
		bare := strings.TrimSpace(line)
		switch {
		case now == nil && strings.HasPrefix(bare, open+" "):
			now = &File{Path: strings.Trim(strings.TrimSpace(strings.TrimPrefix(bare, open)), "`\"'")}
			body.Reset()
		case now != nil && bare == shut:
			now.Text = unfenced(body.String())
			out = slices.DeleteFunc(out, func(f File) bool { return f.Path == now.Path })
			out = append(out, *now)
			now = nil
		case now != nil:
			body.WriteString(line)
		}
	}
	if now != nil {
		broken = "the reply ends within the file " + now.Path
		return nil, broken // the last file is cut off, so the change is not whole
	}
	return out, ""
}

// unfenced takes a Markdown fence off that is around the whole text.
func unfenced(s string) string {
	lines := strings.SplitAfter(strings.TrimRight(s, "\n"), "\n")
	if n := len(lines); n >= 2 && strings.HasPrefix(lines[0], "```") && strings.TrimSpace(lines[n-1]) == "```" {
		return strings.Join(lines[1:n-1], "")
	}
	return s
}

func badPath(p string) string {
	switch {
	case p == "" || strings.ContainsAny(p, "\x00\n\t\\"):
		return "the reply names a file without a usable path"
	case path.IsAbs(p) || path.Clean(p) != p || p == ".." || strings.HasPrefix(p, "../"):
		return "the reply names a path outside the tree"
	case p == ".git" || strings.HasPrefix(p, ".git/"):
		return "the reply names a file of the version control"
	}
	return ""
}
