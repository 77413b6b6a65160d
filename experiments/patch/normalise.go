package patch

import "strings"

// normalise prepares submitted text for parsing. It drops terminal colour codes
// and turns CRLF into LF when every line of the patch ends in CRLF. A patch with
// some CRLF lines describes a CRLF source file and keeps them. Markdown fences
// need no cutting: a fence ends a hunk, because it has no operation before it.
func normalise(raw string) (text string, d Diff) {
	text = raw
	if strings.IndexByte(text, 0x1b) >= 0 {
		if s := stripANSI(text); s != text {
			text, d.ANSI = s, true
		}
	}
	d.Fenced = fenced(text)
	if allCRLF(text) {
		text, d.CRLF = strings.ReplaceAll(text, "\r\n", "\n"), true
	}
	return text, d
}

// Clean returns the text that an applying tool should be given: without terminal
// colours, cut out of Markdown fences and prose, with LF if all lines were CRLF
// and with a final line break. A text without a diff comes back as it is.
func Clean(raw string) string {
	text, _ := normalise(raw)
	if !hasHeader(text) {
		return raw
	}
	if fenced(text) {
		text = unfence(text)
	}
	if i := firstHeader(text); i > 0 {
		text = text[i:]
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// firstHeader is the offset of the first line that starts a file.
func firstHeader(s string) int {
	best := -1
	for _, p := range []string{"diff --git ", "--- "} {
		i := -1
		if strings.HasPrefix(s, p) {
			i = 0
		} else if k := strings.Index(s, "\n"+p); k >= 0 {
			i = k + 1
		}
		if i >= 0 && (best < 0 || i < best) {
			best = i
		}
	}
	return best
}

// stripANSI removes CSI and OSC escape sequences.
func stripANSI(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for {
		i := strings.IndexByte(s, 0x1b)
		if i < 0 || i+1 >= len(s) {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		n := ansiLen(s[i:])
		if n == 0 {
			b.WriteByte(s[i])
			n = 1
		}
		s = s[i+n:]
	}
}

// ansiLen is the length of the escape sequence at the start of s, 0 if it is none.
func ansiLen(s string) int {
	switch s[1] {
	case '[':
		for j := 2; j < len(s) && j < 64; j++ {
			switch c := s[j]; {
			case c >= 0x40 && c <= 0x7e:
				return j + 1
			case c < 0x20 || c > 0x7e:
				return 0
			}
		}
	case ']':
		for j := 2; j < len(s) && j < 4096; j++ {
			if s[j] == 0x07 {
				return j + 1
			}
			if s[j] == 0x1b && j+1 < len(s) && s[j+1] == '\\' {
				return j + 2
			}
		}
	}
	return 0
}

// fenced reports whether a diff stands inside a Markdown code fence: a line
// starts with ``` before the first file header. A fence inside a hunk (a changed
// Markdown file) has an operation before it and does not start its line.
func fenced(s string) bool {
	i := fenceAt(s, 0)
	return i >= 0 && hasHeader(s) && !hasHeader(s[:i])
}

// unfence joins the contents of all fences that hold a diff.
func unfence(s string) string {
	var b strings.Builder
	for at := 0; ; {
		i := fenceAt(s, at)
		if i < 0 {
			break
		}
		nl := strings.IndexByte(s[i:], '\n')
		if nl < 0 {
			break
		}
		start := i + nl + 1
		end := fenceAt(s, start)
		if end < 0 {
			end = len(s)
		}
		if part := s[start:end]; hasHeader(part) {
			b.WriteString(part)
			if !strings.HasSuffix(part, "\n") {
				b.WriteByte('\n')
			}
		}
		if end == len(s) {
			break
		}
		// Behind the closing fence; its line may not be an opening one.
		at = end + 3
	}
	return b.String()
}

// fenceAt is the offset of the next line at or after from that starts with ```.
func fenceAt(s string, from int) int {
	if from == 0 && strings.HasPrefix(s, "```") {
		return 0
	}
	if from > 0 && from <= len(s) && s[from-1] == '\n' && strings.HasPrefix(s[from:], "```") {
		return from
	}
	if from > len(s) {
		return -1
	}
	i := strings.Index(s[from:], "\n```")
	if i < 0 {
		return -1
	}
	return from + i + 1
}

// hasHeader reports whether a line of s starts a file of a diff.
func hasHeader(s string) bool {
	return lineStart(s, "diff --git ") || (lineStart(s, "--- ") && lineStart(s, "+++ "))
}

// lineStart reports whether some line of s starts with prefix.
func lineStart(s, prefix string) bool {
	return strings.HasPrefix(s, prefix) || strings.Contains(s, "\n"+prefix)
}

// allCRLF reports whether s has lines and each ends in CRLF (the last may be open).
func allCRLF(s string) bool {
	lf := strings.Count(s, "\n")
	return lf > 0 && lf == strings.Count(s, "\r\n")
}
