// Package visible shows text from strangers exactly: characters that would be
// invisible, would reorder the line or would act on a terminal are turned into
// labelled boxes, everything else is escaped text. Boucher and Anderson, "Trojan
// Source: Invisible Vulnerabilities" (2021), is why.
package visible

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Run is a piece of a line in one style, ready to render: plain text, coloured
// text or a box.
type Run struct {
	Class string // CSS classes; Box for a box; empty for plain text
	Text  string // a box holds printable ASCII, for example U+202E
	Title string // name of the boxed character; empty otherwise
}

// Box is the class of a run that stands for a character that cannot be shown.
const Box = "ctl"

// Split cuts s into plain runs and boxes, in order; see Append.
func Split(s string) []Run { return Append(nil, "", s) }

// Append adds the runs of s to dst, plain text in the given class. Tab and line
// feed are plain. Equal neighbouring characters become one box with a count, so
// that a megabyte of NUL is one box. Invalid UTF-8 bytes become boxes \xNN. An
// empty s adds nothing.
func Append(dst []Run, class, s string) []Run {
	if Plain(s) {
		if s != "" {
			dst = append(dst, Run{Class: class, Text: s})
		}
		return dst
	}
	start, prev := 0, rune(0)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		box, title := boxOf(r, size, s[i], prev, s[i+size:])
		prev = r
		if box == "" {
			i += size
			continue
		}
		if start < i {
			dst = append(dst, Run{Class: class, Text: s[start:i]})
		}
		end, count := i+size, 1
		for end+size <= len(s) && s[end:end+size] == s[i:i+size] {
			end, count = end+size, count+1
		}
		if count > 1 {
			box = fmt.Sprintf("%s×%d", box, count)
		}
		dst = append(dst, Run{Class: Box, Text: box, Title: title})
		i, start = end, end
	}
	if start < len(s) {
		dst = append(dst, Run{Class: class, Text: s[start:]})
	}
	return dst
}

// Plain reports whether s needs no box at all. It is the fast path: one pass
// without allocation.
func Plain(s string) bool {
	prev := rune(0)
	for i := 0; i < len(s); {
		b := s[i]
		if b >= 0x20 && b < 0x7f || b == '\t' || b == '\n' {
			prev = rune(b)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if box, _ := boxOf(r, size, b, prev, s[i+size:]); box != "" {
			return false
		}
		prev = r
		i += size
	}
	return true
}

// String is s with every box written as [U+202E], for places that hold text only
// such as an attribute or a page title.
func String(s string) string {
	if Plain(s) {
		return s
	}
	var b strings.Builder
	for _, run := range Split(s) {
		if run.Class == Box {
			b.WriteString("[" + run.Text + "]")
			continue
		}
		b.WriteString(run.Text)
	}
	return b.String()
}

// Cut shortens s to at most n bytes at a character boundary and reports whether
// something was left off.
func Cut(s string, n int) (string, bool) {
	if len(s) <= n {
		return s, false
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n], true
}
