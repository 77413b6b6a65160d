package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/stats"
	"plumbline/experiments/vote"
	"plumbline/web/pages"
)

// agreementShow says how far the votes of each arm agree, and the decisions of every
// two arms.
func (h *Handlers) agreementShow(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	e, err := h.store.Experiment(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	m, err := h.results.get(ctx, v, e, false)
	if err != nil {
		return err
	}
	cells, err := h.store.ArmPairCells(ctx, v, e.ID)
	if err != nil {
		return err
	}
	view := pages.AgreementView{Frame: h.frame(c, "Agreement")}
	view.Frame.Crumbs = crumbs("Home", "/", e.Name, experimentURL(e.ID))
	view.Frame.Badges = badgesOf(e, false)
	r := resultView(m, optionsOf(experimentURL(e.ID)+"/agreement", c.QueryParams()))
	view.Arms = r.Arms
	tables := map[[2]string]*[4][4]int{}
	for _, x := range cells {
		key := [2]string{x.First, x.Second}
		if tables[key] == nil {
			tables[key] = new([4][4]int)
		}
		i, j := vote.Vote(x.FirstDecision).Index(), vote.Vote(x.SecondDecision).Index()
		if i >= 0 && j >= 0 {
			tables[key][i][j] += x.N
		}
	}
	for i := range view.Arms {
		for j := i + 1; j < len(view.Arms); j++ {
			pair := pages.ArmPair{First: i, Second: j, Href: compareURL([]pages.ArmRow{view.Arms[i], view.Arms[j]})}
			t := tables[[2]string{view.Arms[i].ID, view.Arms[j].ID}]
			if t == nil {
				pair.Kappa.Why = "no trace has a decision of both"
			} else {
				k := vote.Cohen(*t)
				iv, _ := stats.MeasureCohen(view.Arms[i].ID+"\x00"+view.Arms[j].ID, *t, stats.Options{Seed: uint64(e.Seed)})
				pair.N, pair.Kappa = k.Items, quantity(stats.Number{Value: k.Value, Reason: k.Reason}, iv)
				if k.Observed != nil {
					pair.Observed = k.Observed
				}
			}
			view.Pairs = append(view.Pairs, pair)
		}
	}
	return render(c, http.StatusOK, pages.AgreementPage(view))
}
