package handlers

import (
	"errors"
	"maps"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/web/pages"
)

// experimentCreate starts an experiment, or shows the form again with what is
// wrong at each field.
func (h *Handlers) experimentCreate(c echo.Context) error {
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	in := experimentFormOf(values)
	spec, bad := in.spec()
	if len(bad) == 0 {
		e, err := h.runner.Launch(c.Request().Context(), viewer(c), spec)
		var invalid *models.InvalidError
		switch {
		case err == nil:
			return seeOther(c, "/experiments/"+url.PathEscape(e.ID))
		case errors.As(err, &invalid):
			maps.Copy(bad, invalid.Fields)
		default:
			return err
		}
	}
	view, err := h.experimentPage(c, in, bad)
	if err != nil {
		return err
	}
	if view.Error == "" && bad["split"] != "" {
		view.Error = bad["split"]
	}
	return render(c, http.StatusUnprocessableEntity, pages.ExperimentNewPage(view))
}
