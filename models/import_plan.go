package models

import (
	"context"

	"plumbline/experiments/trace"
)

// ImportPlan tells which texts of an import the store still lacks, so that only
// those are read again. It belongs to one goroutine and one import, which asks for
// its attempts in the order in which it will store them.
type ImportPlan struct {
	s         *Store
	datasetID string
	run       *ImportRun
	empty     bool // nothing is stored, so there is nothing to look for
}

// TraceLack is what the store lacks of one attempt.
type TraceLack struct {
	Patch, Summary, Steps bool
	Stored                bool // the attempt is there, with or without a lack
}

// InstanceLack is what the store lacks of one instance.
type InstanceLack struct{ Issue, Oracle bool }

// PlanImport starts a plan.
func (s *Store) PlanImport(ctx context.Context, v Viewer, datasetID string) (p *ImportPlan, err error) {
	defer wrap(&err, "plan an import into dataset %s", datasetID)
	if _, err := s.Dataset(ctx, v, datasetID); err != nil {
		return nil, err
	}
	var some []string
	if err := s.read(ctx).Table("instances").Where("dataset_id = ?", datasetID).Limit(1).Pluck("id", &some).Error; err != nil {
		return nil, err
	}
	return &ImportPlan{s: s, datasetID: datasetID, run: NewImportRun(), empty: len(some) == 0}, nil
}

// Traces answers for attempts, in their order. They need no texts, only hashes.
func (p *ImportPlan) Traces(ctx context.Context, traces []TraceInput) (out []TraceLack, err error) {
	defer wrap(&err, "plan an import into dataset %s", p.datasetID)
	out = make([]TraceLack, len(traces))
	b := &importBatch{s: p.s, tx: p.s.read(ctx), datasetID: p.datasetID, run: p.run, draft: p.run}
	if !p.empty {
		if err := b.loadStored(traces); err != nil {
			return nil, err
		}
	}
	for i, t := range traces {
		switch m := b.match(t); {
		case m.old != nil:
			out[i] = TraceLack{Stored: true, Summary: m.old.SummarySHA256 == "", Steps: m.old.StepCount == 0}
		case m.note == "":
			out[i] = TraceLack{Patch: true, Summary: true, Steps: true}
		}
	}
	return out, nil
}

// Instances answers for instances, in their order.
func (p *ImportPlan) Instances(ctx context.Context, instances []trace.Instance) (out []InstanceLack, err error) {
	defer wrap(&err, "plan an import into dataset %s", p.datasetID)
	out = make([]InstanceLack, len(instances))
	ids := make([]string, len(instances))
	for i, in := range instances {
		ids[i] = Clean(in.ID)
	}
	stored := map[string]instanceState{}
	if !p.empty {
		b := &importBatch{s: p.s, tx: p.s.read(ctx), datasetID: p.datasetID}
		if stored, err = instanceStates(b, ids); err != nil {
			return nil, err
		}
	}
	for i, id := range ids {
		st, ok := stored[id]
		out[i] = InstanceLack{Issue: !ok || st.Title == "", Oracle: !ok || !st.HasOracle}
	}
	return out, nil
}
