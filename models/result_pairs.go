package models

import "context"

// ArmPairCell counts the traces that two arms of an experiment have a decision on,
// by both decisions.
type ArmPairCell struct {
	First, Second                 string // arm ids
	FirstDecision, SecondDecision string
	N                             int
}

// ArmPairCells tabulates the decisions of every pair of arms of an experiment, each
// pair once, in the order of the arms.
func (s *Store) ArmPairCells(ctx context.Context, v Viewer, experimentID string) (out []ArmPairCell, err error) {
	defer wrap(&err, "pair the arms of experiment %s", experimentID)
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Table("decisions a").Joins("JOIN decisions b ON b.trace_id = a.trace_id AND b.experiment_id = a.experiment_id").
		Joins("JOIN arms x ON x.id = a.arm_id").Joins("JOIN arms y ON y.id = b.arm_id AND y.idx > x.idx").
		Select("a.arm_id AS first, b.arm_id AS second, a.decision AS first_decision, b.decision AS second_decision, count(*) AS n").
		Where("a.experiment_id = ?", experimentID).Group("x.idx, y.idx, a.arm_id, b.arm_id, a.decision, b.decision").
		Order("x.idx, y.idx, a.decision, b.decision").Scan(&out).Error
	return out, err
}
