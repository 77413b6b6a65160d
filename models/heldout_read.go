package models

import (
	"context"
)

// HeldOutCount is a held-out run with the name of its experiment and how often its
// traces have been evaluated by now.
type HeldOutCount struct {
	HeldOutRun
	ExperimentName string
	State          string
	Times          int
}

// HeldOutRuns lists the runs of a freeze's design experiment on a split, or on one
// that shares a trace with it, oldest first.
func (s *Store) HeldOutRuns(ctx context.Context, v Viewer, freezeID, splitID string) (out []HeldOutCount, err error) {
	defer wrap(&err, "list held-out runs of freeze %s", freezeID)
	f, err := s.Freeze(ctx, v, freezeID)
	if err != nil {
		return nil, err
	}
	return s.heldOutCounts(ctx, f.ExperimentID, splitID)
}

func (s *Store) heldOutCounts(ctx context.Context, designID, splitID string) ([]HeldOutCount, error) {
	runs, err := heldOutRuns(s.read(ctx), designID, splitID)
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	ids := make([]string, len(runs))
	for i, r := range runs {
		ids[i] = r.ExperimentID
	}
	var es []Experiment
	if err := s.read(ctx).Select("id", "name", "state").Where("id IN ?", ids).Find(&es).Error; err != nil {
		return nil, err
	}
	byID := make(map[string]Experiment, len(es))
	for _, e := range es {
		byID[e.ID] = e
	}
	out := make([]HeldOutCount, len(runs))
	for i, r := range runs {
		out[i] = HeldOutCount{HeldOutRun: r, ExperimentName: byID[r.ExperimentID].Name, State: byID[r.ExperimentID].State, Times: len(runs)}
	}
	return out, nil
}

// HeldOutOf returns all runs on the traces of a held-out experiment, oldest first,
// and none for an experiment that is no held-out run. A share link of the
// experiment may read it: how often it was evaluated belongs to the result.
func (s *Store) HeldOutOf(ctx context.Context, v Viewer, experimentID string) (out []HeldOutCount, err error) {
	defer wrap(&err, "look up the held-out run of experiment %s", experimentID)
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return nil, err
	}
	var run HeldOutRun
	if err := s.read(ctx).Limit(1).Find(&run, "experiment_id = ?", experimentID).Error; err != nil || run.FreezeID == "" {
		return nil, err
	}
	return s.heldOutCounts(ctx, run.DesignID, run.SplitID)
}

// HeldOutTimes counts, for those of the experiments that are held-out runs, how
// often their traces were evaluated under their design.
func (s *Store) HeldOutTimes(ctx context.Context, v Viewer, experimentIDs []string) (out map[string]int, err error) {
	defer wrap(&err, "count held-out runs of %d experiments", len(experimentIDs))
	out = map[string]int{}
	if len(experimentIDs) == 0 || v.Share != "" {
		return out, nil
	}
	var rows []struct {
		ExperimentID string
		N            int
	}
	q := s.read(ctx).Table("heldout_runs h").Select("h.experiment_id, count(*) AS n").
		Joins("JOIN experiments e ON e.id = h.experiment_id").
		Joins(`JOIN heldout_runs o ON o.design_id = h.design_id AND (o.split_id = h.split_id OR EXISTS (
			SELECT 1 FROM split_traces a JOIN split_traces b ON b.trace_id = a.trace_id WHERE a.split_id = h.split_id AND b.split_id = o.split_id))`).
		Where("h.experiment_id IN ?", experimentIDs).Group("h.experiment_id")
	if ids, all := v.projects(); !all {
		q = q.Where("e.project_id IN ?", ids)
	}
	if err := q.Scan(&rows).Error; err != nil {
		return nil, err
	}
	for _, r := range rows {
		out[r.ExperimentID] = r.N
	}
	return out, nil
}

// Look is an experiment that showed the traces of a split to reviewers.
type Look struct {
	ExperimentID   string
	ExperimentName string
	Traces         int
}

// EarlierLooks lists the experiments that had looked at traces of a split before a
// freeze was made: what was seen then may have guided the design.
func (s *Store) EarlierLooks(ctx context.Context, v Viewer, freezeID, splitID string) (out []Look, err error) {
	defer wrap(&err, "list what looked at split %s before freeze %s", splitID, freezeID)
	f, err := s.Freeze(ctx, v, freezeID)
	if err != nil {
		return nil, err
	}
	err = s.read(ctx).Table("items i").Select("e.id AS experiment_id, e.name AS experiment_name, count(DISTINCT i.trace_id) AS traces").
		Joins("JOIN split_traces st ON st.trace_id = i.trace_id").Joins("JOIN experiments e ON e.id = i.experiment_id").
		Where("st.split_id = ? AND e.project_id = ? AND e.created_at <= ?", splitID, f.ProjectID, f.CreatedAt).
		Where("NOT EXISTS (SELECT 1 FROM heldout_runs h WHERE h.experiment_id = e.id AND h.design_id = ?)", f.ExperimentID).
		Group("e.id, e.name").Order("e.id").Scan(&out).Error
	return out, err
}
