package jsonpull

import (
	"math"
	"strconv"
)

// Number is a number as written, also NaN, Infinity and -Infinity.
type Number string

// Float returns the number; ok is false when it is not finite or no number.
func (n Number) Float() (f float64, ok bool) {
	f, err := strconv.ParseFloat(string(n), 64)
	return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
}

// Int returns the number if it is whole and fits; 3.0 is whole.
func (n Number) Int() (int64, bool) {
	if i, err := strconv.ParseInt(string(n), 10, 64); err == nil {
		return i, true
	}
	f, ok := n.Float()
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// Object walks an object. fn is called with each key and must consume the value.
func (r *Reader) Object(fn func(key string) error) error {
	return r.walk('{', '}', "object", func(int) error {
		c, ok, err := r.space()
		if err != nil {
			return err
		}
		if !ok || c != '"' {
			return r.fail("expected a key")
		}
		key, err := r.Text()
		if err != nil {
			return err
		}
		c, ok, err = r.space()
		if err != nil {
			return err
		}
		if !ok || c != ':' {
			return r.fail("expected a colon after key %q", short(key))
		}
		r.take(c)
		return fn(key)
	})
}

// Array walks an array. fn is called with each index and must consume the value.
func (r *Reader) Array(fn func(i int) error) error { return r.walk('[', ']', "array", fn) }

func (r *Reader) walk(open, end byte, what string, element func(i int) error) error {
	c, ok, err := r.space()
	if err != nil {
		return err
	}
	if !ok || c != open {
		return r.fail("expected an %s", what)
	}
	if r.depth++; r.depth > MaxDepth {
		return r.fail("nested deeper than %d", MaxDepth)
	}
	r.take(c)
	for i := 0; ; i++ {
		if c, ok, err = r.space(); err != nil {
			return err
		}
		if !ok {
			return r.fail("the %s does not end", what)
		}
		if c == end {
			r.take(c)
			r.depth--
			return nil
		}
		if i > 0 {
			if c != ',' {
				return r.fail("expected a comma or %q, found %q", end, rune(c))
			}
			r.take(c)
			if c, ok, err = r.space(); err != nil {
				return err
			}
			if ok && c == end {
				if r.Relaxed == nil {
					r.Relaxed = &SyntaxError{Line: r.line, Column: r.col + 1, Msg: "comma after the last element"}
				}
				continue
			}
		}
		if err := element(i); err != nil {
			return err
		}
	}
}

// Value reads the next value as a tree of map[string]any, []any, string, Number,
// bool and nil. Of a repeated key the last value stays.
func (r *Reader) Value() (any, error) {
	k, err := r.Kind()
	if err != nil {
		return nil, err
	}
	switch k {
	case Object:
		m := map[string]any{}
		err := r.Object(func(key string) error {
			v, err := r.Value()
			m[key] = v
			return err
		})
		return m, err
	case Array:
		a := []any{}
		err := r.Array(func(int) error {
			v, err := r.Value()
			a = append(a, v)
			return err
		})
		return a, err
	case String:
		return r.Text()
	case Numeric:
		return r.number()
	case Bool, Null:
		return r.word()
	case End:
		return nil, r.fail("expected a value")
	}
	c, _, _ := r.peek()
	return nil, r.fail("unexpected %q", rune(c))
}

// Skip reads the next value and forgets it.
func (r *Reader) Skip() error {
	k, err := r.Kind()
	if err != nil {
		return err
	}
	switch k {
	case Object:
		return r.Object(func(string) error { return r.Skip() })
	case Array:
		return r.Array(func(int) error { return r.Skip() })
	case String:
		_, err = r.text(false)
		return err
	}
	_, err = r.Value()
	return err
}

// word reads true, false or null.
func (r *Reader) word() (any, error) {
	w, err := r.run(func(c byte) bool { return c >= 'a' && c <= 'z' }, 8)
	switch {
	case err != nil:
		return nil, err
	case w == "true":
		return true, nil
	case w == "false":
		return false, nil
	case w == "null":
		return nil, nil
	}
	return nil, r.fail("unknown word %q", w)
}

// number reads a number, NaN or an infinity.
func (r *Reader) number() (Number, error) {
	w, err := r.run(func(c byte) bool {
		return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}, 4096)
	if err != nil {
		return "", err
	}
	switch w {
	case "NaN", "Infinity", "-Infinity":
		return Number(w), nil
	}
	if !numeric(w) {
		return "", r.fail("malformed number %q", short(w))
	}
	return Number(w), nil
}

// numeric checks the JSON grammar of a number.
func numeric(s string) bool {
	i := 0
	digits := func() bool {
		from := i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(s) && s[i] == '-' {
		i++
	}
	if !digits() {
		return false
	}
	if i < len(s) && s[i] == '.' {
		if i++; !digits() {
			return false
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '-' || s[i] == '+') {
			i++
		}
		if !digits() {
			return false
		}
	}
	return i == len(s)
}

// run collects bytes of a class, at most limit.
func (r *Reader) run(in func(byte) bool, limit int) (string, error) {
	var b []byte
	for {
		c, ok, err := r.peek()
		if err != nil {
			return "", err
		}
		if !ok || !in(c) {
			return string(b), nil
		}
		if len(b) >= limit {
			return "", r.fail("word too long")
		}
		r.take(c)
		b = append(b, c)
	}
}

func short(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// MarshalJSON writes the number as it was; what JSON cannot say becomes null.
func (n Number) MarshalJSON() ([]byte, error) {
	if !numeric(string(n)) {
		return []byte("null"), nil
	}
	return []byte(n), nil
}
