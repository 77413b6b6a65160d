package handlers

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/cascade"
	"plumbline/experiments/stats"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/web/charts"
	"plumbline/web/components"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// cascadeRoutes are the pages of cascades and checks.
func (h *Handlers) cascadeRoutes(e *echo.Echo) {
	e.GET("/cascades/new", h.cascadeNew)
	e.POST("/cascades", h.cascadeCreate)
	e.GET("/experiments/:id/funnel", h.cascadeShow)
	e.GET("/traces/:id/checks", h.checksShow)
	e.GET("/traces/:id/checks/:set/:attempt/:part", h.checksText)
	e.GET("/datasets/:id/labelruns", h.labelRuns)
	e.POST("/datasets/:id/labelruns", h.labelRunCreate)
	e.GET("/labelruns/:id", h.labelRunShow)
	e.POST("/labelruns/:id/stop", h.labelRunStop)
	e.POST("/labelruns/:id/resume", h.labelRunResume)
	e.GET("/labelruns/:id/traces/:trace", h.labelRunTrace)
	e.GET("/labelruns/logs/:execution", h.labelRunLog)
	e.GET("/reviews", h.cascadeReviews)
	e.GET("/reviews/:id", h.cascadeReview)
}

// cascadeFrame leads from an experiment's page to what only a cascade has. A title
// line has room for few buttons, so that another goes to the menu.
func cascadeFrame(e models.Experiment, f *layout.Frame) {
	if e.Kind != runner.KindCascade || len(f.Actions) == 0 {
		return
	}
	last := len(f.Actions) - 1
	f.Menu = append([]layout.Action{f.Actions[last]}, f.Menu...)
	f.Actions[last] = layout.Action{Text: "Stage funnel", Href: experimentURL(e.ID) + "/funnel"}
}

// funnelTraces bounds the traces that the page lists without being asked for all.
const funnelTraces = 100

// cascadeShow is the funnel of a cascade experiment; the parameter policy chooses
// the arm, and all lists every trace.
func (h *Handlers) cascadeShow(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	res, err := h.runner.CascadeResults(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	e := res.Experiment
	d, err := h.store.Dataset(ctx, v, e.DatasetID)
	if err != nil {
		return err
	}
	view := pages.Funnel{Frame: h.frame(c, e.Name), Now: h.now(), Facts: cascadeFacts(res)}
	view.Frame.Crumbs = crumbs("Home", "/", d.Name, "/datasets/"+url.PathEscape(d.ID), e.Name, experimentURL(e.ID))
	design, err := h.store.UsesSplit(ctx, v, e.ID, trace.SplitDesign)
	if err != nil {
		return err
	}
	view.Frame.Badges = badgesOf(e, design)
	if res.Config.Checks.Sandbox == "none" {
		view.Frame.Badges = append(view.Frame.Badges, components.Unsandboxed)
	}
	chosen, err := strconv.Atoi(c.QueryParam("policy"))
	if err != nil || chosen < 0 || chosen >= len(res.Arms) {
		chosen = 0
	}
	for i, p := range res.Arms {
		href := components.With(experimentURL(e.ID)+"/funnel", c.QueryParams(), "policy", strconv.Itoa(i))
		view.Choices = append(view.Choices, pages.TabLink{Text: p.Name, Href: href, Current: i == chosen})
		view.Policies = append(view.Policies, policyView(p, res.Arms[0].Short, href, i == chosen))
	}
	for _, p := range slices.Concat(res.Baselines, res.Variants) {
		first := ""
		if len(res.Arms) > 0 {
			first = res.Arms[0].Short
		}
		view.Others = append(view.Others, policyView(p, first, "", false))
	}
	if res.Differing > 0 {
		view.Warnings = append(view.Warnings, fmt.Sprintf("%s in the store %s not what the stored outcomes give: a label or a vote was changed afterwards.",
			components.Plural(res.Differing, "decision", "decisions"), isAre(res.Differing)))
	}
	if len(res.Arms) == 0 {
		view.Outcome = "No policy with checks was run."
		view.Chart = charts.Funnel(nil)
		return render(c, http.StatusOK, pages.FunnelPage(view))
	}
	p := res.Arms[chosen]
	edit := v.CanEdit(e.ProjectID)
	view.Outcome = funnelOutcome(p.Funnel)
	view.Warnings = append(view.Warnings, funnelWarnings(p.Funnel)...)
	view.Stages, view.Chart = stageRows(e.ID, p), funnelChart(e.ID, p)
	view.Chart.Badges = view.Frame.Badges
	view.Tests = testFigures(p, res.Config)
	view.Audit, view.AuditWhy = auditView(p.Audit, res.Config, edit)
	view.Troubles = troubleRows(e.ID, p)
	all := c.QueryParam("all") != ""
	if view.Traces, err = h.funnelTraceRows(c, v, p, all); err != nil {
		return err
	}
	if !all && len(p.Episodes) > funnelTraces {
		view.More = components.With(experimentURL(e.ID)+"/funnel", c.QueryParams(), "all", "1")
	}
	return render(c, http.StatusOK, pages.FunnelPage(view))
}

func policyView(p runner.CascadePolicy, first, href string, current bool) pages.FunnelPolicy {
	row := pages.FunnelPolicy{
		Name: p.Name, Explain: p.Explain, Href: href, Current: current, Rates: map[string]components.Rate{},
		Verdicts: p.Funnel.Verdicts, Missing: p.Funnel.Missing, Saved: p.Funnel.Saved, Asked: p.Funnel.Asked,
	}
	if p.Simulated {
		row.Badges = append(row.Badges, components.Simulated)
	}
	for _, m := range []stats.Metric{stats.Coverage, stats.Risk, stats.Catch, stats.OverRejection} {
		row.Rates[string(m)] = measuredRate(p.Measures.Of(m))
	}
	if p.Against != nil {
		row.Compared = p.Against.Sentence(first, p.Short)
	}
	return row
}

// measuredRate is a rate with its Wilson interval.
func measuredRate(m stats.Measured) components.Rate {
	r := components.Rate{Metric: string(m.Metric), K: m.K, N: m.N, Value: m.Value, Why: m.Reason}
	if m.Wilson != nil {
		r.Lo, r.Hi, r.Method, r.Warnings = &m.Wilson.Lo, &m.Wilson.Hi, m.Wilson.Method, m.Wilson.Warnings
	}
	return r
}

func wilsonRate(r stats.Rate) components.Rate {
	out := components.Rate{K: r.K, N: r.N, Value: r.Value, Why: r.Reason}
	if iv, _ := stats.Wilson(r.K, r.N, 0); iv != nil && r.Value != nil {
		out.Lo, out.Hi, out.Method = &iv.Lo, &iv.Hi, iv.Method
	}
	return out
}

// funnelOutcome says in words what the stages did.
func funnelOutcome(f cascade.Funnel) string {
	if f.Verdicts == 0 {
		return "No trace has a verdict yet."
	}
	before, r := f.Before(cascade.StageResidual), f.Stages[cascade.StageResidual]
	s := fmt.Sprintf("Checks decide %d of %d traces without the reviewer; %d reach it, and it abstains on %d.", before, f.Verdicts, r.Decided+r.Abstained, r.Abstained)
	if n := f.Counts.Acceptable.Reject + f.Counts.Acceptable.Unparseable; n > 0 {
		s += fmt.Sprintf(" %d of %s come from it.", r.FalseRejections(), components.Plural(n, "false rejection", "false rejections"))
	}
	if f.Saved > 0 {
		s += fmt.Sprintf(" %s were not asked.", components.Plural(f.Saved, "vote", "votes"))
	}
	return s
}

func funnelWarnings(f cascade.Funnel) []string {
	var out []string
	if f.Policy.Tests.OnPass == cascade.ThenAccept {
		out = append(out, "A passing generated test accepts here. That is the evaluated rule, not the recommended one: one test covers part of the behaviour.")
	}
	if f.Missing > 0 {
		out = append(out, components.Plural(f.Missing, "trace is", "traces are")+" not finished and "+isAre(f.Missing)+" in no rate.")
	}
	if f.Unknown.N() > 0 {
		out = append(out, components.Plural(f.Unknown.N(), "trace has", "traces have")+" no known label and "+isAre(f.Unknown.N())+" in no rate.")
	}
	return out
}

func stageRows(experimentID string, p runner.CascadePolicy) []pages.StageRow {
	var out []pages.StageRow
	for _, s := range p.Funnel.Stages {
		row := pages.StageRow{
			Name: fmt.Sprintf("%d %s", s.Stage, s.Stage.Name()), Explain: s.Stage.Explain(), Entered: s.Entered, Decided: s.Decided, Abstained: s.Abstained, Stuck: s.Stuck,
			FalseRejections: pages.ArmCount{N: s.FalseRejections(), Href: outcomesURL(experimentID, pages.KindFalseRejections, "arm", p.ArmID)},
			Misses:          pages.ArmCount{N: s.Misses(), Href: outcomesURL(experimentID, pages.KindMisses, "arm", p.ArmID)},
			Calls:           s.Spent.Calls, Runs: s.Spent.Runs, Sandbox: s.Spent.Sandbox.Round(10 * time.Millisecond),
		}
		for _, w := range slices.SortedFunc(maps.Keys(s.Why), func(a, b cascade.Why) int { return cmp.Or(cmp.Compare(s.Why[b], s.Why[a]), cmp.Compare(a, b)) }) {
			row.Why = append(row.Why, fmt.Sprintf("%d × %s", s.Why[w], w))
		}
		if tokens := s.Spent.InputTokens + s.Spent.OutputTokens; s.Spent.Calls > 0 && s.Spent.Uncounted == 0 {
			row.Tokens = &tokens
		}
		row.Cost, row.CostWhy = s.Spent.CostUSD()
		out = append(out, row)
	}
	return out
}

func funnelChart(experimentID string, p runner.CascadePolicy) charts.Figure {
	var stages []charts.FunnelStage
	for _, s := range p.Funnel.Stages {
		d, a, u := s.Counts.Defect, s.Counts.Acceptable, s.Unknown
		st := charts.FunnelStage{Name: s.Stage.Name(), Entered: s.Entered}
		for _, x := range []struct {
			mark components.Mark
			n    int
		}{
			{components.Reject, d.Reject + a.Reject + u.Reject}, {components.Accept, d.Accept + a.Accept + u.Accept},
			{components.Uncertain, d.Uncertain + a.Uncertain + u.Uncertain}, {components.Unparseable, d.Unparseable + a.Unparseable + u.Unparseable},
			{components.Errored, s.Stuck},
		} {
			if x.n > 0 {
				st.Parts = append(st.Parts, charts.Part{Mark: x.mark, Count: x.n})
			}
		}
		stages = append(stages, st)
	}
	return charts.Funnel(stages)
}

func testFigures(p runner.CascadePolicy, c runner.CascadeConfig) pages.TestFigures {
	t := p.Funnel.Tests
	out := pages.TestFigures{Generator: c.GeneratorName, Traces: t.Traces, Attempts: t.Attempts, Kept: t.Kept, Reject: wilsonRate(t.RejectPrecision), Accept: wilsonRate(t.AcceptPrecision)}
	if out.Generator == "" {
		out.Generator = "none"
	}
	if c.Checks.Generator == runner.RecordedGenerator {
		out.Badges = append(out.Badges, recordedTests)
	}
	for _, d := range slices.Sorted(maps.Keys(t.Discards)) {
		out.Discards = append(out.Discards, pages.Named{Name: string(d), N: t.Discards[d]})
	}
	for _, r := range slices.Sorted(maps.Keys(t.Patched)) {
		name := string(r)
		if r == cascade.NotRun {
			name = "not run yet"
		}
		out.Patched = append(out.Patched, pages.Named{Name: name, N: t.Patched[r]})
	}
	return out
}

// recordedTests marks replies that no generator gave for this run.
var recordedTests = components.Badge{
	Key: "recorded", Text: "recorded", Why: "These tests were written beforehand for the bundled cases; no model was asked. They were run like any other.", Tone: components.Note,
}

func auditView(t cascade.AuditTable, c runner.CascadeConfig, edit bool) (*pages.AuditMatrix, string) {
	switch {
	case !edit:
		return nil, "The audit compares with the reference patch and is shown to editors only."
	case !c.Checks.Audit:
		return nil, "Kept tests were not run on the reference patch: the experiment was started without the audit."
	}
	m := &pages.AuditMatrix{Unknown: t.Unknown}
	words := map[cascade.Result]string{cascade.Passed: "passes", cascade.FailedTest: "fails"}
	for _, cell := range cascade.Cells() {
		x := pages.AuditCell{Patch: words[cell.Patch], Gold: words[cell.Gold], Truth: string(cell.Truth), N: t.Cells[cell]}
		x.Wrong = (cell.Patch == cascade.Passed) != (cell.Truth == trace.Acceptable)
		for _, f := range cell.Findings() {
			x.Names = append(x.Names, string(f))
		}
		m.Cells = append(m.Cells, x)
	}
	return m, ""
}

func troubleRows(experimentID string, p runner.CascadePolicy) []pages.TroubleRow {
	var out []pages.TroubleRow
	for _, t := range slices.Sorted(maps.Keys(p.Funnel.Troubles)) {
		out = append(out, pages.TroubleRow{Name: string(t), N: p.Funnel.Troubles[t], Href: outcomesURL(experimentID, pages.KindErrors, "arm", p.ArmID)})
	}
	return out
}

// stageDots are the stages as the dots show them.
func stageDots(says string) []components.Stage {
	var out []components.Stage
	for _, s := range cascade.Stages {
		out = append(out, components.Stage{Name: s.Name(), Says: says})
	}
	return out
}

func (h *Handlers) funnelTraceRows(c echo.Context, v models.Viewer, p runner.CascadePolicy, all bool) ([]pages.FunnelTrace, error) {
	facts, err := h.traceFactsOf(c, v, p.ArmID)
	if err != nil {
		return nil, err
	}
	episodes := slices.Clone(p.Episodes)
	slices.SortStableFunc(episodes, func(a, b cascade.Episode) int {
		return cmp.Or(cmp.Compare(a.Last, b.Last), cmp.Compare(a.Instance, b.Instance))
	})
	if !all {
		episodes = episodes[:min(len(episodes), funnelTraces)]
	}
	var out []pages.FunnelTrace
	for _, e := range episodes {
		f := facts[e.Trace]
		row := pages.FunnelTrace{
			Instance: e.Instance, Agent: f.Agent, Href: checksURL(e.Trace), Decided: -1,
			Truth: components.Truth{Label: e.Label, Bucket: trace.Bucket(f.Bucket)}, Decision: components.Missing,
		}
		switch {
		case e.Verdict != nil:
			row.Decided, row.Decision, row.Why = int(e.Verdict.Stage), components.MarkOf(e.Verdict.Decision), string(e.Verdict.Why)
		case e.Trouble != nil:
			row.Decision, row.Why = components.Errored, string(e.Trouble.Trouble)+": "+e.Trouble.Detail
		default:
			row.Why = "not finished"
		}
		row.Stages = stageDots(row.Why)
		out = append(out, row)
	}
	return out, nil
}

// traceFactsOf are the short facts of an arm's traces.
func (h *Handlers) traceFactsOf(c echo.Context, v models.Viewer, armID string) (map[string]models.OutcomeRow, error) {
	ctx := c.Request().Context()
	out := map[string]models.OutcomeRow{}
	after := ""
	for {
		rows, next, err := h.store.Outcomes(ctx, v, models.OutcomeFilter{ExperimentID: c.Param("id"), ArmID: armID}, after, 5000)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			out[r.TraceID] = r
		}
		if after = next; next == "" {
			return out, nil
		}
	}
}

func cascadeFacts(res runner.CascadeResults) []pages.Fact {
	c, e := res.Config.Checks, res.Experiment
	sandbox := c.Sandbox
	if sandbox == "" {
		sandbox = "the first that works"
	}
	facts := []pages.Fact{
		{Name: "votes K", Value: components.Count(e.Votes)}, {Name: "seed", Value: fmt.Sprint(e.Seed), Mono: true},
		{Name: "generator", Value: res.Config.GeneratorName}, {Name: "runs on the base", Value: components.Count(c.Repeats)},
		{Name: "limit of a run", Value: components.Span(time.Duration(c.TestWallS * float64(time.Second)))}, {Name: "sandbox", Value: sandbox},
		{Name: "checks", Value: res.Config.ChecksSHA256[:min(12, len(res.Config.ChecksSHA256))], Mono: true}, {Name: "code", Value: e.CodeVersion, Mono: true},
	}
	return facts
}
