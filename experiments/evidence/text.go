package evidence

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLine is the longest line shown, in runes; a longer one loses its middle.
const (
	maxLine  = 2000
	lineHead = 1400
	lineTail = 400
)

// Show makes hostile text safe to read and to store: U+0000 becomes U+FFFD with
// the mark ⟨NUL⟩; bytes that are no UTF-8, other control characters and invisible
// format characters (bidirectional overrides, zero-width characters, tags) become
// marks such as ⟨U+202E⟩ or ⟨byte 80⟩. Tab and line feed stay. Line ends are
// normalised to LF when every line ends in CRLF; otherwise a carriage return is
// marked too.
func Show(s string) string {
	if n := strings.Count(s, "\r\n"); n > 0 && n == strings.Count(s, "\n") && n == strings.Count(s, "\r") {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/8)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n <= 1:
			fmt.Fprintf(&b, "\uFFFD⟨byte %02X⟩", s[i])
		case r == 0:
			b.WriteString("\uFFFD⟨NUL⟩")
		case hidden(r):
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// hidden reports characters that are not seen or that change how others are seen.
func hidden(r rune) bool {
	if r == '\t' || r == '\n' {
		return false
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 0x7f || c < 0x20 && c != '\t' && c != '\n' {
			return false
		}
	}
	return true
}

// clip shortens a long line and reports how many runes went.
func clip(line string) (string, int) {
	if len(line) <= maxLine {
		return line, 0
	}
	n := utf8.RuneCountInString(line)
	if n <= maxLine {
		return line, 0
	}
	head, tail := line, line
	for i, k := 0, 0; i < len(line); k++ {
		if k == lineHead {
			head = line[:i]
			break
		}
		_, w := utf8.DecodeRuneInString(line[i:])
		i += w
	}
	for i, k := len(line), 0; i > 0; k++ {
		if k == lineTail {
			tail = line[i:]
			break
		}
		_, w := utf8.DecodeLastRuneInString(line[:i])
		i -= w
	}
	gone := n - lineHead - lineTail
	return fmt.Sprintf("%s ⟨%d characters cut⟩ %s", head, gone, tail), gone
}

// Tokens estimates the tokens of s: one for four ASCII bytes, one for each other
// rune, rounded up. It is deliberately simple: no model's tokenizer is needed to
// repeat a run. Source code in English is met within about 20% by the common
// byte-pair vocabularies; CJK text is overestimated rather than underestimated.
func Tokens(s string) int { return toTokens(weigh(s)) }

// weigh counts quarter tokens, so that sums of lines do not round up line by line.
func weigh(s string) int {
	w := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c < utf8.RuneSelf:
			w++
		case utf8.RuneStart(c):
			w += 4
		}
	}
	return w
}

func toTokens(quarters int) int { return (quarters + 3) / 4 }
