package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/web/pages"
)

// shareShow is the read-only result page of a secret link. Whoever is signed in,
// it is rendered for a viewer that sees this one experiment and nothing else.
func (h *Handlers) shareShow(c echo.Context) error {
	ctx := c.Request().Context()
	v, link, err := h.store.OpenShare(ctx, c.Param("token"))
	if err != nil {
		return err
	}
	c.Set(viewerKey, v)
	c.Response().Header().Set("X-Robots-Tag", "noindex, nofollow, noarchive")
	e, err := h.store.Experiment(ctx, v, link.ExperimentID)
	if err != nil {
		return err
	}
	o := optionsOf(c.Request().URL.Path, c.QueryParams())
	o.public = true
	result, m, err := h.resultOf(c, e, o)
	if err != nil {
		return err
	}
	p, err := h.store.Progress(ctx, v, e.ID)
	if err != nil {
		return err
	}
	view := pages.Share{Title: e.Name, Result: result, State: h.stateView(e.ID, p, false, nil), Version: h.version}
	// A stranger may not list splits; the name of the split is no secret.
	design, err := h.store.UsesSplit(ctx, v, e.ID, trace.SplitDesign)
	if err != nil {
		return err
	}
	evaluated, err := h.evaluated(c, e.ID)
	if err != nil {
		return err
	}
	view.Badges = append(badgesOf(e, design), evaluated...)
	if view.Facts, err = h.facts(c, m, models.Dataset{}); err != nil {
		return err
	}
	if link.ExpiresAt != nil {
		view.Expires = "The link ends on " + link.ExpiresAt.UTC().Format("2 January 2006, 15:04 UTC") + "."
	}
	return render(c, http.StatusOK, pages.SharePage(view))
}
