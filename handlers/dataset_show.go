package handlers

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/web/components"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// datasetShow is the page of a dataset.
func (h *Handlers) datasetShow(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	d, err := h.store.Dataset(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	by := models.TraceDim(c.QueryParam("by"))
	if by == "repository" || by == models.ByRepo {
		by = models.ByRepo
	} else if by != models.BySplit {
		by = models.ByAgent
	}
	var (
		cells   []models.CompositionCell
		all     int64
		splits  []models.SplitCount
		reports []models.ImportReport
		counts  models.InstanceCounts
		history []models.LabelBatch
	)
	err = together(
		func() (err error) { cells, err = h.store.CompositionBy(ctx, v, d.ID, by); return err },
		func() (err error) {
			all, err = h.store.CountTraces(ctx, v, models.TraceFilter{DatasetID: d.ID})
			return err
		},
		func() (err error) { splits, err = h.store.Splits(ctx, v, d.ID); return err },
		func() (err error) { reports, err = h.store.ImportReports(ctx, v, d.ID); return err },
		func() (err error) { counts, err = h.store.CountInstances(ctx, v, d.ID); return err },
		func() (err error) { history, err = h.store.LabelHistory(ctx, v, d.ID, shownLabelChanges); return err },
	)
	if err != nil {
		return err
	}
	edit := v.CanEdit(d.ProjectID)
	base := "/datasets/" + url.PathEscape(d.ID)
	fill := components.Empty{Why: "The dataset holds no trace yet."}
	view := pages.Dataset{
		Frame: h.frame(c, d.Name), Now: h.now(), Note: d.Note,
		Counts: []pages.Fact{
			{Name: "traces", Value: components.Count(all), Href: base + "/traces"},
			{Name: "instances", Value: components.Count(counts.Instances)},
			{Name: "with an oracle", Value: components.Count(counts.WithOracle)},
		},
		By: []pages.TabLink{
			{Text: "agent", Href: base + "#composition", Current: by == models.ByAgent},
			{Text: "repository", Href: base + "?by=repository#composition", Current: by == models.ByRepo},
			{Text: "split", Href: base + "?by=split#composition", Current: by == models.BySplit},
		},
	}
	if edit {
		fill.Text, fill.Href, fill.Code = "Import traces", base+"/import", "plumbline import PATH… --dataset "+quoteArg(d.Name)
		view.Frame.Actions = append(view.Frame.Actions, layout.Action{Text: "Import", Href: base + "/import"})
		view.Frame.Menu = append(view.Frame.Menu, layout.Action{Text: "Label by execution", Href: base + "/labelruns"}, layout.Action{Text: "New review cascade", Href: "/cascades/new?dataset=" + url.QueryEscape(d.ID)})
		if all > 0 {
			view.Frame.Actions = append(view.Frame.Actions, layout.Action{Text: "New experiment", Href: "/experiments/new?dataset=" + url.QueryEscape(d.ID), Primary: true})
		}
	}
	view.Composition = pages.CompositionTable(dimensionWords[by], composition(cells, splits, by, int(all), base), fill)
	view.Splits = pages.SplitTable(splitRows(splits, d.ID, base, edit), components.Empty{Why: "There is no split; an import can put its traces into one by name."})
	view.Labels = labelBatches(history)
	view.Imports = pages.ImportTable(importRows(reports), view.Now, components.Empty{Why: "Nothing was imported into this dataset."})
	return render(c, http.StatusOK, pages.DatasetPage(view))
}

func splitRows(splits []models.SplitCount, dataset, base string, edit bool) []pages.SplitRow {
	var out []pages.SplitRow
	for _, s := range splits {
		r := pages.SplitRow{
			Name: s.Name, Href: base + "/traces?split=" + url.QueryEscape(s.ID),
			Traces: s.Traces, Acceptable: s.Acceptable, Defective: s.Defective, Unknown: s.Unknown,
		}
		if edit {
			r.New = "/experiments/new?dataset=" + url.QueryEscape(dataset) + "&split=" + url.QueryEscape(s.ID)
		}
		out = append(out, r)
	}
	return out
}

func importRows(reports []models.ImportReport) []pages.ImportRow {
	var out []pages.ImportRow
	for _, r := range reports {
		out = append(out, pages.ImportRow{
			Origin: r.Origin, Href: "/imports/" + url.PathEscape(r.ID), State: r.State, When: r.CreatedAt,
			Read: r.Records, New: r.Added, Problems: r.Problems,
		})
	}
	return out
}
