package handlers

import (
	"bytes"
	"net/http"
	"sync"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/web/components"
	"plumbline/web/layout"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// render writes a component whole or not at all: an error half-way through can
// still become an error page.
func render(c echo.Context, code int, component templ.Component) error {
	buf := buffers.Get().(*bytes.Buffer)
	buf.Reset()
	defer buffers.Put(buf)
	if err := component.Render(c.Request().Context(), buf); err != nil {
		return err
	}
	return c.HTMLBlob(code, buf.Bytes())
}

// frame is the frame of a page with what every page shares.
func (h *Handlers) frame(c echo.Context, title string) layout.Frame {
	f := layout.Frame{Title: title, Version: h.version}
	v := viewer(c)
	if v.Name == "" || v.Share != "" {
		f.Bare = true
		return f
	}
	f.Project = layout.Link{Text: h.project.Name, Href: "/"}
	path := c.Request().URL.Path
	for _, n := range []layout.NavItem{
		{Text: "Home", Href: "/"}, {Text: "Compare", Href: "/compare"}, {Text: "Reviewers", Href: "/reviewers"}, {Text: "Verdicts", Href: "/reviews"}, {Text: "Critics", Href: "/critics"}, {Text: "Definitions", Href: "/definitions"},
	} {
		n.Current = n.Href == path
		f.Nav = append(f.Nav, n)
	}
	f.Search = layout.Search{Action: "/search", Hint: "Instance, experiment, dataset"}
	f.Account = layout.Account{Name: v.Name, Role: string(v.All)}
	if h.password != "" {
		f.Account.SignOutURL = "/logout"
	}
	if alarm := h.runner.Alarm(); alarm != "" {
		f.Flash = append(f.Flash, components.Flash{Tone: components.Bad, Text: alarm})
	}
	return f
}

const viewerKey = "viewer"

// viewer is who asks, as the middleware found out.
func viewer(c echo.Context) models.Viewer {
	v, _ := c.Get(viewerKey).(models.Viewer)
	return v
}

// partial reports whether htmx asks for a part of the page.
func partial(c echo.Context) bool { return c.Request().Header.Get("HX-Request") == "true" }

// seeOther redirects after a form was taken.
func seeOther(c echo.Context, path string) error {
	if partial(c) {
		c.Response().Header().Set("HX-Redirect", path)
		return c.NoContent(http.StatusNoContent)
	}
	return c.Redirect(http.StatusSeeOther, path)
}
