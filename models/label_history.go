package models

import (
	"context"
	"time"
)

// LabelBatch is a change of labels of a dataset: the traces that one author changed
// from one label to another at one time for one reason.
type LabelBatch struct {
	At        time.Time `gorm:"column:created_at"`
	Author    string
	Reason    string
	Source    string
	Label     string
	Bucket    string
	OldLabel  string
	OldBucket string
	N         int
}

// LabelHistory lists the latest changes of labels in a dataset, at most limit,
// newest first.
func (s *Store) LabelHistory(ctx context.Context, v Viewer, datasetID string, limit int) (out []LabelBatch, err error) {
	defer wrap(&err, "list label changes of dataset %s", datasetID)
	if _, err := s.Dataset(ctx, v, datasetID); err != nil {
		return nil, err
	}
	const by = "e.created_at, e.author, e.reason, e.source, e.label, e.bucket, e.old_label, e.old_bucket"
	err = s.read(ctx).Table("label_events e").Select(by+", count(*) AS n").Joins("JOIN traces t ON t.id = e.trace_id").
		Where("t.dataset_id = ?", datasetID).Group(by).Order("e.created_at DESC, n DESC, e.label, e.bucket, e.old_label, e.old_bucket").
		Limit(limit).Scan(&out).Error
	return out, err
}
