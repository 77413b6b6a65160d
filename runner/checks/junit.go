package checks

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// junitCase is a case of a JUnit report. There is no schema: the counts in its
// attributes are often wrong, suites nest, and one case may have several results,
// of which the heaviest counts.
type junitCase struct {
	suites            []string // from the root
	class, name, file string
	result            string // passed, skipped, failure or error
	kind              string // the attribute type of the result
	message, text     string
	duration          *time.Duration
}

var junitWeight = map[string]int{"passed": 0, "skipped": 1, "failure": 2, "error": 3}

// readJUnit reads the cases that stand before the first fault of the document; the
// error tells the fault.
func readJUnit(raw []byte) ([]junitCase, error) {
	d := xml.NewDecoder(bytes.NewReader(legalXML(raw)))
	d.Strict = true
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	var cases []junitCase
	var suites []string
	root := ""
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			if root == "" {
				return nil, errors.New("the report is empty")
			}
			return cases, nil
		}
		if err != nil {
			return cases, err
		}
		switch e := t.(type) {
		case xml.StartElement:
			if root == "" {
				root = e.Name.Local
				if root != "testsuites" && root != "testsuite" {
					return nil, fmt.Errorf("the root element is %q and not of JUnit", root)
				}
			}
			switch e.Name.Local {
			case "testsuite":
				suites = append(suites, attribute(e, "name"))
			case "testcase":
				c, err := readCase(d, e)
				if err != nil {
					return cases, err
				}
				c.suites = append([]string(nil), suites...)
				cases = append(cases, c)
			}
		case xml.EndElement:
			if e.Name.Local == "testsuite" && len(suites) > 0 {
				suites = suites[:len(suites)-1]
			}
		}
	}
}

// readCase reads a case up to its end.
func readCase(d *xml.Decoder, start xml.StartElement) (junitCase, error) {
	c := junitCase{class: attribute(start, "classname"), name: attribute(start, "name"), file: attribute(start, "file"), result: "passed"}
	if f, err := strconv.ParseFloat(attribute(start, "time"), 64); err == nil && f >= 0 && f < 1e9 {
		dur := time.Duration(f * float64(time.Second))
		c.duration = &dur
	}
	var text strings.Builder
	in := ""
	for depth := 1; depth > 0; {
		t, err := d.Token()
		if err != nil {
			return c, err
		}
		switch e := t.(type) {
		case xml.StartElement:
			depth++
			w, ok := junitWeight[e.Name.Local]
			// An expected failure is marked as skipped beside the failure.
			if ok && depth == 2 && w > junitWeight[c.result] && c.kind != "todo" {
				c.result, c.kind, c.message, in = e.Name.Local, attribute(e, "type"), attribute(e, "message"), e.Name.Local
				text.Reset()
			}
		case xml.CharData:
			if in != "" && depth == 2 && text.Len() < 64<<10 {
				text.Write(e)
			}
		case xml.EndElement:
			depth--
			if e.Name.Local == in {
				in = ""
			}
		}
	}
	c.text = strings.TrimSpace(text.String())
	return c, nil
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// legalXML replaces bytes that no XML document may hold and that test output is
// full of.
func legalXML(raw []byte) []byte {
	ok := utf8.Valid(raw)
	for _, c := range raw {
		ok = ok && (c >= 0x20 || c == '\n' || c == '\t' || c == '\r')
	}
	if ok {
		return raw
	}
	return bytes.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return utf8.RuneError
		}
		return r
	}, raw)
}
