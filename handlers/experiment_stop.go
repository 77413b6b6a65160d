package handlers

import (
	"errors"

	"github.com/labstack/echo/v4"

	"plumbline/models"
)

// experimentStop lets calls in flight end and starts no more. Stopping what has
// ended in the meantime is what was wanted, not an error.
func (h *Handlers) experimentStop(c echo.Context) error {
	id := c.Param("id")
	if err := h.runner.Stop(c.Request().Context(), viewer(c), id); err != nil && !errors.Is(err, models.ErrConflict) {
		return err
	}
	return seeOther(c, experimentURL(id))
}

// experimentResume asks for what is missing or was in error. A second click on
// the same page is no error either.
func (h *Handlers) experimentResume(c echo.Context) error {
	id := c.Param("id")
	if err := h.runner.Resume(c.Request().Context(), viewer(c), id); err != nil && !errors.Is(err, models.ErrConflict) {
		return err
	}
	return seeOther(c, experimentURL(id))
}
