package export

import (
	"encoding/csv"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// CSV with commas, a line of names first, lines ending in a line feed, texts quoted
// where RFC 4180 wants it.

type csvTable[T any] struct {
	out   *csv.Writer
	cells []string
}

func newCSV[T any](w io.Writer) (*csvTable[T], error) {
	t := &csvTable[T]{out: csv.NewWriter(w)}
	names := Columns[T]()
	t.cells = make([]string, len(names))
	return t, failed(t.out.Write(names))
}

func (t *csvTable[T]) Put(row T) error {
	v := reflect.ValueOf(&row).Elem()
	scrub(v)
	for i := range t.cells {
		t.cells[i] = cell(v.Field(i))
	}
	return failed(t.out.Write(t.cells))
}

func (t *csvTable[T]) Close() error {
	t.out.Flush()
	return failed(t.out.Error())
}

// cell writes a value so that it reads back the same; unknown is empty.
func cell(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return cell(v.Elem())
	case reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	}
	return PlainCell(v.String())
}

// marks begin a formula in a spreadsheet; the last one is the guard itself.
const marks = "=+-@\t\r'"

// PlainCell keeps a spreadsheet from running a text as a formula: one that begins
// like a formula, or with an apostrophe, gets an apostrophe in front. Readers of
// these files take off one that stands before such a character.
func PlainCell(s string) string {
	if s != "" && strings.ContainsAny(s[:1], marks) {
		return "'" + s
	}
	return s
}
