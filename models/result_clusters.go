package models

import "context"

// ClusterCell counts an arm's decided items of one instance by label and decision.
type ClusterCell struct {
	ArmID      string
	InstanceID string
	Label      string
	Decision   string
	N          int
}

// ClusterCells reads the decisions of an experiment by instance, for intervals
// that resample instances instead of traces.
func (s *Store) ClusterCells(ctx context.Context, v Viewer, experimentID string) (out []ClusterCell, err error) {
	defer wrap(&err, "count decisions of experiment %s by instance", experimentID)
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Table("decisions d").Select("d.arm_id, t.instance_id, d.label, d.decision, count(*) AS n").
		Joins("JOIN traces t ON t.id = d.trace_id").Where("d.experiment_id = ?", experimentID).
		Group("d.arm_id, t.instance_id, d.label, d.decision").Order("d.arm_id, t.instance_id, d.label, d.decision").Scan(&out).Error
	return out, err
}

// SharesInstances reports whether two traces of an experiment share an instance.
func (s *Store) SharesInstances(ctx context.Context, v Viewer, experimentID string) (shared bool, err error) {
	defer wrap(&err, "look for shared instances in experiment %s", experimentID)
	e, err := s.Experiment(ctx, v, experimentID)
	if err != nil {
		return false, err
	}
	q := s.read(ctx).Table("traces t").Select("1").Where("t.dataset_id = ?", e.DatasetID)
	if e.SplitID != nil {
		q = q.Joins("JOIN split_traces st ON st.trace_id = t.id").Where("st.split_id = ?", *e.SplitID)
	}
	var n []int
	err = q.Group("t.instance_row").Having("count(*) > 1").Limit(1).Scan(&n).Error
	return len(n) > 0, err
}
