package formats

import (
	"strings"

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
