package runner

import (
	"context"
	"fmt"
	"io"
	"strings"

	"plumbline/experiments/export"
	"plumbline/models"
)

// inspect writes the votes of an experiment as an Inspect log. The items of a trace
// follow each other, so that one trace is held at a time.
func (x *exporting) inspect(ctx context.Context, w io.Writer) error {
	head, err := x.inspectHead(ctx)
	if err != nil {
		return err
	}
	log, err := export.NewInspect(w, head)
	if err != nil {
		return err
	}
	names := make(map[string]string, len(x.armList))
	for i, a := range x.armList {
		names[a.ID] = head.Scorers[i].Name
	}
	var trace models.ExportItem
	var held [][]export.Vote // by vote index
	flush := func() error {
		for i, votes := range held {
			if len(votes) == 0 {
				continue
			}
			x.report.Rows++
			if err := log.Put(inspectSample(trace, i, votes, names)); err != nil {
				return err
			}
		}
		held = held[:0]
		return nil
	}
	err = x.eachVoted(ctx, func(i models.ExportItem, votes []export.Vote) error {
		if i.TraceID != trace.TraceID {
			if err := flush(); err != nil {
				return err
			}
			trace = i
		}
		for _, v := range votes {
			for len(held) <= int(v.Index) {
				held = append(held, nil)
			}
			held[v.Index] = append(held[v.Index], v)
		}
		return nil
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return err
	}
	return log.Close()
}

func inspectSample(i models.ExportItem, index int, votes []export.Vote, names map[string]string) export.InspectSample {
	s := export.InspectSample{
		ID:    strings.Join([]string{i.InstanceID, i.Agent, i.Model, fmt.Sprint(i.Attempt)}, " / "),
		Epoch: index + 1, Input: i.InstanceID + ": " + i.Title, Target: i.Label, Votes: votes,
		Trace: map[string]any{
			"trace_id": i.TraceID, "instance_id": i.InstanceID, "repo": i.Repo, "agent": i.Agent, "model": i.Model, "attempt": i.Attempt,
			"label": i.Label, "bucket": i.Bucket, "label_source": i.LabelSource,
		},
	}
	for _, v := range votes {
		s.Names = append(s.Names, names[v.ArmID])
	}
	return s
}

func (x *exporting) inspectHead(ctx context.Context) (export.InspectHead, error) {
	res, err := x.runner.Results(ctx, x.viewer, x.experiment.ID, ResultOptions{})
	if err != nil {
		return export.InspectHead{}, err
	}
	e := x.experiment
	h := export.InspectHead{
		Task: e.Name, RunID: e.ID, Created: e.CreatedAt, Epochs: e.Votes, Dataset: x.dataset.Name, Version: e.CodeVersion,
		Started: e.State == models.StateRunning || e.State == models.StateStopping,
	}
	if e.FinishedAt != nil {
		h.Finished = *e.FinishedAt
	}
	taken := map[string]bool{}
	for i, a := range res.Arms {
		s := export.InspectScorer{Name: armLabel(a.Arm), Model: a.Arm.Model, Scored: a.Cost.Votes}
		if taken[s.Name] {
			s.Name = fmt.Sprintf("%s (%d)", s.Name, i+1)
		}
		taken[s.Name] = true
		items := 0
		for _, n := range a.Items {
			items += n
		}
		h.Samples = max(h.Samples, items)
		s.Unscored = max(items*e.Votes-s.Scored, 0)
		for _, m := range a.Measures {
			if m.Value == nil {
				continue
			}
			metric := export.InspectMetric{Name: string(m.Metric), Value: *m.Value, K: m.K, N: m.N}
			if m.Wilson != nil {
				metric.Lo, metric.Hi = &m.Wilson.Lo, &m.Wilson.Hi
			}
			s.Metrics = append(s.Metrics, metric)
		}
		h.Scorers = append(h.Scorers, s)
	}
	return h, nil
}
