package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"plumbline/experiments/evidence"
	"plumbline/models"
	"plumbline/web/components"
	"plumbline/web/components/evidenceview"
	"plumbline/web/pages"

	"strconv"
)

// traceEvidence fills the evidence of the selected arm.
func (h *Handlers) traceEvidence(ctx context.Context, v models.Viewer, item models.TraceItem, any bool, cited citations, r traceRequest, view *pages.Trace) error {
	p := &view.Evidence
	if !any {
		p.None = "No experiment has looked at this trace, so no evidence was made of it."
		return nil
	}
	for _, g := range view.Votes.Groups {
		if !g.Current {
			continue
		}
		for _, a := range g.Arms {
			p.Arms = append(p.Arms, pages.TabLink{Text: a.Reviewer + " · " + a.Form, Href: a.Href, Current: a.Current})
		}
	}
	ev, err := h.store.Evidence(ctx, v, item.ItemID)
	if errors.Is(err, models.ErrNotFound) {
		p.None = "The evidence of this arm has not been made yet."
		if item.State == models.ItemError {
			p.None = "No evidence could be made: " + item.ErrorMessage
		}
		return nil
	}
	if err != nil {
		return err
	}
	form := evidence.Form(ev.Form)
	p.Arm = view.Votes.Arm
	p.Explain, p.Tokens, p.Hash = form.Explain(), ev.Tokens, ev.SHA256
	if !form.Deployable() {
		p.Badges = []components.Badge{components.NotDeployable}
	}
	if p.Cuts, err = cuts(ev.Cut); err != nil {
		return err
	}
	leaks := map[int]string{}
	if item.State == models.ItemBlocked {
		p.Blocked = true
		found, err := h.store.Leaks(ctx, v, item.ItemID)
		switch {
		case errors.Is(err, models.ErrForbidden): // a viewer sees that it was blocked, not by what
		case err != nil:
			return err
		}
		for _, l := range found {
			leaks[l.Line] = l.Kind
			p.Leaks = append(p.Leaks, fmt.Sprintf("line %d: %s", l.Line, l.Kind))
		}
	}
	p.Evidence = evidenceview.Build(ev.Text, evidenceview.Options{
		From: r.line, Cited: cited.cited(), Leaks: leaks, Raw: itemPart(item.ItemID, "evidence", 0),
		URL: func(from int) string {
			return r.href("tab", string(pages.TabEvidence), "item", item.ItemID, "line", strconv.Itoa(from))
		},
	})
	return nil
}

// cuts says in words what a budget or an audit left out.
func cuts(raw string) ([]string, error) {
	if raw == "" {
		return nil, nil
	}
	var all []evidence.Cut
	if err := json.Unmarshal([]byte(raw), &all); err != nil {
		return nil, fmt.Errorf("read what was cut from the evidence: %w", err)
	}
	var out []string
	for _, c := range all {
		s := c.What + " (" + string(c.Why) + ")"
		if c.Lines > 0 {
			s += ", " + components.Plural(c.Lines, "line", "lines")
		}
		if c.Tokens > 0 {
			s += ", about " + components.Plural(c.Tokens, "token", "tokens")
		}
		out = append(out, s)
	}
	return out, nil
}
