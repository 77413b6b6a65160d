package evidence

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// squeeze removes indentation and runs of white space.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// telling reports lines whose appearance elsewhere is no accident.
func telling(squeezed string) bool {
	if utf8.RuneCountInString(squeezed) < 20 {
		return false
	}
	for _, p := range []string{"import ", "from ", "#include", "use ", "package ", "using ", "require("} {
		if strings.HasPrefix(squeezed, p) {
			return false
		}
	}
	words := 0
	for _, w := range identifier.FindAllString(squeezed, -1) {
		if len(w) > 1 {
			words++
		}
	}
	return words >= 3
}

// leafName is the last component of a test id: after the last "::" for pytest and
// alike, before " (" for unittest's "test_x (pkg.Case)", after the last "/" or "#"
// of a path-like id without spaces; parameters in brackets are dropped. A title
// stays whole.
func leafName(id string) string {
	if at := strings.LastIndex(id, "::"); at >= 0 {
		id = id[at+2:]
	}
	if at := strings.Index(id, " ("); at > 0 && strings.HasSuffix(id, ")") && !strings.Contains(id[:at], " ") {
		id = id[:at]
	}
	if at := strings.IndexByte(id, '['); at > 0 {
		id = id[:at]
	}
	if !strings.ContainsFunc(id, unicode.IsSpace) {
		if at := strings.LastIndexAny(id, "/#"); at >= 0 && at+1 < len(id) {
			id = id[at+1:]
		}
		if at := strings.LastIndexByte(id, '.'); at >= 0 && at+1 < len(id) {
			id = id[at+1:]
		}
	}
	return strings.TrimSpace(id)
}

// distinctive reports leaf names that would hardly be written by chance.
func distinctive(leaf string) bool {
	n := utf8.RuneCountInString(leaf)
	if words := strings.Fields(leaf); len(words) > 1 {
		return n >= 24 && len(words) >= 4
	}
	if n < 12 {
		return false
	}
	return codeLike(leaf) || strings.ContainsFunc(leaf, unicode.IsDigit)
}

// containsWord reports whether s holds w with no identifier character on either
// side.
func containsWord(s, w string) bool {
	for from := 0; ; {
		at := strings.Index(s[from:], w)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		after, _ := utf8.DecodeRuneInString(s[at+len(w):])
		if !inName(before) && !inName(after) {
			return true
		}
		from = at + len(w)
	}
}

func inName(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
