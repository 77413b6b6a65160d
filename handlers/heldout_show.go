package handlers

import (
	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/web/components"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// heldOut fills what an experiment's page says of its evaluation: nothing unless it
// is a run of a frozen choice.
func (h *Handlers) heldOut(c echo.Context, e models.Experiment, view *pages.Experiment) error {
	ctx, v := c.Request().Context(), viewer(c)
	runs, err := h.store.HeldOutOf(ctx, v, e.ID)
	if err != nil || len(runs) == 0 {
		return err
	}
	view.Frame.Badges = append(view.Frame.Badges, components.EvaluatedTimes(len(runs)))
	for _, r := range runs {
		if r.ExperimentID != e.ID {
			continue
		}
		f, err := h.runner.Frozen(ctx, v, r.FreezeID)
		if err != nil {
			return err
		}
		view.HeldOut = &pages.HeldOutPanel{Freeze: freezeURL(r.FreezeID), Runs: runLines(runs, e.ID), Changes: changesView(f.Changes)}
		if n := len(f.Stopped()); n > 0 {
			view.Frame.Flash = append(view.Frame.Flash, components.Flash{
				Tone: components.Bad, Text: components.Plural(n, "change", "changes") + " after the freeze of this held-out run.",
				Detail: "The result is of what was frozen, not of what is stored now.", Href: "#heldout-title", Link: "What changed",
			})
		}
		view.Facts = append(view.Facts, pages.Fact{Name: "manifest", Value: "sha256:" + f.Freeze.ManifestSHA256, Mono: true, Href: freezeURL(r.FreezeID)})
	}
	return nil
}

// evaluated is the badge of a page whose reader may open no other.
func (h *Handlers) evaluated(c echo.Context, experimentID string) ([]components.Badge, error) {
	runs, err := h.store.HeldOutOf(c.Request().Context(), viewer(c), experimentID)
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	return []components.Badge{components.EvaluatedTimes(len(runs))}, nil
}

// freezeAction leads from a design experiment to the choice of its forms.
func freezeAction(e models.Experiment) layout.Action {
	return layout.Action{Text: "Choose forms and freeze", Href: experimentURL(e.ID) + "/freeze"}
}

// heldOutTimes counts the evaluations of those experiments of a list that are runs
// of a frozen choice.
func (h *Handlers) heldOutTimes(c echo.Context, list []models.ExperimentCount) (map[string]int, error) {
	ids := make([]string, len(list))
	for i, e := range list {
		ids[i] = e.ID
	}
	return h.store.HeldOutTimes(c.Request().Context(), viewer(c), ids)
}
