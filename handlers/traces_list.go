package handlers

import (
	"net/http"
	"net/url"
	"slices"
	"sort"
	"sync"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/formats"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/web/components"
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
		cells  []models.Cell
		splits []models.SplitCount
		n      int64
	)
	err = together(
		func() (err error) {
			rows, next, err = h.store.Traces(ctx, v, f, models.Page{Sort: q.Get("sort"), After: q.Get("after"), Limit: tracesPage})
			return err
		},
		func() (err error) { cells, err = h.store.Composition(ctx, v, d.ID, f.SplitID); return err },
		func() (err error) { splits, err = h.store.Splits(ctx, v, d.ID); return err },
		func() (err error) { n, err = h.store.CountTraces(ctx, v, f); return err },
	)
	if err != nil {
		return err
	}
	path := "/datasets/" + url.PathEscape(d.ID) + "/traces"
	view := pages.Traces{Frame: h.frame(c, "Traces"), Filters: traceFilters(path, q, cells, splits)}
	view.Frame.Crumbs = crumbs(d.Name, "/datasets/"+url.PathEscape(d.ID))
	view.Total = components.Plural(n, "trace", "traces")
	if all := total(cells); int64(all) != n {
		view.Total = components.Count(n) + " of " + components.Plural(all, "trace", "traces")
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
var sortable = map[string]bool{"instance": true, "agent": true, "repo": true, "label": true, "steps": true, "size": true, "cost": true}

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

// traceFilters are the chips of the list. The counts of label, bucket, agent and
// repository are those the value would leave under the other three.
func traceFilters(path string, q url.Values, cells []models.Cell, splits []models.SplitCount) []components.Filter {
	dims := []struct {
		param, name string
		value       func(models.Cell) string
	}{
		{"label", "label", func(c models.Cell) string { return c.Label }},
		{"bucket", "defect", func(c models.Cell) string { return c.Bucket }},
		{"agent", "agent", func(c models.Cell) string { return c.Agent }},
		{"repo", "repository", func(c models.Cell) string { return c.Repo }},
	}
	var out []components.Filter
	for i, dim := range dims {
		counts := map[string]int{}
		for _, c := range cells {
			keep := true
			for j, other := range dims {
				if want := q.Get(other.param); j != i && want != "" && other.value(c) != want {
					keep = false
				}
			}
			if keep && dim.value(c) != "" {
				counts[dim.value(c)] += c.N
			}
		}
		out = append(out, chip(path, q, dim.param, dim.name, counts, words(dim.param)))
	}
	out = append(out, fixedChip(path, q, "state", "patch", patchStates), fixedChip(path, q, "reason", "outcome", outcomeReasons))
	split, names := map[string]int{}, map[string]string{}
	for _, s := range splits {
		split[s.ID], names[s.ID] = s.Traces, s.Name
	}
	return append(out, chip(path, q, "split", "split", split, func(id string) string { return names[id] }))
}

// words turns stored values into those of the pages.
func words(param string) func(string) string {
	if param == "bucket" {
		return func(s string) string { return components.BucketWord(trace.Bucket(s)) }
	}
	return nil
}

// chipOptions caps the values of one chip; the largest are kept.
const chipOptions = 100

func chip(path string, q url.Values, param, name string, counts map[string]int, word func(string) string) components.Filter {
	f := components.Filter{Name: name}
	current := q.Get(param)
	if current != "" {
		f.Clear = components.With(path, q, param, "")
		if _, there := counts[current]; !there {
			counts[current] = 0
		}
	}
	values := make([]string, 0, len(counts))
	for v := range counts {
		values = append(values, v)
	}
	sort.Slice(values, func(i, j int) bool {
		a, b := counts[values[i]], counts[values[j]]
		return a > b || a == b && values[i] < values[j]
	})
	for i, v := range values {
		if i >= chipOptions && v != current {
			continue
		}
		n, text := counts[v], v
		if word != nil {
			text = word(v)
		}
		f.Options = append(f.Options, components.FilterOption{Text: text, Href: components.With(path, q, param, v), Count: &n, Selected: v == current})
	}
	return f
}

// The values of these two are known beforehand; counting them would read every
// trace of the dataset each time the list is shown.
var (
	patchStates = []string{
		string(trace.PatchText), string(trace.PatchEmpty), string(trace.PatchBlank), string(trace.PatchNull), string(trace.PatchAbsent),
		string(trace.PatchNoDiffFound), string(trace.PatchNone),
	}
	outcomeReasons = []string{
		formats.ReasonUnresolved, formats.ReasonEmptyPatch, formats.ReasonError, formats.ReasonInfra, formats.ReasonAmbiguous, formats.ReasonNotApplied, formats.ReasonTimeout, formats.ReasonNotSubmitted,
	}
)

// fixedChip offers fixed values without counts, and the current one whatever it is.
func fixedChip(path string, q url.Values, param, name string, values []string) components.Filter {
	f := components.Filter{Name: name}
	current := q.Get(param)
	if current != "" {
		f.Clear = components.With(path, q, param, "")
		if !slices.Contains(values, current) {
			values = append([]string{current}, values...)
		}
	}
	for _, v := range values {
		f.Options = append(f.Options, components.FilterOption{Text: v, Href: components.With(path, q, param, v), Selected: v == current})
	}
	return f
}
