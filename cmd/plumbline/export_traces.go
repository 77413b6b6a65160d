package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"plumbline/experiments/trace"
	"plumbline/models"
)

// eachTrace calls f for every trace of the experiment or dataset, in the order of
// their ids, a page at a time.
func (x *exporter) eachTrace(ctx context.Context, f func(models.TraceRow) error) error {
	if x.experiment != nil {
		return x.eachJudged(ctx, f)
	}
	for after := ""; ; {
		rows, next, err := x.store.Traces(ctx, x.viewer, models.TraceFilter{DatasetID: x.dataset.ID}, models.Page{After: after, Limit: 500})
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

// eachJudged walks the traces of an experiment: the items of one arm.
func (x *exporter) eachJudged(ctx context.Context, f func(models.TraceRow) error) error {
	arms, err := x.store.Arms(ctx, x.viewer, x.experiment.ID)
	if err != nil || len(arms) == 0 {
		return err
	}
	return x.eachOutcome(ctx, models.OutcomeFilter{ArmID: arms[0].ID}, func(o models.OutcomeRow) error {
		t, err := x.store.Trace(ctx, x.viewer, o.TraceID)
		if err != nil {
			return err
		}
		return f(t)
	})
}

func (x *exporter) eachOutcome(ctx context.Context, filter models.OutcomeFilter, f func(models.OutcomeRow) error) error {
	filter.ExperimentID = x.experiment.ID
	for after := ""; ; {
		rows, next, err := x.store.Outcomes(ctx, x.viewer, filter, after, 1000)
		if err != nil {
			return err
		}
		for _, o := range rows {
			if err := f(o); err != nil {
				return err
			}
		}
		if after = next; after == "" {
			return nil
		}
	}
}

// predictions writes the record that evaluation harnesses take, with what else
// names the attempt beside it.
func (x *exporter) predictions(ctx context.Context, w io.Writer) error {
	enc := lineEncoder(w)
	return x.eachTrace(ctx, func(t models.TraceRow) error {
		d, err := x.store.TraceDetail(ctx, x.viewer, t.ID)
		if err != nil {
			return err
		}
		rec := map[string]any{
			"instance_id": t.InstanceID, "model_name_or_path": t.Model, "agent": t.Agent, "attempt": t.Attempt,
		}
		if t.Status != "" {
			rec["exit_status"] = t.Status
		}
		switch state := trace.PatchState(t.PatchState); {
		case d.Patch != "" || state == trace.PatchEmpty:
			rec["model_patch"] = d.Patch
		case state != trace.PatchAbsent:
			rec["model_patch"] = nil
		}
		return encodeLine(enc, rec)
	})
}

// exportedTrace is one line of traces.jsonl. Null is unknown.
type exportedTrace struct {
	TraceID       string         `json:"trace_id"`
	Dataset       string         `json:"dataset"`
	InstanceID    string         `json:"instance_id"`
	Repo          string         `json:"repo"`
	BaseCommit    string         `json:"base_commit"`
	Language      string         `json:"language"`
	Agent         string         `json:"agent"`
	Model         string         `json:"model"`
	Attempt       int            `json:"attempt"`
	Issue         string         `json:"issue"`
	PatchState    string         `json:"patch_state"`
	Patch         string         `json:"patch"`
	Summary       string         `json:"summary"`
	Status        string         `json:"status"`
	CostUSD       *float64       `json:"cost_usd"`
	InputTokens   *int64         `json:"input_tokens"`
	OutputTokens  *int64         `json:"output_tokens"`
	DurationMS    *int64         `json:"duration_ms"`
	Label         string         `json:"label"`
	Bucket        string         `json:"bucket"`
	LabelSource   string         `json:"label_source"`
	OutcomeReason string         `json:"outcome_reason"`
	ContentSHA256 string         `json:"content_sha256"`
	Steps         []exportedStep `json:"steps"`
}

type exportedStep struct {
	Index        int        `json:"index"`
	Kind         string     `json:"kind"`
	Tool         string     `json:"tool"`
	Thought      string     `json:"thought"`
	Action       string     `json:"action"`
	Observation  string     `json:"observation"`
	Failed       bool       `json:"failed"`
	ExitCode     *int       `json:"exit_code"`
	StartedAt    *time.Time `json:"started_at"`
	DurationMS   *int64     `json:"duration_ms"`
	CostUSD      *float64   `json:"cost_usd"`
	InputTokens  *int64     `json:"input_tokens"`
	OutputTokens *int64     `json:"output_tokens"`
}

func (x *exporter) traces(ctx context.Context, w io.Writer) error {
	enc := lineEncoder(w)
	return x.eachTrace(ctx, func(row models.TraceRow) error {
		t, in, err := x.store.LoadTrace(ctx, x.viewer, row.ID)
		if err != nil {
			return err
		}
		out := exportedTrace{
			TraceID: row.ID, Dataset: x.dataset.Name, InstanceID: row.InstanceID, Repo: in.Repo, BaseCommit: in.BaseCommit,
			Language: in.Language, Agent: row.Agent, Model: row.Model, Attempt: row.Attempt, Issue: in.Issue,
			PatchState: row.PatchState, Patch: t.Patch, Summary: t.Summary, Status: row.Status, CostUSD: row.CostUSD,
			InputTokens: row.InputTokens, OutputTokens: row.OutputTokens, DurationMS: row.DurationMS, Label: row.Label,
			Bucket: row.Bucket, LabelSource: row.LabelSource, OutcomeReason: row.OutcomeReason, ContentSHA256: row.ContentSHA256,
			Steps: make([]exportedStep, len(t.Steps)),
		}
		for i, st := range t.Steps {
			out.Steps[i] = exportStep(st)
		}
		return encodeLine(enc, out)
	})
}

func exportStep(st trace.Step) exportedStep {
	out := exportedStep{
		Index: st.Index, Kind: string(st.Kind), Tool: st.Tool, Thought: st.Thought, Action: st.Action, Observation: st.Observation,
		Failed: st.Error, ExitCode: st.ExitCode, CostUSD: st.CostUSD, InputTokens: st.InputTokens, OutputTokens: st.OutputTokens,
	}
	if !st.StartedAt.IsZero() {
		at := st.StartedAt.UTC()
		out.StartedAt = &at
	}
	if st.Duration != nil {
		ms := st.Duration.Milliseconds()
		out.DurationMS = &ms
	}
	return out
}

func lineEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

func encodeLine(enc *json.Encoder, v any) error {
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write the export: %w", err)
	}
	return nil
}
