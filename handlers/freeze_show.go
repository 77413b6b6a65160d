package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/freeze"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/web/components"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// freezeShow is the page of one freeze.
func (h *Handlers) freezeShow(c echo.Context) error {
	view, err := h.frozenView(c, c.Param("id"))
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, pages.FrozenPage(view))
}

// freezeManifest downloads the manifest byte for byte as it was frozen.
func (h *Handlers) freezeManifest(c echo.Context) error {
	document, err := h.store.FreezeDocument(c.Request().Context(), viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentDisposition, `attachment; filename="`+c.Param("id")+`-manifest.json"`)
	return c.Blob(http.StatusOK, "application/json; charset=utf-8", document)
}

func (h *Handlers) frozenView(c echo.Context, freezeID string) (pages.Frozen, error) {
	ctx, v := c.Request().Context(), viewer(c)
	f, err := h.runner.Frozen(ctx, v, freezeID)
	if err != nil {
		return pages.Frozen{}, err
	}
	e, err := h.store.Experiment(ctx, v, f.Freeze.ExperimentID)
	if err != nil {
		return pages.Frozen{}, err
	}
	m := f.Manifest
	view := pages.Frozen{Frame: h.frame(c, "Freeze of "+e.Name), Now: h.now(), Download: freezeURL(freezeID) + "/manifest.json"}
	view.Frame.Crumbs = []layout.Link{{Text: "Home", Href: "/"}, {Text: e.Name, Href: experimentURL(e.ID)}, {Text: "Choose and freeze", Href: experimentURL(e.ID) + "/freeze"}}
	if e.Simulated {
		view.Frame.Badges = append(view.Frame.Badges, components.Simulated)
	}
	view.Frame.Actions = []layout.Action{{Text: "Manifest", Href: view.Download}}
	if m.Format == 0 { // nothing of it can be believed
		view.Broken = f.Changes[0].What
		return view, nil
	}
	view.Rule, view.Changes = m.Rule.Text, changesView(f.Changes)
	view.Facts = frozenFacts(f)
	if view.Arms, err = h.frozenArms(c, f); err != nil {
		return view, err
	}
	edit := v.CanEdit(f.Freeze.ProjectID)
	for _, s := range m.Evaluation {
		split, err := h.frozenSplit(c, f, s, edit)
		if err != nil {
			return view, err
		}
		view.Splits = append(view.Splits, split)
	}
	return view, nil
}

func changesView(all []freeze.Change) []pages.FrozenChange {
	var out []pages.FrozenChange
	for _, x := range all {
		out = append(out, pages.FrozenChange{Thing: string(x.Thing), Name: x.Name, What: x.What, Note: x.Note})
	}
	return out
}

func frozenFacts(f runner.Frozen) []pages.Fact {
	m := f.Manifest
	budget := "no limit"
	if m.Config.Budget > 0 {
		budget = components.Count(m.Config.Budget) + " tokens of evidence"
	}
	return []pages.Fact{
		{Name: "frozen", Value: m.FrozenAt.UTC().Format("2 January 2006, 15:04:05 UTC") + " by " + m.Author},
		{Name: "manifest", Value: "sha256:" + f.Freeze.ManifestSHA256, Mono: true, Href: freezeURL(f.Freeze.ID) + "/manifest.json"},
		{Name: "design", Value: m.Name + ", " + m.Design.Name + " (" + components.Plural(len(m.Design.Traces), "trace", "traces") + ")", Href: experimentURL(m.Experiment)},
		{Name: "dataset", Value: m.DatasetName, Href: "/datasets/" + url.PathEscape(m.Dataset)},
		{Name: "candidates", Value: candidateWord(m.Rule.Candidates)},
		{Name: "votes K", Value: components.Count(m.Config.Votes)}, {Name: "seed", Value: strconv.FormatInt(m.Config.Seed, 10), Mono: true},
		{Name: "tally", Value: m.Config.Tally}, {Name: "budget", Value: budget}, {Name: "leakage", Value: m.Config.OnLeak},
		{Name: "code", Value: m.CodeVersion, Mono: true},
	}
}

func candidateWord(c freeze.Candidates) string {
	if c == freeze.All {
		return "all forms, upper bounds too"
	}
	return "deployable forms"
}

func (h *Handlers) frozenArms(c echo.Context, f runner.Frozen) ([]pages.FrozenArm, error) {
	m := f.Manifest
	why := map[string]string{}
	for _, d := range m.Choices {
		why[d.ReviewerVersionID] = d.Why
	}
	reviewers := map[string]freeze.Reviewer{}
	for _, r := range m.Reviewers {
		reviewers[r.VersionID] = r
	}
	var out []pages.FrozenArm
	for _, a := range m.Arms {
		r := reviewers[a.ReviewerVersionID]
		mark, href, err := h.screenOfVersion(c, f.Freeze.ProjectID, a.ReviewerVersionID)
		if err != nil {
			return nil, err
		}
		out = append(out, pages.FrozenArm{
			Reviewer: a.Reviewer, Href: href, Version: r.Version, Model: r.Model, Prompt: r.Prompt, Form: string(a.Form),
			Badges: formBadges(a.Form), Why: why[a.ReviewerVersionID], Screen: mark,
		})
	}
	return out, nil
}

func (h *Handlers) frozenSplit(c echo.Context, f runner.Frozen, s freeze.Split, edit bool) (pages.FrozenSplit, error) {
	ctx, v := c.Request().Context(), viewer(c)
	out := pages.FrozenSplit{ID: s.ID, Name: s.Name, Traces: len(s.Traces)}
	runs, err := h.store.HeldOutRuns(ctx, v, f.Freeze.ID, s.ID)
	if err != nil {
		return out, err
	}
	out.Runs = runLines(runs, "")
	looks, err := h.store.EarlierLooks(ctx, v, f.Freeze.ID, s.ID)
	if err != nil {
		return out, err
	}
	for _, l := range looks {
		out.Looks = append(out.Looks, layout.Link{Text: fmt.Sprintf("%s (%s)", l.ExperimentName, components.Plural(l.Traces, "trace", "traces")), Href: experimentURL(l.ExperimentID)})
	}
	if edit {
		out.Form = &pages.HeldOutForm{Action: freezeURL(f.Freeze.ID) + "/runs", Number: len(runs) + 1}
		if len(f.Stopped()) > 0 {
			out.Form.Stop = "what was frozen has changed"
		}
	}
	return out, nil
}

func runLines(runs []models.HeldOutCount, current string) []pages.HeldOutLine {
	var out []pages.HeldOutLine
	for i, r := range runs {
		out = append(out, pages.HeldOutLine{
			Number: i + 1, Name: r.ExperimentName, Href: experimentURL(r.ExperimentID), By: r.Author, When: r.CreatedAt, Reason: r.Reason, Current: r.ExperimentID == current,
		})
	}
	return out
}
