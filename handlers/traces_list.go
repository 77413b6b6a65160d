package handlers

import (
	"net/http"
	"net/url"
	"slices"
	"sort"
	"sync"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/web/components"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

const tracesPage = 50

// tracesList is the list of a dataset's traces; its state is the URL.
func (h *Handlers) tracesList(c echo.Context) error {
	ctx, v, q := c.Request().Context(), viewer(c), c.QueryParams()
	d, err := h.store.Dataset(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	f := traceFilter(d.ID, q)
	var (
		rows   []models.TraceRow
		next   string
		counts traceCounts
		n, all int64
	)
	err = together(
		func() (err error) {
			rows, next, err = h.store.Traces(ctx, v, f, models.Page{Sort: q.Get("sort"), After: q.Get("after"), Limit: tracesPage})
			return err
		},
		func() (err error) { counts.labels, err = h.store.CountTracesBy(ctx, v, f, models.ByLabel); return err },
		func() (err error) { counts.agents, err = h.store.CountTracesBy(ctx, v, f, models.ByAgent); return err },
		func() (err error) { counts.repos, err = h.store.CountTracesBy(ctx, v, f, models.ByRepo); return err },
		func() (err error) { counts.splits, err = h.store.SplitNames(ctx, v, d.ID); return err },
		func() (err error) {
			if !f.ByLabelAlone() {
				n, err = h.store.CountTraces(ctx, v, f)
			}
			return err
		},
		func() (err error) {
			if !f.WholeByLabel() && !f.WholeByAgent() {
				all, err = h.store.CountTraces(ctx, v, models.TraceFilter{DatasetID: d.ID})
			}
			return err
		},
	)
	if err != nil {
		return err
	}
	if f.ByLabelAlone() {
		n = selected(f, counts.labels)
	}
	switch { // the counts that were made anyway tell how large the dataset is
	case f.WholeByLabel():
		all = selected(models.TraceFilter{}, counts.labels)
	case f.WholeByAgent():
		all = selected(models.TraceFilter{}, counts.agents)
	}
	base := "/datasets/" + url.PathEscape(d.ID)
	path := base + "/traces"
	view := pages.Traces{Frame: h.frame(c, "Traces"), Filters: traceFilters(path, q, counts)}
	view.Frame.Crumbs = crumbs(d.Name, base)
	view.Frame.Menu = append(view.Frame.Menu, layout.Action{Text: "Exports", Href: base + "/exports?" + listQuery(q).Encode()})
	view.Total = components.Plural(n, "trace", "traces")
	if all != n {
		view.Total = components.Count(n) + " of " + components.Plural(all, "trace", "traces")
	}
	if v.CanEdit(d.ProjectID) && n > 0 {
		view.Bulk = base + "/label"
		if asked := filterQuery(q); len(asked) > 0 {
			view.Bulk += "?" + asked.Encode()
		}
	}
	view.Search = pages.TraceSearch{Action: path, Query: q.Get("q")}
	for name, values := range listQuery(q) {
		if name != "q" {
			view.Search.Keep = append(view.Search.Keep, components.Pair{Name: name, Value: values[0]})
		}
	}
	sort.Slice(view.Search.Keep, func(i, j int) bool { return view.Search.Keep[i].Name < view.Search.Keep[j].Name })
	view.Table = traceTable(path, q, rows)
	view.Table.Pager = tracePager(path, q, next)
	return render(c, http.StatusOK, pages.TracesPage(view))
}

// selected counts what a filter selects by its label and bucket.
func selected(f models.TraceFilter, labels []models.TraceCount) (n int64) {
	none := slices.Contains(f.Without, "bucket")
	for _, c := range labels {
		if (f.Label == "" || c.Value == f.Label) && (f.Bucket == "" || c.Bucket == f.Bucket) && (!none || c.Bucket == "") {
			n += int64(c.N)
		}
	}
	return n
}

// together runs reads that do not depend on each other at the same time and gives
// the first error in their order.
func together(reads ...func() error) error {
	errs := make([]error, len(reads))
	var wait sync.WaitGroup
	for i, read := range reads {
		wait.Go(func() { errs[i] = read() })
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// sortable are the columns the store can sort by.
var sortable = map[string]bool{"instance": true, "agent": true, "repo": true, "label": true, "model": true, "steps": true, "size": true, "cost": true, "outcome": true}

func traceTable(path string, q url.Values, rows []models.TraceRow) components.Table {
	t := components.Table{ID: "traces", Caption: "Traces", Empty: components.Empty{Why: "No trace matches.", Text: "Show all", Href: path}}
	for _, col := range pages.TraceColumns {
		if sortable[col.Key] {
			col = components.SortBy(col, path, q)
		}
		t.Columns = append(t.Columns, col)
	}
	list := listQuery(q)
	list.Set("from", fromTraces)
	for _, r := range rows {
		t.Rows = append(t.Rows, components.Row{ID: r.ID, Cells: pages.TraceCells(traceRow(r, "/traces/"+url.PathEscape(r.ID)+"?"+list.Encode()))})
	}
	return t
}

func traceRow(r models.TraceRow, href string) pages.TraceRow {
	return pages.TraceRow{
		ID: r.ID, Href: href, Instance: r.InstanceID, Repo: r.Repo, Agent: r.Agent, Model: r.Model, Attempt: r.Attempt, Truth: truthOf(r),
		PatchState: r.PatchState, Files: r.PatchFiles, Added: r.PatchAdded, Removed: r.PatchRemoved, Steps: r.StepCount, CostUSD: r.CostUSD, Reason: r.OutcomeReason,
	}
}

func truthOf(r models.TraceRow) components.Truth {
	return components.Truth{Label: trace.Label(r.Label), Bucket: trace.Bucket(r.Bucket), From: trace.LabelSource(r.LabelSource)}
}

func tracePager(path string, q url.Values, next string) components.Pager {
	var p components.Pager
	if q.Get("after") != "" {
		p.Prev = components.With(path, q, "after", "") // keyset pages go forward; back is the start
	}
	if next != "" {
		list := listQuery(q)
		list.Set("after", next)
		p.Next = path + "?" + list.Encode()
	}
	return p
}
