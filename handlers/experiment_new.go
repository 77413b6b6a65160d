package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"plumbline/web/pages"
)

// experimentNew is the form of a new experiment as far as its address fills it,
// with the estimate of what is chosen.
func (h *Handlers) experimentNew(c echo.Context) error {
	in := experimentFormOf(c.QueryParams())
	view, err := h.experimentPage(c, in, fields{})
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, pages.ExperimentNewPage(view))
}
