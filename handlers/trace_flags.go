package handlers

import (
	"context"
	"strconv"

	"plumbline/models"
	"plumbline/web/components/evidenceview"
	"plumbline/web/pages"
)

// traceFlags puts what the audit found on the votes of the selected arm, and the
// note on the arm beside them.
func (h *Handlers) traceFlags(ctx context.Context, v models.Viewer, item models.TraceItem, r traceRequest, view *pages.Trace) error {
	e, err := h.store.Experiment(ctx, v, item.ExperimentID)
	if err != nil {
		return err
	}
	if view.Votes.Note, err = h.itemNote(ctx, v, item, v.CanEdit(e.ProjectID), r.href("item", item.ItemID)); err != nil {
		return err
	}
	flags, err := h.store.VoteFlags(ctx, v, item.ExperimentID, []string{item.ItemID})
	if err != nil {
		return err
	}
	for _, f := range flags {
		href := ""
		if f.Line > 0 {
			href = r.href("tab", string(pages.TabEvidence), "item", item.ItemID, "line", strconv.Itoa(max(1, f.Line-20))) + "#" + evidenceview.Anchor(f.Line)
		}
		for i := range view.Votes.Cards {
			if card := &view.Votes.Cards[i]; card.Number == f.Idx+1 {
				card.Flags = append(card.Flags, flagView(f, href))
			}
		}
	}
	return nil
}
