package jsonpull_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/formats/jsonpull"
)

func TestValue(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		want     any
		relaxed  bool
	}{
		{name: "object", in: `{"a": [1, -2.5e3, true, null, "x"]}`, want: map[string]any{"a": []any{jsonpull.Number("1"), jsonpull.Number("-2.5e3"), true, nil, "x"}}},
		{name: "byte order mark", in: "\xef\xbb\xbf[]", want: []any{}},
		{name: "UTF-16 little endian", in: "\xff\xfe[\x00\"\x00\xe4\x00\"\x00]\x00", want: []any{"ä"}},
		{name: "not finite", in: `[NaN, Infinity, -Infinity]`, want: []any{jsonpull.Number("NaN"), jsonpull.Number("Infinity"), jsonpull.Number("-Infinity")}},
		{name: "escapes", in: `"\n\t\"\\\/\u00e4\ud83d\ude00"`, want: "\n\t\"\\/ä😀"},
		{name: "lone surrogates", in: `"\ud800x\udc00\ud800\ud83d\ude00"`, want: "\uFFFDx\uFFFD\uFFFD😀"},
		{name: "NUL", in: `"a\u0000b"`, want: "a\x00b"},
		{name: "broken UTF-8", in: "\"a\xffb\"", want: "a\uFFFDb"},
		{name: "raw tab", in: "\"a\tb\"", want: "a\tb"},
		{name: "line separator is text", in: "\"a\u2028b\"", want: "a\u2028b"},
		{name: "trailing comma", in: "[1,\n2,\n]", want: []any{jsonpull.Number("1"), jsonpull.Number("2")}, relaxed: true},
		{name: "repeated key", in: `{"a":1,"a":2}`, want: map[string]any{"a": jsonpull.Number("2")}},
		{name: "wide number", in: `123456789012345678901234567890`, want: jsonpull.Number("123456789012345678901234567890")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := jsonpull.New(strings.NewReader(tt.in))
			got, err := r.Value()
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			if (r.Relaxed != nil) != tt.relaxed {
				t.Errorf("relaxed: %v", r.Relaxed)
			}
		})
	}
}

func TestErrorsHavePlaces(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in     string
		line, column int
	}{
		{"cut off", "{\"a\": [1,\n 2", 2, 3},
		{"no comma", "{\"a\": 1\n \"b\": 2}", 2, 2},
		{"bare word", `{"a": yes}`, 1, 7},
		{"string cut off", `["abc`, 1, 6},
		{"leading zero minus", `[-]`, 1, 3},
		{"too deep", strings.Repeat("[", 600), 1, 513},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := jsonpull.New(strings.NewReader(tt.in)).Value()
			var se *jsonpull.SyntaxError
			if !errors.As(err, &se) {
				t.Fatalf("got %v, want a syntax error", err)
			}
			if se.Line != tt.line || se.Column != tt.column {
				t.Errorf("got %d:%d, want %d:%d (%v)", se.Line, se.Column, tt.line, tt.column, err)
			}
		})
	}
}

func TestLinesStayApart(t *testing.T) {
	t.Parallel()
	in := "{\"a\":1}\r\n\n{\"a\":\n{\"a\":\"cut\n{\"a\":2}"
	r := jsonpull.NewLines(strings.NewReader(in))
	var got []string
	for {
		k, err := r.Kind()
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case k == jsonpull.End:
			got = append(got, "blank")
		default:
			if v, err := r.Value(); err != nil {
				got = append(got, "bad")
			} else {
				got = append(got, string(v.(map[string]any)["a"].(jsonpull.Number)))
			}
		}
		more, err := r.NextLine()
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			break
		}
	}
	if d := cmp.Diff([]string{"1", "blank", "bad", "bad", "2"}, got); d != "" {
		t.Error(d)
	}
}

func TestSkipAndLongStrings(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789abcde\n", 3<<16)
	in := `{"skip": {"deep": ["` + strings.ReplaceAll(long, "\n", `\n`) + `"]}, "keep": "` + strings.ReplaceAll(long, "\n", `\n`) + `"}`
	var got string
	r := jsonpull.New(strings.NewReader(in))
	err := r.Object(func(key string) (err error) {
		if key == "keep" {
			got, err = r.Text()
			return err
		}
		return r.Skip()
	})
	if err != nil {
		t.Fatal(err)
	}
	if got != long {
		t.Errorf("got %d bytes, want %d", len(got), len(long))
	}
}

func FuzzValue(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5,true,null,"x\u00e4"]}`, "[1,\n]", "\xff\xfe[\x00", `"\ud800`, "NaN", "{\"a\":1}\n{"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := jsonpull.New(strings.NewReader(string(b))).Value(); err == nil {
			if err := jsonpull.New(strings.NewReader(string(b))).Skip(); err != nil {
				t.Errorf("value was read but skip fails: %v", err)
			}
		}
		r := jsonpull.NewLines(strings.NewReader(string(b)))
		for range len(b) + 1 {
			_, _ = r.Value()
			if more, err := r.NextLine(); err != nil || !more {
				return
			}
		}
		t.Error("more lines than bytes")
	})
}
