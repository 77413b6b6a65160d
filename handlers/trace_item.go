package handlers

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/web/pages"
)

// itemShow leads from an arm × trace to the trace's page, opened at that arm; the
// parameters of the list it stands in go along. With a part it gives a text as it
// was stored: the evidence, or the reply of a vote.
func (h *Handlers) itemShow(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	row, _, err := h.store.Outcome(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	switch part := c.QueryParam("part"); part {
	case "":
		q := c.QueryParams()
		q.Set("item", row.ItemID)
		if q.Get("tab") == "" {
			q.Set("tab", string(pages.TabEvidence))
		}
		return c.Redirect(http.StatusSeeOther, tracePath(row.TraceID, "", q))
	case "evidence":
		ev, err := h.store.Evidence(ctx, v, row.ItemID)
		if err != nil {
			return err
		}
		return plain(c, ev.Text)
	case "reply":
		n, err := strconv.Atoi(c.QueryParam("vote"))
		if err != nil {
			return fmt.Errorf("vote %q: %w", c.QueryParam("vote"), models.ErrNotFound)
		}
		votes, err := h.store.VoteDetails(ctx, v, row.ItemID)
		if err != nil {
			return err
		}
		for _, d := range votes {
			if d.Idx == n-1 {
				return plain(c, d.Raw)
			}
		}
		return fmt.Errorf("vote %d: %w", n, models.ErrNotFound)
	default:
		return fmt.Errorf("part %q of an item: %w", part, models.ErrNotFound)
	}
}
