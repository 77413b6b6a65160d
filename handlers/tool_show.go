package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/review"
	"plumbline/experiments/toolreview"
	"plumbline/models"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// toolShow is the transcript of one review with tools: the vote of an item.
func (h *Handlers) toolShow(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	row, e, err := h.store.Outcome(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	n := 1
	if asked := c.QueryParam("vote"); asked != "" {
		if n, err = strconv.Atoi(asked); err != nil {
			return fmt.Errorf("vote %q: %w", asked, models.ErrNotFound)
		}
	}
	d, err := h.store.TraceDetail(ctx, v, row.TraceID)
	if err != nil {
		return err
	}
	votes, err := h.store.VoteDetails(ctx, v, row.ItemID)
	if err != nil {
		return err
	}
	view := pages.ToolReview{Frame: h.frame(c, "Review of "+d.Row.InstanceID), Truth: truthOf(d.Row), None: "This vote is not there: the item has no such vote yet."}
	view.Frame.Crumbs = crumbs(e.Name, experimentURL(e.ID), "Reviews with tools", toolsURL(e.ID), d.Row.InstanceID, tracePath(d.Row.ID, "", url.Values{"item": {row.ItemID}}))
	for _, x := range votes {
		if x.Idx != n-1 {
			if _, ok := toolreview.ReadRecord(x.Raw); ok {
				view.Others = append(view.Others, pages.Fact{Name: "vote " + strconv.Itoa(x.Idx+1), Href: toolURL(row.ItemID, x.Idx+1)})
			}
			continue
		}
		rec, ok := toolreview.ReadRecord(x.Raw)
		if !ok {
			view.None = "This vote came by a single answer: its reviewer uses no tools."
			continue
		}
		view.None = ""
		fillToolReview(&view, x, rec)
	}
	view.Wrong = components.Wrong(view.Mark, view.Truth.Label)
	view.Facts = append([]pages.Fact{{Name: "agent", Value: d.Row.Agent}, {Name: "patch of", Value: d.Row.Model}}, view.Facts...)
	return render(c, http.StatusOK, pages.ToolReviewPage(view))
}

func toolURL(itemID string, vote int) string {
	return "/items/" + url.PathEscape(itemID) + "/tools?vote=" + strconv.Itoa(vote)
}

func toolsURL(experimentID string) string { return experimentURL(experimentID) + "/tools" }

func fillToolReview(view *pages.ToolReview, d models.VoteDetail, rec toolreview.Record) {
	view.Mark, view.Problem, view.Text, view.RawURL = components.Mark(d.Vote), d.Problem, d.Rationale, itemPart(d.ItemID, "reply", d.Idx+1)
	view.End = "Ended: " + string(rec.End) + ". " + rec.End.Explain()
	fact := func(name, value string) { view.Facts = append(view.Facts, pages.Fact{Name: name, Value: value}) }
	fact("turns", fmt.Sprintf("%d of %d", rec.Counts.Turns, rec.Policy.Turns))
	fact("commands", fmt.Sprintf("%d, %d of them looks", rec.Counts.Commands, rec.Counts.Reads))
	fact("tokens", components.Amount(d.InputTokens)+" in, "+components.Amount(d.OutputTokens)+" out")
	fact("cost", components.Money(d.CostUSD))
	fact("took", components.Span(time.Duration(d.LatencyMS)*time.Millisecond))
	backends := map[string]bool{}
	for i, t := range rec.Turns {
		out := pages.ToolTurn{Number: i + 1, Text: t.Text, Answer: t.Answer}
		if i < len(rec.Usage) {
			u := rec.Usage[i]
			out.Tokens = components.Amount(u.Prompt) + " in, " + components.Amount(u.Completion) + " out"
			out.Took, out.Protocol = time.Duration(u.LatencyMS)*time.Millisecond, u.Protocol
		}
		for j, call := range t.Calls {
			use := pages.ToolUse{ID: fmt.Sprintf("use-%d-%d", i+1, j+1), Tool: call.Tool, What: shownCall(call), Verdict: call.Tool == toolreview.Decide}
			if j < len(t.Results) {
				fillToolUse(&use, t.Results[j])
				if b := t.Results[j].Backend; b != "" {
					backends[b] = true
				}
				if t.Results[j].Unsandboxed {
					view.Badges = []components.Badge{components.Unsandboxed}
				}
			} else {
				use.Untried = !use.Verdict
			}
			out.Uses = append(out.Uses, use)
		}
		view.Turns = append(view.Turns, out)
	}
	for b := range backends {
		fact("sandbox", b)
	}
	view.Frame.Badges = append(view.Frame.Badges, view.Badges...)
}

func fillToolUse(u *pages.ToolUse, r toolreview.Result) {
	switch {
	case len(r.Argv) == 0:
		u.Problem = r.Shown
		return
	case r.Exit != nil:
		u.Result = fmt.Sprintf("exit code %d", *r.Exit)
	default:
		u.Result, u.Bad = "ended by its limit of "+r.Cause, true
	}
	u.Output, u.LeftOut, u.Wall = r.Shown, r.Left, time.Duration(r.WallMS)*time.Millisecond
}

// shownCall is what a call asks for, in a form that people read.
func shownCall(c toolreview.Call) string {
	var a map[string]any
	if json.Unmarshal([]byte(c.Args), &a) != nil {
		return c.Args
	}
	text := func(key string) string {
		if s, ok := a[key].(string); ok {
			return s
		}
		if n, ok := a[key].(float64); ok {
			return strconv.FormatFloat(n, 'f', -1, 64)
		}
		return ""
	}
	switch c.Tool {
	case toolreview.RunTool:
		return text("command")
	case toolreview.ReadFile:
		s := text("path")
		if from, to := text("from"), text("to"); from != "" || to != "" {
			s += " lines " + from + "–" + to
		}
		return s
	case toolreview.Search:
		return strings.TrimSpace(text("pattern") + "\n" + text("path"))
	case toolreview.Decide:
		if r := review.Parse(c.Args); r.Vote != "" {
			return string(r.Vote)
		}
	}
	return c.Args
}

// ownTools reports whether the vote is a review with tools, and if so what the card
// of the vote shows in place of its raw text.
func ownTools(d models.VoteDetail) (text, href string, ok bool) {
	rec, ok := toolreview.ReadRecord(d.Raw)
	if !ok {
		return "", "", false
	}
	var b strings.Builder
	fmt.Fprintf(&b, "A review with tools: %s; %s, %s. Its transcript:\n",
		rec.End, components.Plural(rec.Counts.Turns, "turn", "turns"), components.Plural(rec.Counts.Commands, "command", "commands"))
	for i, t := range rec.Turns {
		for _, c := range t.Calls {
			fmt.Fprintf(&b, "%d. %s %s\n", i+1, c.Tool, strings.ReplaceAll(shownCall(c), "\n", " "))
		}
		if len(t.Calls) == 0 {
			fmt.Fprintf(&b, "%d. %s\n", i+1, components.FirstLine(t.Text, 120))
		}
	}
	return b.String(), toolURL(d.ItemID, d.Idx+1), true
}
