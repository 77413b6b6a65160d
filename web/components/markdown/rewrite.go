package markdown

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"

	"plumbline/web/components/visible"
)

// ownClasses are the classes rewrite adds; an author's class survives only if it
// is one of them, and then says no more than it would here.
var ownClasses = regexp.MustCompile(`^(ctl|md-image)$`)

// rewrite turns images into links with their description, so that reading an
// issue asks no other host, and puts invisible characters into boxes. What it
// returns still has to pass the policy.
func rewrite(markup string) string {
	z := html.NewTokenizer(strings.NewReader(markup))
	var out strings.Builder
	out.Grow(len(markup))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return out.String()
		}
		tok := z.Token()
		switch {
		case kind == html.TextToken:
			text(&out, tok.Data)
		case tok.Data == "img" && (kind == html.StartTagToken || kind == html.SelfClosingTagToken):
			image(&out, tok)
		default:
			out.WriteString(tok.String())
		}
	}
}

func text(out *strings.Builder, s string) {
	for _, r := range visible.Split(s) {
		if r.Class != visible.Box {
			out.WriteString(html.EscapeString(r.Text))
			continue
		}
		out.WriteString(`<span class="ctl" title="` + html.EscapeString(r.Title) + `">` + html.EscapeString(r.Text) + `</span>`)
	}
}

func image(out *strings.Builder, tok html.Token) {
	src, alt := "", ""
	for _, a := range tok.Attr {
		switch a.Key {
		case "src":
			src = a.Val
		case "alt":
			alt = a.Val
		}
	}
	if alt == "" {
		alt = "without description"
	}
	label := "image: " + visible.String(alt)
	if strings.HasPrefix(src, "https://") || strings.HasPrefix(src, "http://") {
		out.WriteString(`<a class="md-image" href="` + html.EscapeString(src) + `">` + html.EscapeString(label) + `</a>`)
		return
	}
	out.WriteString(`<span class="md-image">` + html.EscapeString(label) + `</span>`)
}
