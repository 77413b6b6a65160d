package handlers

import (
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"plumbline/models"
)

// screenThreshold changes the contradiction rate that reviewers are held against.
func (h *Handlers) screenThreshold(c echo.Context) error {
	var form struct {
		Threshold string `form:"threshold"`
		Back      string `form:"back"`
	}
	if err := c.Bind(&form); err != nil {
		return err
	}
	x, err := strconv.ParseFloat(strings.Replace(strings.TrimSpace(form.Threshold), ",", ".", 1), 64)
	if err != nil {
		return models.Invalid("threshold", "write a share between 0 and 1, such as 0.05")
	}
	if err := h.runner.SetScreenThreshold(c.Request().Context(), viewer(c), x); err != nil {
		return err
	}
	return seeOther(c, localPath(form.Back)+"#screening")
}
