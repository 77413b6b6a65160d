package layout

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"plumbline/web/components"
)

func page(t *testing.T, ctx context.Context, f Frame) (*html.Node, string) {
	t.Helper()
	var b bytes.Buffer
	if err := Page(f).Render(templ.WithChildren(ctx, components.Text("content")), &b); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return root, b.String()
}

func elements(root *html.Node, name string) (out []*html.Node) {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == name {
			out = append(out, n)
		}
	}
	return out
}

func value(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func full() Frame {
	return Frame{
		Title: "Results", Project: Link{"Demo", "/"}, Nav: []NavItem{{"Home", "/", false}, {"Reviewers", "/reviewers", true}},
		Crumbs: []Link{{"Home", "/"}}, Badges: []components.Badge{components.Simulated}, Account: Account{Name: "ann", Role: "editor", SignOutURL: "/logout"},
		Search: Search{Action: "/search"}, Live: true, Scripts: []string{"js/charts.js"},
		Actions: []Action{{Text: "Stop", Href: "/stop", Post: true, Confirm: "Stop it?", Fields: []Field{{"id", "1"}}}, {Text: "Resume", Blocked: "it runs"}},
		Menu:    []Action{{Text: "CSV", Href: "/csv"}}, Keys: []Key{{"e", "errors"}},
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	root, raw := page(t, WithCSRF(context.Background(), "tok"), full())
	if got := elements(root, "title")[0].FirstChild.Data; got != "Results · Demo · Plumbline" {
		t.Errorf("title %q", got)
	}
	for _, form := range elements(root, "form") {
		if value(form, "method") != "post" {
			continue
		}
		found := false
		for _, in := range elements(form, "input") {
			found = found || value(in, "name") == CSRFName && value(in, "value") == "tok"
		}
		if !found {
			t.Errorf("the form to %s carries no token", value(form, "action"))
		}
	}
	for _, s := range elements(root, "script") {
		if !strings.HasPrefix(value(s, "src"), "/static/") || s.FirstChild != nil {
			t.Errorf("script %v", s.Attr)
		}
	}
	body := elements(root, "body")[0]
	if value(body, "hx-headers") != `{"X-CSRF-Token":"tok"}` {
		t.Errorf("hx-headers %q", value(body, "hx-headers"))
	}
	for _, want := range []string{`aria-current="page"`, `data-confirm="Stop it?"`, "it runs", `data-search`, "noindex"} {
		if got := strings.Contains(raw, want); got != (want != "noindex") {
			t.Errorf("%s on the page: %t", want, got)
		}
	}
	if len(elements(root, "h1")) != 1 || len(elements(root, "main")) != 1 {
		t.Error("a page has one heading and one main part")
	}
}

// A bare page leads nowhere, whatever the frame holds.
func TestBarePageHasNoLinks(t *testing.T) {
	t.Parallel()
	f := full()
	f.Bare, f.NoIndex, f.Actions, f.Menu = true, true, nil, nil
	root, raw := page(t, context.Background(), f)
	for _, a := range elements(root, "a") {
		if href := value(a, "href"); !strings.HasPrefix(href, "#") {
			t.Errorf("a link to %s", href)
		}
	}
	if len(elements(root, "form")) != 0 || strings.Contains(raw, "ann") || strings.Contains(raw, "Demo") {
		t.Error("a stranger sees the account, the project or a form")
	}
	if !strings.Contains(raw, "noindex") {
		t.Error("search engines are not told to stay away")
	}
}

func TestHostileTitle(t *testing.T) {
	t.Parallel()
	f := full()
	f.Title = "</title><script>alert(1)</script>\u202e"
	f.Crumbs = []Link{{Text: f.Title, Href: "javascript:alert(1)"}}
	root, raw := page(t, context.Background(), f)
	for _, s := range elements(root, "script") {
		if value(s, "src") == "" {
			t.Error("a title became a script")
		}
	}
	for _, a := range elements(root, "a") {
		if strings.HasPrefix(value(a, "href"), "javascript:") {
			t.Error("a script address in a link")
		}
	}
	if strings.Contains(raw, "\u202e") {
		t.Error("the title may reorder the text beside it")
	}
}
