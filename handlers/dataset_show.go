package handlers

import (
	"net/http"
	"net/url"
	"sort"

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
	cells, err := h.store.Composition(ctx, v, d.ID, "")
	if err != nil {
		return err
	}
	splits, err := h.store.Splits(ctx, v, d.ID)
	if err != nil {
		return err
	}
	reports, err := h.store.ImportReports(ctx, v, d.ID)
	if err != nil {
		return err
	}
	counts, err := h.store.CountInstances(ctx, v, d.ID)
	if err != nil {
		return err
	}
	edit := v.CanEdit(d.ProjectID)
	by := c.QueryParam("by")
	if by != "repository" {
		by = "agent"
	}
	base := "/datasets/" + url.PathEscape(d.ID)
	fill := components.Empty{Why: "The dataset holds no trace yet."}
	view := pages.Dataset{
		Frame: h.frame(c, d.Name), Now: h.now(), Note: d.Note,
		Counts: []pages.Fact{
			{Name: "traces", Value: components.Count(total(cells)), Href: base + "/traces"},
			{Name: "instances", Value: components.Count(counts.Instances)},
			{Name: "with an oracle", Value: components.Count(counts.WithOracle)},
		},
		By: []pages.TabLink{
			{Text: "agent", Href: base + "#composition", Current: by == "agent"},
			{Text: "repository", Href: base + "?by=repository#composition", Current: by == "repository"},
		},
	}
	if edit {
		fill.Text, fill.Href, fill.Code = "Import traces", base+"/import", "plumbline import PATH… --dataset "+quoteArg(d.Name)
		view.Frame.Actions = append(view.Frame.Actions, layout.Action{Text: "Import", Href: base + "/import"})
		if total(cells) > 0 {
			view.Frame.Actions = append(view.Frame.Actions, layout.Action{Text: "New experiment", Href: "/experiments/new?dataset=" + url.QueryEscape(d.ID), Primary: true})
		}
	}
	view.Composition = pages.CompositionTable(by, composition(cells, by, base), fill)
	view.Splits = pages.SplitTable(splitRows(splits, d.ID, base, edit), components.Empty{Why: "There is no split; an import can put its traces into one by name."})
	view.Imports = pages.ImportTable(importRows(reports), view.Now, components.Empty{Why: "Nothing was imported into this dataset."})
	return render(c, http.StatusOK, pages.DatasetPage(view))
}

func total(cells []models.Cell) int {
	n := 0
	for _, c := range cells {
		n += c.N
	}
	return n
}

// column is the composition column of a cell.
func column(c models.Cell) pages.CompositionKey {
	switch c.Label {
	case "acceptable":
		return pages.CompAcceptable
	case "defective":
		switch c.Bucket {
		case "omission", "regression", "no_change":
			return pages.CompositionKey(c.Bucket)
		}
		return pages.CompOther
	}
	return pages.CompUnknown
}

// composition sums the cells by agent or repository, largest first, with a line
// of all at the end. A count that links leads to exactly the traces it counts.
func composition(cells []models.Cell, by, base string) []pages.CompositionRow {
	name := func(c models.Cell) string {
		if by == "repository" {
			return c.Repo
		}
		return c.Agent
	}
	rows := map[string]map[pages.CompositionKey]int{}
	all := map[pages.CompositionKey]int{}
	for _, c := range cells {
		r := rows[name(c)]
		if r == nil {
			r = map[pages.CompositionKey]int{}
			rows[name(c)] = r
		}
		for _, k := range []pages.CompositionKey{column(c), pages.CompAll} {
			r[k] += c.N
			all[k] += c.N
		}
	}
	names := make([]string, 0, len(rows))
	for n := range rows {
		names = append(names, n)
	}
	sort.Slice(names, func(i, j int) bool {
		a, b := rows[names[i]][pages.CompAll], rows[names[j]][pages.CompAll]
		return a > b || a == b && names[i] < names[j]
	})
	param := map[string]string{"agent": "agent", "repository": "repo"}[by]
	out := make([]pages.CompositionRow, 0, len(names)+1)
	for _, n := range names {
		out = append(out, compositionRow(n, false, rows[n], base, param))
	}
	if len(out) > 0 {
		out = append(out, compositionRow("", true, all, base, ""))
	}
	return out
}

func compositionRow(name string, sum bool, counts map[pages.CompositionKey]int, base, param string) pages.CompositionRow {
	row := pages.CompositionRow{Name: name, Total: sum, Cells: map[pages.CompositionKey]pages.CountLink{}}
	for _, k := range pages.CompositionKeys {
		row.Cells[k] = pages.CountLink{N: counts[k]}
		// The list cannot ask for "no name" or "no bucket", so those counts lead nowhere.
		if k == pages.CompOther || param != "" && name == "" {
			continue
		}
		q := url.Values{}
		if param != "" {
			q.Set(param, name)
		}
		switch k {
		case pages.CompAll:
		case pages.CompAcceptable, pages.CompUnknown:
			q.Set("label", string(k))
		default:
			q.Set("label", "defective")
			q.Set("bucket", string(k))
		}
		href := base + "/traces"
		if len(q) > 0 {
			href += "?" + q.Encode()
		}
		row.Cells[k] = pages.CountLink{N: counts[k], Href: href}
	}
	return row
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
