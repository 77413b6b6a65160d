package visible

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in string
		want     []Run
	}{
		{"empty", "", nil},
		{"plain with tab and newline", "a\tb\nc é 漢字", []Run{{Text: "a\tb\nc é 漢字"}}},
		{"bidi override", "if\u202e admin", []Run{{Text: "if"}, {Class: Box, Text: "U+202E", Title: "right-to-left override"}, {Text: " admin"}}},
		{"a run of NUL is one box", "a\x00\x00\x00", []Run{{Text: "a"}, {Class: Box, Text: "U+0000×3", Title: "null"}}},
		{"stored NUL", "\ufffd", []Run{{Class: Box, Text: "U+FFFD", Title: "replacement character: a byte or NUL that could not be stored"}}},
		{"invalid byte", "x\xffy", []Run{{Text: "x"}, {Class: Box, Text: `\xff`, Title: "byte that is not valid UTF-8"}, {Text: "y"}}},
		{"carriage return", "a\r\n", []Run{{Text: "a"}, {Class: Box, Text: "CR", Title: "carriage return"}, {Text: "\n"}}},
		{"joiner in Latin", "ad\u200dmin", []Run{{Text: "ad"}, {Class: Box, Text: "U+200D", Title: "zero width joiner"}, {Text: "min"}}},
		{"joiner inside an emoji", "👨\u200d👩", []Run{{Text: "👨\u200d👩"}}},
		{"joiner at the end", "क\u200d", []Run{{Text: "क"}, {Class: Box, Text: "U+200D", Title: "zero width joiner"}}},
		{"C1 control", "\u0085", []Run{{Class: Box, Text: "U+0085", Title: "control character"}}},
		{"tag character", "\U000E0041", []Run{{Class: Box, Text: "U+E0041", Title: "tag character"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, Split(tt.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTextEscapes(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := Text("<script>\x1b\"'&").Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	want := `&lt;script&gt;<span class="ctl" title="escape">U+001B</span>&#34;&#39;&amp;`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestString(t *testing.T) {
	t.Parallel()
	if got := String("a\u202eb"); got != "a[U+202E]b" {
		t.Errorf("String = %q", got)
	}
}

func TestCutKeepsCharactersWhole(t *testing.T) {
	t.Parallel()
	got, cut := Cut("aé", 2)
	if got != "a" || !cut {
		t.Errorf("Cut = %q, %v", got, cut)
	}
	if got, cut := Cut("aé", 3); got != "aé" || cut {
		t.Errorf("Cut = %q, %v", got, cut)
	}
}

func BenchmarkPlain(b *testing.B) {
	s := strings.Repeat("x := map[string]int{\"é\": 1}\n", 1<<16)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		if !Plain(s) {
			b.Fatal("not plain")
		}
	}
}
