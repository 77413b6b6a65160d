package markdown

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

func TestConvert(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"emphasis", "a *b* `c<d>`", "<p>a <em>b</em> <code>c&lt;d&gt;</code></p>\n"},
		{"fence", "```python\nx < 1\n```", "<pre><code>x &lt; 1\n</code></pre>\n"},
		{"link", "[a](https://x.test/?q=1&r=2)", "<p><a href=\"https://x.test/?q=1&amp;r=2\" rel=\"nofollow noreferrer\">a</a></p>\n"},
		{"script link", "[a](javascript:alert(1))", "<p>a</p>\n"},
		{"script element", "<script>alert(1)</script>b", "b"},
		{"event attribute", `<b onclick="x()" style="color:red" id="main">b</b>`, "<p><b>b</b></p>\n"},
		{"image", "![a *plan*](https://x.test/a.png)", "<p><a class=\"md-image\" href=\"https://x.test/a.png\" rel=\"nofollow noreferrer\">image: a plan</a></p>\n"},
		{"image in HTML", `<img width="1" src="//x.test/pixel">`, "<span class=\"md-image\">image: without description</span>"},
		{"image in data", `![x](data:image/svg+xml;base64,PHN2Zz4=)`, "<p><span class=\"md-image\">image: x</span></p>\n"},
		{"bidi", "a\u202eb", "<p>a<span class=\"ctl\" title=\"right-to-left override\">U+202E</span>b</p>\n"},
		{"details", "<details><summary>Log</summary>\n\nx\n\n</details>", "<details><summary>Log</summary>\n<p>x</p>\n</details>"},
		{"table", "|a|b|\n|-|:-:|\n|1|2|", "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>2</td>\n</tr>\n</tbody>\n</table>\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := Convert(tt.in).HTML
			if strings.TrimSpace(got) != strings.TrimSpace(tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"5 MB line":    strings.Repeat("x", 5<<20),
		"long":         strings.Repeat("a *b*\n", 40_000),
		"deep quote":   strings.Repeat(">", 5000) + "x",
		"deep list":    strings.Repeat("- ", 5000) + "x",
		"nested quote": strings.Repeat("> ", 60) + "x",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := Convert(in)
			if s.HTML != "" || s.Note == "" || len(s.Plain) > ShowBytes {
				t.Errorf("html %d bytes, plain %d bytes, note %q", len(s.HTML), len(s.Plain), s.Note)
			}
		})
	}
}

// Texts inside the limits must not make the parser slow.
func TestHostileTextsAreQuick(t *testing.T) {
	t.Parallel()
	for name, unit := range map[string]string{
		"brackets": "[", "emphasis": "*a **b", "backticks": "`", "links": "[a](", "entities": "&x;", "html": "<a ", "bangs": "![", "references": "[a]: b\n",
		"underscores": "_a__", "tildes": "~a~~", "pipes": "|a|\n|-|\n", "autolinks": "http://a.b ", "quotes": "> - ", "footnotes": "[^1]",
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Repeat(strings.Repeat(unit, MaxLine/len(unit)-1)+"\n\n", 15)
			start := time.Now()
			Convert(text[:min(len(text), MaxBytes)])
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%d bytes took %s", len(text), took)
			}
		})
	}
}

func FuzzNothingActiveGetsThrough(f *testing.F) {
	for _, s := range []string{"<svg/onload=x>", "<a href=\"jAvascript:x\">", "<math><mi//xlink:href=\"data:x\">", "[x](data:text/html,x)", "<img src=x onerror=y>", "<p style=x>", "<form action=x>", "<iframe src=x>", "<span class=\"top ctl\" id=main>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var b bytes.Buffer
		if err := Text(s).Render(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		root, err := html.Parse(&b)
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			switch n.Data {
			case "script", "img", "iframe", "object", "embed", "form", "input", "style", "link", "meta", "svg", "math", "base", "video", "audio", "source":
				if n.Data != "style" || n.FirstChild != nil {
					t.Errorf("element %s from %q", n.Data, s)
				}
			}
			for _, a := range n.Attr {
				low := strings.ToLower(strings.TrimSpace(a.Val))
				if a.Key == "style" || a.Key == "id" || a.Key == "src" || strings.HasPrefix(a.Key, "on") ||
					a.Key == "href" && !strings.HasPrefix(low, "http") && !strings.HasPrefix(low, "mailto:") {
					t.Errorf("attribute %s=%q from %q", a.Key, a.Val, s)
				}
			}
		}
	})
}
