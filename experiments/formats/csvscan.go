package formats

import (
	"bufio"
	"errors"
	"io"
)

// csvScan splits CSV into records: RFC 4180, with any separator, lines that end in
// LF or CRLF, cells of any length. Unlike encoding/csv it keeps a carriage return
// inside a quoted cell, so that a patch with CRLF stays the patch it was. A quote
// that is not doubled inside a quoted cell is taken as it is.
type csvScan struct {
	r    *bufio.Reader
	sep  byte
	line int // of the byte that is read next, from 1
	cell []byte
}

// errOpenQuote is the fault of a file that was cut off inside a quoted cell.
var errOpenQuote = errors.New("a quoted cell does not end: the file is cut off")

// record reads the next record and the line it starts on. It returns io.EOF at
// the end, and errOpenQuote with what there is of the last record.
func (s *csvScan) record() (cells []string, line int, err error) {
	line = s.line
	for {
		last, err := s.field()
		if errors.Is(err, io.EOF) && len(cells) == 0 && len(s.cell) == 0 {
			return nil, line, io.EOF
		}
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errOpenQuote) {
			return nil, line, err
		}
		cells = append(cells, string(s.cell))
		if cap(s.cell) > 1<<20 {
			s.cell = nil
		}
		if errors.Is(err, errOpenQuote) {
			return cells, line, err
		}
		if last || err != nil {
			return cells, line, nil
		}
	}
}

// field reads one cell into s.cell; last says that its record ends with it. It
// returns io.EOF where the file ends without a line feed.
func (s *csvScan) field() (last bool, err error) {
	s.cell = s.cell[:0]
	c, err := s.next()
	if err != nil {
		return true, err
	}
	if c == '"' {
		return s.quoted()
	}
	for {
		switch c {
		case s.sep:
			return false, nil
		case '\n':
			s.dropCR()
			return true, nil
		}
		s.cell = append(s.cell, c)
		if c, err = s.next(); err != nil {
			s.dropCR()
			return true, err
		}
	}
}

// dropCR removes the first half of a CRLF.
func (s *csvScan) dropCR() {
	if n := len(s.cell); n > 0 && s.cell[n-1] == '\r' {
		s.cell = s.cell[:n-1]
	}
}

// quoted reads the rest of a cell that began with a quote.
func (s *csvScan) quoted() (last bool, err error) {
	for {
		c, err := s.next()
		if errors.Is(err, io.EOF) {
			return true, errOpenQuote
		}
		if err != nil {
			return true, err
		}
		if c != '"' {
			s.cell = append(s.cell, c)
			continue
		}
		c, err = s.next()
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return true, err
		}
		switch {
		case c == s.sep:
			return false, nil
		case c == '\n':
			return true, nil
		case c == '"':
		case c == '\r' && s.lineFeedNext():
			_, err := s.next()
			return true, err
		default: // a quote that should have been doubled
			s.cell = append(s.cell, '"')
		}
		s.cell = append(s.cell, c)
	}
}

func (s *csvScan) lineFeedNext() bool {
	b, err := s.r.Peek(1)
	return err == nil && b[0] == '\n' || errors.Is(err, io.EOF)
}

func (s *csvScan) next() (byte, error) {
	c, err := s.r.ReadByte()
	if c == '\n' && err == nil {
		s.line++
	}
	return c, err
}
