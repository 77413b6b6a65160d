package jsonpull

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth is the deepest nesting read; real files stay below 20.
const MaxDepth = 512

// Kind is the kind of the next value.
type Kind byte

// Kinds of values. End stands for the end of input, or of the line in line mode.
const (
	End Kind = iota
	Object
	Array
	String
	Numeric
	Bool
	Null
	Invalid
)

// SyntaxError says where the text stops being JSON.
type SyntaxError struct {
	Line   int // 1-based
	Column int // 1-based, in bytes
	Msg    string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d column %d: %s", e.Line, e.Column, e.Msg)
}

// Reader pulls values from a stream.
type Reader struct {
	br    *bufio.Reader
	lines bool
	line  int
	col   int
	depth int
	// Relaxed is the place of the first comma after a last element, nil if none.
	Relaxed *SyntaxError
}

// New returns a Reader for a document.
func New(r io.Reader) *Reader { return start(r, false) }

// NewLines returns a Reader for JSON lines.
func NewLines(r io.Reader) *Reader { return start(r, true) }

func start(r io.Reader, lines bool) *Reader {
	br := bufio.NewReaderSize(r, 64<<10)
	if head, err := br.Peek(2); err == nil {
		switch {
		case head[0] == 0xff && head[1] == 0xfe:
			br = bufio.NewReaderSize(&utf16Reader{r: br, order: binary.LittleEndian}, 64<<10)
		case head[0] == 0xfe && head[1] == 0xff:
			br = bufio.NewReaderSize(&utf16Reader{r: br, order: binary.BigEndian}, 64<<10)
		}
	}
	if head, err := br.Peek(3); err == nil && head[0] == 0xef && head[1] == 0xbb && head[2] == 0xbf {
		_, _ = br.Discard(3) // cannot fail: the bytes were peeked
	}
	return &Reader{br: br, lines: lines, line: 1}
}

// Line is the current line, 1-based.
func (r *Reader) Line() int { return r.line }

// peek returns the next byte without consuming it; ok is false at the end.
func (r *Reader) peek() (c byte, ok bool, err error) {
	b, err := r.br.Peek(1)
	if err != nil {
		if errors.Is(err, io.EOF) {
			return 0, false, nil
		}
		return 0, false, fmt.Errorf("read line %d: %w", r.line, err)
	}
	if r.lines && b[0] == '\n' {
		return 0, false, nil
	}
	return b[0], true, nil
}

// take consumes one peeked byte.
func (r *Reader) take(c byte) {
	_, _ = r.br.Discard(1)
	if c == '\n' {
		r.line++
		r.col = 0
		return
	}
	r.col++
}

func (r *Reader) fail(format string, args ...any) error {
	return &SyntaxError{Line: r.line, Column: r.col + 1, Msg: fmt.Sprintf(format, args...)}
}

// space skips white space and returns the next byte.
func (r *Reader) space() (c byte, ok bool, err error) {
	for {
		c, ok, err = r.peek()
		if err != nil || !ok {
			return c, ok, err
		}
		switch c {
		case ' ', '\t', '\r', '\n':
			r.take(c)
		default:
			return c, true, nil
		}
	}
}

// Kind looks at the next value.
func (r *Reader) Kind() (Kind, error) {
	c, ok, err := r.space()
	switch {
	case err != nil:
		return Invalid, err
	case !ok:
		return End, nil
	}
	switch c {
	case '{':
		return Object, nil
	case '[':
		return Array, nil
	case '"':
		return String, nil
	case 't', 'f':
		return Bool, nil
	case 'n':
		return Null, nil
	case 'N', 'I', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return Numeric, nil
	}
	return Invalid, nil
}

// NextLine skips what is left of the line, in line mode, and reports whether
// another line follows.
func (r *Reader) NextLine() (bool, error) {
	for {
		b, err := r.br.ReadSlice('\n')
		switch {
		case err == nil:
			r.line++
			r.col, r.depth = 0, 0
			_, err = r.br.Peek(1)
			if errors.Is(err, io.EOF) {
				return false, nil
			}
			return err == nil, err
		case errors.Is(err, bufio.ErrBufferFull):
			r.col += len(b)
		case errors.Is(err, io.EOF):
			return false, nil
		default:
			return false, fmt.Errorf("read line %d: %w", r.line, err)
		}
	}
}

// More reports whether anything but white space follows.
func (r *Reader) More() (bool, error) {
	_, ok, err := r.space()
	return ok, err
}

// utf16Reader turns UTF-16 into UTF-8.
type utf16Reader struct {
	r     *bufio.Reader
	order binary.ByteOrder
	rest  []byte
	held  uint16
	has   bool
}

func (u *utf16Reader) next() (uint16, error) {
	if u.has {
		u.has = false
		return u.held, nil
	}
	var b [2]byte
	if _, err := io.ReadFull(u.r, b[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = io.EOF // half a unit at the end
		}
		return 0, err
	}
	return u.order.Uint16(b[:]), nil
}

func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.rest) == 0 {
		c, err := u.next()
		if err != nil {
			return 0, err
		}
		ru := rune(c)
		if utf16.IsSurrogate(ru) {
			d, err := u.next()
			if err == nil {
				if both := utf16.DecodeRune(ru, rune(d)); both != utf8.RuneError {
					ru = both
				} else {
					ru, u.held, u.has = utf8.RuneError, d, true
				}
			} else {
				ru = utf8.RuneError
			}
		}
		u.rest = utf8.AppendRune(u.rest[:0], ru)
	}
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	return n, nil
}
