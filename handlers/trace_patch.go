package handlers

import (
	"fmt"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/patch"
	"plumbline/models"
	"plumbline/web/components/diffview"
)

// tracePatch gives the patch as it was stored, or one row of it.
func (h *Handlers) tracePatch(c echo.Context) error {
	d, err := h.store.TraceDetail(c.Request().Context(), viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	row := c.QueryParam("row")
	if row == "" {
		return plain(c, d.Patch)
	}
	parsed := patch.Parse(d.Patch)
	text, ok := diffview.RowText(&parsed, row)
	if !ok {
		return fmt.Errorf("row %q of the patch: %w", row, models.ErrNotFound)
	}
	return plain(c, text)
}
