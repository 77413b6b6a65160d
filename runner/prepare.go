package runner

import (
	"context"
	"encoding/json"
	"fmt"

	"plumbline/experiments/evidence"
	"plumbline/experiments/review"
	"plumbline/models"
)

// prepared is what all votes of an item share.
type prepared struct {
	ask      bool // false: the item was blocked or failed, which is written on it
	evidence evidence.Evidence
	messages review.Messages
	label    string // read by simulated reviewers alone
}

// prepare renders an item's evidence, audits it and marks the item as running.
func (run *shardRun) prepare(ctx context.Context, it models.Item, arm models.Arm) (prepared, error) {
	r, err := run.renderEvidence(ctx, it, evidence.Form(arm.Form), run.snap.Budget)
	if err != nil {
		if class, ok := evidenceTrouble(err); ok {
			return prepared{}, run.store.FailItem(ctx, it.ID, class, err.Error())
		}
		return prepared{}, err
	}
	ev, leaks := r.evidence, r.leaks
	if len(leaks) > 0 && run.snap.OnLeak == Withhold {
		ev, leaks = evidence.Withhold(ev, leaks), nil
	}
	row, err := evidenceRow(ev)
	if err != nil {
		return prepared{}, err
	}
	if len(leaks) > 0 {
		msg := fmt.Sprintf("the leakage audit found hidden material on %d lines of the evidence; no vote was asked", len(leaks))
		return prepared{}, run.store.BlockItem(ctx, it.ID, row, msg, leakRows(leaks))
	}
	b, err := run.reviewer(ctx, arm.ReviewerVersionID, run.snap)
	if err != nil {
		return prepared{}, err
	}
	messages, err := review.Prompt(ev, b.spec.PromptVersion)
	if err != nil {
		return prepared{}, fmt.Errorf("write the prompt of item %s: %w", it.ID, err)
	}
	return prepared{ask: true, evidence: ev, messages: messages, label: r.label}, run.store.StartItem(ctx, it.ID, row)
}

// rendered is an evidence text with what the audit found in it.
type rendered struct {
	evidence evidence.Evidence
	leaks    []evidence.Leak
	label    string
}

func (r *Runner) renderEvidence(ctx context.Context, it models.Item, form evidence.Form, budget int) (rendered, error) {
	in, err := r.store.LoadEvidenceInput(ctx, it.TraceID, form.NeedsSteps())
	if err != nil {
		return rendered{}, err
	}
	input := evidence.From(in.Instance, in.Trace)
	if err := r.completeInput(ctx, it.TraceID, it.ID, form, in, &input); err != nil {
		return rendered{}, err
	}
	ev, err := evidence.Render(input, form, budget)
	if err != nil {
		return rendered{}, err
	}
	visible, err := visible(in)
	if err != nil {
		return rendered{}, err
	}
	return rendered{ev, evidence.Audit(ev, visible, in.Instance.Oracle, in.Trace.Patch), in.Label}, nil
}

func evidenceRow(ev evidence.Evidence) (models.EvidenceRow, error) {
	cut, err := json.Marshal(ev.Cut)
	if err != nil {
		return models.EvidenceRow{}, fmt.Errorf("write what was cut: %w", err)
	}
	return models.EvidenceRow{SHA256: ev.Hash, Form: string(ev.Form), Text: ev.Text, Tokens: ev.Tokens, Lines: len(ev.Lines), Cut: string(cut)}, nil
}

func leakRows(leaks []evidence.Leak) []models.Leak {
	rows := make([]models.Leak, len(leaks))
	for i, l := range leaks {
		rows[i] = models.Leak{Kind: string(l.Kind), Line: l.Line, Text: l.Text}
	}
	return rows
}
