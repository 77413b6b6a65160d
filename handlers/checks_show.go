package handlers

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/cascade"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// checksShow is the page of everything that was checked of one trace.
func (h *Handlers) checksShow(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	d, err := h.store.TraceDetail(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	set, err := h.store.Dataset(ctx, v, d.Row.DatasetID)
	if err != nil {
		return err
	}
	all, err := h.store.TraceChecks(ctx, v, d.Row.ID)
	if err != nil {
		return err
	}
	view := pages.Checks{Frame: h.frame(c, "Checks of "+d.Row.InstanceID), Now: h.now(), Truth: truthOf(d.Row), Facts: traceFacts(d)}
	view.Frame.Crumbs = crumbs(set.Name, "/datasets/"+url.PathEscape(set.ID), "Traces", "/datasets/"+url.PathEscape(set.ID)+"/traces", d.Row.InstanceID, tracePath(d.Row.ID, "", nil))
	runs, err := h.store.TraceLabelResults(ctx, v, d.Row.ID)
	if err != nil {
		return err
	}
	edit := v.CanEdit(set.ProjectID)
	for _, r := range runs {
		x := pages.LabelRunTrace{
			Runs: labelRunURL(r.RunID) + "/traces/" + url.PathEscape(d.Row.ID), Outcome: r.Outcome, When: r.CreatedAt, Kept: r.Kept,
			Truth: components.Truth{Label: trace.Label(r.Label), Bucket: trace.Bucket(r.Bucket), From: trace.Execution}, F2P: heldText(r.F2POK, r.F2PAll), P2P: heldText(r.P2POK, r.P2PAll),
		}
		if edit {
			x.Why = r.Reason
		}
		view.Labels = append(view.Labels, x)
	}
	if len(all) == 0 {
		view.None = "The pipeline ran no check on this trace: a cascade experiment does."
	}
	for _, s := range all {
		view.Sets = append(view.Sets, checkSetView(d.Row.ID, s, truthOf(d.Row).Label, edit))
	}
	return render(c, http.StatusOK, pages.ChecksPage(view))
}

func checkSetView(traceID string, s models.SetChecks, truth trace.Label, edit bool) pages.CheckSet {
	out := pages.CheckSet{Title: "Checked", When: s.Set.CreatedAt}
	var spec runner.ChecksSpec
	if json.Unmarshal([]byte(s.Set.Config), &spec) == nil {
		out.Config = []pages.Fact{
			{Name: "runs on the base", Value: components.Count(spec.Repeats)},
			{Name: "limit of a run", Value: components.Span(time.Duration(spec.TestWallS * float64(time.Second)))},
		}
	}
	out.Config = append(out.Config, pages.Fact{Name: "checks", Value: s.Set.ConfigSHA256[:min(12, len(s.Set.ConfigSHA256))]})
	for _, r := range s.Runs {
		if r.Unsandboxed {
			out.Badges = []components.Badge{components.Unsandboxed}
		}
	}
	if n := s.Set.PatchNone; n != nil {
		out.Change = "The patch changes code."
		if *n {
			out.Change = "The patch changes no code: " + s.Set.PatchWhy + "."
		}
	}
	out.Static, out.Tools, out.Findings = staticView(s)
	for i, g := range s.Tests {
		t := testView(g, s.Texts[i])
		t.Raw = func(part string) string {
			return fmt.Sprintf("%s/%s/%d/%s", checksURL(traceID), url.PathEscape(g.SetID), g.Attempt, part)
		}
		if t.ShowGold = edit && g.GoldResult != ""; t.ShowGold {
			if cell, ok := cascade.CellOf(cascade.Result(g.PatchedResult), cascade.Result(g.GoldResult), truth); ok {
				for _, f := range cell.Findings() {
					t.Audit = append(t.Audit, string(f))
				}
			}
		}
		out.Tests = append(out.Tests, t)
	}
	return out
}

func staticView(s models.SetChecks) (says string, tools []pages.StaticTool, found []pages.StaticFinding) {
	if ran := s.Set.StaticRan; ran != nil {
		says = fmt.Sprintf("%s caused by the patch, %d of them of a decisive class.", components.Plural(s.Set.StaticCaused, "finding is", "findings are"), s.Set.StaticDecisive)
		if !*ran {
			says = "No static check gave an outcome: " + s.Set.StaticWhy + "."
		}
	}
	for _, r := range s.Runs {
		tools = append(tools, pages.StaticTool{Name: r.Tool, Version: r.Version, Backend: r.Backend, Why: r.Why, Wall: time.Duration(r.WallMS) * time.Millisecond})
	}
	sides := map[string]string{
		models.FindingCaused: "caused by the patch", models.FindingStanding: "the base too", models.FindingGone: "gone with the patch", models.FindingUnclear: "not to be told",
	}
	for _, f := range s.Findings {
		place := f.File
		if f.Line > 0 {
			place += ":" + strconv.Itoa(f.Line)
		}
		found = append(found, pages.StaticFinding{
			Side: sides[f.Side], Place: place, Rule: f.Rule, Message: f.Message, Class: f.Class, Tool: f.Tool, Context: f.Context, Decides: f.Decides,
		})
	}
	return says, tools, found
}

// testView is an attempt without what only editors see.
func testView(g models.GeneratedTest, x models.GeneratedTestText) pages.GeneratedTest {
	a := cascade.Attempt{Generated: cascade.Generated{Flaw: cascade.Flaw(g.Flaw)}, Base: cascade.Result(g.BaseResult)}
	t := pages.GeneratedTest{
		Number: g.Attempt, ID: fmt.Sprintf("test-%s-%d", g.SetID, g.Attempt), Kept: a.Kept(), Path: g.Path, Asserts: g.Asserts, Limits: g.Limits,
		Base:    pages.TestSide{Result: g.BaseResult, Headline: g.BaseHeadline, Output: x.BaseOutput},
		Patched: pages.TestSide{Result: g.PatchedResult, Headline: g.PatchedHeadline, Output: x.PatchedOutput},
		Gold:    pages.TestSide{Result: g.GoldResult, Headline: g.GoldHeadline, Output: x.GoldOutput},
		Source:  x.Source, Prompt: x.Prompt, Reply: x.Reply, Feedback: x.Feedback, Generator: g.Generator, Cost: g.CostUSD,
	}
	switch {
	case t.Kept:
		t.State = "kept, because it fails on the base"
	case a.Discard() != "":
		t.State = "discarded: " + string(a.Discard())
	default:
		t.State = "not run yet"
	}
	if g.Recorded {
		t.Badges = append(t.Badges, recordedTests)
	}
	if g.Unsandboxed {
		t.Badges = append(t.Badges, components.Unsandboxed)
	}
	if g.Cached {
		t.Badges = append(t.Badges, components.Cached)
	}
	if g.CostUSD == nil {
		t.CostWhy = "the price of the call is unknown"
	}
	if g.InputTokens != nil && g.OutputTokens != nil {
		t.Tokens = components.Amount(g.InputTokens) + " in, " + components.Amount(g.OutputTokens) + " out"
	}
	return t
}

func checksURL(traceID string) string { return tracePath(traceID, "/checks", nil) }

// checksText gives one text of an attempt as it is stored.
func (h *Handlers) checksText(c echo.Context) error {
	all, err := h.store.TraceChecks(c.Request().Context(), viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(c.Param("attempt"))
	if err != nil {
		return models.ErrNotFound
	}
	for _, s := range all {
		for _, x := range s.Texts {
			if x.SetID != c.Param("set") || x.Attempt != n {
				continue
			}
			text, ok := map[string]string{
				"source": x.Source, "base": x.BaseOutput, "patched": x.PatchedOutput, "gold": x.GoldOutput, "feedback": x.Feedback, "reply": x.Reply, "prompt": x.Prompt,
			}[c.Param("part")]
			if ok {
				return plain(c, text)
			}
		}
	}
	return fmt.Errorf("text of a generated test: %w", errors.Join(models.ErrNotFound))
}
