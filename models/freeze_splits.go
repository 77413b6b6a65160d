package models

import "context"

// SplitOverlap is a split of a dataset beside what it shares with a design
// experiment.
type SplitOverlap struct {
	SplitCount
	Shared          int // traces that the design experiment holds too
	SharedInstances int // instances of which it holds another trace or the same
}

// SplitOverlaps lists the splits of a design experiment's dataset by name.
func (s *Store) SplitOverlaps(ctx context.Context, v Viewer, experimentID string) (out []SplitOverlap, err error) {
	defer wrap(&err, "compare the splits with experiment %s", experimentID)
	e, err := s.Experiment(ctx, v, experimentID)
	if err != nil {
		return nil, err
	}
	if err := v.mayRead(e.ProjectID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Table("splits s").Select(`s.*, count(t.id) AS traces,
		coalesce(sum(CASE WHEN t.label = 'acceptable' THEN 1 ELSE 0 END), 0) AS acceptable,
		coalesce(sum(CASE WHEN t.label = 'defective' THEN 1 ELSE 0 END), 0) AS defective,
		coalesce(sum(CASE WHEN t.label = 'unknown' THEN 1 ELSE 0 END), 0) AS unknown,
		coalesce(sum(CASE WHEN EXISTS (SELECT 1 FROM items i WHERE i.trace_id = t.id AND i.experiment_id = ?) THEN 1 ELSE 0 END), 0) AS shared,
		count(DISTINCT CASE WHEN t.instance_row IN
			(SELECT x.instance_row FROM items i JOIN traces x ON x.id = i.trace_id WHERE i.experiment_id = ?) THEN t.instance_row END) AS shared_instances`, e.ID, e.ID).
		Joins("LEFT JOIN split_traces st ON st.split_id = s.id").
		Joins("LEFT JOIN traces t ON t.id = st.trace_id").
		Where("s.dataset_id = ?", e.DatasetID).
		Group("s.id, s.dataset_id, s.name, s.created_at").Order("s.name").Scan(&out).Error
	return out, err
}
