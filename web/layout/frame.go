// Package layout is the frame every page stands in: document head, top bar,
// breadcrumbs, title line, footer and keyboard help. It is the only place that
// reads ambient values (the CSRF token) from the context.
package layout

import (
	"context"

	"github.com/a-h/templ"

	"plumbline/web/components"
)

// Frame is what a page tells its frame. The zero value of every field leaves
// that part out.
type Frame struct {
	Title   string // heading and document title
	Project Link   // shown in the top bar
	Nav     []NavItem
	Crumbs  []Link // from the root down, without the page itself
	Status  templ.Component
	Badges  []components.Badge
	Actions []Action // at most three; a render test counts them
	Menu    []Action // everything else, behind "More"
	Flash   []components.Flash
	Account Account
	Search  Search
	DocsURL string   // empty: the definitions page
	Keys    []Key    // keys of this page, listed in the help before the common ones
	Scripts []string // embedded scripts beside the common ones, e.g. "js/charts.js"
	Live    bool     // the page follows a stream: load htmx and its SSE extension
	NoIndex bool     // ask search engines to stay away
	Bare    bool     // a page for strangers: no navigation, search, account or link to another page
	Wide    bool     // panes use the full width of the window
	Version string   // of the program, in the footer
}

// Link is a text that leads somewhere; without Href it is plain text.
type Link struct{ Text, Href string }

// NavItem is an entry of the top bar.
type NavItem struct {
	Text, Href string
	Current    bool
}

// Action is a button of the title line: a link, or a form when Post is set.
type Action struct {
	Text    string
	Href    string // target of the link or of the form
	Post    bool
	Fields  []Field // hidden values of the form
	Primary bool
	Danger  bool
	Confirm string // question asked before a form is sent
	Blocked string // why it cannot be used now; renders it disabled
	Key     string // key that presses it
}

// Field is a hidden value of a form.
type Field struct{ Name, Value string }

// Account is who is looking.
type Account struct {
	Name       string
	Role       string
	SignOutURL string // empty when there is nothing to sign out of
	SettingURL string
}

// Search is the field of the top bar; it is left out without an Action.
type Search struct {
	Action string // path that answers GET ?q=
	Query  string
	Hint   string // placeholder; "Search" when empty
}

// Key is one line of the keyboard help.
type Key struct{ Keys, Does string }

// commonKeys work on every page.
var commonKeys = []Key{
	{"j k", "next and previous row"},
	{"o", "open the row"},
	{"/", "search"},
	{"?", "this help"},
	{"Esc", "leave a field, close this"},
}

func (f Frame) documentTitle() string {
	title := f.Title
	if title == "" {
		title = "Plumbline"
	} else {
		title += " · "
		if f.Project.Text != "" && !f.Bare {
			title += f.Project.Text + " · "
		}
		title += "Plumbline"
	}
	return title
}

func (f Frame) docs() string {
	if f.DocsURL != "" {
		return f.DocsURL
	}
	return "/definitions"
}

func (s Search) hint() string {
	if s.Hint != "" {
		return s.Hint
	}
	return "Search"
}

type csrfKey struct{}

// CSRFName is the form field and CSRFHeader the request header that carry the
// token of WithCSRF.
const (
	CSRFName   = "csrf"
	CSRFHeader = "X-CSRF-Token"
)

// WithCSRF puts the request's token into the context; the middleware calls it.
func WithCSRF(ctx context.Context, token string) context.Context {
	return context.WithValue(ctx, csrfKey{}, token)
}

// CSRF returns the token of WithCSRF, or "".
func CSRF(ctx context.Context) string {
	token, _ := ctx.Value(csrfKey{}).(string)
	return token
}

// headers is the value of hx-headers: requests made by htmx carry the token too.
func headers(ctx context.Context) (string, error) {
	return templ.JSONString(map[string]string{CSRFHeader: CSRF(ctx)})
}
