package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/web/components"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// compareShow sets arms side by side; the first of the address is the baseline.
func (h *Handlers) compareShow(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	s, err := h.compareStateOf(c)
	if err != nil {
		return err
	}
	view := pages.Compare{Frame: h.frame(c, "Compare"), Interval: intervalNames[intervalWilson]}
	view.Frame.Crumbs = []layout.Link{{Text: "Home", Href: "/"}}
	choices, err := h.store.ArmChoices(ctx, v, 30)
	if err != nil {
		return err
	}
	view.Picker = picker(choices, s)
	if len(s.arms) >= 2 {
		if err := h.compare(c, s, &view); err != nil {
			return err
		}
	}
	return render(c, http.StatusOK, pages.ComparePage(view))
}

func picker(choices []models.ArmChoice, s compareState) pages.Picker {
	selected := map[string]bool{}
	for _, a := range s.arms {
		selected[a.arm.ID] = true
	}
	p := pages.Picker{Action: "/compare"}
	for _, x := range choices {
		if x.Experiment.Kind == models.KindControl {
			continue // its policies end episodes, they decide no trace
		}
		p.Options = append(p.Options, pages.PickOption{
			ID: x.Arm.ID, Name: x.Arm.ReviewerName + " · " + x.Arm.Form, Experiment: x.Experiment.ID,
			Group: x.Experiment.Name + " (" + x.DatasetName + ")", Selected: selected[x.Arm.ID],
		})
	}
	return p
}

func (h *Handlers) compare(c echo.Context, s compareState, view *pages.Compare) error {
	for i, a := range s.arms {
		m, err := h.results.get(c.Request().Context(), viewer(c), a.experiment, false)
		if err != nil {
			return err
		}
		line := pages.CompareArm{
			ID: a.arm.ID, Name: a.name(), Href: experimentURL(a.experiment.ID), Experiment: a.experiment.Name, RemoveURL: s.address(s.without(i, false), "pair", ""),
		}
		if i > 0 {
			line.FirstURL = s.address(s.without(i, true), "pair", "")
		}
		for j, r := range m.Arms {
			if r.Arm.ID == a.arm.ID {
				row := armRow(a.experiment, j, r, optionsOf("", nil))
				line.Rates, line.Badges, line.Traces = row.Rates, row.Badges, r.Counts.N()
			}
		}
		view.Arms = append(view.Arms, line)
	}
	view.Several = s.several()
	for _, m := range []struct {
		mode pairing
		text string
	}{{withBaseline, "With the baseline"}, {allPairs, "All pairs"}, {sameArm, "The same arm of two experiments"}} {
		if n := len(s.pairsOf(m.mode)); n > 0 {
			view.Modes = append(view.Modes, pages.TabLink{
				Text: m.text + " (" + components.Count(n) + ")", Href: s.address(s.arms, "pairs", string(m.mode), "pair", ""), Current: s.pairs == m.mode,
			})
		}
	}
	view.AllRows = s.all
	view.RowsURL = s.address(s.arms, "rows", "all")
	if s.all {
		view.RowsURL = s.address(s.arms, "rows", "")
	}
	if err := h.compareSettings(c, s, view); err != nil {
		return err
	}
	return h.comparePairs(c, s, view)
}
