package handlers

import (
	"context"
	"fmt"
	"net/url"

	"plumbline/models"
	"plumbline/web/pages"
)

// fromTraces is the value of the from parameter of a trace that was opened in the
// list of its dataset; the other parameters are those of that list.
const fromTraces = "traces"

// traceWalk finds the neighbours of a trace in the list the reader came from;
// without one there is nothing to step through.
func (h *Handlers) traceWalk(ctx context.Context, v models.Viewer, row models.TraceRow, item models.TraceItem, r traceRequest) (pages.Walk, error) {
	if list := r.q.Get("list"); list != "" {
		w, err := h.walk(ctx, v, list, item.ItemID)
		w.Prev, w.Next = r.keepView(w.Prev), r.keepView(w.Next)
		return w, err
	}
	if r.q.Get("from") != fromTraces {
		return pages.Walk{}, nil
	}
	sort := r.q.Get("sort")
	p, err := h.store.PlaceTrace(ctx, v, traceFilter(row.DatasetID, r.q), sort, row.ID)
	if err != nil {
		return pages.Walk{}, lost(err)
	}
	w := pages.Walk{List: "traces", ListURL: "/datasets/" + url.PathEscape(row.DatasetID) + "/traces"}
	if p.Place > 0 {
		w.Place = fmt.Sprintf("%d of %d", p.Place, p.Total)
	}
	if list := listQuery(r.q); len(list) > 0 {
		w.ListURL += "?" + list.Encode()
	}
	if p.Prev != "" {
		w.Prev = tracePath(p.Prev, "", r.carried())
	}
	if p.Next != "" {
		w.Next = tracePath(p.Next, "", r.carried())
	}
	return w, nil
}

// keepView opens a neighbour on the tab and in the layout of this page.
func (r traceRequest) keepView(href string) string {
	u, err := url.Parse(href)
	if href == "" || err != nil {
		return href
	}
	q := u.Query()
	for _, name := range []string{"tab", "pane", "layout"} {
		if value := r.q.Get(name); value != "" {
			q.Set(name, value)
		}
	}
	u.RawQuery = q.Encode()
	return u.String()
}
