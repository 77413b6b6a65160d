package models

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"plumbline/experiments/trace"
)

// newTrace is an attempt about to be inserted.
type newTrace struct {
	row    TraceRow
	in     TraceInput
	result ImportResult
}

// add makes the row of an attempt that is not stored.
func (b *importBatch) add(t TraceInput) newTrace {
	in := b.instances[Clean(t.Trace.InstanceID)]
	row := b.newRow(in, t)
	res := ImportResult{TraceID: row.ID, Outcome: ImportAdded}
	used := map[int]bool{}
	for _, r := range b.stored[in.InstanceID] {
		if r.Agent != row.Agent || r.Model != row.Model {
			continue
		}
		used[r.Attempt] = true
		if !b.made(r.ID) && res.Outcome == ImportAdded {
			res.Outcome, res.Note = ImportAttempt, "another trajectory of a known agent at a known instance, with the same patch"
			if r.PatchSHA256 != row.PatchSHA256 || r.PatchState != row.PatchState {
				res.Note = "another patch for a known agent and instance"
			}
		}
	}
	row.Attempt = max(t.Trace.Attempt, 1)
	for used[row.Attempt] {
		row.Attempt++
	}
	if res.Note != "" {
		res.Note += fmt.Sprintf(": stored as attempt %d", row.Attempt)
	}
	b.draft.take(row.ID, true)
	b.stored[in.InstanceID] = append(b.stored[in.InstanceID], row)
	return newTrace{row, t, res}
}

// insert stores new attempts with all their texts.
func (b *importBatch) insert(fresh []newTrace) error {
	if len(fresh) == 0 {
		return nil
	}
	rows := make([]TraceRow, len(fresh))
	for i, n := range fresh {
		rows[i] = n.row
	}
	if err := b.tx.CreateInBatches(rows, 100).Error; err != nil {
		return err
	}
	texts := sized[TraceText]{tx: b.tx}
	for _, n := range fresh {
		text := TraceText{TraceID: n.row.ID, Patch: Clean(n.in.Trace.Patch), Summary: Clean(n.in.Trace.Summary)}
		if err := texts.put(text, len(text.Patch)+len(text.Summary)); err != nil {
			return err
		}
	}
	if err := texts.flush(); err != nil {
		return err
	}
	steps := newStepWriter(b.tx)
	for _, n := range fresh {
		if err := steps.all(n.row.ID, n.in); err != nil {
			return err
		}
	}
	return steps.flush()
}

func (b *importBatch) newRow(in InstanceRow, t TraceInput) TraceRow {
	x := t.Trace
	row := TraceRow{
		ID: b.s.newID("tr"), DatasetID: b.datasetID, InstanceRow: in.ID, InstanceID: in.InstanceID,
		Repo: in.Repo, Language: in.Language, Agent: Clean(x.Agent), Model: Clean(x.Model),
		PatchState: string(x.PatchState), PatchSHA256: t.Patch.SHA256, PatchBytes: t.Patch.Bytes,
		PatchFiles: t.Patch.Files, PatchAdded: t.Patch.Added, PatchRemoved: t.Patch.Removed,
		StepCount: len(x.Steps), AgentSteps: t.AgentSteps, StepsSHA256: t.stepsSHA256(), SummarySHA256: t.summarySHA256(),
		Status: Clean(x.Status), Trajectory: Clean(x.Trajectory),
		CostUSD: x.Usage.CostUSD, InputTokens: x.Usage.InputTokens, OutputTokens: x.Usage.OutputTokens,
		CreatedAt: b.s.Now(),
	}
	if row.PatchBytes == 0 {
		row.PatchBytes = int64(len(x.Patch))
	}
	if t.Steps != nil {
		row.StepCount = t.Steps.Len
	}
	if d := x.Usage.Duration; d != nil {
		ms := d.Milliseconds()
		row.DurationMS = &ms
	}
	setOutcome(&row, x.Outcome)
	row.ContentSHA256 = contentHash(row)
	return row
}

func setOutcome(row *TraceRow, o trace.Outcome) {
	row.Label, row.Bucket, row.LabelSource = string(o.Label), string(o.Bucket), string(o.From)
	if row.Label == "" {
		row.Label = string(trace.Unknown)
	}
	row.OutcomeReason, row.OutcomeSource = Clean(o.Reason), Clean(o.Source)
	if c := o.Tests; c != nil {
		row.TestsKnown, row.TestsApplied = true, c.Applied
		row.F2POK, row.F2PAll, row.P2POK, row.P2PAll = c.FailToPassOK, c.FailToPassAll, c.PassToPassOK, c.PassToPassAll
	}
}

// summarySHA256 is the hash of the summary as it would be stored, empty for none.
func (t *TraceInput) summarySHA256() string {
	return TextSHA256(t.Trace.Summary)
}

// TextSHA256 is the hash of a text as it is stored, empty for an empty one.
func TextSHA256(text string) string {
	if text == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(Clean(text)))
	return hex.EncodeToString(sum[:])
}

// contentHash covers what a reviewer may be shown, so that a frozen experiment
// notices a trace that has changed: patch, summary and steps by their hashes.
func contentHash(row TraceRow) string {
	parts, err := json.Marshal([]string{row.PatchState, row.PatchSHA256, row.SummarySHA256, row.StepsSHA256})
	if err != nil {
		panic("texts cannot be written as JSON: " + err.Error())
	}
	sum := sha256.Sum256(parts)
	return hex.EncodeToString(sum[:])
}

// outcomeColumns are the columns that an outcome fills.
func outcomeColumns(r TraceRow) map[string]any {
	return map[string]any{
		"label": r.Label, "bucket": r.Bucket, "label_source": r.LabelSource,
		"outcome_reason": r.OutcomeReason, "outcome_source": r.OutcomeSource,
		"tests_known": r.TestsKnown, "tests_applied": r.TestsApplied,
		"f2p_ok": r.F2POK, "f2p_all": r.F2PAll, "p2p_ok": r.P2POK, "p2p_all": r.P2PAll,
	}
}

// judged reports whether a label is one.
func judged(label string) bool {
	return slices.Contains([]string{string(trace.Acceptable), string(trace.Defective)}, label)
}
