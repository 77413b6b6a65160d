package jsonpull

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// chunk is the largest piece of a string collected before it is joined: a string
// of any length costs its own size twice for a moment, not more.
const chunk = 1 << 20

// Text reads a string.
func (r *Reader) Text() (string, error) { return r.text(true) }

func (r *Reader) text(keep bool) (string, error) {
	c, ok, err := r.space()
	if err != nil {
		return "", err
	}
	if !ok || c != '"' {
		return "", r.fail("expected a string")
	}
	r.take(c)
	var (
		cur    []byte
		chunks [][]byte
		total  int
	)
	for {
		if len(cur) >= chunk {
			if keep {
				chunks = append(chunks, cur)
				total += len(cur)
				cur = make([]byte, 0, chunk+64<<10)
			} else {
				cur = cur[:0]
			}
		}
		buf, err := r.br.Peek(max(r.br.Buffered(), 1))
		if err != nil {
			if errors.Is(err, io.EOF) {
				return "", r.fail("the string does not end")
			}
			return "", fmt.Errorf("read line %d: %w", r.line, err)
		}
		var n int
		cur, n = r.buffered(cur, buf)
		r.advance(buf[:n])
		if n == len(buf) {
			continue
		}
		switch c := buf[n]; c {
		case '"':
			r.take(c)
			if !keep {
				return "", nil
			}
			if chunks == nil {
				return valid(string(cur)), nil
			}
			var b strings.Builder
			b.Grow(total + len(cur))
			for i, p := range chunks {
				b.Write(p)
				chunks[i] = nil
			}
			b.Write(cur)
			return valid(b.String()), nil
		case '\\':
			r.take(c)
			if cur, err = r.escape(cur); err != nil {
				return "", err
			}
		default: // a line feed in line mode
			return "", r.fail("the string does not end on its line")
		}
	}
}

// buffered appends the text at the start of buf up to a byte that needs more than the
// buffer: a quote, a \u escape, an escape at the end, or in line mode a line feed.
func (r *Reader) buffered(dst, buf []byte) ([]byte, int) {
	n := 0
	for n < len(buf) {
		k := plain(buf[n:], r.lines)
		dst = append(dst, buf[n:n+k]...)
		n += k
		if n+1 >= len(buf) || buf[n] != '\\' {
			return dst, n
		}
		c, ok := simple(buf[n+1])
		if !ok {
			return dst, n
		}
		dst = append(dst, c)
		n += 2
	}
	return dst, n
}

// simple is the byte of a one-letter escape.
func simple(c byte) (byte, bool) {
	switch c {
	case 'n':
		return '\n', true
	case 't':
		return '\t', true
	case 'r':
		return '\r', true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case '"', '\\', '/':
		return c, true
	}
	return 0, false
}

// plain counts the bytes of a string before a quote, a backslash or, in line
// mode, a line feed.
func plain(b []byte, lines bool) int {
	for i, c := range b {
		if c == '"' || c == '\\' || c == '\n' && lines {
			return i
		}
	}
	return len(b)
}

// advance consumes bytes and keeps line and column.
func (r *Reader) advance(b []byte) {
	if k := bytes.Count(b, []byte{'\n'}); k > 0 {
		r.line += k
		r.col = len(b) - bytes.LastIndexByte(b, '\n') - 1
	} else {
		r.col += len(b)
	}
	_, _ = r.br.Discard(len(b))
}

// escape appends the character after a backslash.
func (r *Reader) escape(dst []byte) ([]byte, error) {
	c, ok, err := r.peek()
	if err != nil {
		return dst, err
	}
	if !ok {
		return dst, r.fail("the string ends in an escape")
	}
	r.take(c)
	if b, ok := simple(c); ok {
		return append(dst, b), nil
	}
	if c == 'u' {
		return r.unicode(dst)
	}
	return dst, r.fail("unknown escape \\%c", c)
}

// unicode appends \uXXXX, joining surrogate pairs.
func (r *Reader) unicode(dst []byte) ([]byte, error) {
	hi, err := r.hex4()
	if err != nil {
		return dst, err
	}
	for utf16.IsSurrogate(hi) {
		next, err := r.br.Peek(2)
		if hi >= 0xdc00 || err != nil || next[0] != '\\' || next[1] != 'u' {
			return utf8.AppendRune(dst, utf8.RuneError), nil
		}
		r.take('\\')
		r.take('u')
		lo, err := r.hex4()
		if err != nil {
			return dst, err
		}
		if both := utf16.DecodeRune(hi, lo); both != utf8.RuneError {
			return utf8.AppendRune(dst, both), nil
		}
		dst = utf8.AppendRune(dst, utf8.RuneError)
		hi = lo
	}
	return utf8.AppendRune(dst, hi), nil
}

func (r *Reader) hex4() (rune, error) {
	var v rune
	for range 4 {
		c, ok, err := r.peek()
		if err != nil {
			return 0, err
		}
		switch {
		case ok && c >= '0' && c <= '9':
			v = v<<4 | rune(c-'0')
		case ok && c >= 'a' && c <= 'f':
			v = v<<4 | rune(c-'a'+10)
		case ok && c >= 'A' && c <= 'F':
			v = v<<4 | rune(c-'A'+10)
		default:
			return 0, r.fail("malformed \\u escape")
		}
		r.take(c)
	}
	return v, nil
}

// valid replaces broken UTF-8, one U+FFFD for each run.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
