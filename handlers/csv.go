package handlers

import (
	"encoding/csv"
	"net/http"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/export"
)

// csvFile starts a download and returns where its rows go.
func csvFile(c echo.Context, name string) *csv.Writer {
	c.Response().Header().Set(echo.HeaderContentType, "text/csv; charset=utf-8")
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="`+name+`"`)
	c.Response().WriteHeader(http.StatusOK)
	return csv.NewWriter(c.Response())
}

// plainCell keeps a spreadsheet from running a text as a formula.
func plainCell(s string) string { return export.PlainCell(s) }
