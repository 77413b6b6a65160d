package handlers

import (
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/web/components/diffview"
)

// traceDiff gives the diff alone, for "show more".
func (h *Handlers) traceDiff(c echo.Context) error {
	d, err := h.store.TraceDetail(c.Request().Context(), viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	view, none := traceDiffView(d, traceRequestOf(c, d.Row.ID))
	if none != "" {
		return fmt.Errorf("diff of trace %s: %w", d.Row.ID, models.ErrNotFound)
	}
	return render(c, http.StatusOK, diffview.Diff(view))
}
