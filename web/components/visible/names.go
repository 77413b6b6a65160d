package visible

import (
	"fmt"
	"unicode/utf8"
)

var names = map[rune]string{
	0x00: "null", 0x07: "bell", 0x08: "backspace", 0x0b: "vertical tab", 0x0c: "form feed",
	0x0d: "carriage return", 0x1b: "escape", 0x7f: "delete", 0xad: "soft hyphen",
	0x061c: "Arabic letter mark", 0x115f: "Hangul filler", 0x1160: "Hangul filler",
	0x180e: "Mongolian vowel separator", 0x3164: "Hangul filler", 0xffa0: "Hangul filler",
	0x200b: "zero width space", 0x200c: "zero width non-joiner", 0x200d: "zero width joiner",
	0x200e: "left-to-right mark", 0x200f: "right-to-left mark",
	0x2028: "line separator", 0x2029: "paragraph separator",
	0x202a: "left-to-right embedding", 0x202b: "right-to-left embedding",
	0x202c: "pop directional formatting", 0x202d: "left-to-right override",
	0x202e: "right-to-left override", 0x2060: "word joiner",
	0x2061: "function application", 0x2062: "invisible times", 0x2063: "invisible separator", 0x2064: "invisible plus",
	0x2066: "left-to-right isolate", 0x2067: "right-to-left isolate",
	0x2068: "first strong isolate", 0x2069: "pop directional isolate",
	0xfeff: "byte order mark", 0xfffd: "replacement character: a byte or NUL that could not be stored",
}

// boxOf gives the label and name of the box for r, or "" when r is shown as it
// is. first is r's first byte; prev and rest are its neighbours, which decide
// about joiners: they belong inside emoji and many scripts, and hide in Latin text.
func boxOf(r rune, size int, first byte, prev rune, rest string) (label, title string) {
	switch {
	case r == utf8.RuneError && size <= 1:
		return fmt.Sprintf(`\x%02x`, first), "byte that is not valid UTF-8"
	case r == '\t' || r == '\n' || r >= 0x20 && r < 0x7f:
		return "", ""
	case r == '\r':
		return "CR", "carriage return"
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return code(r), nameOr(r, "control character")
	case r < 0x300:
		if r == 0xad {
			return code(r), names[r]
		}
		return "", ""
	case r == 0x200c || r == 0x200d:
		next, _ := utf8.DecodeRuneInString(rest)
		if prev >= 0x300 && (next >= 0x300 && next != utf8.RuneError) {
			return "", ""
		}
		return code(r), names[r]
	case r >= 0xe0000 && r <= 0xe007f:
		return code(r), "tag character"
	case r >= 0xfdd0 && r <= 0xfdef, r&0xfffe == 0xfffe:
		return code(r), "not a character"
	case r >= 0xe000 && r <= 0xf8ff, r >= 0xf0000:
		return code(r), "private use character"
	}
	if name, ok := names[r]; ok {
		return code(r), name
	}
	return "", ""
}

func code(r rune) string { return fmt.Sprintf("U+%04X", r) }

func nameOr(r rune, other string) string {
	if name, ok := names[r]; ok {
		return name
	}
	return other
}
