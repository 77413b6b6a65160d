package handlers

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/web/pages"
)

// noteCreate writes a note on an arm's look at a trace. A note that cannot be saved
// comes back as it was typed.
func (h *Handlers) noteCreate(c echo.Context) error {
	var form struct {
		Note string `form:"note"`
		Back string `form:"back"`
	}
	if err := c.Bind(&form); err != nil {
		return err
	}
	ctx, v, id := c.Request().Context(), viewer(c), c.Param("id")
	_, err := h.store.SaveNote(ctx, v, id, form.Note)
	back := localPath(form.Back)
	if err == nil {
		return seeOther(c, back)
	}
	var invalid *models.InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	note := pages.Note{Text: form.Note, Action: noteURL(id), Back: back, Error: invalid.Fields["note"]}
	return render(c, http.StatusUnprocessableEntity, pages.NotePage(h.frame(c, "Note"), note, h.now()))
}

func noteURL(itemID string) string { return "/items/" + url.PathEscape(itemID) + "/note" }
