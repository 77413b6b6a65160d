package handlers

import (
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/web/components/diffview"
	"plumbline/web/pages"
)

// traceRequest is what the address of a trace page says:
//
//	tab, pane        what is shown
//	item             the arm whose evidence and votes are shown
//	at, layout       place and layout of the diff
//	step, line       step from 1, and the first line of its output or of the evidence
//	list             the list of an experiment's items the reader came from
//	from, …          the list of a dataset's traces the reader came from
type traceRequest struct {
	id     string
	q      url.Values
	tab    pages.TraceTab
	pane   pages.Pane
	item   string
	layout diffview.Layout
	at     diffview.Target
	step   int // 0-based; -1 when none is asked for
	line   int
}

func traceRequestOf(c echo.Context, id string) traceRequest {
	q := c.QueryParams()
	r := traceRequest{
		id: id, q: q, tab: pages.ParseTraceTab(q.Get("tab")), pane: pages.ParsePane(q.Get("pane")), item: q.Get("item"),
		layout: diffview.Layout(q.Get("layout")), at: diffview.ParseTarget(q.Get("at")), step: -1,
	}
	if n, err := strconv.Atoi(q.Get("step")); err == nil && n >= 1 {
		r.step = n - 1
	}
	if n, err := strconv.Atoi(q.Get("line")); err == nil && n >= 1 {
		r.line = n
	}
	return r
}

// href is this page with parameters changed; an empty value drops one. The place
// inside a tab (at, line) and the pane never carry over.
func (r traceRequest) href(pairs ...string) string {
	q := url.Values{}
	for name, values := range r.q {
		if name != "at" && name != "line" && name != "pane" {
			q[name] = values
		}
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			q.Del(pairs[i])
		} else {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return tracePath(r.id, "", q)
}

// carried are the parameters that go along to the next trace of a list.
func (r traceRequest) carried() url.Values {
	q := url.Values{}
	for name, values := range r.q {
		switch name {
		case "at", "line", "step", "item":
		default:
			q[name] = values
		}
	}
	return q
}

func tracePath(id, part string, q url.Values) string {
	path := "/traces/" + url.PathEscape(id) + part
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// itemPart is a text of an item as text/plain: "evidence", or "reply" of a vote.
func itemPart(itemID, part string, vote int) string {
	q := url.Values{"part": {part}}
	if vote > 0 {
		q.Set("vote", strconv.Itoa(vote))
	}
	return "/items/" + url.PathEscape(itemID) + "?" + q.Encode()
}

// selected is the item the page shows: the one asked for, or the first.
func (r traceRequest) selected(items []models.TraceItem) (models.TraceItem, bool) {
	for _, it := range items {
		if it.ItemID == r.item {
			return it, true
		}
	}
	if len(items) > 0 {
		return items[0], true
	}
	return models.TraceItem{}, false
}
