package models

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"gorm.io/gorm"

	"plumbline/experiments/trace"
)

// importTrace finds the stored attempt that t is, completes it, or adds t.
func (s *Store) importTrace(tx *gorm.DB, in InstanceRow, t TraceInput) (ImportResult, error) {
	agent, model := Clean(t.Trace.Agent), Clean(t.Trace.Model)
	var stored []TraceRow
	err := tx.Where("dataset_id = ? AND instance_id = ? AND agent = ? AND model = ?",
		in.DatasetID, in.InstanceID, agent, model).Order("attempt").Find(&stored).Error
	if err != nil {
		return ImportResult{}, err
	}
	last := 0
	for _, old := range stored {
		last = max(last, old.Attempt)
		if old.PatchSHA256 == t.Patch.SHA256 && old.PatchState == string(t.Trace.PatchState) {
			return s.completeTrace(tx, old, t)
		}
	}
	row := s.newTraceRow(in, t, last+1)
	if err := tx.Create(&row).Error; err != nil {
		return ImportResult{}, err
	}
	text := TraceText{TraceID: row.ID, Patch: Clean(t.Trace.Patch), Summary: Clean(t.Trace.Summary)}
	if err := tx.Create(&text).Error; err != nil {
		return ImportResult{}, err
	}
	if err := saveSteps(tx, row.ID, t.Trace.Steps); err != nil {
		return ImportResult{}, err
	}
	res := ImportResult{TraceID: row.ID, Outcome: ImportAdded}
	if last > 0 {
		res.Outcome, res.Note = ImportAttempt, fmt.Sprintf("another patch for a known agent and instance: stored as attempt %d", row.Attempt)
	}
	return res, nil
}

func (s *Store) newTraceRow(in InstanceRow, t TraceInput, attempt int) TraceRow {
	x := t.Trace
	row := TraceRow{
		ID: newID("tr", s.now()), DatasetID: in.DatasetID, InstanceRow: in.ID, InstanceID: in.InstanceID,
		Repo: in.Repo, Language: in.Language, Agent: Clean(x.Agent), Model: Clean(x.Model), Attempt: attempt,
		PatchState: string(x.PatchState), PatchSHA256: t.Patch.SHA256, PatchBytes: int64(len(x.Patch)),
		PatchFiles: t.Patch.Files, PatchAdded: t.Patch.Added, PatchRemoved: t.Patch.Removed,
		StepCount: len(x.Steps), Status: Clean(x.Status), Trajectory: Clean(x.Trajectory),
		CostUSD: x.Usage.CostUSD, InputTokens: x.Usage.InputTokens, OutputTokens: x.Usage.OutputTokens,
		CreatedAt: s.Now(),
	}
	if d := x.Usage.Duration; d != nil {
		ms := d.Milliseconds()
		row.DurationMS = &ms
	}
	setOutcome(&row, x.Outcome)
	row.ContentSHA256 = contentHash(t)
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

// contentHash covers what a reviewer may be shown, so that a frozen experiment
// notices a trace that has changed.
func contentHash(t TraceInput) string {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, part := range []any{t.Patch.SHA256, t.Trace.PatchState, t.Trace.Patch, t.Trace.Summary, t.Trace.Steps} {
		if err := enc.Encode(part); err != nil {
			fmt.Fprintf(h, "%v", part) // a non-finite number in a step's cost
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// completeTrace fills blanks of a stored attempt: steps, summary, usage, status
// and an unknown outcome. A known outcome that differs is a conflict; it stays.
func (s *Store) completeTrace(tx *gorm.DB, old TraceRow, t TraceInput) (ImportResult, error) {
	res := ImportResult{TraceID: old.ID, Outcome: ImportKnown}
	fresh := s.newTraceRow(InstanceRow{ID: old.InstanceRow, DatasetID: old.DatasetID, InstanceID: old.InstanceID, Repo: old.Repo, Language: old.Language}, t, old.Attempt)
	fill := map[string]any{}
	if old.StepCount == 0 && fresh.StepCount > 0 {
		fill["step_count"], fill["trajectory"] = fresh.StepCount, fresh.Trajectory
		if err := saveSteps(tx, old.ID, t.Trace.Steps); err != nil {
			return res, err
		}
		fill["content_sha256"] = fresh.ContentSHA256
	}
	if old.Status == "" && fresh.Status != "" {
		fill["status"] = fresh.Status
	}
	if old.CostUSD == nil && fresh.CostUSD != nil {
		fill["cost_usd"] = fresh.CostUSD
	}
	if old.InputTokens == nil && fresh.InputTokens != nil {
		fill["input_tokens"], fill["output_tokens"] = fresh.InputTokens, fresh.OutputTokens
	}
	if old.DurationMS == nil && fresh.DurationMS != nil {
		fill["duration_ms"] = fresh.DurationMS
	}
	if t.Trace.Summary != "" {
		up := tx.Model(&TraceText{}).Where("trace_id = ? AND summary = ''", old.ID).Update("summary", Clean(t.Trace.Summary))
		if up.Error != nil {
			return res, up.Error
		}
		if up.RowsAffected > 0 {
			fill["content_sha256"] = fresh.ContentSHA256
		}
	}
	switch {
	case fresh.Label == string(trace.Unknown):
		if old.OutcomeReason == "" && fresh.OutcomeReason != "" {
			fill["outcome_reason"], fill["outcome_source"] = fresh.OutcomeReason, fresh.OutcomeSource
		}
	case old.Label == string(trace.Unknown):
		for k, val := range outcomeColumns(fresh) {
			fill[k] = val
		}
		if err := relabel(tx, old.ID, fresh.Label); err != nil {
			return res, err
		}
	case old.Label != fresh.Label:
		res.Outcome = ImportConflict
		res.Note = fmt.Sprintf("stored outcome %s (%s), this import says %s (%s); the stored one stays", old.Label, old.OutcomeSource, fresh.Label, fresh.OutcomeSource)
	case !old.TestsKnown && fresh.TestsKnown:
		for k, val := range outcomeColumns(fresh) {
			fill[k] = val
		}
	}
	if len(fill) == 0 {
		return res, nil
	}
	if res.Outcome == ImportKnown {
		res.Outcome = ImportCompleted
	}
	return res, tx.Model(&TraceRow{}).Where("id = ?", old.ID).Updates(fill).Error
}

func outcomeColumns(r TraceRow) map[string]any {
	return map[string]any{
		"label": r.Label, "bucket": r.Bucket, "label_source": r.LabelSource,
		"outcome_reason": r.OutcomeReason, "outcome_source": r.OutcomeSource,
		"tests_known": r.TestsKnown, "tests_applied": r.TestsApplied,
		"f2p_ok": r.F2POK, "f2p_all": r.F2PAll, "p2p_ok": r.P2POK, "p2p_all": r.P2PAll,
	}
}

// relabel keeps the copies of a trace's label on its decisions in step.
func relabel(tx *gorm.DB, traceID, label string) error {
	return tx.Model(&Decision{}).Where("trace_id = ?", traceID).Update("label", label).Error
}

func saveSteps(tx *gorm.DB, traceID string, steps []trace.Step) error {
	if len(steps) == 0 {
		return nil
	}
	rows, texts := make([]StepRow, len(steps)), make([]StepText, len(steps))
	for i, st := range steps {
		rows[i] = stepRow(traceID, i, st)
		texts[i] = StepText{TraceID: traceID, Idx: i, Thought: Clean(st.Thought), Action: Clean(st.Action), Observation: Clean(st.Observation)}
	}
	if err := tx.CreateInBatches(rows, 500).Error; err != nil {
		return err
	}
	return tx.CreateInBatches(texts, 200).Error
}

func stepRow(traceID string, idx int, st trace.Step) StepRow {
	row := StepRow{
		TraceID: traceID, Idx: idx, Kind: string(st.Kind), Tool: Clean(st.Tool), Failed: st.Error, ExitCode: st.ExitCode,
		CostUSD: st.CostUSD, InputTokens: st.InputTokens, OutputTokens: st.OutputTokens,
		Bytes: int64(len(st.Thought) + len(st.Action) + len(st.Observation)),
	}
	if !st.StartedAt.IsZero() {
		at := stamp(st.StartedAt)
		row.StartedAt = &at
	}
	if st.Duration != nil {
		ms := int64(*st.Duration / time.Millisecond)
		row.DurationMS = &ms
	}
	for _, text := range []string{st.Action, st.Thought, st.Observation} {
		if row.Title = headline(text, 120); row.Title != "" {
			break
		}
	}
	return row
}

// headline is the first non-blank line of a text, cut to n characters.
func headline(text string, n int) string {
	if len(text) > 64*n {
		text = text[:64*n]
	}
	for line := range strings.Lines(Clean(text)) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if utf8.RuneCountInString(line) > n {
			line = string([]rune(line)[:n-1]) + "…"
		}
		return line
	}
	return ""
}
