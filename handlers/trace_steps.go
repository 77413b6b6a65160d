package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/web/pages"
)

func stepPart(index int, part string) url.Values {
	return url.Values{"step": {strconv.Itoa(index + 1)}, "part": {part}}
}

// traceSteps gives one text of a step as it was stored; without a part it leads
// to the steps of the trace's page.
func (h *Handlers) traceSteps(c echo.Context) error {
	id, part := c.Param("id"), c.QueryParam("part")
	if part == "" {
		q := c.QueryParams()
		q.Set("tab", string(pages.TabSteps))
		return c.Redirect(http.StatusSeeOther, tracePath(id, "", q))
	}
	n, err := strconv.Atoi(c.QueryParam("step"))
	if err != nil || n < 1 {
		return fmt.Errorf("step %q: %w", c.QueryParam("step"), models.ErrNotFound)
	}
	texts, err := h.store.StepTexts(c.Request().Context(), viewer(c), id, n-1, 1)
	if err != nil {
		return err
	}
	if len(texts) == 0 || texts[0].Idx != n-1 {
		return fmt.Errorf("step %d: %w", n, models.ErrNotFound)
	}
	switch part {
	case "thought":
		return plain(c, texts[0].Thought)
	case "action":
		return plain(c, texts[0].Action)
	case "observation":
		return plain(c, texts[0].Observation)
	}
	return fmt.Errorf("part %q of a step: %w", part, models.ErrNotFound)
}

// plain answers a stranger's text as text: the browser neither runs nor guesses it.
func plain(c echo.Context, text string) error {
	return c.Blob(http.StatusOK, "text/plain; charset=utf-8", []byte(text))
}
