package handlers

import "plumbline/web/layout"

// crumbs are pairs of a text and where it leads, from the root down.
func crumbs(pairs ...string) []layout.Link {
	var out []layout.Link
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, layout.Link{Text: pairs[i], Href: pairs[i+1]})
	}
	return out
}
