package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"plumbline/experiments/evidence"
	"plumbline/models"
)

// exportedVote is one line of votes.jsonl, and with the same names one row of
// votes.csv. Null, and an empty cell, is unknown.
type exportedVote struct {
	ExperimentID   string          `json:"experiment_id"`
	TraceID        string          `json:"trace_id"`
	InstanceID     string          `json:"instance_id"`
	Agent          string          `json:"agent"`
	Model          string          `json:"model"`
	Attempt        int             `json:"attempt"`
	Label          string          `json:"label"`
	Reviewer       string          `json:"reviewer"`
	ReviewerModel  string          `json:"reviewer_model"`
	Evidence       string          `json:"evidence"`
	Index          int             `json:"index"`
	Verdict        string          `json:"verdict"`
	Confidence     *float64        `json:"confidence"`
	Rationale      string          `json:"rationale"`
	Citations      json.RawMessage `json:"citations"`
	Problem        string          `json:"problem"`
	Raw            string          `json:"raw"`
	Seed           int64           `json:"seed"`
	LatencyMS      int64           `json:"latency_ms"`
	InputTokens    *int64          `json:"input_tokens"`
	OutputTokens   *int64          `json:"output_tokens"`
	CostUSD        *float64        `json:"cost_usd"`
	PriceVersion   string          `json:"price_version"`
	Cached         bool            `json:"cached"`
	Simulated      bool            `json:"simulated"`
	NotDeployable  bool            `json:"not_deployable"`
	EvidenceSHA256 string          `json:"evidence_sha256"`
}

var voteColumns = []string{
	"experiment_id", "trace_id", "instance_id", "agent", "model", "attempt", "label", "reviewer", "reviewer_model", "evidence",
	"index", "verdict", "confidence", "rationale", "citations", "problem", "raw", "seed", "latency_ms", "input_tokens",
	"output_tokens", "cost_usd", "price_version", "cached", "simulated", "not_deployable", "evidence_sha256",
}

func (v exportedVote) row() []string {
	return []string{
		v.ExperimentID, v.TraceID, v.InstanceID, v.Agent, v.Model, strconv.Itoa(v.Attempt), v.Label, v.Reviewer, v.ReviewerModel, v.Evidence,
		strconv.Itoa(v.Index), v.Verdict, cell(v.Confidence), v.Rationale, string(v.Citations), v.Problem, v.Raw, strconv.FormatInt(v.Seed, 10),
		strconv.FormatInt(v.LatencyMS, 10), cell(v.InputTokens), cell(v.OutputTokens), cell(v.CostUSD), v.PriceVersion,
		strconv.FormatBool(v.Cached), strconv.FormatBool(v.Simulated), strconv.FormatBool(v.NotDeployable), v.EvidenceSHA256,
	}
}

// cell is empty for what is unknown.
func cell[T int64 | float64](v *T) string {
	if v == nil {
		return ""
	}
	switch x := any(*v).(type) {
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	default:
		return fmt.Sprint(x)
	}
}

// judged names a trace in rows of votes and decisions.
type judged struct {
	instance, agent, model, label, bucket string
	attempt                               int
}

func (x *exporter) judgedTraces(ctx context.Context) (map[string]judged, error) {
	out := map[string]judged{}
	return out, x.eachJudged(ctx, func(t models.TraceRow) error {
		out[t.ID] = judged{t.InstanceID, t.Agent, t.Model, t.Label, t.Bucket, t.Attempt}
		return nil
	})
}

func (x *exporter) arms(ctx context.Context) (map[string]models.Arm, error) {
	list, err := x.store.Arms(ctx, x.viewer, x.experiment.ID)
	arms := make(map[string]models.Arm, len(list))
	for _, a := range list {
		arms[a.ID] = a
	}
	return arms, err
}

func (x *exporter) eachVote(ctx context.Context, f func(exportedVote) error) error {
	arms, err := x.arms(ctx)
	if err != nil {
		return err
	}
	traces, err := x.judgedTraces(ctx)
	if err != nil {
		return err
	}
	traceOf := map[string]string{} // by item
	if err := x.eachOutcome(ctx, models.OutcomeFilter{}, func(o models.OutcomeRow) error {
		traceOf[o.ItemID] = o.TraceID
		return nil
	}); err != nil {
		return err
	}
	return x.store.EachVote(ctx, x.viewer, x.experiment.ID, func(d models.VoteDetail) error {
		arm, t := arms[d.ArmID], traces[traceOf[d.ItemID]]
		return f(exportedVote{
			ExperimentID: x.experiment.ID, TraceID: traceOf[d.ItemID], InstanceID: t.instance, Agent: t.agent, Model: t.model,
			Attempt: t.attempt, Label: t.label, Reviewer: arm.ReviewerName, ReviewerModel: arm.Model, Evidence: arm.Form, Index: d.Idx,
			Verdict: d.Vote, Confidence: d.Confidence, Rationale: d.Rationale, Citations: json.RawMessage(d.Citations), Problem: d.Problem,
			Raw: d.Raw, Seed: d.Seed, LatencyMS: d.LatencyMS, InputTokens: d.InputTokens, OutputTokens: d.OutputTokens, CostUSD: d.CostUSD,
			PriceVersion: d.PriceVersion, Cached: d.Cached, Simulated: arm.Simulated, NotDeployable: !evidence.Form(arm.Form).Deployable(),
			EvidenceSHA256: d.EvidenceSHA256,
		})
	})
}

func (x *exporter) votesJSONL(ctx context.Context, w io.Writer) error {
	enc := lineEncoder(w)
	return x.eachVote(ctx, func(v exportedVote) error { return encodeLine(enc, v) })
}

func (x *exporter) votesCSV(ctx context.Context, w io.Writer) error {
	return writeCSV(w, voteColumns, func(row func([]string) error) error {
		return x.eachVote(ctx, func(v exportedVote) error { return row(v.row()) })
	})
}

var decisionColumns = []string{
	"experiment_id", "trace_id", "instance_id", "agent", "model", "attempt", "label", "bucket", "reviewer", "reviewer_model",
	"evidence", "decision", "accept", "reject", "uncertain", "unparseable", "simulated", "not_deployable",
}

// decisionsCSV writes the decided items. The others are told, since a file
// cannot show what is not in it.
func (x *exporter) decisionsCSV(ctx context.Context, w io.Writer) error {
	arms, err := x.arms(ctx)
	if err != nil {
		return err
	}
	traces, err := x.judgedTraces(ctx)
	if err != nil {
		return err
	}
	undecided := map[string]int{}
	err = writeCSV(w, decisionColumns, func(row func([]string) error) error {
		return x.eachOutcome(ctx, models.OutcomeFilter{}, func(o models.OutcomeRow) error {
			if o.Decision == "" {
				undecided[o.State]++
				return nil
			}
			a, t := arms[o.ArmID], traces[o.TraceID]
			return row([]string{
				x.experiment.ID, o.TraceID, t.instance, t.agent, t.model, strconv.Itoa(t.attempt), t.label, t.bucket,
				a.ReviewerName, a.Model, a.Form, o.Decision, strconv.Itoa(o.NAccept), strconv.Itoa(o.NReject), strconv.Itoa(o.NUncertain),
				strconv.Itoa(o.NUnparseable), strconv.FormatBool(a.Simulated), strconv.FormatBool(!evidence.Form(a.Form).Deployable()),
			})
		})
	})
	writeCounts(x.notes, "Items without a decision, which are not in the file:", undecided)
	return err
}

func writeCSV(w io.Writer, columns []string, each func(row func([]string) error) error) error {
	out := csv.NewWriter(w)
	row := func(cells []string) error {
		if err := out.Write(cells); err != nil {
			return fmt.Errorf("write the export: %w", err)
		}
		return nil
	}
	if err := row(columns); err != nil {
		return err
	}
	if err := each(row); err != nil {
		return err
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write the export: %w", err)
	}
	return nil
}
