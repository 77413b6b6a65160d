package models

import "context"

// StoredCheck is what one set of checks observed of a trace of an experiment. Nil
// was not observed.
type StoredCheck struct {
	TraceID        string
	Label          string
	PatchNone      *bool
	StaticRan      *bool
	StaticDecisive int
	StaticCaused   int
	StaticStanding int
}

// StoredChecks lists what is stored of the traces of an experiment, whatever
// experiment ran the checks. Of several configurations of checks the one that
// looked at most of the traces is taken, the newest among equals, so that rows of
// two configurations are never mixed. from is an experiment that used it, empty
// where the viewer sees none.
func (s *Store) StoredChecks(ctx context.Context, v Viewer, experimentID string) (out []StoredCheck, from string, err error) {
	defer wrap(&err, "list stored checks of the traces of experiment %s", experimentID)
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return nil, "", err
	}
	const of = `trace_id IN (SELECT i.trace_id FROM items i JOIN arms a ON a.id = i.arm_id WHERE a.experiment_id = ? AND a.idx = 0)`
	var config []string
	err = s.read(ctx).Table("check_sets").Select("config_sha256").Where("patch_none IS NOT NULL AND "+of, experimentID).
		Group("config_sha256").Order("count(*) DESC, max(id) DESC").Limit(1).Scan(&config).Error
	if err != nil || len(config) == 0 {
		return nil, "", err
	}
	err = s.read(ctx).Table("check_sets k").Joins("JOIN traces t ON t.id = k.trace_id").
		Select("k.trace_id, t.label, k.patch_none, k.static_ran, k.static_decisive, k.static_caused, k.static_standing").
		Where("k.config_sha256 = ? AND k.patch_none IS NOT NULL AND k."+of, config[0], experimentID).Order("k.trace_id").Scan(&out).Error
	if err != nil {
		return nil, "", err
	}
	var ids []string
	err = s.read(ctx).Table("cascade_items c").Joins("JOIN check_sets k ON k.id = c.set_id").Distinct("c.experiment_id").
		Where("k.config_sha256 = ? AND k."+of, config[0], experimentID).Order("c.experiment_id DESC").Scan(&ids).Error
	if err != nil {
		return nil, "", err
	}
	for _, id := range ids {
		if _, err := s.Experiment(ctx, v, id); err == nil {
			return out, id, nil
		}
	}
	return out, "", nil
}

// CheckMark changes when a check of a trace of an experiment is stored.
func (s *Store) CheckMark(ctx context.Context, v Viewer, experimentID string) (mark [2]int64, err error) {
	defer wrap(&err, "count stored checks of the traces of experiment %s", experimentID)
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return mark, err
	}
	var n struct{ Looked, Ran int64 }
	err = s.read(ctx).Table("check_sets").Select("count(patch_none) AS looked, count(static_ran) AS ran").
		Where("trace_id IN (SELECT i.trace_id FROM items i JOIN arms a ON a.id = i.arm_id WHERE a.experiment_id = ? AND a.idx = 0)", experimentID).Scan(&n).Error
	return [2]int64{n.Looked, n.Ran}, err
}

// ExperimentTraces counts the traces of an experiment.
func (s *Store) ExperimentTraces(ctx context.Context, v Viewer, experimentID string) (int, error) {
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return 0, err
	}
	var n int64
	err := s.read(ctx).Table("items i").Joins("JOIN arms a ON a.id = i.arm_id").Where("a.experiment_id = ? AND a.idx = 0", experimentID).Count(&n).Error
	wrap(&err, "count the traces of experiment %s", experimentID)
	return int(n), err
}
