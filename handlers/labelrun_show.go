package handlers

import (
	"net/http"
	"net/url"
	"slices"
	"sort"
	"time"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/runner/checks"
	"plumbline/web/components"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// labelRunTraces is the number of traces on one page of a label run.
const labelRunTraces = 100

func labelRunURL(id string) string { return "/labelruns/" + url.PathEscape(id) }

// labelRunShow is the page of a label run; while it runs the page asks again.
func (h *Handlers) labelRunShow(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	run, err := h.store.LabelRun(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	d, err := h.store.Dataset(ctx, v, run.DatasetID)
	if err != nil {
		return err
	}
	p, err := h.store.LabelProgress(ctx, v, run.ID)
	if err != nil {
		return err
	}
	edit := v.CanEdit(d.ProjectID)
	view := pages.LabelRun{Frame: h.frame(c, "Labels by execution"), Now: h.now(), Started: run.CreatedAt, Facts: labelRunFacts(run, p)}
	view.Frame.Crumbs = crumbs("Home", "/", d.Name, "/datasets/"+url.PathEscape(d.ID), "Labels by execution", "/datasets/"+url.PathEscape(d.ID)+"/labelruns")
	view.Status = components.Status(p.State)
	view.Frame.Status = components.StatusMark(view.Status)
	if run.Unsandboxed {
		view.Frame.Badges = append(view.Frame.Badges, components.Unsandboxed)
	}
	if edit {
		view.Frame.Actions = labelRunActions(run.ID, p.State)
		view.Errors = p.Errors
	}
	if run.FinishedAt != nil {
		view.Finished = *run.FinishedAt
	}
	if view.Status.Active() {
		view.Refresh = c.Request().URL.RequestURI()
	}
	view.Traces, view.Tasks = components.Progress{Total: p.Traces, Done: p.Checked, Unit: "traces"}, components.Progress{Total: p.Tasks, Done: p.TasksDone, Unit: "instances"}
	if view.Instances, err = h.labelRunInstances(c, run.ID, edit); err != nil {
		return err
	}
	if err := h.labelRunResults(c, run.ID, p, edit, &view); err != nil {
		return err
	}
	return render(c, http.StatusOK, pages.LabelRunPage(view))
}

func labelRunActions(id, state string) []layout.Action {
	switch state {
	case models.StateRunning:
		return []layout.Action{{Text: "Stop", Href: labelRunURL(id) + "/stop", Post: true}}
	case models.StateStopping:
		return []layout.Action{{Text: "Stop", Blocked: "it is stopping: runs of tests are let end"}}
	case models.StateStopped:
		return []layout.Action{{Text: "Resume", Href: labelRunURL(id) + "/resume", Post: true}}
	}
	return nil
}

func labelRunFacts(run models.LabelRun, p models.LabelProgress) []pages.Fact {
	facts := []pages.Fact{
		{Name: "sandbox", Value: run.Backend}, {Name: "runs on each tree", Value: components.Count(run.Rounds)}, {Name: "by", Value: run.CreatedBy},
		{Name: "labels changed", Value: components.Count(p.Changed)}, {Name: "labels confirmed", Value: components.Count(p.Confirmed)},
	}
	labels := make([]string, 0, len(p.Labels))
	for l := range p.Labels {
		labels = append(labels, l)
	}
	sort.Strings(labels)
	for _, l := range labels {
		facts = append(facts, pages.Fact{Name: l, Value: components.Count(p.Labels[l])})
	}
	return facts
}

func (h *Handlers) labelRunInstances(c echo.Context, id string, edit bool) ([]pages.LabelRunInstance, error) {
	rows, err := h.store.LabelInstances(c.Request().Context(), viewer(c), id)
	if err != nil {
		return nil, err
	}
	var out []pages.LabelRunInstance
	for _, r := range rows {
		x := pages.LabelRunInstance{Instance: r.InstanceID, State: r.State, Usable: r.State == string(checks.Usable), Runner: r.Runner, Base: heldText(r.BaseF2POK, r.F2PAll), Gold: heldText(r.GoldF2POK, r.F2PAll)}
		if edit {
			x.Why = r.Reason // it may name official tests
		}
		out = append(out, x)
	}
	return out, nil
}

// heldText is k of n, or empty where the tests did not run.
func heldText(k, n *int) string {
	if k == nil || n == nil {
		return ""
	}
	return components.Count(*k) + "/" + components.Count(*n)
}

func (h *Handlers) labelRunResults(c echo.Context, id string, p models.LabelProgress, edit bool, view *pages.LabelRun) error {
	outcome := c.QueryParam("outcome")
	if p.Outcomes[outcome] == 0 {
		outcome = ""
	}
	names := make([]string, 0, len(p.Outcomes))
	for name := range p.Outcomes {
		names = append(names, name)
	}
	slices.Sort(names)
	view.Choices = []pages.TabLink{{Text: "all " + components.Count(p.Checked), Href: labelRunURL(id), Current: outcome == ""}}
	for _, name := range names {
		view.Choices = append(view.Choices, pages.TabLink{
			Text: pages.OutcomeName(name) + " " + components.Count(p.Outcomes[name]), Href: labelRunURL(id) + "?outcome=" + url.QueryEscape(name), Current: name == outcome,
		})
	}
	rows, err := h.store.LabelResults(c.Request().Context(), viewer(c), id, outcome, c.QueryParam("after"), labelRunTraces+1)
	if err != nil {
		return err
	}
	if len(rows) > labelRunTraces {
		rows = rows[:labelRunTraces]
		view.Pager.Next = components.With(labelRunURL(id), c.QueryParams(), "after", rows[len(rows)-1].TraceID)
	}
	for _, r := range rows {
		x := pages.LabelRunTrace{
			Instance: r.InstanceID, Agent: r.Agent, Href: tracePath(r.TraceID, "", nil), Runs: labelRunURL(id) + "/traces/" + url.PathEscape(r.TraceID), Outcome: r.Outcome,
			Truth: components.Truth{Label: trace.Label(r.Label), Bucket: trace.Bucket(r.Bucket), From: trace.Execution}, Was: components.Truth{Label: trace.Label(r.OldLabel)},
			Kept: r.Kept, F2P: heldText(r.F2POK, r.F2PAll), P2P: heldText(r.P2POK, r.P2PAll),
		}
		if edit {
			x.Why = r.Reason
		}
		view.Rows = append(view.Rows, x)
	}
	return nil
}

// labelRunTrace lists the runs of the official tests that a trace's result rests
// on. What they printed names official tests and is for editors.
func (h *Handlers) labelRunTrace(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	run, err := h.store.LabelRun(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	t, err := h.store.Trace(ctx, v, c.Param("trace"))
	if err != nil {
		return err
	}
	d, err := h.store.Dataset(ctx, v, run.DatasetID)
	if err != nil {
		return err
	}
	rows, err := h.store.LabelExecutions(ctx, v, run.ID, t.ID)
	if err != nil {
		return err
	}
	edit := v.CanEdit(d.ProjectID)
	view := pages.LabelExecutions{Frame: h.frame(c, "Runs of the official tests"), Trace: t.InstanceID, TraceHref: tracePath(t.ID, "", nil), Edit: edit}
	view.Frame.Crumbs = crumbs("Home", "/", d.Name, "/datasets/"+url.PathEscape(d.ID), "Label run", labelRunURL(run.ID))
	for _, r := range rows {
		x := pages.LabelExecution{
			Tree: r.Tree, Round: r.Round, Runner: r.Runner, Backend: r.Backend, Cause: r.Cause, Exit: r.ExitCode, Wall: time.Duration(r.WallMS) * time.Millisecond,
			F2P: heldText(&r.F2POK, &r.F2PAll), P2P: heldText(&r.P2POK, &r.P2PAll), MaxRSS: r.MaxRSS, Hung: r.Hung, Unsandboxed: r.Unsandboxed,
		}
		if edit {
			x.Fault, x.Log = faultText(r), "/labelruns/logs/"+url.PathEscape(r.ID)
		}
		view.Rows = append(view.Rows, x)
	}
	return render(c, http.StatusOK, pages.LabelExecutionsPage(view))
}

func faultText(r models.LabelExecution) string {
	if r.Detail == "" {
		return r.Fault
	}
	return r.Fault + ": " + r.Detail
}

// labelRunLog is what one run of the official tests printed.
func (h *Handlers) labelRunLog(c echo.Context) error {
	x, text, err := h.store.LabelExecutionText(c.Request().Context(), viewer(c), c.Param("execution"))
	if err != nil {
		return err
	}
	switch c.QueryParam("raw") {
	case "stdout":
		return plain(c, text.Stdout)
	case "stderr":
		return plain(c, text.Stderr)
	case "tests":
		return plain(c, text.Tests)
	}
	here := "/labelruns/logs/" + url.PathEscape(x.ID)
	view := pages.LabelLog{
		Frame: h.frame(c, "Log of the official tests"), Tree: x.Tree, Round: x.Round, Command: text.Command, Notes: text.Notes,
		Parts: []pages.FoldedText{
			{Title: "Standard output", ID: "stdout", Raw: here + "?raw=stdout", Text: text.Stdout, Open: true},
			{Title: "Standard error", ID: "stderr", Raw: here + "?raw=stderr", Text: text.Stderr, Open: true},
			{Title: "Tests as they were read", ID: "tests", Raw: here + "?raw=tests", Text: text.Tests},
		},
	}
	view.Frame.Crumbs = crumbs("Home", "/", "Label run", labelRunURL(x.RunID))
	return render(c, http.StatusOK, pages.LabelLogPage(view))
}
