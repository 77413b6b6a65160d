package export

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
)

// Form is how a table is written.
type Form string

// Forms of tables.
const (
	CSV     Form = "csv"
	JSONL   Form = "jsonl"
	Parquet Form = "parquet"
)

// Table takes the rows of one file. Close ends the file, not the writer below it.
type Table[T any] interface {
	Put(T) error
	Close() error
}

// NewTable starts a file of rows of type T, whose exported fields are its columns by
// their JSON names. Texts are made valid UTF-8 and numbers that are none become
// unknown. Errors are of w.
func NewTable[T any](f Form, w io.Writer) (Table[T], error) {
	switch f {
	case CSV:
		return newCSV[T](w)
	case JSONL:
		return newJSONL[T](w), nil
	case Parquet:
		return newParquet[T](w), nil
	}
	return nil, fmt.Errorf("a table cannot be written as %q", f)
}

// Columns are the names of the columns of a row type, in order.
func Columns[T any]() []string {
	t := reflect.TypeFor[T]()
	out := make([]string, t.NumField())
	for i := range out {
		out[i], _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
	}
	return out
}

// scrub makes a row one that every form can hold.
func scrub(row reflect.Value) {
	for i := range row.NumField() {
		f := row.Field(i)
		switch {
		case f.Kind() == reflect.String:
			f.SetString(plain(f.String()))
		case f.Kind() == reflect.Pointer && !f.IsNil() && f.Elem().Kind() == reflect.Float64:
			if x := f.Elem().Float(); math.IsNaN(x) || math.IsInf(x, 0) {
				f.SetZero()
			}
		}
	}
}

// fields are the columns of a row by name, scrubbed.
func fields[T any](row *T) map[string]any {
	v := reflect.ValueOf(row).Elem()
	scrub(v)
	out := make(map[string]any, v.NumField())
	for i, name := range Columns[T]() {
		out[name] = v.Field(i).Interface()
	}
	return out
}

func plain(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

func failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("write the export: %w", err)
}
