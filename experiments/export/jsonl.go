package export

import (
	"encoding/json"
	"io"
	"reflect"
)

// JSON lines, one object a line.

type jsonlTable[T any] struct{ enc *json.Encoder }

func newJSONL[T any](w io.Writer) *jsonlTable[T] {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &jsonlTable[T]{enc}
}

func (t *jsonlTable[T]) Put(row T) error {
	scrub(reflect.ValueOf(&row).Elem())
	return failed(t.enc.Encode(row))
}

func (t *jsonlTable[T]) Close() error { return nil }
