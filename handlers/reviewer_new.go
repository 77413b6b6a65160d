package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/review"
	"plumbline/experiments/simulate"
	"plumbline/models"
	"plumbline/runner/reviewer"
	"plumbline/web/pages"
)

// reviewerNew is the empty form, or the form filled with a preset.
func (h *Handlers) reviewerNew(c echo.Context) error {
	if !viewer(c).CanEdit(h.project.ID) {
		return models.ErrForbidden
	}
	kind := reviewer.Kind(c.QueryParam("kind"))
	if kind != reviewer.KindAnthropic && kind != reviewer.KindSimulated {
		kind = reviewer.KindOpenAI
	}
	temperature := 0.8 // paper G §3: five votes at temperature 0.8
	spec := reviewer.Spec{Kind: kind, Temperature: &temperature, PromptVersion: review.Current}
	name := ""
	if kind == reviewer.KindSimulated {
		spec.Temperature = nil
		spec.Simulated = &reviewer.Simulated{Reviewer: &simulate.Reviewer{Confusion: simulate.Confusion{
			Acceptable: simulate.Rates{Accept: 0.8, Reject: 0.1, Uncertain: 0.1}, Defective: simulate.Rates{Accept: 0.2, Reject: 0.7, Uncertain: 0.1},
		}, Correlation: 0.4}}
		if r, ok := simulate.Preset(c.QueryParam("preset")); ok {
			name, spec.Simulated = r.Name, &reviewer.Simulated{Preset: r.Name}
		}
	}
	view := h.reviewerPage(c, "New reviewer", formOf(name, "", spec.Filled()), fields{})
	for _, k := range []reviewer.Kind{reviewer.KindOpenAI, reviewer.KindAnthropic, reviewer.KindSimulated} {
		view.Kinds = append(view.Kinds, pages.TabLink{Text: kindWord(k), Href: "/reviewers/new?kind=" + string(k), Current: k == kind})
	}
	if kind == reviewer.KindSimulated {
		view.Presets = presetLinks()
	}
	return render(c, http.StatusOK, pages.ReviewerPage(view))
}

// reviewerPage is the form with what is wrong with it.
func (h *Handlers) reviewerPage(c echo.Context, title string, in reviewerForm, bad fields) pages.Reviewer {
	view := pages.Reviewer{
		Frame: h.frame(c, title), Now: h.now(), Action: "/reviewers", Kind: in.Kind, Submit: "Save", Cancel: "/reviewers",
		Sections: reviewerSections(in, bad), Matrix: matrixOf(in, bad), Error: bad["kind"],
	}
	view.Frame.Crumbs = crumbs("Reviewers", "/reviewers")
	return view
}
