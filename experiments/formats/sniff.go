package formats

import (
	"path"
	"strings"
)

// Confidence says how sure Sniff is.
type Confidence int

// Confidences. Weak means that only the name or a loose pattern speaks for it.
const (
	None Confidence = iota
	Weak
	Likely
	Certain
)

// Sniff decides the format of a file from its leading bytes. The path matters
// only where contents cannot tell (one JSON line is JSON and JSON lines alike;
// analyzers print the same lines). head should have up to SniffLen bytes.
func Sniff(filePath string, head []byte) (Format, Confidence) {
	l := examine(filePath, path.Base(filePath), head)
	for _, f := range order {
		sp := registry[f]
		if sp.match == nil {
			continue
		}
		if c := sp.match(l); c > None {
			return f, c
		}
	}
	if l.json != nil {
		if l.jsonl() {
			return JSONLOther, Weak
		}
		return JSONOther, Weak
	}
	return Text, Weak
}

// jsonl reports whether a file that starts with a JSON value is to be read as
// JSON lines: further lines hold values, or the name says so and the first value
// does not go over its line.
func (l *look) jsonl() bool {
	if l.strictLines {
		return true
	}
	if !l.namedLines() {
		return false
	}
	return !l.indented()
}

// namedLines reports whether the name is one of JSON lines.
func (l *look) namedLines() bool {
	n := strings.ToLower(l.name)
	return strings.HasSuffix(n, ".jsonl") || strings.HasSuffix(n, ".ndjson")
}

// indented reports whether the first value spans lines.
func (l *look) indented() bool {
	t := strings.TrimLeft(l.text, " \t\r\n")
	nl := strings.IndexByte(t, '\n')
	return nl >= 0 && strings.TrimSpace(t[1:min(nl, 4)]) == "" && strings.TrimSpace(t[nl:]) != ""
}

// lower is the lower-cased file name.
func (l *look) lower() string { return strings.ToLower(l.name) }
