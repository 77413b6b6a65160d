package handlers

import (
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"plumbline/web/components"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// loginShow is the sign-in page. A server without a password has no sign-in.
func (h *Handlers) loginShow(c echo.Context) error {
	if h.password == "" || viewer(c).Name != "" {
		return seeOther(c, localPath(c.QueryParam("next")))
	}
	wait, err := h.store.LoginWait(c.Request().Context(), c.RealIP())
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, h.loginPage(c, c.QueryParam("next"), "", wait))
}

func (h *Handlers) loginPage(c echo.Context, next, wrong string, wait time.Duration) templ.Component {
	v := pages.Login{
		Frame:  layout.Frame{Title: "Sign in", Bare: true, NoIndex: true, Version: h.version},
		Action: "/login", Next: localPath(next), Error: wrong,
	}
	if wait > 0 {
		v.Wait, v.Error = components.Span(wait.Round(time.Second)+time.Second), ""
	}
	return pages.LoginPage(v)
}

// localPath keeps a redirect on this server: anything but a plain path is the
// start page.
func localPath(p string) string {
	if !strings.HasPrefix(p, "/") || strings.HasPrefix(p, "//") || strings.ContainsAny(p, "\\\r\n\t") {
		return "/"
	}
	return p
}
