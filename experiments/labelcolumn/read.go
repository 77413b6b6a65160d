package labelcolumn

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"plumbline/experiments/formats"
	"plumbline/experiments/formats/jsonpull"
	"plumbline/experiments/patch"
	"plumbline/experiments/trace"
)

// Row is one record that has the column. What it says of the attempt is empty where
// it says nothing.
type Row struct {
	Line        int    // in the file, or the number of the record where there are no lines
	InstanceID  string // empty: the label belongs to nothing
	Model       string
	Agent       string
	Attempt     int
	PatchSHA256 string // of the submitted patch that stands in the same record
	Value       string // as it stands
}

// Read reads the records of a file and calls emit for those that have the column, in
// their order. A column of a JSON record may lie deeper: info.resolved. A file that
// is no table gives no record. A record that cannot be read is given to fault, with
// its line, and reading goes on; after a fault of the whole document it ends. The
// error is one of r or of emit.
func Read(r io.Reader, column string, emit func(Row) error, fault func(line int, message string)) error {
	br := bufio.NewReaderSize(r, 64<<10)
	head, err := br.Peek(64 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	t := &table{column: column, emit: emit, fault: fault}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	switch {
	case len(text) == 0:
		return nil
	case text[0] == '[':
		return t.document(jsonpull.New(br))
	case text[0] == '{' && oneLine(text):
		return t.lines(jsonpull.NewLines(br))
	case text[0] == '{':
		return t.document(jsonpull.New(br))
	}
	return t.csv(br)
}

// oneLine reports whether the first object ends on its line and another value
// follows, or the line is longer than what was looked at.
func oneLine(head []byte) bool {
	line, rest, more := bytes.Cut(head, []byte("\n"))
	line = bytes.TrimRight(line, " \t\r")
	if !more {
		return len(head) >= 60<<10
	}
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(line) > 1 && line[len(line)-1] == '}' && (len(rest) == 0 || rest[0] == '{')
}

type table struct {
	column string
	emit   func(Row) error
	fault  func(line int, message string)
	stop   error
}

func (t *table) put(row Row) error {
	t.stop = t.emit(row)
	return t.stop
}

// broken tells a fault of the text, and gives back any other error.
func (t *table) broken(err error) error {
	var se *jsonpull.SyntaxError
	if t.stop != nil || !errors.As(err, &se) {
		return err
	}
	t.fault(se.Line, fmt.Sprintf("not valid JSON at column %d: %s", se.Column, se.Msg))
	return nil
}

func (t *table) lines(r *jsonpull.Reader) error {
	for {
		k, err := r.Kind()
		if err == nil && k != jsonpull.End {
			line := r.Line()
			var v any
			if v, err = r.Value(); err == nil {
				err = t.object(line, "", v)
			}
		}
		if err := t.broken(err); err != nil {
			return err
		}
		more, err := r.NextLine()
		if err != nil || !more {
			return err
		}
	}
}

// document reads an array of records, an object keyed by instance, or one record.
func (t *table) document(r *jsonpull.Reader) error {
	k, err := r.Kind()
	if err != nil {
		return t.broken(err)
	}
	one := func(key string) error {
		line := r.Line()
		v, err := r.Value()
		if err != nil {
			return err
		}
		return t.object(line, key, v)
	}
	if k == jsonpull.Array {
		return t.broken(r.Array(func(int) error { return one("") }))
	}
	// An object: of records if its values are objects, or else a record itself.
	self := map[string]any{}
	outer, _, _ := strings.Cut(t.column, ".")
	err = r.Object(func(key string) error {
		line := r.Line()
		v, err := r.Value()
		if err != nil {
			return err
		}
		inner, ok := v.(map[string]any)
		if _, there := field(inner, t.column); there {
			return t.object(line, key, v)
		}
		if !ok || key == outer {
			self[key] = v // of a keyed file nothing else is kept
		}
		return nil
	})
	if err != nil {
		return t.broken(err)
	}
	return t.object(1, "", self)
}

// object takes a record that has the column. key names the instance of a record
// that does not say it itself.
func (t *table) object(line int, key string, v any) error {
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	val, there := field(m, t.column)
	if !there {
		return nil
	}
	row := Row{Line: line, Value: word(val), InstanceID: first(m, "instance_id", "instanceId"), Model: first(m, "model_name_or_path", "model_name", "model"), Agent: first(m, "agent")}
	if row.InstanceID == "" {
		row.InstanceID = key
	}
	if n, ok := m["attempt"].(jsonpull.Number); ok {
		if i, ok := n.Int(); ok && i > 0 && i < 1<<20 {
			row.Attempt = int(i)
		}
	}
	row.PatchSHA256 = patchHash(first(m, "model_patch", "fix_patch"))
	return t.put(row)
}

func patchHash(text string) string {
	if text == "" {
		return ""
	}
	return formats.Facts(patch.State(text), text).SHA256
}

// field finds a column by its name, or by a path of names with points between.
func field(m map[string]any, column string) (any, bool) {
	if v, ok := m[column]; ok {
		return v, true
	}
	name, rest, deeper := strings.Cut(column, ".")
	inner, ok := m[name].(map[string]any)
	if !deeper || !ok {
		return nil, false
	}
	return field(inner, rest)
}

func first(m map[string]any, names ...string) string {
	for _, n := range names {
		if s, ok := m[n].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// word is a value as a label may stand in it.
func word(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case string:
		return x
	case bool, jsonpull.Number:
		return fmt.Sprint(x)
	}
	return "a list or an object"
}

func (t *table) csv(br *bufio.Reader) error {
	if b, err := br.Peek(3); err == nil && string(b) == "\ufeff" {
		_, _ = br.Discard(3) // peeked
	}
	head, err := br.Peek(64 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	first, _, _ := strings.Cut(string(head), "\n")
	r := csv.NewReader(br)
	r.Comma, r.LazyQuotes, r.ReuseRecord, r.FieldsPerRecord = separator(first), true, true, -1
	names, err := r.Read()
	if err != nil {
		return t.csvError(err)
	}
	at := map[string]int{}
	for i, n := range names {
		at[strings.ToLower(strings.TrimSpace(n))] = i
	}
	col, ok := at[strings.ToLower(strings.TrimSpace(t.column))]
	if !ok {
		return nil
	}
	width := len(names)
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return t.csvError(err)
		}
		line, _ := r.FieldPos(0)
		if len(cells) != width {
			t.fault(line, fmt.Sprintf("%d cells, the first line names %d", len(cells), width))
			continue
		}
		cell := func(names ...string) string {
			for _, n := range names {
				if i, ok := at[n]; ok && cells[i] != "" {
					return strings.Clone(strings.ToValidUTF8(cells[i], "\ufffd"))
				}
			}
			return ""
		}
		row := Row{Line: line, Value: strings.Clone(cells[col]), InstanceID: cell("instance_id"), Model: cell("model_name_or_path", "model_name", "model"), Agent: cell("agent"), PatchSHA256: patchHash(cell("model_patch"))}
		if n, err := fmt.Sscanf(cell("attempt"), "%d", &row.Attempt); n != 1 || err != nil || row.Attempt < 0 {
			row.Attempt = 0
		}
		if err := t.put(row); err != nil {
			return err
		}
	}
}

func (t *table) csvError(err error) error {
	var pe *csv.ParseError
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.As(err, &pe):
		t.fault(pe.StartLine, "not readable as CSV: "+pe.Err.Error())
		return nil
	}
	return err
}

func separator(line string) rune {
	best, n := ',', strings.Count(line, ",")
	for _, c := range []rune{';', '\t'} {
		if k := strings.Count(line, string(c)); k > n {
			best, n = c, k
		}
	}
	return best
}

// Label is what a row says: ok is false for a blank, which says nothing.
func (r Row) Label() (label trace.Label, bucket trace.Bucket, ok bool, err error) {
	return Parse(r.Value)
}
