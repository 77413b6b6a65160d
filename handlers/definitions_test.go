package handlers_test

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"plumbline/web/components"
)

// Every metric that a page shows is defined: each link to a definition leads to
// one, each column of rates or differences has such a link in its head or in the
// head of the row, and so has each head of numbers that bears the name of a
// definition and has no explanation of its own.
func TestEveryMetricLeadsToItsDefinition(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	e := s.experiment(t)
	at := "/experiments/" + e.ID
	named := map[string]bool{}
	for _, d := range components.Definitions {
		named[strings.ToLower(d.Name)] = true
	}
	defined := map[string]bool{}
	for n := range parsed(t, s.get(t, "/definitions")).Descendants() {
		if id := attribute(n, "id"); id != "" {
			defined[id] = true
		}
	}
	for _, d := range components.Definitions {
		if !defined[d.Key] {
			t.Errorf("%s is not on the page of definitions", d.Key)
		}
	}
	pages := []string{
		"/", "/compare", "/compare?" + url.Values{"experiment": {e.ID}, "pairs": {"all"}, "rows": {"all"}}.Encode(), "/experiments/new", "/reviewers",
		at, at + "?interval=bootstrap", at + "?interval=instance", at + "/errors", at + "/errors?kind=misses&group=repository", at + "/freeze",
	}
	all := at + "?"
	for _, d := range components.Definitions {
		all += "&col=" + d.Key
	}
	pages = append(pages, all)
	for _, view := range beliefViews {
		pages = append(pages, at+"/belief?costs=draft&view="+view)
	}
	rates, links := 0, 0
	for _, p := range pages {
		for n := range parsed(t, s.get(t, p)).Descendants() {
			if _, key, is := strings.Cut(attribute(n, "href"), "/definitions#"); is {
				links++
				if !defined[key] {
					t.Errorf("%s: there is no definition %q", p, key)
				}
			}
			if n.Type == html.ElementNode && n.Data == "table" {
				rates += checkHeads(t, p, n, named)
			}
		}
	}
	if rates < 100 || links < 100 {
		t.Errorf("only %d rates and %d links to definitions were seen", rates, links)
	}
}

// checkHeads looks at one table and counts its cells with a rate.
func checkHeads(t *testing.T, page string, table *html.Node, named map[string]bool) (rates int) {
	t.Helper()
	var heads []*html.Node
	for tr := range table.Descendants() {
		if tr.Type != html.ElementNode || tr.Data != "tr" {
			continue
		}
		var cells []*html.Node
		for c := range tr.ChildNodes() {
			if c.Type == html.ElementNode && (c.Data == "th" || c.Data == "td") {
				cells = append(cells, c)
			}
		}
		if heads == nil {
			heads = cells
			for _, h := range heads {
				if name := strings.ToLower(strings.TrimSpace(strings.TrimRight(textOf(h), "↑↓? "))); named[name] && attribute(h, "class") == "num" && attribute(h, "title") == "" && !defines(h) {
					t.Errorf("%s: the head %q does not lead to its definition", page, name)
				}
			}
			continue
		}
		rowDefined := len(cells) > 0 && defines(cells[0])
		for i, c := range cells {
			if !hasRate(c) || i >= len(heads) {
				continue
			}
			rates++
			if !rowDefined && !defines(heads[i]) {
				t.Errorf("%s: a rate under %q, which leads to no definition", page, textOf(heads[i]))
				return rates
			}
		}
	}
	return rates
}

func hasRate(n *html.Node) bool {
	for c := range n.Descendants() {
		for _, class := range strings.Fields(attribute(c, "class")) {
			if class == "rate" || class == "delta" {
				return true
			}
		}
	}
	return false
}

func defines(n *html.Node) bool {
	for c := range n.Descendants() {
		if strings.Contains(attribute(c, "href"), "/definitions#") {
			return true
		}
	}
	return false
}

func parsed(t *testing.T, page string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}
