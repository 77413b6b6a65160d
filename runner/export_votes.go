package runner

import (
	"context"
	"io"
	"time"

	"plumbline/experiments/evidence"
	"plumbline/experiments/export"
	"plumbline/models"
)

// Sizes of what is read at once. Replies are long, so few votes are.
const (
	exportItems = 1000
	exportVotes = 250
)

// eachItem calls f with every item in the order of traces.
func (x *exporting) eachItem(ctx context.Context, f func(models.ExportItem) error) error {
	return x.store.EachExportItem(ctx, x.viewer, x.experiment.ID, exportItems, func(items []models.ExportItem) error {
		for _, i := range items {
			if err := f(i); err != nil {
				return err
			}
		}
		return nil
	})
}

// eachVoted calls f with every item and its votes, in the order of traces.
func (x *exporting) eachVoted(ctx context.Context, f func(models.ExportItem, []export.Vote) error) error {
	batch := max(exportVotes/max(x.experiment.Votes, 1), 1)
	return x.store.EachExportItem(ctx, x.viewer, x.experiment.ID, batch, func(items []models.ExportItem) error {
		ids := make([]string, len(items))
		for i := range items {
			ids[i] = items[i].ItemID
		}
		votes, err := x.store.VotesOf(ctx, x.viewer, x.experiment.ID, ids)
		if err != nil {
			return err
		}
		for _, i := range items {
			rows := make([]export.Vote, len(votes[i.ItemID]))
			for k, d := range votes[i.ItemID] {
				rows[k] = x.vote(i, d)
			}
			if err := f(i, rows); err != nil {
				return err
			}
		}
		return nil
	})
}

func (x *exporting) vote(i models.ExportItem, d models.VoteDetail) export.Vote {
	arm := x.armOf[i.ArmID]
	return export.Vote{
		ExperimentID: x.experiment.ID, TraceID: i.TraceID, ItemID: i.ItemID, ArmID: i.ArmID, InstanceID: i.InstanceID, Agent: i.Agent, Model: i.Model,
		Attempt: int64(i.Attempt), Label: i.Label, Reviewer: arm.ReviewerName, ReviewerModel: arm.Model, Evidence: arm.Form, Index: int64(d.Idx),
		Verdict: d.Vote, Confidence: d.Confidence, Rationale: d.Rationale, Citations: export.ToJSON(d.Citations), Problem: d.Problem, Raw: d.Raw,
		Seed: d.Seed, RequestAttempts: int64(d.Attempts), LatencyMS: d.LatencyMS, InputTokens: d.InputTokens, OutputTokens: d.OutputTokens,
		CachedTokens: d.CachedTokens, CostUSD: d.CostUSD, PriceVersion: d.PriceVersion, Cached: d.Cached, Simulated: arm.Simulated,
		NotDeployable: !evidence.Form(arm.Form).Deployable(), EvidenceSHA256: d.EvidenceSHA256, RequestSHA256: d.RequestSHA256,
		VotedAt: d.CreatedAt.UTC().Format(time.RFC3339Nano),
	}
}

func (x *exporting) votes(ctx context.Context, w io.Writer) error {
	t, err := export.NewTable[export.Vote](x.form, w)
	if err != nil {
		return err
	}
	err = x.eachVoted(ctx, func(_ models.ExportItem, votes []export.Vote) error {
		for _, v := range votes {
			x.report.Rows++
			if err := t.Put(v); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return t.Close()
}

func (x *exporting) decisions(ctx context.Context, w io.Writer) error {
	t, err := export.NewTable[export.Decision](x.form, w)
	if err != nil {
		return err
	}
	err = x.eachItem(ctx, func(i models.ExportItem) error {
		d := x.decision(i)
		if d.Decision == "" {
			x.report.Undecided[d.State]++
		}
		x.report.Rows++
		return t.Put(d)
	})
	if err != nil {
		return err
	}
	return t.Close()
}

func (x *exporting) decision(i models.ExportItem) export.Decision {
	arm := x.armOf[i.ArmID]
	d := export.Decision{
		ExperimentID: x.experiment.ID, TraceID: i.TraceID, ItemID: i.ItemID, ArmID: i.ArmID, InstanceID: i.InstanceID, Agent: i.Agent, Model: i.Model,
		Attempt: int64(i.Attempt), Label: i.Label, Bucket: i.Bucket, LabelSource: i.LabelSource, Reviewer: arm.ReviewerName, ReviewerModel: arm.Model,
		Evidence: arm.Form, State: x.state(i.State), Decision: i.Decision, Accept: int64(i.NAccept), Reject: int64(i.NReject),
		Uncertain: int64(i.NUncertain), Unparseable: int64(i.NUnparseable), CachedVotes: int64(i.Cached), Simulated: arm.Simulated,
		NotDeployable: !evidence.Form(arm.Form).Deployable(), Error: i.ErrorClass,
	}
	if i.ErrorMessage != "" {
		d.Error += ": " + i.ErrorMessage
	}
	if votes := i.NAccept + i.NReject + i.NUncertain + i.NUnparseable; votes > 0 && i.CostKnown == votes {
		d.CostUSD = i.CostUSD
	}
	return d
}

// state is missing for what was not done before the experiment ended.
func (x *exporting) state(s string) string {
	ended := x.experiment.State == models.StateDone || x.experiment.State == models.StateStopped
	if ended && (s == models.ItemPending || s == models.ItemRunning) {
		return "missing"
	}
	return s
}
