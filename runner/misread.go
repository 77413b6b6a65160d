package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"plumbline/experiments/evidence"
	"plumbline/experiments/review"
	"plumbline/experiments/vote"
	"plumbline/models"
)

// auditRules is the version of the rules of review.Misread. A change of the rules
// raises it, so that older audits can be told and made again.
const auditRules = 1

// audit compares a vote with the evidence it was asked under.
func audit(r review.Reply, lines []evidence.Line) *models.VoteAudit {
	return &models.VoteAudit{Rules: auditRules, Flags: review.Misread(r, lines)}
}

// AuditReport counts what an audit of stored votes did.
type AuditReport struct {
	Audited int // votes compared now
	Flagged int // of those, votes with a contradiction
	Known   int // votes that were audited by these rules before
	Skipped int // votes whose evidence is not stored or has no numbered lines
}

// auditBatch bounds one transaction.
const auditBatch = 500

// Audit compares the stored votes of an experiment with their evidence and keeps
// what it finds. Votes that were audited by the same rules are left alone unless
// again is set. It may be interrupted: what was compared is kept.
func (r *Runner) Audit(ctx context.Context, v models.Viewer, experimentID string, again bool) (AuditReport, error) {
	var rep AuditReport
	var batch []models.AuditedVote
	flush := func() error {
		err := r.store.SaveAudits(ctx, v, experimentID, batch)
		batch = batch[:0]
		return err
	}
	texts := evidenceLines{store: r.store, viewer: v, experiment: experimentID}
	err := r.store.EachVote(ctx, v, experimentID, func(d models.VoteDetail) error {
		if d.AuditRules >= auditRules && !again {
			rep.Known++
			return nil
		}
		lines, err := texts.of(ctx, d.EvidenceSHA256)
		if err != nil {
			return err
		}
		if len(lines) == 0 {
			rep.Skipped++
			return nil
		}
		reply, err := storedReply(d)
		if err != nil {
			return err
		}
		a := audit(reply, lines)
		rep.Audited++
		for _, f := range a.Flags {
			if f.Kind.Contradiction() {
				rep.Flagged++
				break
			}
		}
		batch = append(batch, models.AuditedVote{ItemID: d.ItemID, Idx: d.Idx, Audit: *a})
		if len(batch) < auditBatch {
			return nil
		}
		return flush()
	})
	if err != nil {
		return rep, err
	}
	return rep, flush()
}

// evidenceLines keeps the newest text: the votes of an item follow each other.
type evidenceLines struct {
	store      *models.Store
	viewer     models.Viewer
	experiment string
	hash       string
	lines      []evidence.Line
}

func (e *evidenceLines) of(ctx context.Context, hash string) ([]evidence.Line, error) {
	if hash == e.hash {
		return e.lines, nil
	}
	row, err := e.store.VoteEvidence(ctx, e.viewer, e.experiment, hash)
	if err != nil && !errors.Is(err, models.ErrNotFound) {
		return nil, err
	}
	e.hash, e.lines = hash, evidence.ReadLines(row.Text)
	return e.lines, nil
}

// storedReply rebuilds what was read from a reviewer's text.
func storedReply(d models.VoteDetail) (review.Reply, error) {
	r := review.Reply{Vote: vote.Vote(d.Vote), Rationale: d.Rationale, Confidence: d.Confidence, Problem: d.Problem}
	if d.Citations != "" {
		if err := json.Unmarshal([]byte(d.Citations), &r.Citations); err != nil {
			return r, fmt.Errorf("read the citations of vote %d of item %s: %w", d.Idx, d.ItemID, err)
		}
	}
	return r, nil
}
