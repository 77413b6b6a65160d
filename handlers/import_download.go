package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// importDownload is the whole report as it is stored.
func (h *Handlers) importDownload(c echo.Context) error {
	rep, err := h.store.ImportReport(c.Request().Context(), viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="import-report.json"`)
	return c.JSONBlob(http.StatusOK, []byte(rep.Summary))
}
