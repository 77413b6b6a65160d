package handlers

import (
	"context"
	"strconv"
	"time"

	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/web/components/stepsview"
	"plumbline/web/pages"
)

// traceOutline fills the window of steps around the one that is shown.
func (h *Handlers) traceOutline(ctx context.Context, v models.Viewer, d models.TraceDetail, r traceRequest, view *pages.Trace) error {
	current := min(r.step, d.Row.StepCount-1)
	if current < 0 && r.tab == pages.TabSteps {
		current = 0
	}
	start := stepsview.WindowStart(max(current, 0), d.Row.StepCount)
	rows, err := h.store.StepRows(ctx, v, d.Row.ID, start, stepsview.WindowRows)
	if err != nil {
		return err
	}
	failed, err := h.store.CountFailedSteps(ctx, v, d.Row.ID)
	if err != nil {
		return err
	}
	o := stepsview.Outline{Total: d.Row.StepCount, Errors: int(failed)}
	for _, row := range rows {
		o.Rows = append(o.Rows, r.stepRow(row, current))
	}
	if start > 0 {
		o.Before = r.toStep(max(0, start-stepsview.WindowRows/2))
	}
	if end := start + len(rows); end < d.Row.StepCount {
		o.After = r.toStep(end)
	}
	if d.Summary != "" {
		o.Summary, o.SummaryOn = r.href("tab", string(pages.TabSummary)), r.tab == pages.TabSummary
	}
	view.Outline = o
	return nil
}

func (r traceRequest) toStep(index int) string {
	return r.href("tab", string(pages.TabSteps), "step", strconv.Itoa(index+1))
}

func (r traceRequest) stepRow(row models.StepRow, current int) stepsview.Row {
	out := stepsview.Row{
		Index: row.Idx, Kind: trace.StepKind(row.Kind), Tool: row.Tool, Title: row.Title, Error: row.Failed, ExitCode: row.ExitCode,
		CostUSD: row.CostUSD, Href: r.toStep(row.Idx), Current: row.Idx == current,
	}
	if row.DurationMS != nil {
		d := time.Duration(*row.DurationMS) * time.Millisecond
		out.Duration = &d
	}
	return out
}

// Limits of the steps shown together.
const (
	stepsAtOnce     = 12
	stepBytesAtOnce = 120_000
)

// traceStepDetails fills the content of the asked step and of those after it, as
// many as are short enough.
func (h *Handlers) traceStepDetails(ctx context.Context, v models.Viewer, row models.TraceRow, r traceRequest, view *pages.Trace) error {
	first := max(0, min(r.step, row.StepCount-1))
	rows, err := h.store.StepRows(ctx, v, row.ID, first, stepsAtOnce)
	if err != nil {
		return err
	}
	n, size := 0, int64(0)
	for n < len(rows) && (n == 0 || size+rows[n].Bytes <= stepBytesAtOnce && r.line == 0) {
		size += rows[n].Bytes
		n++
	}
	texts, err := h.store.StepTexts(ctx, v, row.ID, first, n)
	if err != nil {
		return err
	}
	byIdx := map[int]models.StepText{}
	for _, t := range texts {
		byIdx[t.Idx] = t
	}
	for i, sr := range rows[:n] {
		text := byIdx[sr.Idx]
		d := stepsview.Detail{
			Row: r.stepRow(sr, -1), Thought: text.Thought, Action: text.Action, Observation: text.Observation,
			InputTokens: sr.InputTokens, OutputTokens: sr.OutputTokens, Link: r.toStep(sr.Idx),
			RawAction: tracePath(row.ID, "/steps", stepPart(sr.Idx, "action")), RawSeen: tracePath(row.ID, "/steps", stepPart(sr.Idx, "observation")),
			URL: func(from int) string {
				return r.href("tab", string(pages.TabSteps), "step", strconv.Itoa(sr.Idx+1), "line", strconv.Itoa(from))
			},
		}
		if i == 0 {
			d.From = r.line
		}
		if sr.StartedAt != nil {
			d.StartedAt = *sr.StartedAt
		}
		view.Steps = append(view.Steps, d)
	}
	if first > 0 {
		view.StepsPrev = r.toStep(max(0, first-1))
	}
	if first+n < row.StepCount {
		view.StepsNext = r.toStep(first + n)
	}
	return nil
}
