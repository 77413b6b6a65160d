package patch

import "strings"

// gitPaths splits the rest of a "diff --git" line into old and new path. The line
// is ambiguous when an unquoted path holds " b/"; as git does, the split with
// equal names on both sides wins.
func gitPaths(rest string) (oldPath, newPath string) {
	if strings.HasPrefix(rest, `"`) {
		if q, after, ok := cutQuoted(rest); ok {
			return stripPrefix(q, "a/"), stripPrefix(unquote(strings.TrimPrefix(after, " ")), "b/")
		}
	}
	if i := strings.Index(rest, ` "`); i >= 0 && strings.HasSuffix(rest, `"`) {
		return stripPrefix(rest[:i], "a/"), stripPrefix(unquote(rest[i+1:]), "b/")
	}
	if n := len(rest); n%2 == 1 && rest[n/2] == ' ' {
		a, b := rest[:n/2], rest[n/2+1:]
		if stripPrefix(a, "a/") == stripPrefix(b, "b/") {
			return stripPrefix(a, "a/"), stripPrefix(b, "b/")
		}
	}
	if i := strings.Index(rest, " b/"); i >= 0 {
		return stripPrefix(rest[:i], "a/"), rest[i+3:]
	}
	a, b, _ := strings.Cut(rest, " ")
	return stripPrefix(a, "a/"), stripPrefix(b, "b/")
}

// headerPath reads the path of a --- or +++ line; empty for /dev/null. A tab
// starts the time stamp of plain diff tools.
func headerPath(s, prefix string) string {
	if strings.HasPrefix(s, `"`) {
		if q, _, ok := cutQuoted(s); ok {
			return stripPrefix(q, prefix)
		}
	}
	if i := strings.IndexByte(s, '\t'); i >= 0 {
		s = s[:i]
	}
	s = strings.TrimRight(s, " ")
	if s == "/dev/null" {
		return ""
	}
	return stripPrefix(s, prefix)
}

// stripPrefix removes git's side prefix.
func stripPrefix(s, prefix string) string { return strings.TrimPrefix(s, prefix) }

// unquote undoes git's C-style quoting; text without quotes is returned as is.
func unquote(s string) string {
	if q, rest, ok := cutQuoted(s); ok && rest == "" {
		return q
	}
	return s
}

// cutQuoted reads a C-quoted string at the start of s.
func cutQuoted(s string) (val, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		return "", s, false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return b.String(), s[i+1:], true
		case '\\':
			if i+1 >= len(s) {
				return "", s, false
			}
			i++
			if e := s[i]; e >= '0' && e <= '7' {
				n, j := 0, 0
				for ; j < 3 && i+j < len(s) && s[i+j] >= '0' && s[i+j] <= '7'; j++ {
					n = n*8 + int(s[i+j]-'0')
				}
				b.WriteByte(byte(n))
				i += j - 1
			} else {
				b.WriteByte(escape(e))
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", s, false
}

func escape(c byte) byte {
	switch c {
	case 'a':
		return 7
	case 'b':
		return 8
	case 't':
		return '\t'
	case 'n':
		return '\n'
	case 'v':
		return 11
	case 'f':
		return 12
	case 'r':
		return '\r'
	}
	return c
}
