package formats

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"plumbline/experiments/formats/jsonpull"
)

// Small readers for JSON trees. Each gives the zero value when the key is absent
// or holds another kind.

type object = map[string]any

func obj(v any) object { m, _ := v.(object); return m }

func list(v any) []any { a, _ := v.([]any); return a }

func str(v any) string { s, _ := v.(string); return s }

// first returns the first non-empty text among the keys.
func first(m object, keys ...string) string {
	for _, k := range keys {
		if s := str(m[k]); s != "" {
			return s
		}
	}
	return ""
}

// text of a value that may be a text or a number.
func label(v any) string {
	switch t := v.(type) {
	case string:
		return t
	case jsonpull.Number:
		return string(t)
	}
	return ""
}

func boolean(v any) *bool {
	if b, ok := v.(bool); ok {
		return &b
	}
	return nil
}

func float(v any) *float64 {
	if n, ok := v.(jsonpull.Number); ok {
		if f, ok := n.Float(); ok {
			return &f
		}
	}
	return nil
}

func integer(v any) *int64 {
	if n, ok := v.(jsonpull.Number); ok {
		if i, ok := n.Int(); ok {
			return &i
		}
	}
	return nil
}

// count is a whole number as int, 0 when absent.
func whole(v any) int {
	if i := integer(v); i != nil {
		return int(*i)
	}
	return 0
}

// texts is a list of texts; other elements are left out.
func texts(v any) []string {
	var out []string
	for _, e := range list(v) {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// content joins the text of a message content: a text, or a list of parts with
// text in them.
func content(v any) string {
	switch t := v.(type) {
	case string:
		return t
	case []any:
		var parts []string
		for _, e := range t {
			switch p := e.(type) {
			case string:
				parts = append(parts, p)
			case object:
				if s, ok := p["text"].(string); ok {
					parts = append(parts, s)
				}
			}
		}
		return strings.Join(parts, "\n")
	}
	return ""
}

func ptr[T any](v T) *T { return &v }

// compact writes a tree as JSON text, for actions and observations that are data.
// Empty values give an empty text.
func compact(v any) string {
	switch t := v.(type) {
	case nil:
		return ""
	case string:
		return t
	case object:
		if len(t) == 0 {
			return ""
		}
	case []any:
		if len(t) == 0 {
			return ""
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "" // a tree of our own kinds always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// total adds numbers that may be unknown: nil until one is known.
type total struct{ sum *float64 }

func (t *total) add(v *float64) {
	if v == nil {
		return
	}
	if t.sum == nil {
		t.sum = new(float64)
	}
	*t.sum += *v
}

// tokens is total for whole numbers.
type tokens struct{ sum *int64 }

func (t *tokens) add(v *int64) {
	if v == nil {
		return
	}
	if t.sum == nil {
		t.sum = new(int64)
	}
	*t.sum += *v
}

// seconds turns a number of seconds into a duration, nil when v is no number.
func seconds(v any) *time.Duration {
	f := float(v)
	if f == nil || *f < 0 || *f > 1e9 {
		return nil
	}
	return ptr(time.Duration(*f * float64(time.Second)))
}
