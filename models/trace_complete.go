package models

import (
	"fmt"

	"gorm.io/gorm"
)

// complete fills blanks of a stored attempt: steps, summary, usage, status and an
// unknown outcome. A known outcome that differs is a conflict; it stays.
func (b *importBatch) complete(old TraceRow, t TraceInput) (ImportResult, error) {
	res := ImportResult{TraceID: old.ID, Outcome: ImportKnown}
	fresh := b.newRow(InstanceRow{ID: old.InstanceRow, InstanceID: old.InstanceID, Repo: old.Repo, Language: old.Language}, t)
	fill := map[string]any{}
	now := old // what will be stored, for its content hash
	if old.StepCount == 0 && fresh.StepCount > 0 && (t.Steps == nil || t.Steps.Each != nil) {
		steps := newStepWriter(b.tx)
		if err := steps.all(old.ID, t); err != nil {
			return res, err
		}
		if err := steps.flush(); err != nil {
			return res, err
		}
		now.StepsSHA256 = fresh.StepsSHA256
		fill["step_count"], fill["trajectory"], fill["steps_sha256"] = fresh.StepCount, fresh.Trajectory, fresh.StepsSHA256
	}
	if old.AgentSteps == nil && fresh.AgentSteps != nil {
		fill["agent_steps"] = fresh.AgentSteps
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
	if old.SummarySHA256 == "" && t.Trace.Summary != "" {
		up := b.tx.Model(&TraceText{}).Where("trace_id = ? AND summary = ''", old.ID).Update("summary", Clean(t.Trace.Summary))
		if up.Error != nil {
			return res, up.Error
		}
		if up.RowsAffected > 0 {
			now.SummarySHA256 = fresh.SummarySHA256
			fill["summary_sha256"] = fresh.SummarySHA256
		}
	}
	if hash := contentHash(now); now.StepsSHA256 != old.StepsSHA256 || now.SummarySHA256 != old.SummarySHA256 {
		fill["content_sha256"] = hash
	}
	if err := b.completeOutcome(old, fresh, fill, &res); err != nil {
		return res, err
	}
	if len(fill) == 0 {
		return res, nil
	}
	if res.Outcome == ImportKnown {
		res.Outcome = ImportCompleted
	}
	return res, b.tx.Model(&TraceRow{}).Where("id = ?", old.ID).Updates(fill).Error
}

// completeOutcome fills an outcome that was not known, or says how it differs from
// the stored one.
func (b *importBatch) completeOutcome(old, fresh TraceRow, fill map[string]any, res *ImportResult) error {
	take := func() {
		for k, val := range outcomeColumns(fresh) {
			fill[k] = val
		}
	}
	switch {
	case !judged(fresh.Label):
		if old.OutcomeReason == "" && !judged(old.Label) && fresh.OutcomeReason != "" {
			fill["outcome_reason"], fill["outcome_source"] = fresh.OutcomeReason, fresh.OutcomeSource
		}
	case !judged(old.Label):
		take()
		return relabel(b.tx, old.ID, fresh.Label)
	case old.Label != fresh.Label:
		res.Outcome = ImportConflict
		res.Note = fmt.Sprintf("stored outcome %s (%s), this import says %s (%s); the stored one stays", old.Label, source(old), fresh.Label, source(fresh))
	case !old.TestsKnown && fresh.TestsKnown && old.LabelSource == fresh.LabelSource:
		take()
	}
	return nil
}

// source names where the outcome of a row comes from.
func source(r TraceRow) string {
	switch {
	case r.LabelSource == "manual":
		return "labelled by hand"
	case r.OutcomeSource != "":
		return r.OutcomeSource
	}
	return r.LabelSource
}

// relabel keeps the copies of a trace's label on its decisions in step.
func relabel(tx *gorm.DB, traceID, label string) error {
	return tx.Model(&Decision{}).Where("trace_id = ?", traceID).Update("label", label).Error
}
