package formats

import (
	"bytes"
	"errors"

	"plumbline/experiments/formats/jsonpull"
)

// shape is the outline of the JSON value at the start of a file: the keys that
// the head shows, two levels of what is under them, and short texts. It may be
// cut off anywhere; what was seen up to there counts.
type shape struct {
	kind jsonpull.Kind
	text string // a text of at most maxShapeText bytes, a number, true or false
	keys []string
	sub  map[string]*shape
	elem *shape // first element of an array
	// elems is the number of elements seen of an array.
	elems int
	// whole says that the value ended inside the head.
	whole bool
}

const (
	maxShapeText  = 200
	maxShapeDepth = 5
	maxShapeKeys  = 400
)

var errCut = errors.New("cut")

// outline reads the shape of a value.
func outline(r *jsonpull.Reader, depth int) (*shape, error) {
	k, err := r.Kind()
	if err != nil {
		return nil, err
	}
	s := &shape{kind: k}
	switch {
	case k == jsonpull.Object && depth < maxShapeDepth:
		s.sub = map[string]*shape{}
		err = r.Object(func(key string) error {
			if len(s.keys) < maxShapeKeys {
				s.keys = append(s.keys, key)
			}
			sub, err := outline(r, depth+1)
			if sub != nil && len(s.sub) < maxShapeKeys {
				s.sub[key] = sub
			}
			return err
		})
	case k == jsonpull.Array && depth < maxShapeDepth:
		err = r.Array(func(i int) error {
			s.elems++
			if i > 2 {
				return r.Skip()
			}
			e, err := outline(r, depth+1)
			if i == 0 {
				s.elem = e
			}
			return err
		})
	case k == jsonpull.String:
		var t string
		if t, err = r.Text(); len(t) <= maxShapeText {
			s.text = t
		}
	case k == jsonpull.Numeric || k == jsonpull.Bool:
		var v any
		v, err = r.Value()
		switch t := v.(type) {
		case jsonpull.Number:
			s.text = string(t)
		case bool:
			s.text = map[bool]string{true: "true", false: "false"}[t]
		}
	default:
		err = r.Skip()
	}
	s.whole = err == nil
	return s, err
}

// has reports whether all keys are there.
func (s *shape) has(keys ...string) bool {
	if s == nil {
		return false
	}
	for _, k := range keys {
		if _, ok := s.sub[k]; !ok {
			return false
		}
	}
	return true
}

// any reports whether one of the keys is there.
func (s *shape) any(keys ...string) bool {
	for _, k := range keys {
		if s.has(k) {
			return true
		}
	}
	return false
}

// at is the shape under a key, an empty one when absent.
func (s *shape) at(key string) *shape {
	if s != nil {
		if t, ok := s.sub[key]; ok && t != nil {
			return t
		}
	}
	return &shape{}
}

// first is the shape under the first key, with the key.
func (s *shape) first() (string, *shape) {
	if s == nil || len(s.keys) == 0 {
		return "", &shape{}
	}
	return s.keys[0], s.at(s.keys[0])
}

func (s *shape) isObject() bool { return s != nil && s.kind == jsonpull.Object }
func (s *shape) isArray() bool  { return s != nil && s.kind == jsonpull.Array }
func (s *shape) isText() bool   { return s != nil && s.kind == jsonpull.String }

// item is the first element of an array, an empty shape when there is none.
func (s *shape) item() *shape {
	if s == nil || s.elem == nil {
		return &shape{}
	}
	return s.elem
}

// look is everything a sniffing rule may use.
type look struct {
	name  string // last part of the path
	path  string
	head  []byte
	text  string // head without byte order mark, as text
	json  *shape // nil when the head does not start with a JSON value
	lines bool   // a second JSON value follows on a later line, or the name says JSON lines
	// strictLines says that further lines are values of their own.
	strictLines bool
	second      *shape
}

// examine prepares the head of a file for the rules.
func examine(path, name string, head []byte) *look {
	l := &look{name: name, path: path, head: head}
	t := bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	l.text = string(t)
	utf16 := len(head) > 1 && (head[0] == 0xff && head[1] == 0xfe || head[0] == 0xfe && head[1] == 0xff)
	trimmed := bytes.TrimLeft(t, " \t\r\n")
	if !utf16 && (len(trimmed) == 0 || trimmed[0] != '{' && trimmed[0] != '[') {
		return l
	}
	r := jsonpull.New(bytes.NewReader(head))
	s, err := outline(r, 0)
	if s == nil || (s.kind != jsonpull.Object && s.kind != jsonpull.Array) {
		return l
	}
	if err != nil && len(s.keys) == 0 && (s.elem == nil || s.elem.kind == jsonpull.Invalid) {
		return l // a text that starts with a bracket
	}
	l.json = s
	if err == nil {
		if k, err := r.Kind(); err == nil && (k == jsonpull.Object || k == jsonpull.Array) {
			l.lines, l.strictLines = true, true
			l.second, _ = outline(r, 0)
		}
	}
	return l
}
