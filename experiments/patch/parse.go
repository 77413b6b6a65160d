package patch

import "strings"

// Parse reads a patch. It accepts any text: a text without a diff gives no files.
// The parsed lines share memory with raw where nothing had to be normalised.
func Parse(raw string) Diff {
	text, d := normalise(raw)
	p := parser{s: text, d: &d}
	p.run()
	return d
}

// parser walks the text line by line; a line is a slice of the text, so that a
// 5 MB line costs nothing.
type parser struct {
	s   string
	pos int
	d   *Diff
	cur *File // file being read, nil before the first header
	// wantHunk is false after a binary patch, whose data lines could look like hunks.
	wantHunk bool
}

// peek returns the next line without its line feed and the offset after it.
func (p *parser) peek() (line string, next int) {
	if i := strings.IndexByte(p.s[p.pos:], '\n'); i >= 0 {
		return p.s[p.pos : p.pos+i], p.pos + i + 1
	}
	return p.s[p.pos:], len(p.s)
}

func (p *parser) run() {
	for p.pos < len(p.s) {
		line, next := p.peek()
		switch {
		case strings.HasPrefix(line, "diff --git "):
			p.start(true)
			p.cur.Old, p.cur.New = gitPaths(trimCR(line[len("diff --git "):]))
			p.pos = next
		case strings.HasPrefix(line, "--- ") && p.plusFollows(next):
			p.fileHeader(line, next)
		case strings.HasPrefix(line, "@@ ") && p.cur != nil && p.wantHunk:
			p.pos = next
			p.hunk(line)
		case p.cur != nil && p.extended(trimCR(line)):
			p.pos = next
		default:
			p.stray(line)
			if p.cur == nil && strings.TrimSpace(line) != "" && !mailHeader(line) {
				p.d.Prose = true
			}
			p.pos = next
		}
	}
	p.finish()
}

// stray notes a line outside the hunks that reads like a changed line: the rest
// of a hunk that is longer than it says, or a list in the prose around a diff.
func (p *parser) stray(line string) {
	if line == "" || line[0] != '+' && line[0] != '-' || p.cur != nil && !p.wantHunk {
		return
	}
	switch {
	case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "), trimCR(line) == "--", trimCR(line) == "-- ", trimCR(line) == "---":
		return
	}
	p.d.Stray = true
}

// start begins a new file.
func (p *parser) start(git bool) {
	p.finish()
	p.d.Files = append(p.d.Files, File{Kind: Modified, GitHeader: git, Similarity: -1})
	p.cur, p.wantHunk = &p.d.Files[len(p.d.Files)-1], true
}

// finish settles what only the whole file tells.
func (p *parser) finish() {
	f := p.cur
	if f == nil {
		return
	}
	for i := range f.Hunks {
		for j := range f.Hunks[i].Lines {
			l := &f.Hunks[i].Lines[j]
			switch l.Op {
			case Insert:
				f.Added++
			case Delete:
				f.Removed++
			}
			if strings.HasPrefix(l.Text, "Subproject commit ") && (f.NewMode == "160000" || f.OldMode == "160000" || len(f.Hunks) == 1 && len(f.Hunks[0].Lines) <= 2) {
				f.Submodule = true
			}
		}
	}
	if f.Kind == Modified && len(f.Hunks) == 0 && !f.Binary && f.OldMode != f.NewMode {
		f.Kind = Mode
	}
	f.Symlink = f.OldMode == "120000" || f.NewMode == "120000"
}

// plusFollows reports whether the line at offset next is a +++ line.
func (p *parser) plusFollows(next int) bool {
	return strings.HasPrefix(p.s[next:], "+++ ")
}

// fileHeader reads a ---/+++ pair. It belongs to the current git header unless
// that one has a pair or hunks already.
func (p *parser) fileHeader(minus string, next int) {
	p.pos = next
	plus, after := p.peek()
	p.pos = after
	if p.cur == nil || !p.cur.GitHeader || len(p.cur.Hunks) > 0 {
		p.start(false)
	}
	f := p.cur
	oldPath, newPath := headerPath(trimCR(minus[4:]), "a/"), headerPath(trimCR(plus[4:]), "b/")
	if !f.GitHeader {
		// Without git's prefixes, keep both names as written.
		f.Old, f.New = oldPath, newPath
	} else {
		if oldPath != "" {
			f.Old = oldPath
		}
		if newPath != "" {
			f.New = newPath
		}
	}
	switch {
	case oldPath == "" && newPath != "":
		f.Kind, f.Old = Added, ""
	case newPath == "" && oldPath != "":
		f.Kind, f.New = Deleted, ""
	}
}

// extended reads one of git's extended header lines.
func (p *parser) extended(line string) bool {
	f := p.cur
	if len(f.Hunks) > 0 {
		return false
	}
	for _, h := range extendedHeaders {
		if rest, ok := strings.CutPrefix(line, h.prefix); ok {
			h.set(f, rest)
			return true
		}
	}
	switch {
	case strings.HasPrefix(line, "Binary files ") && strings.HasSuffix(line, " differ"):
		f.Binary = true
	case line == "GIT binary patch":
		f.Binary, f.BinaryData = true, true
		p.wantHunk = false
	default:
		return false
	}
	return true
}

var extendedHeaders = []struct {
	prefix string
	set    func(*File, string)
}{
	{"old mode ", func(f *File, s string) { f.OldMode = s }},
	{"new mode ", func(f *File, s string) { f.NewMode = s }},
	{"new file mode ", func(f *File, s string) { f.NewMode, f.Kind, f.Old = s, Added, "" }},
	{"deleted file mode ", func(f *File, s string) { f.OldMode, f.Kind, f.New = s, Deleted, "" }},
	{"rename from ", func(f *File, s string) { f.Old, f.Kind = unquote(s), Renamed }},
	{"rename to ", func(f *File, s string) { f.New, f.Kind = unquote(s), Renamed }},
	{"copy from ", func(f *File, s string) { f.Old, f.Kind = unquote(s), Copied }},
	{"copy to ", func(f *File, s string) { f.New, f.Kind = unquote(s), Copied }},
	{"similarity index ", func(f *File, s string) { f.Similarity = number(s) }},
	{"dissimilarity index ", func(f *File, s string) { f.Similarity = 100 - number(s) }},
	{"index ", func(f *File, s string) {
		if _, mode, ok := strings.Cut(s, " "); ok && f.OldMode == "" && f.NewMode == "" {
			f.OldMode, f.NewMode = mode, mode
		}
	}},
}

// number reads the leading digits of s, 0 when there are none.
func number(s string) int {
	n := 0
	for i := 0; i < len(s) && i < 9 && s[i] >= '0' && s[i] <= '9'; i++ {
		n = n*10 + int(s[i]-'0')
	}
	return n
}

func trimCR(s string) string { return strings.TrimSuffix(s, "\r") }

// mailHeader reports whether a line before the first file belongs to git
// format-patch or to git show rather than to prose.
func mailHeader(line string) bool {
	for _, p := range []string{"From ", "From:", "Date:", "Subject:", "commit ", "Author:", "index ", "Index:", "=====", "---"} {
		if strings.HasPrefix(line, p) {
			return true
		}
	}
	return false
}
