package models

import "context"

// InstanceCounts are the sizes of a dataset that its traces do not show.
type InstanceCounts struct{ Instances, WithOracle int }

// CountInstances counts a dataset's instances, and those whose oracle is known.
func (s *Store) CountInstances(ctx context.Context, v Viewer, datasetID string) (out InstanceCounts, err error) {
	defer wrap(&err, "count instances of dataset %s", datasetID)
	if _, err := s.Dataset(ctx, v, datasetID); err != nil {
		return out, err
	}
	err = s.read(ctx).Table("instances i").Select("count(*) AS instances, count(o.instance_row) AS with_oracle").
		Joins("LEFT JOIN instance_oracles o ON o.instance_row = i.id").Where("i.dataset_id = ?", datasetID).Scan(&out).Error
	return out, err
}

// CountFailedSteps counts the steps of a trace that failed.
func (s *Store) CountFailedSteps(ctx context.Context, v Viewer, traceID string) (n int64, err error) {
	defer wrap(&err, "count failed steps of trace %s", traceID)
	if _, err := s.Trace(ctx, v, traceID); err != nil {
		return 0, err
	}
	err = s.read(ctx).Model(&StepRow{}).
		Where("trace_id = ? AND (failed = ? OR kind = 'error' OR (exit_code IS NOT NULL AND exit_code <> 0))", traceID, true).Count(&n).Error
	return n, err
}

// StepBytes sums the texts of a trace's steps without reading them.
func (s *Store) StepBytes(ctx context.Context, v Viewer, traceID string) (n int64, err error) {
	defer wrap(&err, "measure steps of trace %s", traceID)
	if _, err := s.Trace(ctx, v, traceID); err != nil {
		return 0, err
	}
	err = s.read(ctx).Model(&StepRow{}).Select("coalesce(sum(bytes), 0)").Where("trace_id = ?", traceID).Scan(&n).Error
	return n, err
}
