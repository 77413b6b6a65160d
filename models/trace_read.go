package models

import (
	"context"
	"encoding/json"
	"time"

	"plumbline/experiments/trace"
)

// Trace returns one trace without its texts.
func (s *Store) Trace(ctx context.Context, v Viewer, id string) (t TraceRow, err error) {
	defer wrap(&err, "load trace %s", id)
	if err := s.read(ctx).Take(&t, "id = ?", id).Error; err != nil {
		return t, err
	}
	_, err = s.Dataset(ctx, v, t.DatasetID)
	return t, err
}

// TraceDetail is a trace with its texts, without its steps.
type TraceDetail struct {
	Row      TraceRow
	Instance InstanceRow
	Issue    string
	Hints    string
	Patch    string
	Summary  string
}

// TraceDetail loads issue, patch and summary of a trace. The oracle is not in it.
func (s *Store) TraceDetail(ctx context.Context, v Viewer, id string) (d TraceDetail, err error) {
	defer wrap(&err, "load trace %s with texts", id)
	if d.Row, err = s.Trace(ctx, v, id); err != nil {
		return d, err
	}
	db := s.read(ctx)
	if err := db.Take(&d.Instance, "id = ?", d.Row.InstanceRow).Error; err != nil {
		return d, err
	}
	var it InstanceText
	if err := db.Take(&it, "instance_row = ?", d.Row.InstanceRow).Error; err != nil {
		return d, err
	}
	var tt TraceText
	if err := db.Take(&tt, "trace_id = ?", id).Error; err != nil {
		return d, err
	}
	d.Issue, d.Hints, d.Patch, d.Summary = it.Issue, it.Hints, tt.Patch, tt.Summary
	return d, nil
}

// StepRows lists steps from index from, at most n, without their texts.
func (s *Store) StepRows(ctx context.Context, v Viewer, traceID string, from, n int) (rows []StepRow, err error) {
	defer wrap(&err, "list steps of trace %s", traceID)
	if _, err := s.Trace(ctx, v, traceID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Where("trace_id = ? AND idx >= ?", traceID, from).Order("idx").Limit(n).Find(&rows).Error
	return rows, err
}

// StepTexts loads the texts of steps from index from, at most n.
func (s *Store) StepTexts(ctx context.Context, v Viewer, traceID string, from, n int) (rows []StepText, err error) {
	defer wrap(&err, "load steps of trace %s", traceID)
	if _, err := s.Trace(ctx, v, traceID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Where("trace_id = ? AND idx >= ?", traceID, from).Order("idx").Limit(n).Find(&rows).Error
	return rows, err
}

// Oracle loads what only labels may depend on; it needs an editor.
func (s *Store) Oracle(ctx context.Context, v Viewer, instanceRow string) (o trace.Oracle, err error) {
	defer wrap(&err, "load oracle of instance %s", instanceRow)
	var in InstanceRow
	if err := s.read(ctx).Take(&in, "id = ?", instanceRow).Error; err != nil {
		return o, err
	}
	d, err := s.Dataset(ctx, v, in.DatasetID)
	if err != nil {
		return o, err
	}
	if err := v.mayEdit(d.ProjectID); err != nil {
		return o, err
	}
	var row OracleRow
	if err := s.read(ctx).Limit(1).Find(&row, "instance_row = ?", instanceRow).Error; err != nil {
		return o, err
	}
	if row.InstanceRow == "" {
		return o, nil // an instance without an oracle
	}
	o = trace.Oracle{GoldPatch: row.GoldPatch, TestPatch: row.TestPatch}
	if err := json.Unmarshal([]byte(row.FailToPass), &o.FailToPass); err != nil {
		return o, err
	}
	err = json.Unmarshal([]byte(row.PassToPass), &o.PassToPass)
	return o, err
}

// LoadTrace rebuilds the core value of a trace with all its steps, for rendering
// evidence. The instance comes without its oracle.
func (s *Store) LoadTrace(ctx context.Context, v Viewer, id string) (t trace.Trace, in trace.Instance, err error) {
	defer wrap(&err, "load whole trace %s", id)
	d, err := s.TraceDetail(ctx, v, id)
	if err != nil {
		return t, in, err
	}
	rows, err := s.StepRows(ctx, v, id, 0, d.Row.StepCount)
	if err != nil {
		return t, in, err
	}
	texts, err := s.StepTexts(ctx, v, id, 0, d.Row.StepCount)
	if err != nil {
		return t, in, err
	}
	t = coreTrace(d)
	t.Steps = coreSteps(rows, texts)
	return t, coreInstance(d), nil
}

func coreTrace(d TraceDetail) trace.Trace {
	r := d.Row
	t := trace.Trace{
		InstanceID: r.InstanceID, Agent: r.Agent, Model: r.Model, Attempt: r.Attempt,
		PatchState: trace.PatchState(r.PatchState), Patch: d.Patch, Summary: d.Summary, Status: r.Status, Trajectory: r.Trajectory,
		Usage: trace.Usage{CostUSD: r.CostUSD, InputTokens: r.InputTokens, OutputTokens: r.OutputTokens},
		Outcome: trace.Outcome{
			Reason: r.OutcomeReason, Source: r.OutcomeSource,
			Label: trace.Label(r.Label), Bucket: trace.Bucket(r.Bucket), From: trace.LabelSource(r.LabelSource),
		},
	}
	// A label by hand is an opinion, not an outcome of the official tests.
	if r.Label != string(trace.Unknown) && r.LabelSource != string(trace.Manual) {
		resolved := r.Label == string(trace.Acceptable)
		t.Outcome.Resolved = &resolved
	}
	if r.DurationMS != nil {
		dur := time.Duration(*r.DurationMS) * time.Millisecond
		t.Usage.Duration = &dur
	}
	if r.TestsKnown {
		t.Outcome.Tests = &trace.TestCounts{
			Applied: r.TestsApplied, FailToPassOK: r.F2POK, FailToPassAll: r.F2PAll, PassToPassOK: r.P2POK, PassToPassAll: r.P2PAll,
		}
	}
	return t
}

func coreStep(r StepRow, x StepText) trace.Step {
	st := trace.Step{
		Index: r.Idx, Kind: trace.StepKind(r.Kind), Tool: r.Tool, Error: r.Failed, ExitCode: r.ExitCode,
		Thought: x.Thought, Action: x.Action, Observation: x.Observation,
		CostUSD: r.CostUSD, InputTokens: r.InputTokens, OutputTokens: r.OutputTokens,
	}
	if r.StartedAt != nil {
		st.StartedAt = *r.StartedAt
	}
	if r.DurationMS != nil {
		dur := time.Duration(*r.DurationMS) * time.Millisecond
		st.Duration = &dur
	}
	return st
}
