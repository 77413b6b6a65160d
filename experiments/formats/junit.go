package formats

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// JUnit XML. There is no schema: the root is testsuites or testsuite, suites nest,
// the counts in attributes are often wrong, so the cases are counted. A case has
// several results at times; error weighs more than failure, failure more than
// skipped. rerunFailure and flakyFailure are earlier tries. External entities are
// not read. What stands before a fault in the XML is read.

func matchXML(l *look) Confidence {
	t := strings.TrimLeft(l.text, " \t\r\n")
	switch {
	case strings.HasPrefix(t, "<testsuite"):
		return Certain
	case strings.HasPrefix(t, "<?xml"), strings.HasSuffix(l.lower(), ".xml") && strings.HasPrefix(t, "<"):
		return Likely
	}
	return None
}

func readJUnit(x *reading) error {
	d := xml.NewDecoder(&cleanXML{r: x.in})
	d.CharsetReader = func(charset string, in io.Reader) (io.Reader, error) {
		switch strings.ToLower(charset) {
		case "utf-8", "utf8", "us-ascii", "ascii":
			return in, nil
		case "iso-8859-1", "latin1", "windows-1252":
			return &latin1{r: in}, nil
		}
		return nil, fmt.Errorf("character set %q is not read", charset)
	}
	j := &junit{x: x, d: d}
	err := j.read()
	if x.stop != nil {
		return x.stop
	}
	if err != nil {
		line, _ := d.InputPos()
		x.problem(line, "", "not well-formed XML: "+strings.TrimPrefix(err.Error(), "XML syntax error on "))
		return nil
	}
	x.count(j.cases)
	if !j.junit {
		x.problem(1, "", "not a JUnit report: the root element is "+strconv.Quote(j.root))
	}
	return nil
}

type junit struct {
	x      *reading
	d      *xml.Decoder
	root   string
	junit  bool
	cases  int
	suites []string
}

func (j *junit) read() error {
	depth := 0
	for {
		t, err := j.d.Token()
		if errors.Is(err, io.EOF) {
			if depth > 0 || j.root == "" {
				return errors.New("the document does not end")
			}
			return nil
		}
		if err != nil {
			return err
		}
		switch e := t.(type) {
		case xml.StartElement:
			if j.root == "" {
				j.root = e.Name.Local
				j.junit = j.root == "testsuites" || j.root == "testsuite"
			}
			if e.Name.Local == "testcase" {
				if err := j.one(e); err != nil {
					return err
				}
				continue
			}
			depth++
			if e.Name.Local == "testsuite" {
				j.suites = append(j.suites, attr(e, "name"))
			}
		case xml.EndElement:
			depth--
			if e.Name.Local == "testsuite" && len(j.suites) > 0 {
				j.suites = j.suites[:len(j.suites)-1]
			}
		}
	}
}

// weight orders the results of a case.
var weight = map[string]int{CasePassed: 0, CaseSkipped: 1, CaseFailed: 2, CaseError: 3}

// one reads a test case up to its end.
func (j *junit) one(start xml.StartElement) error {
	line, _ := j.d.InputPos()
	c := &TestCase{Pos: j.x.at(line, ""), Class: attr(start, "classname"), Name: attr(start, "name"), File: attr(start, "file"), Status: CasePassed}
	c.Suite = strings.Join(j.suites, "/")
	c.Duration = junitTime(attr(start, "time"))
	var text strings.Builder
	var current string
	for depth := 1; depth > 0; {
		t, err := j.d.Token()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = errors.New("the document does not end")
			}
			return err
		}
		switch e := t.(type) {
		case xml.StartElement:
			depth++
			status := ""
			switch e.Name.Local {
			case "failure":
				status = CaseFailed
			case "error":
				status = CaseError
			case "skipped":
				status = CaseSkipped
			case "rerunFailure", "rerunError", "flakyFailure", "flakyError":
				c.Reruns++
			}
			if status != "" && depth == 2 {
				if weight[status] > weight[c.Status] {
					c.Status, current = status, e.Name.Local
					c.Message = attr(e, "message")
					text.Reset()
				}
			}
		case xml.CharData:
			if current != "" && depth == 2 && text.Len() < 64<<10 {
				text.Write(e)
			}
		case xml.EndElement:
			depth--
			if e.Name.Local == current {
				current = ""
			}
		}
	}
	c.Output = strings.TrimSpace(text.String())
	j.cases++
	return j.x.put(c)
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// junitTime reads seconds, with thousands commas in some tools.
func junitTime(s string) *time.Duration {
	f, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
	if err != nil || f < 0 || f > 1e9 {
		return nil
	}
	return ptr(time.Duration(f * float64(time.Second)))
}

// cleanXML replaces broken UTF-8 and control characters that XML forbids, which
// test output is full of, by a replacement that the decoder accepts.
type cleanXML struct {
	r    io.Reader
	buf  []byte
	held []byte
	err  error
}

func (c *cleanXML) Read(p []byte) (int, error) {
	for len(c.held) == 0 {
		if c.err != nil {
			return 0, c.err
		}
		if cap(c.buf) == 0 {
			c.buf = make([]byte, 0, 32<<10)
		}
		n, err := c.r.Read(c.buf[len(c.buf):cap(c.buf)])
		c.buf = c.buf[:len(c.buf)+n]
		c.err = err
		c.clean(err != nil)
	}
	n := copy(p, c.held)
	c.held = c.held[n:]
	return n, nil
}

// clean moves whole characters from buf to held.
func (c *cleanXML) clean(last bool) {
	out := make([]byte, 0, len(c.buf)+16)
	b := c.buf
	for len(b) > 0 {
		if !last && !utf8.FullRune(b) {
			break
		}
		r, n := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && n == 1:
			out = append(out, "\uFFFD"...)
		case r < 0x20 && r != '\t' && r != '\n' && r != '\r', r == 0xFFFE, r == 0xFFFF:
			out = append(out, "\uFFFD"...)
		default:
			out = append(out, b[:n]...)
		}
		b = b[n:]
	}
	rest := copy(c.buf[:cap(c.buf)], b)
	c.buf = c.buf[:rest]
	c.held = out
}

// latin1 turns single-byte text into UTF-8.
type latin1 struct{ r io.Reader }

func (l *latin1) Read(p []byte) (int, error) {
	in := make([]byte, max(len(p)/2, 1))
	if len(p) < 2 {
		return 0, io.ErrShortBuffer
	}
	n, err := l.r.Read(in)
	out := p[:0]
	for _, c := range in[:n] {
		out = utf8.AppendRune(out, rune(c))
	}
	return len(out), err
}
