package handlers

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/freeze"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/web/pages"
)

// heldoutCreate starts the evaluation of a freeze on one of its splits. What stops
// it comes back on the page of the freeze: a missing reason, or what has changed.
func (h *Handlers) heldoutCreate(c echo.Context) error {
	var form struct {
		Split  string `form:"split"`
		Number int    `form:"number"`
		Reason string `form:"reason"`
	}
	if err := c.Bind(&form); err != nil {
		return err
	}
	if form.Number < 1 {
		return models.Invalid("number", "say which run is meant")
	}
	e, err := h.runner.StartHeldOut(c.Request().Context(), viewer(c), runner.HeldOutSpec{
		FreezeID: c.Param("id"), SplitID: form.Split, Number: form.Number, Reason: form.Reason,
	})
	if err == nil {
		return seeOther(c, experimentURL(e.ID))
	}
	var invalid *models.InvalidError
	var changed *freeze.ChangedError
	code, says := 0, ""
	switch {
	case errors.As(err, &invalid):
		code, says = http.StatusUnprocessableEntity, invalid.Fields["reason"]
		if says == "" {
			return err
		}
	case errors.As(err, &changed):
		code, says = http.StatusConflict, "No run was started. "+changed.Error()+"."
	default:
		return err
	}
	view, err := h.frozenView(c, c.Param("id"))
	if err != nil {
		return err
	}
	for i := range view.Splits {
		if s := &view.Splits[i]; s.ID == form.Split && s.Form != nil {
			s.Form.Reason, s.Form.Error = form.Reason, says
		}
	}
	return render(c, code, pages.FrozenPage(view))
}
