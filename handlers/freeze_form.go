package handlers

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/evidence"
	"plumbline/experiments/freeze"
	"plumbline/experiments/stats"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/web/components"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// freezeNew shows what the rule chooses on a design experiment, and the form that
// freezes it.
func (h *Handlers) freezeNew(c echo.Context) error {
	view, err := h.freezeForm(c, c.Param("id"), candidatesOf(c.QueryParam("candidates")))
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, pages.FreezePage(view))
}

func candidatesOf(s string) freeze.Candidates {
	if s == string(freeze.All) {
		return freeze.All
	}
	return freeze.Deployable
}

func freezeURL(id string) string { return "/freezes/" + url.PathEscape(id) }

func (h *Handlers) freezeForm(c echo.Context, experimentID string, candidates freeze.Candidates) (pages.FreezeForm, error) {
	ctx, v := c.Request().Context(), viewer(c)
	e, err := h.store.Experiment(ctx, v, experimentID)
	if err != nil {
		return pages.FreezeForm{}, err
	}
	m, err := h.results.get(ctx, v, e, false)
	if err != nil {
		return pages.FreezeForm{}, err
	}
	plan, err := h.runner.PlanFreeze(ctx, v, m.Results, candidates)
	if err != nil {
		return pages.FreezeForm{}, err
	}
	view := pages.FreezeForm{
		Frame: h.frame(c, "Choose and freeze"), Now: h.now(), Rule: freeze.RuleText, Warnings: plan.Warnings, Blocked: plan.Blocked,
		Hidden: []components.Pair{{Name: "candidates", Value: string(candidates)}},
	}
	view.Frame.Crumbs = []layout.Link{{Text: "Home", Href: "/"}, {Text: e.Name, Href: experimentURL(e.ID)}}
	design, err := h.store.UsesSplit(ctx, v, e.ID, trace.SplitDesign)
	if err != nil {
		return view, err
	}
	view.Frame.Badges = badgesOf(e, design)
	if v.CanEdit(e.ProjectID) {
		view.Action = experimentURL(e.ID) + "/freeze"
	}
	for _, x := range []struct {
		value freeze.Candidates
		text  string
	}{{freeze.Deployable, "Deployable forms"}, {freeze.All, "All forms, upper bounds too"}} {
		view.Candidates = append(view.Candidates, pages.TabLink{
			Text: x.text, Href: experimentURL(e.ID) + "/freeze?candidates=" + string(x.value), Current: x.value == candidates,
		})
	}
	if view.Choices, err = h.freezeChoices(c, e, m.Results, plan); err != nil {
		return view, err
	}
	for _, s := range plan.Splits {
		view.Splits = append(view.Splits, pages.FreezeSplit{
			ID: s.ID, Name: s.Name, Traces: s.Traces, Acceptable: s.Acceptable, Defective: s.Defective, Unlabelled: s.Unknown,
			Instances: s.SharedInstances, Out: s.Out, Selected: s.Name == trace.SplitHeldOut,
		})
	}
	freezes, err := h.store.Freezes(ctx, v, e.ID)
	for _, f := range freezes {
		view.Freezes = append(view.Freezes, pages.FreezeLine{Href: freezeURL(f.ID), SHA: f.ManifestSHA256, By: f.Author, When: f.CreatedAt, Runs: f.Runs})
	}
	return view, err
}

// freezeChoices are the arms of each reviewer with the rates that the rule compares.
func (h *Handlers) freezeChoices(c echo.Context, e models.Experiment, res runner.Results, plan runner.FreezePlan) ([]pages.FreezeChoice, error) {
	arms := map[string]int{} // arm of a reviewer version and form
	for i, a := range res.Arms {
		arms[a.Arm.ReviewerVersionID+" "+a.Arm.Form] = i
	}
	o := resultOptions{interval: intervalWilson}
	var out []pages.FreezeChoice
	for _, ch := range plan.Choices {
		mark, href, err := h.screenOfVersion(c, e.ProjectID, ch.VersionID)
		if err != nil {
			return nil, err
		}
		choice := pages.FreezeChoice{Reviewer: ch.Reviewer, Version: ch.Version, Href: href, Why: ch.Why, Screen: mark}
		for i, entry := range ch.Entries {
			at := arms[ch.VersionID+" "+string(entry.Form)]
			a := res.Arms[at]
			arm := pages.FreezeArm{
				Form: string(entry.Form), Index: at, Badges: formBadges(entry.Form), Chosen: i == ch.Chosen, Out: entry.Out,
				Over: rateView(e, a, stats.OverRejection, o), Catch: rateView(e, a, stats.Catch, o), Correct: rateView(e, a, stats.CorrectOverAll, o),
				Undecided: pages.ArmCount{N: entry.Undecided, Href: outcomesURL(e.ID, pages.KindMissing, "arm", a.Arm.ID)},
			}
			if arm.Chosen {
				choice.Form = arm.Form
			}
			choice.Arms = append(choice.Arms, arm)
		}
		out = append(out, choice)
	}
	return out, nil
}

func formBadges(f evidence.Form) []components.Badge {
	if f.Deployable() {
		return nil
	}
	return []components.Badge{components.NotDeployable}
}
