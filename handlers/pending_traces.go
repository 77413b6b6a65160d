package handlers

import (
	"github.com/labstack/echo/v4"

	"plumbline/models"
)

func (h *Handlers) datasetShow(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) experimentCreate(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) experimentEstimate(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) experimentNew(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) importCreate(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) importDownload(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) importNew(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) importShow(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) itemShow(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) labelCreate(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) loginCreate(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) loginDelete(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) loginShow(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) reviewerCreate(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) reviewerNew(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) reviewerShow(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) reviewersList(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) searchShow(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) traceDiff(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) tracePatch(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) traceShow(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) traceSteps(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) tracesList(c echo.Context) error { return models.ErrNotFound }
