package patch

import "strings"

// StripTests removes the files whose path names a test and returns the rest byte
// for byte, with the paths it removed. Text before the first file is kept when a
// file is kept. A text without a diff is returned unchanged.
func StripTests(raw string) (kept string, removed []string) {
	blocks := split(raw)
	if len(blocks) == 0 {
		return raw, nil
	}
	var b strings.Builder
	b.WriteString(raw[:blocks[0].from])
	any := false
	for _, bl := range blocks {
		text := raw[bl.from:bl.to]
		d := Parse(text)
		if len(d.Files) > 0 && d.TestOnly() {
			removed = append(removed, d.Files[0].Path())
			continue
		}
		b.WriteString(text)
		any = true
	}
	if removed == nil {
		return raw, nil
	}
	if !any {
		return "", removed
	}
	return b.String(), removed
}

type block struct{ from, to int }

// split finds the text of each file. It walks hunks by their stated lengths, so
// that a header inside a hunk is not taken for the start of a file.
func split(raw string) []block {
	var out []block
	oldLeft, newLeft, git := 0, 0, false
	for pos := 0; pos < len(raw); {
		next := len(raw)
		if i := strings.IndexByte(raw[pos:], '\n'); i >= 0 {
			next = pos + i + 1
		}
		line := raw[pos:next]
		switch {
		case strings.HasPrefix(line, "diff --git "):
			oldLeft, newLeft, git = 0, 0, true
			out = append(out, block{pos, 0})
		case oldLeft > 0 || newLeft > 0:
			switch line[0] {
			case '+':
				newLeft--
			case '-':
				oldLeft--
			case '\\':
			default:
				oldLeft, newLeft = oldLeft-1, newLeft-1
			}
		case strings.HasPrefix(line, "@@ "):
			if h, ok := parseHeader(strings.TrimRight(line, "\r\n")); ok {
				oldLeft, newLeft = h.OldLines, h.NewLines
			}
			git = false
		case strings.HasPrefix(line, "--- ") && strings.HasPrefix(raw[next:], "+++ "):
			if !git {
				out = append(out, block{pos, 0})
			}
			git = false
		}
		pos = next
	}
	for i := range out {
		out[i].to = len(raw)
		if i+1 < len(out) {
			out[i].to = out[i+1].from
		}
	}
	return out
}
