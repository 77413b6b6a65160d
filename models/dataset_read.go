package models

import (
	"context"
)

// Dataset returns one dataset.
func (s *Store) Dataset(ctx context.Context, v Viewer, id string) (d Dataset, err error) {
	defer wrap(&err, "load dataset %s", id)
	if err := s.read(ctx).Take(&d, "id = ?", id).Error; err != nil {
		return d, err
	}
	return d, v.mayRead(d.ProjectID)
}

// DatasetCount is a dataset with the sizes that lists show.
type DatasetCount struct {
	Dataset
	Instances  int
	Traces     int
	Acceptable int
	Defective  int
	Unknown    int
}

// Datasets lists the viewer's datasets, newest first.
func (s *Store) Datasets(ctx context.Context, v Viewer) (ds []DatasetCount, err error) {
	defer wrap(&err, "list datasets")
	q := s.read(ctx).Table("datasets d").Select(`d.*,
		(SELECT count(*) FROM instances i WHERE i.dataset_id = d.id) AS instances,
		count(t.id) AS traces,
		coalesce(sum(CASE WHEN t.label = 'acceptable' THEN 1 ELSE 0 END), 0) AS acceptable,
		coalesce(sum(CASE WHEN t.label = 'defective' THEN 1 ELSE 0 END), 0) AS defective,
		coalesce(sum(CASE WHEN t.label = 'unknown' THEN 1 ELSE 0 END), 0) AS unknown`).
		Joins("LEFT JOIN traces t ON t.dataset_id = d.id").
		Group("d.id, d.project_id, d.name, d.note, d.bundled, d.created_at").Order("d.id DESC")
	if ids, all := v.projects(); !all {
		q = q.Where("d.project_id IN ?", ids)
	}
	err = q.Scan(&ds).Error
	return ds, err
}

// Cell is one row of a dataset's composition.
type Cell struct {
	Label  string
	Bucket string
	Agent  string
	Repo   string
	N      int
}

// Composition counts a dataset's traces by label, bucket, agent and repository.
// A split narrows it; the empty string takes all traces.
func (s *Store) Composition(ctx context.Context, v Viewer, datasetID, splitID string) (cells []Cell, err error) {
	defer wrap(&err, "count composition of dataset %s", datasetID)
	if _, err := s.Dataset(ctx, v, datasetID); err != nil {
		return nil, err
	}
	q := s.read(ctx).Table("traces t").Select("t.label, t.bucket, t.agent, t.repo, count(*) AS n").
		Where("t.dataset_id = ?", datasetID).
		Group("t.label, t.bucket, t.agent, t.repo").Order("t.label, t.bucket, t.agent, t.repo")
	if splitID != "" {
		q = q.Joins("JOIN split_traces st ON st.trace_id = t.id").Where("st.split_id = ?", splitID)
	}
	err = q.Scan(&cells).Error
	return cells, err
}

// SplitCount is a split with its size and class sizes.
type SplitCount struct {
	Split
	Traces     int
	Acceptable int
	Defective  int
	Unknown    int
}

// Splits lists a dataset's splits by name.
func (s *Store) Splits(ctx context.Context, v Viewer, datasetID string) (out []SplitCount, err error) {
	defer wrap(&err, "list splits of dataset %s", datasetID)
	if _, err := s.Dataset(ctx, v, datasetID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Table("splits s").Select(`s.*, count(t.id) AS traces,
		coalesce(sum(CASE WHEN t.label = 'acceptable' THEN 1 ELSE 0 END), 0) AS acceptable,
		coalesce(sum(CASE WHEN t.label = 'defective' THEN 1 ELSE 0 END), 0) AS defective,
		coalesce(sum(CASE WHEN t.label = 'unknown' THEN 1 ELSE 0 END), 0) AS unknown`).
		Joins("LEFT JOIN split_traces st ON st.split_id = s.id").
		Joins("LEFT JOIN traces t ON t.id = st.trace_id").
		Where("s.dataset_id = ?", datasetID).
		Group("s.id, s.dataset_id, s.name, s.created_at").Order("s.name").Scan(&out).Error
	return out, err
}
