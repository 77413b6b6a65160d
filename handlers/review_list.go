package handlers

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/cascade"
	"plumbline/experiments/vote"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// reviewsPage is the number of reviews on a page of the list.
const reviewsPage = 50

// cascadeReviews lists the patches that were judged alone.
func (h *Handlers) cascadeReviews(c echo.Context) error {
	rows, next, err := h.store.SingleReviews(c.Request().Context(), viewer(c), h.project.ID, c.QueryParam("after"), reviewsPage)
	if err != nil {
		return err
	}
	view := pages.Verdicts{Frame: h.frame(c, "Reviewed patches"), Now: h.now(), Pager: tracePager("/reviews", c.QueryParams(), next)}
	view.Frame.Crumbs = crumbs("Home", "/")
	for _, r := range rows {
		row := pages.VerdictRow{Title: r.Title, Href: "/reviews/" + url.PathEscape(r.ID), Author: r.Author, When: r.CreatedAt, Mark: verdictMark(r.Verdict)}
		if s, ok := cascade.ParseStage(r.Stage); ok {
			row.Stage = s.Name()
			if row.Mark == components.Errored {
				row.Stage = "stopped before a verdict"
			}
		}
		view.Rows = append(view.Rows, row)
	}
	return render(c, http.StatusOK, pages.VerdictsPage(view))
}

func verdictMark(verdict string) components.Mark {
	if v := vote.Vote(verdict); v.Valid() {
		return components.MarkOf(v)
	}
	return components.Errored
}
