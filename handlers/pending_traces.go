package handlers

import (
	"github.com/labstack/echo/v4"

	"plumbline/models"
)

func (h *Handlers) experimentCreate(c echo.Context) error   { return models.ErrNotFound }
func (h *Handlers) experimentEstimate(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) experimentNew(c echo.Context) error      { return models.ErrNotFound }
func (h *Handlers) importCreate(c echo.Context) error       { return models.ErrNotFound }
func (h *Handlers) importDownload(c echo.Context) error     { return models.ErrNotFound }
func (h *Handlers) importNew(c echo.Context) error          { return models.ErrNotFound }
func (h *Handlers) importShow(c echo.Context) error         { return models.ErrNotFound }
func (h *Handlers) searchShow(c echo.Context) error         { return models.ErrNotFound }
