// Package markdown shows Markdown from strangers: issues, rationales, summaries.
// It is the only package of the project that writes markup made from data into a
// page (templ.Raw), and everything it writes went through an allow-list last.
// Nothing it writes makes the browser ask another host.
package markdown

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"plumbline/web/components/visible"
)

// Limits: a longer text, or one with a longer line, is shown as plain text, since
// the cost of reading Markdown grows faster than its length.
const (
	MaxBytes = 128 << 10
	MaxLine  = 8 << 10
	// ShowBytes is how much of a plain text is shown.
	ShowBytes = 256 << 10
	maxNest   = 40 // block quotes and list levels of one line
)

// engine reads CommonMark with tables, strike-through, task lists and bare links.
// Raw HTML passes, because issues use details and tables in HTML; the policy is
// what decides about it.
var engine = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.GFM),
		goldmark.WithRendererOptions(html.WithUnsafe()),
	)
})

// policy is the allow-list: structure and links, no class or id of the author's,
// no style, no image, no form.
var policy = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "code", "kbd", "samp",
		"em", "strong", "b", "i", "del", "s", "ins", "sub", "sup", "ul", "ol", "li", "dl", "dt", "dd", "details", "summary",
		"table", "thead", "tbody", "tr", "th", "td", "div", "span", "u", "var", "tt")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	p.AllowAttrs("align").Matching(bluemonday.CellAlign).OnElements("th", "td")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("open").OnElements("details")
	p.AllowAttrs("class").Matching(ownClasses).OnElements("span", "a")
	p.AllowAttrs("title").Matching(bluemonday.Paragraph).OnElements("span")
	return p
})

// Source is a text to show and what was done with it.
type Source struct {
	HTML  string // safe markup; empty when Plain is set
	Plain string // text shown as it is
	Note  string // why it is plain or cut
}

// Convert reads Markdown. The result is safe to write into a page.
func Convert(text string) Source {
	if why := tooMuch(text); why != "" {
		shown, cut := visible.Cut(text, ShowBytes)
		if cut {
			why += fmt.Sprintf(" The first %d of %d bytes are shown.", len(shown), len(text))
		}
		return Source{Plain: shown, Note: why}
	}
	var out bytes.Buffer
	if err := engine().Convert([]byte(text), &out); err != nil {
		return Source{Plain: text, Note: "It could not be read as Markdown and is shown as plain text."}
	}
	return Source{HTML: policy().Sanitize(rewrite(out.String()))}
}

func tooMuch(text string) string {
	if len(text) > MaxBytes {
		return "Shown as plain text: it is longer than 128 kB."
	}
	for line := range strings.Lines(text) {
		if len(line) > MaxLine {
			return "Shown as plain text: a line is longer than 8 kB."
		}
		if nest(line) > maxNest {
			return "Shown as plain text: it is nested too deeply."
		}
	}
	return ""
}

// nest counts the markers a line begins with.
func nest(line string) int {
	n := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ', '\t':
		case '>', '-', '*', '+':
			n++
		default:
			return n
		}
	}
	if strings.Trim(line, "-*+ \t\r\n") == "" {
		return 0 // a rule or a heading underline
	}
	return n
}
