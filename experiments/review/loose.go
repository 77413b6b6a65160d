package review

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The loose reader reads JSON as models write it: single or curly quotes, Python
// literals, bare keys and words, comments, trailing commas, raw line breaks and
// unescaped quotes inside strings, wrong escapes, and an end in the middle. On
// valid JSON it agrees with a strict reader, except that it keeps every value of a
// repeated key.

// field of an object, in order of appearance.
type field struct {
	key   string
	value any // string, number, bool, nil, object or list
	cut   bool
}

type (
	object []field
	list   []any
	number string
)

type loose struct {
	s     string
	at    int
	cut   bool // the text ended before the value did
	work  *int // characters left to look at, shared by all attempts on one reply
	depth int
}

const maxDepth = 48

// fail is thrown by the methods below and caught in readValue.
type fail struct{}

// readValue reads one value at the start of s. cut says that s ended inside it; what
// was complete by then is kept. ok is false when there is no value.
func readValue(s string, work *int) (v any, length int, cut, ok bool) {
	p := &loose{s: s, work: work}
	defer func() {
		if r := recover(); r != nil {
			if _, mine := r.(fail); !mine {
				panic(r)
			}
			v, length, cut, ok = nil, 0, false, false
		}
	}()
	v, _ = p.value()
	return v, p.at, p.cut, true
}

func (p *loose) spend() {
	if *p.work--; *p.work < 0 {
		panic(fail{})
	}
}

func (p *loose) end() bool { return p.at >= len(p.s) }

// space skips white space and comments.
func (p *loose) space() {
	for !p.end() {
		p.spend()
		rest := p.s[p.at:]
		switch {
		case strings.HasPrefix(rest, "//"), rest[0] == '#':
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			p.at += n
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest, "*/")
			if n < 0 {
				p.at = len(p.s)
				return
			}
			p.at += n + 2
		default:
			r, n := utf8.DecodeRuneInString(rest)
			if !unicode.IsSpace(r) && r != '\u200b' && r != '\ufeff' {
				return
			}
			p.at += n
		}
	}
}

// value reads any value. whole is false when the text ended inside it.
func (p *loose) value() (v any, whole bool) {
	p.space()
	if p.end() {
		p.cut = true
		return nil, false
	}
	if p.depth++; p.depth > maxDepth {
		panic(fail{})
	}
	defer func() { p.depth-- }()
	switch c := p.s[p.at]; {
	case c == '{':
		return p.object()
	case c == '[', c == '(':
		return p.list(c)
	case p.quoteAt() > 0:
		return p.text(false)
	default:
		return p.word()
	}
}

func (p *loose) object() (object, bool) {
	p.at++
	out := object{}
	for {
		p.space()
		if p.end() {
			p.cut = true
			return out, false
		}
		if p.s[p.at] == '}' {
			p.at++
			return out, true
		}
		if p.s[p.at] == ',' {
			p.at++
			continue
		}
		key, whole := p.key()
		if !whole {
			p.cut = true
			return out, false
		}
		v, whole := p.value()
		out = append(out, field{key, v, !whole})
		if !whole {
			return out, false
		}
		p.space()
		if !p.end() && p.s[p.at] != ',' && p.s[p.at] != '}' && p.quoteAt() == 0 {
			panic(fail{})
		}
	}
}

// key reads a key and its colon.
func (p *loose) key() (string, bool) {
	var k string
	if p.quoteAt() > 0 {
		s, whole := p.text(true)
		if !whole {
			return "", false
		}
		k = s
	} else {
		from := p.at
		for !p.end() && (p.s[p.at] == '_' || p.s[p.at] == '-' || p.s[p.at] < utf8.RuneSelf && isAlnum(p.s[p.at])) {
			p.spend()
			p.at++
		}
		if k = p.s[from:p.at]; k == "" {
			panic(fail{})
		}
	}
	p.space()
	if p.end() {
		return "", false
	}
	if p.s[p.at] != ':' {
		panic(fail{})
	}
	p.at++
	return k, true
}

func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func (p *loose) list(open byte) (list, bool) {
	closing := byte(']')
	if open == '(' {
		closing = ')'
	}
	p.at++
	out := list{}
	for {
		p.space()
		if p.end() {
			p.cut = true
			return out, false
		}
		switch p.s[p.at] {
		case closing:
			p.at++
			return out, true
		case ',':
			p.at++
			continue
		}
		v, whole := p.value()
		if whole {
			out = append(out, v)
			continue
		}
		// A container that was cut off still holds what came before.
		if o, is := v.(object); is && len(o) > 0 {
			out = append(out, o)
		}
		return out, false
	}
}

// word reads a number, a literal or a bare word.
func (p *loose) word() (any, bool) {
	from := p.at
	for !p.end() {
		c := p.s[p.at]
		if c >= utf8.RuneSelf || !isAlnum(c) && !strings.ContainsRune("+-._%<>|/", rune(c)) {
			break
		}
		p.spend()
		p.at++
	}
	w := p.s[from:p.at]
	if w == "" {
		panic(fail{})
	}
	whole := !p.end()
	if !whole {
		p.cut = true
	}
	switch strings.ToLower(w) {
	case "true":
		return true, whole
	case "false":
		return false, whole
	case "null", "none", "undefined":
		return nil, whole
	}
	if _, err := strconv.ParseFloat(w, 64); err == nil {
		return number(w), whole
	}
	return w, whole
}

// quoteAt is the length of a quotation mark at the current place, 0 for none.
func (p *loose) quoteAt() int {
	rest := p.s[p.at:]
	switch {
	case rest == "":
		return 0
	case rest[0] == '"' || rest[0] == '\'' || rest[0] == '`':
		return 1
	case strings.HasPrefix(rest, "“") || strings.HasPrefix(rest, "”"):
		return len("“")
	}
	return 0
}

// text reads a string. A quotation mark ends it only where something can follow: a
// closing bracket, a colon after a key, a comma before the next key or value, or
// the end. Others are part of the text.
func (p *loose) text(key bool) (string, bool) {
	mark := p.s[p.at : p.at+p.quoteAt()]
	p.at += len(mark)
	marks := []string{mark}
	if len(mark) > 1 {
		marks = []string{"”", "“", "\""}
	}
	var b strings.Builder
	for !p.end() {
		p.spend()
		c := p.s[p.at]
		if c == '\\' {
			if p.at+1 >= len(p.s) {
				break
			}
			p.escape(&b)
			continue
		}
		if n := startsWith(p.s[p.at:], marks); n > 0 {
			if p.ends(p.at+n, key) {
				p.at += n
				return b.String(), true
			}
			b.WriteString(p.s[p.at : p.at+n])
			p.at += n
			continue
		}
		b.WriteByte(c)
		p.at++
	}
	p.at = len(p.s)
	p.cut = true
	return b.String(), false
}

func startsWith(s string, marks []string) int {
	for _, m := range marks {
		if strings.HasPrefix(s, m) {
			return len(m)
		}
	}
	return 0
}

// ends looks behind a quotation mark.
func (p *loose) ends(at int, key bool) bool {
	rest := strings.TrimLeftFunc(p.s[at:min(len(p.s), at+400)], unicode.IsSpace)
	if rest == "" {
		return true
	}
	if key {
		return rest[0] == ':'
	}
	switch rest[0] {
	case '}', ']', ')':
		return true
	case '/':
		return strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "/*")
	case ',':
		next := strings.TrimLeftFunc(rest[1:], unicode.IsSpace)
		return next == "" || strings.ContainsRune("\"'`{}[](“-0123456789/#", []rune(next)[0]) || bareNext(next)
	}
	return false
}

// bareNext reports a bare key or a literal at the start of s.
func bareNext(s string) bool {
	n := 0
	for n < len(s) && (isAlnum(s[n]) || s[n] == '_') {
		n++
	}
	if n == 0 {
		return false
	}
	switch strings.ToLower(s[:n]) {
	case "true", "false", "null", "none":
		return true
	}
	return strings.HasPrefix(strings.TrimLeft(s[n:], " \t"), ":")
}

// escape reads a backslash sequence; an unknown one stays as it is.
func (p *loose) escape(b *strings.Builder) {
	c := p.s[p.at+1]
	p.at += 2
	switch c {
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
		b.WriteByte('\r')
	case 'b', 'f':
		b.WriteByte(' ')
	case '"', '\'', '\\', '/', '`':
		b.WriteByte(c)
	case 'u':
		p.unicode(b)
	default:
		b.WriteByte('\\')
		b.WriteByte(c)
	}
}

// unicode reads the four digits after \u; a pair of surrogates is one character
// and a lone one is U+FFFD.
func (p *loose) unicode(b *strings.Builder) {
	r, ok := hex4(p.s[p.at:])
	if !ok {
		b.WriteString(`\u`)
		return
	}
	p.at += 4
	if r >= 0xd800 && r < 0xdc00 && strings.HasPrefix(p.s[p.at:], `\u`) {
		if low, ok := hex4(p.s[p.at+2:]); ok && low >= 0xdc00 && low < 0xe000 {
			p.at += 6
			b.WriteRune((r-0xd800)<<10 + (low - 0xdc00) + 0x10000)
			return
		}
	}
	b.WriteRune(r)
}

func hex4(s string) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(s[:4], 16, 32)
	return rune(n), err == nil
}
