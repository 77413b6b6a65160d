package models

import "context"

// PairCell counts the traces that two arms have a decision on, by truth and by
// both decisions.
type PairCell struct {
	Label  string
	First  string
	Second string
	N      int
}

// PairCells tabulates the decisions of two arms on the traces both decided, and
// counts the traces of known truth that only one of them has a decision on. Both
// arms must be visible to the viewer.
func (s *Store) PairCells(ctx context.Context, v Viewer, firstArm, secondArm string) (cells []PairCell, onlyFirst, onlySecond int, err error) {
	defer wrap(&err, "pair the decisions of arms %s and %s", firstArm, secondArm)
	for _, id := range []string{firstArm, secondArm} {
		if _, _, err := s.Arm(ctx, v, id); err != nil {
			return nil, 0, 0, err
		}
	}
	db := s.read(ctx)
	err = db.Table("decisions a").Select("a.label, a.decision AS first, b.decision AS second, count(*) AS n").
		Joins("JOIN decisions b ON b.trace_id = a.trace_id").Where("a.arm_id = ? AND b.arm_id = ?", firstArm, secondArm).
		Group("a.label, a.decision, b.decision").Order("a.label, a.decision, b.decision").Scan(&cells).Error
	if err != nil {
		return nil, 0, 0, err
	}
	alone := func(arm, other string) (int, error) {
		var n int64
		err := db.Table("decisions a").Where(`a.arm_id = ? AND a.label <> 'unknown'
			AND NOT EXISTS (SELECT 1 FROM decisions b WHERE b.trace_id = a.trace_id AND b.arm_id = ?)`, arm, other).Count(&n).Error
		return int(n), err
	}
	if onlyFirst, err = alone(firstArm, secondArm); err != nil {
		return nil, 0, 0, err
	}
	onlySecond, err = alone(secondArm, firstArm)
	return cells, onlyFirst, onlySecond, err
}

// Arm returns one arm with its experiment.
func (s *Store) Arm(ctx context.Context, v Viewer, id string) (a Arm, e Experiment, err error) {
	defer wrap(&err, "load arm %s", id)
	if err := s.read(ctx).Take(&a, "id = ?", id).Error; err != nil {
		return a, e, err
	}
	e, err = s.Experiment(ctx, v, a.ExperimentID)
	return a, e, err
}

// Flip is a trace that exactly one of two arms decided rightly, both having
// decided it.
type Flip struct {
	TraceID    string
	InstanceID string
	FirstItem  string
	SecondItem string
	Label      string
	Bucket     string
	First      string
	Second     string
}

// Flips lists the traces on which one of two arms is right and the other wrong:
// first right before second right, then by instance, at most limit of each kind.
func (s *Store) Flips(ctx context.Context, v Viewer, firstArm, secondArm string, limit int) (out []Flip, err error) {
	defer wrap(&err, "list flips between arms %s and %s", firstArm, secondArm)
	for _, id := range []string{firstArm, secondArm} {
		if _, _, err := s.Arm(ctx, v, id); err != nil {
			return nil, err
		}
	}
	for _, firstRight := range []bool{true, false} {
		right, wrong := "a", "b"
		if !firstRight {
			right, wrong = "b", "a"
		}
		var part []Flip
		err := s.read(ctx).Table("decisions a").Select(`a.trace_id, t.instance_id, a.item_id AS first_item, b.item_id AS second_item,
				a.label, t.bucket, a.decision AS first, b.decision AS second`).
			Joins("JOIN decisions b ON b.trace_id = a.trace_id").Joins("JOIN traces t ON t.id = a.trace_id").
			Where("a.arm_id = ? AND b.arm_id = ?", firstArm, secondArm).
			Where("((a.label = 'defective' AND " + right + ".decision = 'reject' AND " + wrong + ".decision IN ('accept', 'unparseable'))" +
				" OR (a.label = 'acceptable' AND " + right + ".decision = 'accept' AND " + wrong + ".decision IN ('reject', 'unparseable')))").
			Order("t.instance_id, a.trace_id").Limit(limit).Scan(&part).Error
		if err != nil {
			return nil, err
		}
		out = append(out, part...)
	}
	return out, nil
}

// ArmChoices lists the arms of the viewer's newest experiments, newest first, for
// a form that picks arms.
func (s *Store) ArmChoices(ctx context.Context, v Viewer, experiments int) (out []ArmChoice, err error) {
	defer wrap(&err, "list arms to choose from")
	recent, err := s.Experiments(ctx, v, ExperimentFilter{Limit: experiments})
	if err != nil || len(recent) == 0 {
		return nil, err
	}
	byID := make(map[string]ExperimentCount, len(recent))
	ids := make([]string, len(recent))
	for i, e := range recent {
		byID[e.ID], ids[i] = e, e.ID
	}
	var arms []Arm
	if err := s.read(ctx).Where("experiment_id IN ?", ids).Order("experiment_id DESC, idx").Find(&arms).Error; err != nil {
		return nil, err
	}
	for _, a := range arms {
		out = append(out, ArmChoice{Arm: a, Experiment: byID[a.ExperimentID].Experiment, DatasetName: byID[a.ExperimentID].DatasetName})
	}
	return out, nil
}

// ArmChoice is an arm with its experiment and the name of its dataset.
type ArmChoice struct {
	Arm         Arm
	Experiment  Experiment
	DatasetName string
}
