package handlers

import (
	"time"

	"github.com/labstack/echo/v4"
)

// loginDelete signs out: the session is forgotten here, not only in the browser.
func (h *Handlers) loginDelete(c echo.Context) error {
	if cookie, err := c.Cookie(sessionCookie); err == nil {
		if err := h.store.EndSession(c.Request().Context(), cookie.Value); err != nil {
			return err
		}
	}
	c.SetCookie(h.sessionOf("", -time.Second))
	return seeOther(c, "/login")
}
