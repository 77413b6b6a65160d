package handlers

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/runner"
	"plumbline/web/pages"
)

// freezeCreate freezes what the rule chooses. A form that is not complete comes
// back with what is wrong with it.
func (h *Handlers) freezeCreate(c echo.Context) error {
	var form struct {
		Candidates string   `form:"candidates"`
		Splits     []string `form:"split"`
	}
	if err := c.Bind(&form); err != nil {
		return err
	}
	candidates := candidatesOf(form.Candidates)
	f, err := h.runner.Freeze(c.Request().Context(), viewer(c), runner.FreezeSpec{ExperimentID: c.Param("id"), Candidates: candidates, SplitIDs: form.Splits})
	if err == nil {
		return seeOther(c, freezeURL(f.ID))
	}
	var invalid *models.InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	view, err := h.freezeForm(c, c.Param("id"), candidates)
	if err != nil {
		return err
	}
	view.Error = fieldText(invalid.Fields)
	return render(c, http.StatusUnprocessableEntity, pages.FreezePage(view))
}
