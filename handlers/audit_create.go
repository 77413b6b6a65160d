package handlers

import (
	"github.com/labstack/echo/v4"
)

// auditCreate compares the votes of an experiment that were stored before there was
// an audit. A large experiment may need the button twice: what was compared is kept.
func (h *Handlers) auditCreate(c echo.Context) error {
	if _, err := h.runner.Audit(c.Request().Context(), viewer(c), c.Param("id"), false); err != nil {
		return err
	}
	return seeOther(c, localPath(c.FormValue("back")))
}
