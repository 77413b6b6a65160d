// Package logview shows terminal output and tool results: ANSI colours become
// CSS classes, every other control character is visible, lines are numbered
// links, and only a window of lines is rendered.
package logview

import (
	"strconv"
	"strings"

	"plumbline/web/components/visible"
)

// style is the state of the terminal's SGR attributes (ECMA-48 §8.3.117).
type style struct {
	fg, bg                                        int8 // 0 default, 1–16 palette entry + 1
	bold, dim, italic, underline, reverse, strike bool
}

// classes of the 16 palette entries are f0–f15 and b0–b15.
func (s style) class() string {
	if s == (style{}) {
		return ""
	}
	var parts []string
	add := func(on bool, name string) {
		if on {
			parts = append(parts, name)
		}
	}
	add(s.fg > 0, "f"+strconv.Itoa(int(s.fg)-1))
	add(s.bg > 0, "b"+strconv.Itoa(int(s.bg)-1))
	add(s.bold, "ab")
	add(s.dim, "ad")
	add(s.italic, "ai")
	add(s.underline, "au")
	add(s.reverse, "ar")
	add(s.strike, "as")
	return strings.Join(parts, " ")
}

// ansi appends the runs of one line to dst, starting in st, and returns the state
// at its end. SGR sequences set the style; erase sequences (K, J), window titles
// and hyperlink marks are dropped, since they show nothing; other escapes stay in
// the text and are boxed as control characters.
func ansi(dst []visible.Run, line string, st style) ([]visible.Run, style) {
	start := 0
	for i := 0; i < len(line); {
		if line[i] != 0x1b {
			i++
			continue
		}
		end, final, params := escape(line, i)
		if end == 0 {
			i++
			continue
		}
		dst = visible.Append(dst, st.class(), line[start:i])
		if final == 'm' {
			st = st.apply(params)
		}
		i, start = end, end
	}
	return visible.Append(dst, st.class(), line[start:]), st
}

// escape recognises the sequences that are acted on or dropped at line[i]. end is
// 0 for any other.
func escape(line string, i int) (end int, final byte, params string) {
	rest := line[i+1:]
	if rest == "" {
		return 0, 0, ""
	}
	switch rest[0] {
	case '[':
		j := 1
		for j < len(rest) && j < 128 && (rest[j] >= '0' && rest[j] <= '9' || rest[j] == ';' || rest[j] == ':') {
			j++
		}
		if j < len(rest) && (rest[j] == 'm' || rest[j] == 'K' || rest[j] == 'J') {
			return i + 1 + j + 1, rest[j], rest[1:j]
		}
	case ']':
		body, _, ok := strings.Cut(rest, "\x07")
		size := len(body) + 1
		if st := strings.Index(rest, "\x1b\\"); st >= 0 && (!ok || st < len(body)) {
			body, size, ok = rest[:st], st+2, true
		}
		if ok && len(body) < 4096 {
			return i + 1 + size, ']', ""
		}
	}
	return 0, 0, ""
}

func (s style) apply(params string) style {
	fields := strings.FieldsFunc(params, func(r rune) bool { return r == ';' || r == ':' })
	if len(fields) == 0 {
		return style{}
	}
	for i := 0; i < len(fields); i++ {
		n, err := strconv.Atoi(fields[i])
		if err != nil {
			return s
		}
		switch {
		case n == 0:
			s = style{}
		case n == 1:
			s.bold = true
		case n == 2:
			s.dim = true
		case n == 3:
			s.italic = true
		case n == 4:
			s.underline = true
		case n == 7:
			s.reverse = true
		case n == 9:
			s.strike = true
		case n == 22:
			s.bold, s.dim = false, false
		case n == 23:
			s.italic = false
		case n == 24:
			s.underline = false
		case n == 27:
			s.reverse = false
		case n == 29:
			s.strike = false
		case n >= 30 && n <= 37:
			s.fg = int8(n - 30 + 1)
		case n == 39:
			s.fg = 0
		case n >= 40 && n <= 47:
			s.bg = int8(n - 40 + 1)
		case n == 49:
			s.bg = 0
		case n >= 90 && n <= 97:
			s.fg = int8(n - 90 + 9)
		case n >= 100 && n <= 107:
			s.bg = int8(n - 100 + 9)
		case n == 38 || n == 48:
			colour, used := extended(fields[i+1:])
			i += used
			if n == 38 {
				s.fg = colour
			} else {
				s.bg = colour
			}
		}
	}
	return s
}
