package handlers

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// searchTraces caps the traces a search shows.
const searchTraces = 50

// searchShow finds traces by a part of their instance id, and everything else by a
// part of its name.
func (h *Handlers) searchShow(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	view := pages.Search{Frame: h.frame(c, "Search"), Query: strings.TrimSpace(c.QueryParam("q"))}
	if view.Query == "" || len(view.Query) > 200 {
		return render(c, http.StatusOK, pages.SearchPage(view))
	}
	has := func(name string) bool { return strings.Contains(strings.ToLower(name), strings.ToLower(view.Query)) }
	sets, err := h.store.Datasets(ctx, v)
	if err != nil {
		return err
	}
	for _, d := range sets {
		if has(d.Name) {
			view.Datasets = append(view.Datasets, pages.SearchHit{Text: d.Name, Note: components.Plural(d.Traces, "trace", "traces"), Href: "/datasets/" + url.PathEscape(d.ID)})
		}
		left := searchTraces - len(view.Traces)
		if left <= 0 {
			view.More = true
			continue
		}
		rows, next, err := h.store.Traces(ctx, v, models.TraceFilter{DatasetID: d.ID, Text: view.Query}, models.Page{Sort: "instance", Limit: left})
		if err != nil {
			return err
		}
		view.More = view.More || next != ""
		for _, r := range rows {
			q := url.Values{"q": {view.Query}, "sort": {"instance"}, "from": {fromTraces}}
			view.Traces = append(view.Traces, pages.SearchHit{Text: r.InstanceID, Note: r.Agent + ", " + d.Name, Href: tracePath(r.ID, "", q)})
		}
	}
	past, err := h.store.Experiments(ctx, v, models.ExperimentFilter{Limit: 500})
	if err != nil {
		return err
	}
	for _, e := range past {
		if has(e.Name) {
			view.Experiments = append(view.Experiments, pages.SearchHit{Text: e.Name, Note: e.DatasetName, Href: "/experiments/" + url.PathEscape(e.ID)})
		}
	}
	reviewers, err := h.store.Reviewers(ctx, v, h.project.ID)
	if err != nil {
		return err
	}
	for _, r := range reviewers {
		if has(r.Reviewer.Name) {
			view.Reviewers = append(view.Reviewers, pages.SearchHit{Text: r.Reviewer.Name, Note: r.Version.Model, Href: "/reviewers/" + url.PathEscape(r.Reviewer.ID)})
		}
	}
	return render(c, http.StatusOK, pages.SearchPage(view))
}
