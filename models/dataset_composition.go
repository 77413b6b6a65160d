package models

import (
	"context"
	"fmt"
)

// CompositionCell counts the traces of one agent, repository or split with one label
// and bucket.
type CompositionCell struct {
	Name   string // empty: not named, or in no split; of a split, its id
	Label  string
	Bucket string
	N      int
}

// BySplit is a dimension of the composition beside ByAgent and ByRepo. A trace in
// two splits counts in both.
const BySplit TraceDim = "split"

// CompositionBy counts a dataset's traces by agent, repository or split, and by
// label and bucket, in the order of the names.
func (s *Store) CompositionBy(ctx context.Context, v Viewer, datasetID string, by TraceDim) (out []CompositionCell, err error) {
	defer wrap(&err, "count composition of dataset %s by %s", datasetID, by)
	if _, err := s.Dataset(ctx, v, datasetID); err != nil {
		return nil, err
	}
	q := s.read(ctx)
	name := "t.agent"
	switch by {
	case ByAgent:
		q = q.Table(s.tracesBy("traces_by_agent"))
	case ByRepo:
		q, name = q.Table(s.tracesBy("traces_by_repo")), "t.repo"
	case BySplit:
		q, name = q.Table(s.tracesBy("traces_by_filter")), "coalesce(st.split_id, '')"
		q = q.Joins("LEFT JOIN split_traces st ON st.trace_id = t.id")
	default:
		return nil, Invalid("by", fmt.Sprintf("a composition is not counted by %q", by))
	}
	err = q.Select(name+" AS name, t.label, t.bucket, count(*) AS n").Where("t.dataset_id = ?", datasetID).
		Group(name + ", t.label, t.bucket").Order(name + ", t.label, t.bucket").Scan(&out).Error
	return out, err
}

// SplitNames lists the splits of a dataset with how many traces each has, by name.
func (s *Store) SplitNames(ctx context.Context, v Viewer, datasetID string) (out []SplitCount, err error) {
	defer wrap(&err, "list split names of dataset %s", datasetID)
	if _, err := s.Dataset(ctx, v, datasetID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Table("splits s").
		Select("s.*, (SELECT count(*) FROM split_traces st WHERE st.split_id = s.id) AS traces").
		Where("s.dataset_id = ?", datasetID).Order("s.name").Scan(&out).Error
	return out, err
}
