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
	"plumbline/experiments/vote"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/web/components"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// reviewsPage is the number of reviews on a page of the list.
const reviewsPage = 50

// cascadeReviews lists the patches that were judged alone.
func (h *Handlers) cascadeReviews(c echo.Context) error {
	rows, next, err := h.store.SingleReviews(c.Request().Context(), viewer(c), h.project.ID, c.QueryParam("after"), reviewsPage)
	if err != nil {
		return err
	}
	view := pages.Verdicts{Frame: h.frame(c, "Reviewed patches"), Now: h.now(), Pager: tracePager("/reviews", c.QueryParams(), next)}
	view.Frame.Crumbs = crumbs("Home", "/")
	for _, r := range rows {
		row := pages.VerdictRow{Title: r.Title, Href: "/reviews/" + url.PathEscape(r.ID), Author: r.Author, When: r.CreatedAt, Mark: verdictMark(r.Verdict)}
		if s, ok := cascade.ParseStage(r.Stage); ok {
			row.Stage = s.Name()
		}
		view.Rows = append(view.Rows, row)
	}
	return render(c, http.StatusOK, pages.VerdictsPage(view))
}

func verdictMark(verdict string) components.Mark {
	if v := vote.Vote(verdict); v.Valid() {
		return components.MarkOf(v)
	}
	return components.Errored
}

// cascadeReview is the page of one patch that was judged alone.
func (h *Handlers) cascadeReview(c echo.Context) error {
	row, raw, err := h.store.SingleReview(c.Request().Context(), viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	var doc runner.ReviewDocument
	if err := json.Unmarshal([]byte(raw), &doc); err != nil {
		return fmt.Errorf("read the document of review %s: %w", row.ID, err)
	}
	view := pages.Verdict{
		Frame: h.frame(c, row.Title), Now: h.now(), Mark: verdictMark(doc.Verdict), Says: verdictSays(doc), Decided: -1, Facts: reviewFacts(row, doc), Patch: doc.Patch, Issue: doc.Issue,
	}
	view.Frame.Crumbs = crumbs("Home", "/", "Reviewed patches", "/reviews")
	for mark, set := range map[components.Badge]bool{components.Simulated: doc.Simulated, components.Unsandboxed: doc.Unsafe} {
		if set {
			view.Frame.Badges = append(view.Frame.Badges, mark)
		}
	}
	if doc.Trouble != nil {
		view.Why = doc.Trouble.Detail
	} else if s, ok := cascade.ParseStage(doc.Stage); ok && doc.Verdict != "error" {
		view.Decided = int(s)
	}
	view.Stages = stageDots(doc.Why)
	view.Static, view.Tools, view.Findings = reviewStatic(doc.Static)
	for _, t := range doc.Tests {
		view.Tests = append(view.Tests, reviewTest(t, doc.Policy.GeneratorName))
	}
	for _, v := range doc.Votes {
		view.Votes = append(view.Votes, pages.VerdictVote{Mark: components.MarkOf(v.Vote), Rationale: v.Rationale, Problem: v.Problem})
	}
	if doc.Evidence != nil {
		view.Evidence = doc.Evidence.Text
	}
	view.Frame.Actions = []layout.Action{{Text: "All reviews", Href: "/reviews"}}
	return render(c, http.StatusOK, pages.VerdictPage(view))
}

func verdictSays(doc runner.ReviewDocument) string {
	if doc.Verdict == "error" {
		return "No verdict at the stage " + doc.StageName + ": " + doc.Why + "."
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
	if p.Experiment != "" {
		facts = append(facts, pages.Fact{Name: "frozen from", Value: p.Arm, Href: experimentURL(p.Experiment)})
	}
	cost := components.Money(doc.CostUSD)
	if doc.CostUSD == nil {
		cost = "unknown: " + doc.CostWhy
	}
	calls := 0
	for _, s := range doc.Spent {
		calls += s.Calls
	}
	return append(facts,
		pages.Fact{Name: "calls", Value: components.Count(calls)}, pages.Fact{Name: "cost", Value: cost}, pages.Fact{Name: "took", Value: components.Span(doc.Took)},
		pages.Fact{Name: "sandbox", Value: doc.Sandbox}, pages.Fact{Name: "by", Value: row.Author}, pages.Fact{Name: "at", Value: row.CreatedAt.UTC().Format(time.RFC3339)},
		pages.Fact{Name: "code", Value: doc.Version, Mono: true})
}

func reviewStatic(s *runner.ReviewStatic) (says string, tools []pages.StaticTool, found []pages.StaticFinding) {
	if s == nil {
		return "", nil, nil
	}
	says = fmt.Sprintf("%s caused by the patch, %d of them of a decisive class.", components.Plural(s.Caused, "finding is", "findings are"), s.Decisive)
	if !s.Ran {
		says = "No static check gave an outcome: " + s.Why + "."
	}
	for _, t := range s.Tools {
		tools = append(tools, pages.StaticTool{Name: t.Name, Version: t.Version, Why: t.Why, Wall: t.Wall})
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
