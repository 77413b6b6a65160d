package handlers

import (
	"github.com/labstack/echo/v4"

	"plumbline/models"
)

func (h *Handlers) compareShow(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) definitionsShow(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) errorsCSV(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) errorsList(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) experimentArmsCSV(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) experimentEvents(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) experimentResults(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) experimentResume(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) experimentShow(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) experimentStop(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) experimentVotesJSONL(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) homeShow(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) shareCreate(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) shareRevoke(c echo.Context) error { return models.ErrNotFound }
func (h *Handlers) shareShow(c echo.Context) error { return models.ErrNotFound }
