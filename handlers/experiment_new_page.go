package handlers

import (
	"net/url"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/evidence"
	"plumbline/models"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// offered are the forms of the matrix. Checked evidence needs checks that a review
// experiment does not run, and structured-missing needs controlled cases.
var offered = []evidence.Form{
	evidence.Summary, evidence.Patch, evidence.Trace, evidence.Structured, evidence.StructuredEmpty, evidence.Official, evidence.OfficialNotes,
}

// experimentPage is the form with what is wrong with it and the estimate.
func (h *Handlers) experimentPage(c echo.Context, in experimentForm, bad fields) (pages.ExperimentNew, error) {
	ctx, v := c.Request().Context(), viewer(c)
	if !v.CanEdit(h.project.ID) {
		return pages.ExperimentNew{}, models.ErrForbidden
	}
	sets, err := h.store.Datasets(ctx, v)
	if err != nil {
		return pages.ExperimentNew{}, err
	}
	if in.Dataset == "" && len(sets) > 0 {
		in.Dataset = sets[0].ID
	}
	reviewers, err := h.store.Reviewers(ctx, v, h.project.ID)
	if err != nil {
		return pages.ExperimentNew{}, err
	}
	past, err := h.store.Experiments(ctx, v, models.ExperimentFilter{ProjectID: h.project.ID, Limit: 500})
	if err != nil {
		return pages.ExperimentNew{}, err
	}
	number := func(name, label, value, hint, unit string) components.Input {
		return components.Input{Name: name, Label: label, Kind: "number", Value: value, Hint: hint, Unit: unit, Error: bad[name], Step: "1"}
	}
	view := pages.ExperimentNew{
		Frame: h.frame(c, "New experiment"), Action: "/experiments", Preview: "/experiments/new", Refresh: "/experiments/estimate",
		Name:  components.Input{Name: "name", Label: "Name", Value: in.suggestion(len(past) + 1), MaxLength: 200, Error: bad["name"]},
		Votes: number("votes", "Votes (K)", in.Votes, "of each arm on each trace", ""), Seed: number("seed", "Seed", in.Seed, "", ""),
		Budget:   number("budget", "Evidence budget", in.Budget, "of one text; 0: no limit", "tokens"),
		ArmError: bad["arms"], Error: bad["dataset"],
		NoReview: components.Empty{Why: "There is no reviewer yet.", Text: "New reviewer", Href: "/reviewers/new"},
	}
	if wrong := bad["budget_tokens"]; wrong != "" {
		view.Budget.Error = wrong
	}
	for _, d := range sets {
		view.Datasets = append(view.Datasets, components.Choice{Value: d.ID, Text: d.Name, Selected: d.ID == in.Dataset})
	}
	if in.Dataset != "" {
		if view.Splits, err = h.splitChoices(c, &in); err != nil {
			return view, err
		}
	}
	view.Forms, view.Rows, err = armMatrix(reviewers, in)
	if err != nil {
		return view, err
	}
	for i, r := range reviewers {
		s, err := h.runner.Screen(ctx, v, r.Reviewer.ID)
		if err != nil {
			return view, err
		}
		view.Rows[i].Screen = screenView(s, reviewerURL(r.Reviewer.ID)+"#screening")
	}
	if view.Power, err = h.powerView(c, in.Power); err != nil {
		return view, err
	}
	view.Estimate, view.Plan, err = h.estimate(c, in)
	return view, err
}

// splitChoices lists the splits of the chosen dataset and the whole of it, and
// settles which is chosen.
func (h *Handlers) splitChoices(c echo.Context, in *experimentForm) ([]pages.SplitChoice, error) {
	ctx, v := c.Request().Context(), viewer(c)
	splits, err := h.store.Splits(ctx, v, in.Dataset)
	if err != nil {
		return nil, err
	}
	cells, err := h.store.Composition(ctx, v, in.Dataset, "")
	if err != nil {
		return nil, err
	}
	all := pages.SplitChoice{Value: allTraces, Name: "all traces"}
	for _, x := range cells {
		all.Traces += x.N
		switch column(x) {
		case pages.CompAcceptable:
			all.Acceptable += x.N
		case pages.CompUnknown:
			all.Unknown += x.N
		default:
			all.Defective += x.N
		}
	}
	if all.Traces == 0 {
		return nil, nil
	}
	var out []pages.SplitChoice
	found := in.Split == allTraces
	for _, s := range splits {
		out = append(out, pages.SplitChoice{Value: s.ID, Name: s.Name, Traces: s.Traces, Acceptable: s.Acceptable, Defective: s.Defective, Unknown: s.Unknown})
		found = found || s.ID == in.Split
	}
	out = append(out, all)
	if !found {
		in.Split = out[0].Value
	}
	for i := range out {
		out[i].Selected = out[i].Value == in.Split
	}
	return out, nil
}

// armMatrix is reviewer × form.
func armMatrix(reviewers []models.ReviewerLatest, in experimentForm) ([]pages.FormChoice, []pages.ReviewerArms, error) {
	var forms []pages.FormChoice
	for _, f := range offered {
		forms = append(forms, pages.FormChoice{Name: string(f), Class: string(f.Class()), Says: f.Explain(), Deployable: f.Deployable()})
	}
	var rows []pages.ReviewerArms
	for _, r := range reviewers {
		spec, err := specOf(r.Version)
		if err != nil {
			return nil, nil, err
		}
		row := pages.ReviewerArms{Name: r.Reviewer.Name, Model: spec.Model, Version: r.Version.Version, Href: "/reviewers/" + url.PathEscape(r.Reviewer.ID)}
		line, err := reviewerRow(r)
		if err != nil {
			return nil, nil, err
		}
		row.Badges = line.Badges
		for _, f := range offered {
			value := armValue(r.Version.ID, f)
			row.Arms = append(row.Arms, pages.ArmChoice{Value: value, Selected: in.has(value)})
		}
		rows = append(rows, row)
	}
	return forms, rows, nil
}
