package handlers

import (
	"context"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// misreads fills how many traces of each arm have a vote that contradicts its
// evidence. An arm with a vote that was not audited is unknown.
func misreads(arms []pages.ArmRow, audits []models.ArmAudit, experimentID string) {
	for i := range arms {
		if arms[i].Votes.K == 0 {
			continue // nothing was asked, so nothing was audited
		}
		n := pages.ArmCount{Href: outcomesURL(experimentID, pages.KindMisread, "arm", arms[i].ID)}
		at := slices.IndexFunc(audits, func(a models.ArmAudit) bool { return a.ArmID == arms[i].ID })
		if at >= 0 {
			if audits[at].Unaudited > 0 {
				continue
			}
			n.N = audits[at].Items
		}
		arms[i].Misread = &n
	}
}

// misreadView counts the flags of an experiment by arm and direction.
func misreadView(e models.Experiment, arms []models.Arm, audits []models.ArmAudit, edit bool, here string) *pages.Misread {
	view := &pages.Misread{Back: here}
	for _, arm := range arms {
		at := slices.IndexFunc(audits, func(a models.ArmAudit) bool { return a.ArmID == arm.ID })
		if at < 0 {
			continue
		}
		a := audits[at]
		line := pages.ArmMisread{
			Name: armText(arms, arm.ID), Index: arm.Idx, Inexact: a.Inexact, Unaudited: a.Unaudited,
			Items: pages.ArmCount{N: a.Items, Href: outcomesURL(e.ID, pages.KindMisread, "arm", arm.ID)},
		}
		for _, v := range a.ByVote {
			switch components.Mark(v.Vote) {
			case components.Accept:
				line.Accept = v.Votes
			case components.Reject:
				line.Reject = v.Votes
			default:
				line.Other += v.Votes
			}
		}
		for _, k := range a.ByKind {
			if k.Contradiction {
				line.Kinds = append(line.Kinds, pages.FlagCount{Kind: k.Kind, Vote: components.Mark(k.Vote), N: k.Votes})
			}
		}
		view.Unaudited += a.Unaudited
		view.Arms = append(view.Arms, line)
	}
	if edit && view.Unaudited > 0 {
		view.Audit = experimentURL(e.ID) + "/audit"
	}
	return view
}

// firstFlags are the first contradiction of each item, by item id.
func (h *Handlers) firstFlags(ctx context.Context, v models.Viewer, experimentID string, itemIDs []string) (map[string]*pages.Flag, error) {
	flags, err := h.store.VoteFlags(ctx, v, experimentID, itemIDs)
	if err != nil {
		return nil, err
	}
	out := map[string]*pages.Flag{}
	for _, f := range flags {
		if f.Contradiction && out[f.ItemID] == nil {
			view := flagView(f, "")
			out[f.ItemID] = &view
		}
	}
	return out, nil
}

func flagView(f models.VoteFlag, href string) pages.Flag {
	return pages.Flag{Kind: f.Kind, Contradiction: f.Contradiction, Said: f.Said, Line: f.Line, Href: href, Evidence: f.Evidence}
}

// misreadCount is how many traces of a list are misread, and how many votes of the
// experiment nobody has compared with their evidence.
type misreadCount struct{ n, unaudited int }

// misreadList counts the misread traces under the filters of a list; on the list of
// them it fills the counts by arm and direction.
func (h *Handlers) misreadList(c echo.Context, e models.Experiment, l outcomeList, q models.OutcomeQuery, arms []models.Arm, view *pages.Errors) (out misreadCount, err error) {
	ctx, v := c.Request().Context(), viewer(c)
	audits, err := h.store.ArmAudits(ctx, v, e.ID)
	if err != nil {
		return out, err
	}
	n, err := h.store.CountMisread(ctx, v, q)
	if err != nil {
		return out, err
	}
	out.n = int(n)
	for _, a := range audits {
		if q.ArmID == "" || a.ArmID == q.ArmID {
			out.unaudited += a.Unaudited
		}
	}
	if l.kind == pages.KindMisread {
		view.Misread = misreadView(e, arms, audits, v.CanEdit(e.ProjectID), c.Request().URL.RequestURI())
	}
	return out, nil
}

// csvExtra are the columns of a list's file that are not in its query.
type csvExtra struct {
	flags map[string]*pages.Flag
	notes map[string]models.ItemNote
}

func (h *Handlers) csvExtra(ctx context.Context, v models.Viewer, experimentID string, rows []models.OutcomeLine) (x csvExtra, err error) {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ItemID
	}
	if x.flags, err = h.firstFlags(ctx, v, experimentID, ids); err != nil {
		return x, err
	}
	x.notes, err = h.store.Notes(ctx, v, experimentID, ids)
	return x, err
}

// of are the first contradiction of an item and its note with author and time.
func (x csvExtra) of(itemID string) []string {
	kind, note, author, at := "", "", "", ""
	if f := x.flags[itemID]; f != nil {
		kind = f.Kind
	}
	if n, ok := x.notes[itemID]; ok {
		note, author, at = n.Text, n.Author, n.CreatedAt.UTC().Format(time.RFC3339)
	}
	return []string{kind, note, author, at}
}
