package runner

import (
	"context"
	"fmt"

	"plumbline/experiments/cascade"
	"plumbline/experiments/stats"
	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
	"plumbline/models"
)

// Baseline is a policy without a reviewer on the traces of an experiment.
type Baseline struct {
	Name     string
	Counts   stats.ReviewCounts // traces of known truth
	Measures stats.Measures
	// From is an experiment that ran the checks; empty where the viewer sees none.
	From string
	// Reason says why there is no baseline; empty when there is one.
	Reason string
}

// RulesAlone judges the traces of an experiment by mechanical rules alone: no code
// change, or a decisive static finding that the patch caused, rejects; everything
// else is uncertain. It reads stored checks and runs none, and it stands only where
// every trace was looked at: rules on a part of the traces would be another set.
func (r *Runner) RulesAlone(ctx context.Context, v models.Viewer, e models.Experiment) (Baseline, error) {
	p := cascade.RulesOnly()
	out := Baseline{Name: p.Name}
	rows, from, err := r.store.StoredChecks(ctx, v, e.ID)
	if err != nil {
		return out, err
	}
	if len(rows) == 0 {
		out.Reason = "no check of these traces is stored; a cascade on this dataset stores them"
		return out, nil
	}
	traces, err := r.store.ExperimentTraces(ctx, v, e.ID)
	if err != nil {
		return out, err
	}
	out.From = from
	records := make([]cascade.Record, len(rows))
	for i, row := range rows {
		records[i] = recordOf(models.SetChecks{Set: models.CheckSet{TraceID: row.TraceID, PatchNone: row.PatchNone, StaticRan: row.StaticRan,
			StaticDecisive: row.StaticDecisive, StaticCaused: row.StaticCaused, StaticStanding: row.StaticStanding}})
		records[i].Label = trace.Label(row.Label)
		records[i].Votes = map[string][]vote.Vote{}
	}
	episodes, err := cascade.ReplayAll(p, records)
	if err != nil {
		return out, err
	}
	f := cascade.Measure(p, episodes)
	if f.Verdicts < traces {
		out.Reason = fmt.Sprintf("checks are stored for %d of %d traces, and a baseline on a part of them is not comparable", f.Verdicts, traces)
		return out, nil
	}
	out.Counts = f.Counts
	out.Measures = stats.Measure(stats.Arm{Label: p.Name, Counts: f.Counts}, stats.Options{Seed: uint64(e.Seed)})
	return out, nil
}
