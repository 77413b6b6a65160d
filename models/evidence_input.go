package models

import (
	"context"
	"encoding/json"

	"plumbline/experiments/trace"
)

// EvidenceInput is all that rendering and auditing an evidence text needs. Like
// the methods of shards it serves workers, so it asks for no viewer, and it is
// the one read that carries the oracle: the audit compares with it, nothing else.
type EvidenceInput struct {
	Trace    trace.Trace
	Instance trace.Instance // with its oracle
	Label    string
	Bundled  bool // of the project's own cases
}

// LoadEvidenceInput reads a trace for a worker; steps are left out unless asked for.
func (s *Store) LoadEvidenceInput(ctx context.Context, traceID string, steps bool) (in EvidenceInput, err error) {
	defer wrap(&err, "load trace %s for evidence", traceID)
	db := s.read(ctx)
	var d TraceDetail
	if err := db.Take(&d.Row, "id = ?", traceID).Error; err != nil {
		return in, err
	}
	var inst struct {
		InstanceRow
		Issue, Hints, GoldPatch, TestPatch, FailToPass, PassToPass string
		Bundled                                                    bool
	}
	err = db.Raw(`SELECT i.*, d.bundled, x.issue, x.hints, coalesce(o.gold_patch, '') AS gold_patch, coalesce(o.test_patch, '') AS test_patch,
			coalesce(o.fail_to_pass, '') AS fail_to_pass, coalesce(o.pass_to_pass, '') AS pass_to_pass
		FROM instances i JOIN datasets d ON d.id = i.dataset_id JOIN instance_texts x ON x.instance_row = i.id
		LEFT JOIN instance_oracles o ON o.instance_row = i.id WHERE i.id = ?`, d.Row.InstanceRow).Scan(&inst).Error
	if err != nil {
		return in, err
	}
	var tt TraceText
	if err := db.Take(&tt, "trace_id = ?", traceID).Error; err != nil {
		return in, err
	}
	d.Instance, d.Issue, d.Hints, d.Patch, d.Summary = inst.InstanceRow, inst.Issue, inst.Hints, tt.Patch, tt.Summary
	in = EvidenceInput{Trace: coreTrace(d), Instance: coreInstance(d), Label: d.Row.Label, Bundled: inst.Bundled}
	in.Instance.Oracle = trace.Oracle{GoldPatch: inst.GoldPatch, TestPatch: inst.TestPatch}
	for _, l := range []struct {
		raw string
		to  *[]string
	}{{inst.FailToPass, &in.Instance.Oracle.FailToPass}, {inst.PassToPass, &in.Instance.Oracle.PassToPass}} {
		if l.raw == "" {
			continue
		}
		if err := json.Unmarshal([]byte(l.raw), l.to); err != nil {
			return in, err
		}
	}
	if !steps || d.Row.StepCount == 0 {
		return in, nil
	}
	var rows []StepRow
	if err := db.Where("trace_id = ?", traceID).Order("idx").Find(&rows).Error; err != nil {
		return in, err
	}
	var texts []StepText
	if err := db.Where("trace_id = ?", traceID).Order("idx").Find(&texts).Error; err != nil {
		return in, err
	}
	in.Trace.Steps = coreSteps(rows, texts)
	return in, nil
}

func coreInstance(d TraceDetail) trace.Instance {
	return trace.Instance{
		ID: d.Instance.InstanceID, Repo: d.Instance.Repo, BaseCommit: d.Instance.BaseCommit,
		Language: d.Instance.Language, Version: d.Instance.Version, Issue: d.Issue, Hints: d.Hints,
	}
}

func coreSteps(rows []StepRow, texts []StepText) []trace.Step {
	byIdx := make(map[int]StepText, len(texts))
	for _, x := range texts {
		byIdx[x.Idx] = x
	}
	out := make([]trace.Step, len(rows))
	for i, r := range rows {
		out[i] = coreStep(r, byIdx[r.Idx])
	}
	return out
}
