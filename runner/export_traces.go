package runner

import (
	"context"
	"io"

	"plumbline/experiments/export"
	"plumbline/experiments/trace"
	"plumbline/models"
)

// eachTrace calls f with every trace of the experiment or dataset in the order of
// their ids, each once.
func (x *exporting) eachTrace(ctx context.Context, f func(models.TraceRow) error) error {
	if x.experiment != nil {
		last := ""
		return x.eachItem(ctx, func(i models.ExportItem) error {
			if i.TraceID == last {
				return nil
			}
			last = i.TraceID
			t, err := x.store.Trace(ctx, x.viewer, i.TraceID)
			if err != nil {
				return err
			}
			return f(t)
		})
	}
	for after := ""; ; {
		rows, next, err := x.store.Traces(ctx, x.viewer, x.filter, models.Page{After: after, Limit: 500})
		if err != nil {
			return err
		}
		for _, t := range rows {
			if err := f(t); err != nil {
				return err
			}
		}
		if after = next; after == "" {
			return nil
		}
	}
}

func (x *exporting) predictions(ctx context.Context, w io.Writer) error {
	out := export.NewPredictions(w)
	return x.eachTrace(ctx, func(t models.TraceRow) error {
		d, err := x.store.TraceDetail(ctx, x.viewer, t.ID)
		if err != nil {
			return err
		}
		x.report.Rows++
		return out.Put(export.Prediction{
			InstanceID: t.InstanceID, Model: t.Model, Agent: t.Agent, Attempt: t.Attempt, Status: t.Status, State: trace.PatchState(t.PatchState), Patch: d.Patch,
		})
	})
}

func (x *exporting) traces(ctx context.Context, w io.Writer) error {
	out := export.NewTraces(w)
	err := x.eachTrace(ctx, func(t models.TraceRow) error {
		x.report.Rows++
		return x.trace(ctx, out, t.ID)
	})
	if err != nil {
		return err
	}
	return out.Close()
}

func (x *exporting) trace(ctx context.Context, out *export.Traces, id string) error {
	d, err := x.store.TraceDetail(ctx, x.viewer, id)
	if err != nil {
		return err
	}
	splits, err := x.store.TraceSplits(ctx, x.viewer, x.dataset.ID, []string{id})
	if err != nil {
		return err
	}
	t := d.Row
	line := export.Trace{
		TraceID: t.ID, Dataset: x.dataset.Name, InstanceID: t.InstanceID, Repo: d.Instance.Repo, BaseCommit: d.Instance.BaseCommit,
		Language: d.Instance.Language, Version: d.Instance.Version, Issue: d.Issue, Hints: d.Hints, Agent: t.Agent, Model: t.Model, Attempt: t.Attempt,
		PatchState: t.PatchState, Patch: d.Patch, PatchSHA256: t.PatchSHA256, PatchBytes: t.PatchBytes, Summary: d.Summary, Status: t.Status,
		CostUSD: t.CostUSD, InputTokens: t.InputTokens, OutputTokens: t.OutputTokens, DurationMS: t.DurationMS, Label: t.Label, Bucket: t.Bucket,
		LabelSource: t.LabelSource, OutcomeReason: t.OutcomeReason, OutcomeSource: t.OutcomeSource, Splits: splits[id], Trajectory: t.Trajectory,
		AgentSteps: t.AgentSteps, ContentSHA256: t.ContentSHA256,
	}
	if t.TestsKnown {
		line.Tests = &export.Tests{Applied: t.TestsApplied, FailToPass: t.F2POK, FailToPassTotal: t.F2PAll, PassToPass: t.P2POK, PassToPassTotal: t.P2PAll}
	}
	if err := out.Begin(line); err != nil {
		return err
	}
	err = x.store.EachStep(ctx, x.viewer, id, func(st trace.Step) error { return out.Step(export.StepOf(&st)) })
	if err != nil {
		return err
	}
	return out.End()
}
