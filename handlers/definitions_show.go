package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"plumbline/web/pages"
)

// definitionsShow says exactly what every number means.
func (h *Handlers) definitionsShow(c echo.Context) error {
	return render(c, http.StatusOK, pages.DefinitionsPage(pages.DefinitionsView{Frame: h.frame(c, "Definitions")}))
}
