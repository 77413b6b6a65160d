package handlers

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// shareCreate makes a secret link. Its token is shown on the answer to this
// request and nowhere else, so the page is rendered instead of redirected to.
func (h *Handlers) shareCreate(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	e, err := h.store.Experiment(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	var expires *time.Time
	if days := c.FormValue(pages.ShareExpiryField); days != "" {
		n, err := strconv.Atoi(days)
		if err != nil || n < 1 || n > 3650 {
			return models.Invalid("valid_for", "choose 1 to 3650 days, or no end")
		}
		at := h.now().Add(time.Duration(n) * 24 * time.Hour)
		expires = &at
	}
	_, token, err := h.store.ShareExperiment(ctx, v, e.ID, expires)
	if err != nil {
		return err
	}
	view := pages.Shared{Frame: h.frame(c, "Share "+e.Name), Now: h.now(), Back: experimentURL(e.ID)}
	view.Frame.Crumbs = []layout.Link{{Text: "Home", Href: "/"}, {Text: e.Name, Href: view.Back}}
	panel, err := h.sharePanel(c, e, c.Scheme()+"://"+c.Request().Host+"/s/"+token)
	if err != nil {
		return err
	}
	view.Panel = *panel
	return render(c, http.StatusOK, pages.ShareMade(view))
}

// shareRevoke ends a link at once.
func (h *Handlers) shareRevoke(c echo.Context) error {
	if err := h.store.RevokeShare(c.Request().Context(), viewer(c), c.Param("id")); err != nil {
		return err
	}
	return seeOther(c, backTo(c, "/")+"#share")
}

// backTo is the experiment the form came from, if it says so and is one of ours.
func backTo(c echo.Context, otherwise string) string {
	if id := c.FormValue("experiment"); id != "" {
		return "/experiments/" + url.PathEscape(id)
	}
	return otherwise
}

// sharePanel lists an experiment's links for an editor.
func (h *Handlers) sharePanel(c echo.Context, e models.Experiment, made string) (*pages.SharePanel, error) {
	links, err := h.store.ShareLinks(c.Request().Context(), viewer(c), e.ID)
	if err != nil {
		return nil, err
	}
	p := &pages.SharePanel{CreateURL: experimentURL(e.ID) + "/share", New: made, Experiment: e.ID}
	for _, l := range links {
		link := pages.ShareLink{By: l.CreatedBy, Made: l.CreatedAt, Revoked: l.RevokedAt != nil, RevokeURL: "/shares/" + url.PathEscape(l.ID) + "/revoke"}
		if l.ExpiresAt != nil {
			link.Expires = *l.ExpiresAt
			link.Expired = !h.now().Before(*l.ExpiresAt)
		}
		p.Links = append(p.Links, link)
	}
	return p, nil
}
