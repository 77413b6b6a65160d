package diffview

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/a-h/templ"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"plumbline/experiments/patch"
)

const small = `diff --git a/app/core.py b/app/core.py
--- a/app/core.py
+++ b/app/core.py
@@ -1,4 +1,5 @@ def top():
 import os
-def load(path):
-    return open(path).read()
+def load(path, mode="r"):
+    # keep the mode
+    return open(path, mode).read()
 x = 1
`

func parse(s string) *patch.Diff {
	d := patch.Parse(s)
	return &d
}

func links(o Options) Options {
	o.URL = func(at string) string { return "?at=" + at }
	o.Raw = func(at string) string { return "/raw?row=" + at }
	return o
}

func cellText(c *Cell) string {
	if c == nil {
		return "-"
	}
	var b strings.Builder
	for _, r := range c.Runs {
		b.WriteString(r.Text)
	}
	return b.String()
}

func TestUnifiedRows(t *testing.T) {
	t.Parallel()
	v := Build(parse(small), links(Options{}))
	var got []string
	for _, r := range v.Files[0].Hunks[0].Rows {
		c := r.Right
		if c == nil {
			c = r.Left
		}
		got = append(got, fmt.Sprintf("%c %s %s %s", c.Op, c.OldHref, c.NewHref, cellText(c)))
	}
	want := []string{
		"  #f1L1 #f1R1 import os",
		"- #f1L2  def load(path):",
		"- #f1L3      return open(path).read()",
		"+  #f1R2 def load(path, mode=\"r\"):",
		"+  #f1R3     # keep the mode",
		"+  #f1R4     return open(path, mode).read()",
		"  #f1L4 #f1R5 x = 1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if v.Before != "" || v.After != "" || v.Added != 3 || v.Removed != 2 {
		t.Errorf("before %q after %q +%d -%d", v.Before, v.After, v.Added, v.Removed)
	}
}

func TestSplitRows(t *testing.T) {
	t.Parallel()
	v := Build(parse(small), links(Options{Layout: Split}))
	var got [][2]string
	for _, r := range v.Files[0].Hunks[0].Rows {
		got = append(got, [2]string{cellText(r.Left), cellText(r.Right)})
	}
	want := [][2]string{
		{"import os", "import os"},
		{"def load(path):", "def load(path, mode=\"r\"):"},
		{"    return open(path).read()", "    # keep the mode"},
		{"-", "    return open(path, mode).read()"},
		{"x = 1", "x = 1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestHighlightAndWords(t *testing.T) {
	t.Parallel()
	v := Build(parse(small), Options{})
	var classes []string
	for _, r := range v.Files[0].Hunks[0].Rows[3].Right.Runs {
		classes = append(classes, r.Class+":"+r.Text)
	}
	joined := strings.Join(classes, "|")
	for _, want := range []string{"hk:def", "hf:load", "w:, mode="} {
		if !strings.Contains(joined, want) {
			t.Errorf("%s lacks %s", joined, want)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	mark := func(s string, spans []span) string {
		var b strings.Builder
		at := 0
		for _, sp := range spans {
			b.WriteString(s[at:sp.from] + "[" + s[sp.from:sp.to] + "]")
			at = sp.to
		}
		return b.String() + s[at:]
	}
	for _, tt := range []struct{ a, b, wantA, wantB string }{
		{"x = foo(a)", "x = bar(a)", "x = [foo](a)", "x = [bar](a)"},
		{"return x", "return x + 1", "return x", "return x[ + 1]"},
		{"same", "same", "same", "same"},
		{"totally other text", "12345 + 99", "totally other text", "12345 + 99"},
		{"a  b", "a b", "a[  ]b", "a[ ]b"},
		{"", "new", "", "new"},
		{"naïve é", "naïve è", "naïve [é]", "naïve [è]"},
	} {
		del, ins := words(tt.a, tt.b)
		if gotA, gotB := mark(tt.a, del), mark(tt.b, ins); gotA != tt.wantA || gotB != tt.wantB {
			t.Errorf("words(%q, %q) = %q, %q; want %q, %q", tt.a, tt.b, gotA, gotB, tt.wantA, tt.wantB)
		}
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, patch string
		want        []string
		note        string
	}{
		{"rename", "diff --git a/a.py b/b.py\nsimilarity index 100%\nrename from a.py\nrename to b.py\n", []string{"renamed 100%"}, "No change of content."},
		{"mode", "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n", []string{"mode 100644 → 100755"}, "Only the file mode changes."},
		{"binary", "diff --git a/x.png b/x.png\nindex 1..2 100644\nBinary files a/x.png and b/x.png differ\n", []string{"binary"}, "Binary content that is not in the patch."},
		{"submodule", "diff --git a/lib b/lib\nindex 1..2 160000\n--- a/lib\n+++ b/lib\n@@ -1 +1 @@\n-Subproject commit aaa\n+Subproject commit bbb\n", []string{"submodule"}, ""},
		{"new test", "diff --git a/tests/test_a.py b/tests/test_a.py\nnew file mode 100644\n--- /dev/null\n+++ b/tests/test_a.py\n@@ -0,0 +1 @@\n+x\n", []string{"new file", "test"}, ""},
		{"white space", "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x =  1\n+x = 1\n", []string{"white space only"}, ""},
		{"quoted path", "diff --git \"a/\\303\\244.py\" \"b/\\303\\244.py\"\n--- \"a/\\303\\244.py\"\n+++ \"b/\\303\\244.py\"\n@@ -1 +1 @@\n-a\n+b\n", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := Build(parse(tt.patch), Options{})
			var got []string
			for _, m := range v.Files[0].Marks {
				got = append(got, m.Text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if v.Files[0].Note != tt.note {
				t.Errorf("note %q, want %q", v.Files[0].Note, tt.note)
			}
		})
	}
}

func TestParseTarget(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   string
		want Target
	}{
		{"", Target{}},
		{"f3", Target{Position: Position{File: 2}}},
		{"f3h2", Target{Position: Position{2, 1, 0}}},
		{"f3h2l400", Target{Position: Position{2, 1, 399}}},
		{"f3R120", Target{Position: Position{File: 2}, Side: 'R', Num: 120}},
		{"f0", Target{}}, {"f", Target{}}, {"f1x2", Target{}}, {"f1R2x", Target{}}, {"<script>", Target{}},
		{"f99999999999999999999", Target{}},
	} {
		if diff := cmp.Diff(tt.want, ParseTarget(tt.in)); diff != "" {
			t.Errorf("%q: %s", tt.in, diff)
		}
	}
	if p := (Position{2, 1, 399}); ParseTarget(p.String()).Position != p {
		t.Errorf("%v does not survive its string", p)
	}
}

// Every row is on exactly one page, and the links forward reach all of them.
func TestPagesCoverTheDiff(t *testing.T) {
	t.Parallel()
	d := parse(big(3, 700))
	seen := map[string]int{}
	at, pages := "", 0
	for {
		v := Build(d, links(Options{At: ParseTarget(at)}))
		for _, f := range v.Files {
			for _, h := range f.Hunks {
				for _, r := range h.Rows {
					seen[r.Right.NewAnchor]++
				}
			}
		}
		pages++
		if v.After == "" {
			if v.Done != v.Rows {
				t.Errorf("done %d of %d rows", v.Done, v.Rows)
			}
			break
		}
		next := strings.TrimPrefix(v.After, "?at=")
		if w := Build(d, links(Options{At: ParseTarget(next)})); w.Before == "" {
			t.Errorf("page at %s has no way back", next)
		}
		at = next
	}
	if len(seen) != 2100 || pages < 3 {
		t.Errorf("%d rows on %d pages", len(seen), pages)
	}
	for a, n := range seen {
		if n != 1 {
			t.Errorf("%s is on %d pages", a, n)
		}
	}
}

func TestDeepLinkFindsItsRow(t *testing.T) {
	t.Parallel()
	d := parse(big(3, 5000))
	v := Build(d, links(Options{At: ParseTarget("f2R4321")}))
	for _, h := range v.Files[0].Hunks {
		for _, r := range h.Rows {
			if r.Right.NewAnchor == "f2R4321" {
				return
			}
		}
	}
	t.Error("the row is not in the window")
}

func TestGuardsSaySo(t *testing.T) {
	t.Parallel()
	v := Build(parse(big(1, 6000)), links(Options{}))
	if !strings.Contains(strings.Join(v.Notes, " "), "without syntax colours") {
		t.Errorf("notes %q", v.Notes)
	}
	v = Build(parse(line(20_000)), links(Options{}))
	c := v.Files[0].Hunks[0].Rows[0].Right
	if !strings.Contains(v.Files[0].Note, "without syntax colours") || c.CutBytes != 16_000 || c.CutHref != "/raw?row=f1h1l1" {
		t.Errorf("note %q, cut %d, href %q", v.Files[0].Note, c.CutBytes, c.CutHref)
	}
	if got, ok := RowText(parse(line(20_000)), "f1h1l1"); !ok || len(got) != 20_001 {
		t.Errorf("raw row has %d bytes", len(got))
	}
	if _, ok := RowText(parse(line(5)), "f1h1l9"); ok {
		t.Error("a row that does not exist was found")
	}
}

// Whatever the text, the shown line is the line: runs without boxes concatenate
// to it.
func FuzzRunsKeepTheText(f *testing.F) {
	f.Add("x = foo(a)", "x = bar(a)")
	f.Add("'unclosed", "\"\"\"doc")
	f.Add("a\x00b", "a\u202eb")
	f.Fuzz(func(t *testing.T, a, b string) {
		if strings.ContainsAny(a+b, "\r\n") || !utf8.ValidString(a+b) {
			return
		}
		d := &patch.Diff{Files: []patch.File{{Old: "a.py", New: "a.py", Kind: patch.Modified, Hunks: []patch.Hunk{{Lines: []patch.Line{
			{Op: patch.Delete, Text: a, Old: 1}, {Op: patch.Insert, Text: b, New: 1},
		}}}}}}
		rows := Build(d, Options{}).Files[0].Hunks[0].Rows
		for i, want := range []string{a, b} {
			c := rows[i].Left
			if i == 1 {
				c = rows[i].Right
			}
			got, boxed := "", false
			for _, r := range c.Runs {
				got, boxed = got+r.Text, boxed || r.Title != ""
			}
			if !boxed && c.CutBytes == 0 && got != want {
				t.Errorf("shown %q, want %q", got, want)
			}
		}
	})
}

func render(t testing.TB, c templ.Component) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestHostileDiffStaysText(t *testing.T) {
	t.Parallel()
	evil := `<script>alert(1)</script><img src=x onerror=alert(1)>"'` + "\x00\u202e"
	d := &patch.Diff{Files: []patch.File{{
		Old: evil, New: evil + "2", Kind: patch.Renamed, OldMode: evil, NewMode: "1",
		Hunks: []patch.Hunk{{Section: evil, Lied: true, Lines: []patch.Line{{Op: patch.Insert, Text: evil, New: 1}, {Op: patch.Delete, Text: evil + "b", Old: 1}}}},
	}, {New: evil, Kind: patch.Added}}}
	for _, layout := range []Layout{Unified, Split} {
		got := render(t, Diff(Build(d, links(Options{Layout: layout, Other: "?layout=x", Whole: "/raw"}))))
		if strings.ContainsAny(got, "\x00\u202e") {
			t.Error("an invisible character reached the page")
		}
		root, err := html.Parse(strings.NewReader(got))
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.Data == "script" || n.Data == "img" {
				t.Errorf("%s: element %s", layout, n.Data)
			}
			for _, a := range n.Attr {
				if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
					t.Errorf("%s: attribute %s", layout, a.Key)
				}
			}
		}
	}
}

func TestCodeHasNoSpaceOfItsOwn(t *testing.T) {
	t.Parallel()
	got := render(t, Diff(Build(parse("--- a/x.txt\n+++ b/x.txt\n@@ -1 +1 @@\n-  a b\n+  a\tc \n"), Options{})))
	for _, want := range []string{`<code>  a <span class="w">b</span></code>`, "<code>  a<span class=\"w\">\tc</span> </code>"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\ndoes not hold %q", got, want)
		}
	}
}

func big(files, lines int) string {
	var b strings.Builder
	for f := range files {
		fmt.Fprintf(&b, "diff --git a/pkg/file%d.go b/pkg/file%d.go\n--- /dev/null\n+++ b/pkg/file%d.go\n@@ -0,0 +1,%d @@\n", f, f, f, lines)
		for i := range lines {
			fmt.Fprintf(&b, "+	value%d := compute(%d, \"text\") // step %d\n", i, i, i)
		}
	}
	return b.String()
}

func line(n int) string {
	return "--- /dev/null\n+++ b/bundle.min.js\n@@ -0,0 +1 @@\n+" + strings.Repeat("x", n) + "\n"
}

func benchmark(b *testing.B, text string, o Options) {
	b.Helper()
	b.SetBytes(int64(len(text)))
	var out bytes.Buffer
	for b.Loop() {
		out.Reset()
		if err := Diff(Build(parse(text), links(o))).Render(context.Background(), &out); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(out.Len()), "page-bytes")
}

func BenchmarkSmall(b *testing.B)       { benchmark(b, small, Options{}) }
func BenchmarkColoured600(b *testing.B) { benchmark(b, big(1, 600), Options{}) }
func BenchmarkSplit600(b *testing.B)    { benchmark(b, big(1, 600), Options{Layout: Split}) }
func Benchmark20000Lines(b *testing.B)  { benchmark(b, big(4, 5000), Options{}) }
func Benchmark20000Files(b *testing.B)  { benchmark(b, big(20_000, 1), Options{}) }
func BenchmarkOneLine5600kB(b *testing.B) {
	benchmark(b, line(5_600_000), Options{})
}
