package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/patch"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/web/components"
	"plumbline/web/components/diffview"
	"plumbline/web/pages"
)

// traceShow is the page of one trace. It reads the texts its tab shows and no
// other: a trajectory of any size costs nothing until one of its steps is opened.
func (h *Handlers) traceShow(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	d, err := h.store.TraceDetail(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	set, err := h.store.Dataset(ctx, v, d.Row.DatasetID)
	if err != nil {
		return err
	}
	items, err := h.store.TraceItems(ctx, v, d.Row.ID, 20)
	if err != nil {
		return err
	}
	r := traceRequestOf(c, d.Row.ID)
	view := pages.Trace{
		Frame: h.frame(c, d.Row.InstanceID), Now: h.now(), Truth: truthOf(d.Row), Facts: traceFacts(d),
		Pane: r.pane, Tab: r.tab, Panes: r.panes(), Tabs: r.tabs(d, items, v.CanEdit(set.ProjectID)),
	}
	view.Frame.Crumbs = crumbs(set.Name, "/datasets/"+url.PathEscape(set.ID), "Traces", "/datasets/"+url.PathEscape(set.ID)+"/traces")
	if d.Instance.Title != "" {
		view.Frame.Title = d.Row.InstanceID + ": " + d.Instance.Title
	}
	for _, it := range items {
		if it.Simulated {
			view.Frame.Badges = []components.Badge{components.Simulated}
			break
		}
	}
	item, any := r.selected(items)
	if err := h.traceOutline(ctx, v, d, r, &view); err != nil {
		return err
	}
	if view.Walk, err = h.traceWalk(ctx, v, d.Row, item, r); err != nil {
		return err
	}
	cited, err := h.traceVotes(ctx, v, d.Row, items, item, any, r, &view)
	if err != nil {
		return err
	}
	if err := h.traceTab(ctx, v, d, item, any, cited, r, &view); err != nil {
		return err
	}
	if err := h.traceLabel(ctx, v, d.Row, set, c.Request().URL.RequestURI(), &view); err != nil {
		return err
	}
	return render(c, http.StatusOK, pages.TracePage(view))
}

// traceTab fills what the chosen tab shows.
func (h *Handlers) traceTab(ctx context.Context, v models.Viewer, d models.TraceDetail, item models.TraceItem, any bool, cited citations, r traceRequest, view *pages.Trace) error {
	switch r.tab {
	case pages.TabIssue:
		view.Issue, view.Hints = d.Issue, d.Hints
	case pages.TabSummary:
		view.Summary = d.Summary
	case pages.TabChecks:
		view.Checks = checksPane(d.Row)
		return h.traceChecks(ctx, v, d.Row.ID, &view.Checks)
	case pages.TabSteps:
		return h.traceStepDetails(ctx, v, d.Row, r, view)
	case pages.TabEvidence:
		return h.traceEvidence(ctx, v, item, any, cited, r, view)
	case pages.TabOracle:
		return h.traceOracle(ctx, v, d.Row, view)
	default:
		view.Diff, view.NoDiff = traceDiffView(d, r)
	}
	return nil
}

// traceDiffView is the window of the diff that the request asks for, or why there
// is none.
func traceDiffView(d models.TraceDetail, r traceRequest) (view diffview.View, none string) {
	if d.Row.PatchState != string(trace.PatchText) {
		return view, noPatch(d.Row.PatchState)
	}
	parsed := patch.Parse(d.Patch)
	if len(parsed.Files) == 0 {
		return view, noPatch(string(trace.PatchNoDiffFound))
	}
	raw := tracePath(d.Row.ID, "/patch.txt", nil)
	other := diffview.Split
	if r.layout == diffview.Split {
		other = diffview.Unified
	}
	return diffview.Build(&parsed, diffview.Options{
		Layout: r.layout, At: r.at, Whole: raw,
		Other: r.href("tab", string(pages.TabDiff), "layout", string(other), "at", r.q.Get("at")),
		URL:   func(at string) string { return r.href("tab", string(pages.TabDiff), "at", at) },
		Part: func(at string) string {
			return tracePath(d.Row.ID, "/diff", url.Values{"at": {at}, "layout": {string(r.layout)}})
		},
		Raw: func(row string) string { return raw + "?row=" + url.QueryEscape(row) },
	}), ""
}

func noPatch(state string) string {
	switch trace.PatchState(state) {
	case trace.PatchEmpty:
		return "The patch is an empty text: the agent changed nothing."
	case trace.PatchBlank:
		return "The patch is white space only: the agent changed nothing."
	case trace.PatchNull:
		return "The record's patch is null."
	case trace.PatchAbsent:
		return "The record has no patch field."
	case trace.PatchNoDiffFound:
		return "The text where a patch was expected holds no diff; the raw patch shows it."
	}
	return "The attempt left no patch."
}

func traceFacts(d models.TraceDetail) []pages.Fact {
	r := d.Row
	size := ""
	if r.PatchState == string(trace.PatchText) {
		size = components.Plural(r.PatchFiles, "file", "files")
		if r.PatchAdded != nil && r.PatchRemoved != nil {
			size += fmt.Sprintf(" +%d −%d", *r.PatchAdded, *r.PatchRemoved)
		}
	} else {
		size = "no diff"
	}
	facts := []pages.Fact{{Name: "agent", Value: r.Agent}, {Name: "model", Value: r.Model}}
	if r.Attempt > 1 {
		facts = append(facts, pages.Fact{Name: "attempt", Value: strconv.Itoa(r.Attempt)})
	}
	facts = append(facts,
		pages.Fact{Name: "repository", Value: d.Instance.Repo},
		pages.Fact{Name: "base", Value: d.Instance.BaseCommit[:min(12, len(d.Instance.BaseCommit))], Mono: true},
		pages.Fact{Name: "patch", Value: size},
		pages.Fact{Name: "steps", Value: components.Count(r.StepCount)},
	)
	cost := ""
	if r.CostUSD != nil {
		cost = components.Money(r.CostUSD)
	}
	facts = append(facts, pages.Fact{Name: "cost", Value: cost})
	if r.InputTokens != nil || r.OutputTokens != nil {
		facts = append(facts, pages.Fact{Name: "tokens", Value: components.Amount(r.InputTokens) + " in, " + components.Amount(r.OutputTokens) + " out"})
	}
	if r.DurationMS != nil {
		facts = append(facts, pages.Fact{Name: "took", Value: components.Span(time.Duration(*r.DurationMS) * time.Millisecond)})
	}
	if r.Status != "" {
		facts = append(facts, pages.Fact{Name: "status", Value: r.Status})
	}
	return facts
}

func checksPane(r models.TraceRow) pages.ChecksPane {
	p := pages.ChecksPane{Source: r.OutcomeSource, Reason: r.OutcomeReason}
	if r.TestsKnown {
		p.Official = &trace.TestCounts{
			Applied: r.TestsApplied, FailToPassOK: r.F2POK, FailToPassAll: r.F2PAll, PassToPassOK: r.P2POK, PassToPassAll: r.P2PAll,
		}
	}
	return p
}

func (h *Handlers) traceOracle(ctx context.Context, v models.Viewer, row models.TraceRow, view *pages.Trace) error {
	o, err := h.store.Oracle(ctx, v, row.InstanceRow)
	switch {
	case errors.Is(err, models.ErrForbidden):
		view.Oracle.Denied = "The oracle is shown to editors only."
		return nil
	case err != nil:
		return err
	case o.Empty():
		view.Oracle.Denied = "No oracle is known for this instance: no dataset row with tests was imported."
		return nil
	}
	gold, test := patch.Parse(o.GoldPatch), patch.Parse(o.TestPatch)
	view.Oracle = pages.OraclePane{
		Shown: true, FailToPass: o.FailToPass, PassToPass: o.PassToPass,
		Gold: diffview.Build(&gold, diffview.Options{Prefix: "gold-"}), Test: diffview.Build(&test, diffview.Options{Prefix: "test-"}),
	}
	return nil
}
