package handlers

import (
	"context"

	"plumbline/experiments/cascade"
	"plumbline/models"
	"plumbline/web/pages"
)

// traceChecks fills the rows of the checks tab: caused findings and the attempts at
// tests of the newest checks. Everything else is on the page of its own.
func (h *Handlers) traceChecks(ctx context.Context, v models.Viewer, traceID string, p *pages.ChecksPane) error {
	all, err := h.store.TraceChecks(ctx, v, traceID)
	if err != nil {
		return err
	}
	runs, err := h.store.TraceLabelResults(ctx, v, traceID)
	if err != nil {
		return err
	}
	if len(all)+len(runs) > 0 {
		p.All = checksURL(traceID)
	}
	if len(all) == 0 {
		return nil
	}
	s := all[0]
	for _, f := range s.Findings {
		if f.Side != models.FindingCaused {
			continue
		}
		p.Rows = append(p.Rows, pages.Check{Kind: "static", Name: f.Message, File: f.File, Base: "absent", Patch: f.Class, Counts: f.Decides, Note: f.Tool + " " + f.Rule})
	}
	for _, g := range s.Tests {
		a := cascade.Attempt{Generated: cascade.Generated{Flaw: cascade.Flaw(g.Flaw)}, Base: cascade.Result(g.BaseResult)}
		note := g.PatchedHeadline
		if d := a.Discard(); d != "" {
			note = "discarded: " + string(d)
		}
		p.Rows = append(p.Rows, pages.Check{Kind: "generated test", Name: g.Asserts, File: g.Path, Base: g.BaseResult, Patch: g.PatchedResult, Counts: a.Kept(), Note: note})
	}
	if ran := s.Set.StaticRan; ran != nil && len(p.Rows) == 0 {
		p.None = "The checks found nothing that the patch caused, and no test was kept."
	}
	return nil
}
