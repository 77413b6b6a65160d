package handlers

import "github.com/labstack/echo/v4"

// resultRoutes are the pages that look at results from the side.
func (h *Handlers) resultRoutes(e *echo.Echo) {
	e.GET("/published", h.publishedShow)
	e.GET("/experiments/:id/ladder", h.ladderShow)
	e.GET("/experiments/:id/agreement", h.agreementShow)
}
