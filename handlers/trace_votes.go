package handlers

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"

	"plumbline/experiments/evidence"
	"plumbline/experiments/review"
	"plumbline/models"
	"plumbline/web/components"
	"plumbline/web/components/evidenceview"
	"plumbline/web/pages"
)

// citations are the places each vote of the selected arm cites, by vote index.
type citations map[int][]review.Citation

// cited turns them around: line → vote numbers.
func (c citations) cited() evidenceview.Cited {
	out := evidenceview.Cited{}
	for idx := 0; idx <= 99; idx++ { // the votes in order, so that the numbers ascend
		seen := map[int]bool{}
		for _, x := range c[idx] {
			if x.Line > 0 && !seen[x.Line] {
				seen[x.Line] = true
				out[x.Line] = append(out[x.Line], idx+1)
			}
		}
	}
	return out
}

// traceVotes fills the right column: every arm's decision, and the votes of the
// selected one.
func (h *Handlers) traceVotes(ctx context.Context, v models.Viewer, row models.TraceRow, items []models.TraceItem, item models.TraceItem, any bool, r traceRequest, view *pages.Trace) (citations, error) {
	cites := citations{}
	if !any {
		view.Votes.None = "No experiment has looked at this trace."
		return cites, nil
	}
	for start := 0; start < len(items); {
		end := start
		for end < len(items) && items[end].ExperimentID == items[start].ExperimentID {
			end++
		}
		group, err := h.armGroup(ctx, v, row, items[start:end], item, r)
		if err != nil {
			return nil, err
		}
		view.Votes.Groups = append(view.Votes.Groups, group)
		start = end
	}
	view.Votes.Belief = "/traces/" + url.PathEscape(row.ID) + "/belief?experiment=" + url.QueryEscape(item.ExperimentID)
	details, err := h.store.VoteDetails(ctx, v, item.ItemID)
	if err != nil {
		return nil, err
	}
	failures, err := h.store.ItemCallErrors(ctx, v, item.ItemID)
	if err != nil {
		return nil, err
	}
	view.Votes.Arm = item.ReviewerName + " · " + item.Form
	for _, d := range details {
		var cs []review.Citation
		if d.Citations != "" {
			if err := json.Unmarshal([]byte(d.Citations), &cs); err != nil {
				return nil, err
			}
		}
		cites[d.Idx] = cs
		view.Votes.Cards = append(view.Votes.Cards, voteCard(d, item, row))
	}
	for _, f := range failures {
		view.Votes.Errors = append(view.Votes.Errors, pages.CallFailure{
			Vote: f.VoteIdx + 1, Class: f.Class, Status: f.Status, Message: f.Message, Attempts: f.Attempts, When: f.CreatedAt,
		})
	}
	view.Votes.Usage = usage(details)
	if err := h.traceFlags(ctx, v, item, r, view); err != nil {
		return nil, err
	}
	return cites, h.citationLinks(ctx, v, item, cites, r, view)
}

// citationLinks points every citation to its line, or says that there is none.
func (h *Handlers) citationLinks(ctx context.Context, v models.Viewer, item models.TraceItem, cites citations, r traceRequest, view *pages.Trace) error {
	any := false
	for _, cs := range cites {
		any = any || len(cs) > 0
	}
	if !any {
		return nil
	}
	ev, err := h.store.Evidence(ctx, v, item.ItemID)
	if err != nil {
		return err
	}
	for i := range view.Votes.Cards {
		card := &view.Votes.Cards[i]
		for _, c := range cites[card.Number-1] {
			out := pages.Citation{Line: c.Line, Quote: c.Quote}
			switch {
			case c.Line == 0:
			case c.Line > ev.Lines:
				out.Invalid = "not in the evidence"
			default:
				anchor := "#" + evidenceview.Anchor(c.Line)
				out.Href = anchor
				if r.tab != pages.TabEvidence || ev.Lines > evidenceview.WindowLines {
					out.Href = r.href("tab", string(pages.TabEvidence), "item", item.ItemID, "line", strconv.Itoa(max(1, c.Line-20))) + anchor
				}
			}
			card.Citations = append(card.Citations, out)
		}
	}
	return nil
}

func (h *Handlers) armGroup(ctx context.Context, v models.Viewer, row models.TraceRow, items []models.TraceItem, selected models.TraceItem, r traceRequest) (pages.ArmGroup, error) {
	ids := make([]string, len(items))
	for i, it := range items {
		ids[i] = it.ItemID
	}
	g := pages.ArmGroup{
		Name: items[0].ExperimentName, Href: "/experiments/" + url.PathEscape(items[0].ExperimentID),
		Current: items[0].ExperimentID == selected.ExperimentID,
	}
	votes, err := h.store.Votes(ctx, v, items[0].ExperimentID, ids)
	if err != nil {
		return g, err
	}
	byItem := map[string][]models.VoteRow{}
	for _, x := range votes {
		byItem[x.ItemID] = append(byItem[x.ItemID], x)
	}
	for _, it := range items {
		mark := itemMark(it)
		href := r.href("item", it.ItemID)
		a := pages.ArmDecision{
			Reviewer: it.ReviewerName, Form: it.Form, Href: href, Current: it.ItemID == selected.ItemID,
			Deployable: evidence.Form(it.Form).Deployable(), Decision: mark, Wrong: components.Wrong(mark, truthOf(row).Label), Note: it.ErrorMessage,
		}
		if it.Simulated && len(g.Badges) == 0 {
			g.Badges = []components.Badge{components.Simulated}
		}
		page := href
		if a.Current {
			page = ""
		}
		a.Squares = squares(it.State, byItem[it.ItemID], it.Votes, page)
		g.Arms = append(g.Arms, a)
	}
	return g, nil
}

// itemMark is the decision of an item, or why there is none.
func itemMark(it models.TraceItem) components.Mark {
	if it.Decision != "" {
		return components.Mark(it.Decision)
	}
	return markOfState(it.State)
}

func voteCard(d models.VoteDetail, it models.TraceItem, row models.TraceRow) pages.VoteCard {
	c := pages.VoteCard{
		Number: d.Idx + 1, Mark: components.Mark(d.Vote), Wrong: components.Wrong(components.Mark(d.Vote), truthOf(row).Label),
		Confidence: d.Confidence, Rationale: d.Rationale, Problem: d.Problem,
		InputTokens: d.InputTokens, OutputTokens: d.OutputTokens, CachedTokens: d.CachedTokens, CostUSD: d.CostUSD, Price: d.PriceVersion,
		Latency: time.Duration(d.LatencyMS) * time.Millisecond, Attempts: d.Attempts, Seed: strconv.FormatInt(d.Seed, 10), When: d.CreatedAt,
		Raw: d.Raw, RawURL: itemPart(d.ItemID, "reply", d.Idx+1),
	}
	if text, href, ok := ownTools(d); ok {
		c.Raw, c.RawURL = text, href
	}
	if it.Simulated {
		c.Badges = append(c.Badges, components.Simulated)
	}
	if d.Cached {
		c.Badges = append(c.Badges, components.Cached)
	}
	if d.CostUSD == nil && !it.Simulated {
		c.Badges = append(c.Badges, components.UnknownPrice)
	}
	return c
}

// usage sums tokens and cost of an item's votes; one unknown makes a sum unknown.
func usage(votes []models.VoteDetail) []pages.Fact {
	if len(votes) == 0 {
		return nil
	}
	var in, out int64
	cost, tokens, priced := 0.0, true, true
	for _, v := range votes {
		if v.InputTokens == nil || v.OutputTokens == nil {
			tokens = false
		} else {
			in, out = in+*v.InputTokens, out+*v.OutputTokens
		}
		switch {
		case v.Cached:
		case v.CostUSD == nil:
			priced = false
		default:
			cost += *v.CostUSD
		}
	}
	facts := []pages.Fact{{Name: "tokens of these votes", Value: components.Unknown}, {Name: "cost of these votes", Value: components.Unknown}}
	if tokens {
		facts[0].Value = strings.Join([]string{components.Count(in) + " in", components.Count(out) + " out"}, ", ")
	}
	if priced {
		facts[1].Value = components.Money(&cost)
	}
	return facts
}
