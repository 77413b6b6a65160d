package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// reviewPatch gives the patch of a review as plain text.
func (h *Handlers) reviewPatch(c echo.Context) error {
	_, doc, err := h.review(c)
	if err != nil {
		return err
	}
	return plain(c, doc.Patch)
}

// reviewJSON gives the document of a review, as plumbline review prints it.
func (h *Handlers) reviewJSON(c echo.Context) error {
	_, doc, err := h.review(c)
	if err != nil {
		return err
	}
	return c.JSONPretty(http.StatusOK, doc, "  ")
}
