package handlers

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/web/components"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// homeShow lists the newest experiments and all datasets.
func (h *Handlers) homeShow(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	experiments, err := h.store.Experiments(ctx, v, models.ExperimentFilter{Limit: 50})
	if err != nil {
		return err
	}
	datasets, err := h.store.Datasets(ctx, v)
	if err != nil {
		return err
	}
	view := pages.Home{Frame: h.frame(c, "Home"), Now: h.now(), Sort: c.QueryParam("sort")}
	view.SortURL = func(key string) string { return components.With("/", c.QueryParams(), "sort", key) }
	if v.CanEdit(h.project.ID) {
		view.ImportURL = "/import"
		view.Frame.Actions = []layout.Action{{Text: "Import traces", Href: view.ImportURL}}
		if len(datasets) > 0 {
			view.NewURL = "/experiments/new"
			view.Frame.Actions = append(view.Frame.Actions, layout.Action{Text: "New experiment", Href: view.NewURL, Primary: true})
		}
	}
	for _, d := range datasets {
		view.Datasets = append(view.Datasets, pages.DatasetLine{
			Name: d.Name, Href: "/datasets/" + url.PathEscape(d.ID), Note: d.Note, Bundled: d.Bundled, Instances: d.Instances, Traces: d.Traces,
			Acceptable: d.Acceptable, Defective: d.Defective, Unknown: d.Unknown, Added: d.CreatedAt,
		})
	}
	times, err := h.heldOutTimes(c, experiments)
	if err != nil {
		return err
	}
	for _, e := range experiments {
		line := h.experimentLine(e)
		if n := times[e.ID]; n > 0 {
			line.Badges = append(line.Badges, components.EvaluatedTimes(n))
		}
		if line.Status.Active() {
			view.PollURL = "/?" + c.QueryString()
		}
		view.Experiments = append(view.Experiments, line)
	}
	sortExperiments(view.Experiments, view.Sort)
	return render(c, http.StatusOK, pages.HomePage(view))
}

func (h *Handlers) experimentLine(e models.ExperimentCount) pages.ExperimentLine {
	p := models.Progress{State: e.State, Total: e.ItemTotal, Done: e.Done, Error: e.Errors, Blocked: e.Blocked}
	line := pages.ExperimentLine{
		ID: e.ID, Name: e.Name, Href: experimentURL(e.ID), Kind: e.Kind, Dataset: e.DatasetName, DatasetHref: "/datasets/" + url.PathEscape(e.DatasetID),
		Status: statusOf(p), Arms: e.Arms, Votes: e.Votes, ErrorsHref: outcomesURL(e.ID, pages.KindErrors),
		Progress: components.Progress{Total: e.ItemTotal, Done: e.Done, Errors: e.Errors, Blocked: e.Blocked},
	}
	if e.Simulated {
		line.Badges = append(line.Badges, components.Simulated)
	}
	if e.StartedAt != nil {
		line.Started = *e.StartedAt
	}
	return line
}

// sortExperiments orders the list by name or start; it comes newest first.
func sortExperiments(lines []pages.ExperimentLine, by string) {
	key, desc := strings.CutPrefix(by, "-")
	slices.SortStableFunc(lines, func(a, b pages.ExperimentLine) int {
		n := 0
		switch key {
		case "name":
			n = cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
		case "started":
			n = a.Started.Compare(b.Started)
		}
		if desc {
			return -n
		}
		return n
	})
}
