package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/cascade"
	"plumbline/experiments/findings"
	"plumbline/experiments/patch"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/web/components"
	"plumbline/web/components/diffview"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// cascadeReview is the page of one patch that was judged alone.
func (h *Handlers) cascadeReview(c echo.Context) error {
	row, doc, err := h.review(c)
	if err != nil {
		return err
	}
	view := pages.Verdict{
		Frame: h.frame(c, row.Title), Now: h.now(), Mark: verdictMark(doc.Verdict), Says: verdictSays(doc), Decided: -1, Facts: reviewFacts(row, doc), Form: string(doc.Policy.Form), Issue: doc.Issue,
	}
	view.Frame.Crumbs = crumbs("Home", "/", "Reviewed patches", "/reviews")
	if doc.Simulated {
		view.Frame.Badges = append(view.Frame.Badges, components.Simulated)
	}
	if doc.Unsafe {
		view.Frame.Badges = append(view.Frame.Badges, components.Unsandboxed)
	}
	if doc.Trouble != nil {
		view.Why = doc.Trouble.Detail
	} else if s, ok := cascade.ParseStage(doc.Stage); ok && doc.Verdict != "error" {
		view.Decided = int(s)
	}
	view.Stages = stageDots(doc.Why)
	view.Static, view.Tools, view.Findings = reviewStatic(doc)
	for _, t := range doc.Tests {
		view.Tests = append(view.Tests, reviewTest(t, doc.Policy.GeneratorName))
	}
	for _, v := range doc.Votes {
		view.Votes = append(view.Votes, pages.VerdictVote{Mark: components.MarkOf(v.Vote), Rationale: v.Rationale, Problem: v.Problem})
	}
	if doc.Evidence != nil {
		view.Evidence = doc.Evidence.Text
	}
	view.Diff, view.NoDiff = reviewDiff(c, row.ID, doc.Patch)
	view.Spent, view.Total = reviewSpend(doc)
	view.Frame.Actions = []layout.Action{{Text: "All reviews", Href: "/reviews"}, {Text: "JSON", Href: reviewPath(row.ID) + "/review.json"}}
	return render(c, http.StatusOK, pages.VerdictPage(view))
}

func reviewPath(id string) string { return "/reviews/" + url.PathEscape(id) }

// review reads the review that the address names, with its document.
func (h *Handlers) review(c echo.Context) (row models.SingleReview, doc runner.ReviewDocument, err error) {
	row, raw, err := h.store.SingleReview(c.Request().Context(), viewer(c), c.Param("id"))
	if err != nil {
		return row, doc, err
	}
	if err := json.Unmarshal([]byte(raw), &doc); err != nil {
		return row, doc, fmt.Errorf("read the document of review %s: %w", row.ID, err)
	}
	doc.ID = row.ID
	return row, doc, nil
}

// reviewDiff is the window of the patch that the request asks for, or why there is
// none.
func reviewDiff(c echo.Context, id, text string) (view diffview.View, none string) {
	d := patch.Parse(text)
	if len(d.Files) == 0 {
		return view, noPatch(string(patch.State(text)))
	}
	layout, other := diffview.Layout(c.QueryParam("layout")), diffview.Split
	if layout == diffview.Split {
		other = diffview.Unified
	}
	page := func(l diffview.Layout, at string) string {
		return reviewPath(id) + "?" + url.Values{"layout": {string(l)}, "at": {at}}.Encode() + "#patch"
	}
	at := c.QueryParam("at")
	return diffview.Build(&d, diffview.Options{
		Layout: layout, At: diffview.ParseTarget(at), Whole: reviewPath(id) + "/patch.txt", Other: page(other, at), URL: func(at string) string { return page(layout, at) },
	}), ""
}

// reviewSpend is the cost by stage and in all.
func reviewSpend(doc runner.ReviewDocument) (stages []pages.VerdictSpend, total pages.VerdictSpend) {
	var sum cascade.Spend
	row := func(name string, s cascade.Spend) pages.VerdictSpend {
		out := pages.VerdictSpend{Stage: name, Calls: s.Calls, Runs: s.Runs, In: s.InputTokens, Out: s.OutputTokens, Uncounted: s.Uncounted, Sandbox: s.Sandbox}
		out.Cost, out.CostWhy = s.CostUSD()
		return out
	}
	for _, s := range cascade.Stages {
		stages = append(stages, row(s.Name(), doc.Spent[s]))
		sum = sum.Plus(doc.Spent[s])
	}
	return stages, row("in all", sum)
}

func verdictSays(doc runner.ReviewDocument) string {
	if doc.Verdict == "error" {
		return "No verdict: " + doc.Why + "."
	}
	return "Decided at the stage " + doc.StageName + ": " + doc.Why + "."
}

func reviewFacts(row models.SingleReview, doc runner.ReviewDocument) []pages.Fact {
	p := doc.Policy
	facts := []pages.Fact{
		{Name: "policy", Value: p.Name}, {Name: "policy SHA-256", Value: p.SHA256, Mono: true}, {Name: "repository", Value: doc.Repo}, {Name: "base", Value: doc.Base, Mono: true},
	}
	if doc.Head != "" {
		facts = append(facts, pages.Fact{Name: "head", Value: doc.Head, Mono: true})
	}
	if p.ReviewerName != "" {
		facts = append(facts, pages.Fact{Name: "reviewer", Value: p.ReviewerName})
	}
	if p.GeneratorName != "" {
		facts = append(facts, pages.Fact{Name: "generator", Value: p.GeneratorName})
	}
	if p.Experiment != "" {
		facts = append(facts, pages.Fact{Name: "frozen from", Value: p.Arm, Href: experimentURL(p.Experiment)})
	}
	return append(facts,
		pages.Fact{Name: "took", Value: components.Span(doc.Took)},
		pages.Fact{Name: "sandbox", Value: doc.Sandbox}, pages.Fact{Name: "by", Value: row.Author}, pages.Fact{Name: "at", Value: row.CreatedAt.UTC().Format(time.RFC3339)},
		pages.Fact{Name: "code", Value: doc.Version, Mono: true})
}

func reviewStatic(doc runner.ReviewDocument) (says string, tools []pages.StaticTool, found []pages.StaticFinding) {
	s := doc.Static
	if s == nil {
		return "", nil, nil
	}
	says = fmt.Sprintf("%s caused by the patch, %d of them of a decisive class.", components.Plural(s.Caused, "finding is", "findings are"), s.Decisive)
	if s.Caused == 0 {
		says = "No finding is caused by the patch."
	}
	if !s.Ran {
		says = "No static check gave an outcome: " + s.Why + "."
	}
	for _, t := range s.Tools {
		tools = append(tools, pages.StaticTool{Name: t.Name, Version: t.Version, Why: t.Why, Wall: t.Wall, Backend: doc.Sandbox})
	}
	for _, f := range s.Found {
		found = append(found, pages.StaticFinding{Side: "caused by the patch", Place: fmt.Sprintf("%s:%d", f.File, f.Line), Rule: f.Rule, Message: f.Message, Class: string(f.Class), Tool: f.Tool, Context: f.Context, Decides: findings.Decides(f)})
	}
	return says, tools, found
}

func reviewTest(t runner.ReviewTest, generator string) pages.GeneratedTest {
	out := pages.GeneratedTest{
		Number: t.Attempt, ID: fmt.Sprintf("test-%d", t.Attempt), Kept: t.Kept, State: "kept, because it fails on the base", Path: t.Path, Asserts: t.Asserts, Limits: t.Limits,
		Base:    pages.TestSide{Result: string(t.Base.Result), Headline: t.Base.Headline, Output: t.Base.Output},
		Patched: pages.TestSide{Result: string(t.Patched.Result), Headline: t.Patched.Headline, Output: t.Patched.Output},
		Source:  t.Source, Prompt: t.Prompt, Reply: t.Reply, Generator: generator,
	}
	if t.Discard != "" {
		out.State = "discarded: " + string(t.Discard)
	}
	if t.Recorded {
		out.Badges = append(out.Badges, recordedTests)
	}
	return out
}
