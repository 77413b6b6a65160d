package logview

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/google/go-cmp/cmp"

	"plumbline/web/components/visible"
)

func TestANSI(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in string
		want     []visible.Run
	}{
		{"plain", "ok", []visible.Run{{Text: "ok"}}},
		{"empty", "", nil},
		{"red then reset", "a\x1b[31mb\x1b[0mc", []visible.Run{{Text: "a"}, {Class: "f1", Text: "b"}, {Text: "c"}}},
		{"empty parameters reset", "\x1b[1;4mb\x1b[mc", []visible.Run{{Class: "ab au", Text: "b"}, {Text: "c"}}},
		{"bright on background", "\x1b[91;44mx", []visible.Run{{Class: "f9 b4", Text: "x"}}},
		{"256 colours become the nearest of 16", "\x1b[38;5;196mx", []visible.Run{{Class: "f9", Text: "x"}}},
		{"true colour", "\x1b[48;2;0;200;0mx", []visible.Run{{Class: "b2", Text: "x"}}},
		{"broken extended colour", "\x1b[38;5mx", []visible.Run{{Text: "x"}}},
		{"erase is dropped", "x\x1b[Ky", []visible.Run{{Text: "x"}, {Text: "y"}}},
		{"hyperlink is dropped", "\x1b]8;;http://x.test\x07link\x1b]8;;\x1b\\", []visible.Run{{Text: "link"}}},
		{"cursor movement is shown", "\x1b[2Ax", []visible.Run{{Class: "ctl", Text: "U+001B", Title: "escape"}, {Text: "[2Ax"}}},
		{"lone escape at the end", "x\x1b", []visible.Run{{Text: "x"}, {Class: "ctl", Text: "U+001B", Title: "escape"}}},
		{"number out of range", "\x1b[99999999999999999999mx", []visible.Run{{Text: "x"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, _ := ansi(nil, tt.in, style{})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := 1; i <= 1200; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	url := func(from int) string { return fmt.Sprintf("?from=%d", from) }
	for _, tt := range []struct {
		name                string
		text                string
		from                int
		first, last, total  int
		before, after, href string
	}{
		{"empty", "", 1, 0, 0, 0, "", "", ""},
		{"one line without end", "x", 0, 1, 1, 1, "", "", "#sL1"},
		{"blank line", "\n", 1, 1, 1, 1, "", "", "#sL1"},
		{"start", b.String(), 1, 1, 500, 1200, "", "?from=501", "?from=1#sL1"},
		{"middle", b.String(), 501, 501, 1000, 1200, "?from=1", "?from=1001", "?from=501#sL501"},
		{"end", b.String(), 1001, 1001, 1200, 1200, "?from=501", "", "?from=1001#sL1001"},
		{"beyond the end", b.String(), 9999, 1200, 1200, 1200, "?from=700", "", "?from=1200#sL1200"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := Window(tt.text, Options{ID: "s", From: tt.from, URL: url})
			if v.First != tt.first || v.Last() != tt.last || v.Total != tt.total || v.Before != tt.before || v.After != tt.after {
				t.Errorf("got first %d last %d total %d before %q after %q", v.First, v.Last(), v.Total, v.Before, v.After)
			}
			if len(v.Lines) > 0 && v.Lines[0].Href != tt.href {
				t.Errorf("href %q, want %q", v.Lines[0].Href, tt.href)
			}
		})
	}
}

func TestWindowCutsAndOverwrites(t *testing.T) {
	t.Parallel()
	v := Window("0%\r50%\r100%\r\n"+strings.Repeat("é", 3000), Options{ID: "s"})
	want := []visible.Run{{Class: "ctl", Text: "CR×2", Title: "earlier text on this line was overwritten on the terminal"}, {Text: "100%"}}
	if diff := cmp.Diff(want, v.Lines[0].Runs); diff != "" {
		t.Error(diff)
	}
	if got := v.Lines[1].CutBytes; got != 2000 {
		t.Errorf("cut %d bytes, want 2000", got)
	}
}

func TestColourGoesOnOverLines(t *testing.T) {
	t.Parallel()
	v := Window("\x1b[32ma\nb\x1b[0m\nc", Options{ID: "s"})
	var got []string
	for _, l := range v.Lines {
		got = append(got, l.Runs[0].Class)
	}
	if diff := cmp.Diff([]string{"f2", "f2", ""}, got); diff != "" {
		t.Error(diff)
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	root, ok := JSON(` {"b": [1.50, true, null], "a": "x"} `)
	if !ok {
		t.Fatal("not read")
	}
	want := Node{Open: "{", Children: []Node{
		{Key: "b", Open: "[", Children: []Node{{Value: "1.50"}, {Value: "true"}, {Value: "null"}}},
		{Key: "a", Value: "x", IsString: true},
	}}
	if diff := cmp.Diff(want, root); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"", "x", "{", `{"a":1} trailing`, `"scalar"`, strings.Repeat("[", 100) + strings.Repeat("]", 100), "[" + strings.Repeat("1,", 5000) + "1]"} {
		if _, ok := JSON(bad); ok {
			t.Errorf("JSON(%.20q) was read", bad)
		}
	}
}

func render(t testing.TB, c templ.Component) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestLogAddsNoSpaceToLines(t *testing.T) {
	t.Parallel()
	got := render(t, Log(Window("  a\x1b[31m<b>\x1b[0m c\x00", Options{ID: "s"})))
	want := `<code>  a<span class="f1">&lt;b&gt;</span> c<span class="ctl" title="null">U+0000</span></code>`
	if !strings.Contains(got, want) {
		t.Errorf("%s\ndoes not hold\n%s", got, want)
	}
}

func TestValueFoldsJSON(t *testing.T) {
	t.Parallel()
	got := render(t, Value(`{"cmd":"<script>alert(1)</script>"}`, Options{ID: "s"}))
	if !strings.Contains(got, "<details") || strings.Contains(got, "<script>") {
		t.Error(got)
	}
	if got := render(t, Value("plain", Options{ID: "s"})); !strings.Contains(got, `class="log"`) {
		t.Error(got)
	}
}

func BenchmarkLog40MB(b *testing.B) {
	text := strings.Repeat("\x1b[32mPASS\x1b[0m tests/unit/test_parser.py::test_case\n", 1<<20)
	b.SetBytes(int64(len(text)))
	var out bytes.Buffer
	for b.Loop() {
		out.Reset()
		if err := Log(Window(text, Options{ID: "s", From: 900_000})).Render(context.Background(), &out); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(out.Len()), "page-bytes")
}
