package models

import (
	"context"
	"strings"

	"gorm.io/gorm"

	"plumbline/experiments/trace"
)

// LabelChange sets the label of a trace by hand or from an execution.
type LabelChange struct {
	TraceID string
	Label   trace.Label
	Bucket  trace.Bucket
	Source  trace.LabelSource
	Reason  string
}

// SetLabel changes a trace's label, keeps the old value with author, time and
// reason, and keeps the copies on decisions in step.
func (s *Store) SetLabel(ctx context.Context, v Viewer, c LabelChange) (err error) {
	defer wrap(&err, "label trace %s", c.TraceID)
	t, err := s.Trace(ctx, v, c.TraceID)
	if err != nil {
		return err
	}
	d, err := s.Dataset(ctx, v, t.DatasetID)
	if err != nil {
		return err
	}
	if err := v.mayEdit(d.ProjectID); err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	return s.tx(ctx, func(tx *gorm.DB) error { return s.setLabel(tx, v.Name, c) })
}

// check refuses a label that is none, and one by hand without a reason.
func (c LabelChange) check() error {
	switch {
	case c.Label != trace.Acceptable && c.Label != trace.Defective && c.Label != trace.Unknown:
		return Invalid("label", "choose acceptable, defective or unknown")
	case c.Label != trace.Defective && c.Bucket != trace.NoBucket:
		return Invalid("bucket", "only a defective trace has a bucket")
	case c.Source == trace.Manual && strings.TrimSpace(c.Reason) == "":
		return Invalid("reason", "say why, so that others can check it")
	}
	return nil
}

// setLabel changes a label that was found to be well-formed.
func (s *Store) setLabel(tx *gorm.DB, author string, c LabelChange) error {
	var old TraceRow
	if err := tx.Select("id", "label", "bucket").Take(&old, "id = ?", c.TraceID).Error; err != nil {
		return err
	}
	event := LabelEvent{
		ID: s.newID("le"), TraceID: c.TraceID, Label: string(c.Label), Bucket: string(c.Bucket), Source: string(c.Source),
		Reason: Clean(c.Reason), Author: author, OldLabel: old.Label, OldBucket: old.Bucket, CreatedAt: s.Now(),
	}
	if err := tx.Create(&event).Error; err != nil {
		return err
	}
	if err := tx.Model(&TraceRow{}).Where("id = ?", c.TraceID).Updates(map[string]any{
		"label": string(c.Label), "bucket": string(c.Bucket), "label_source": string(c.Source),
	}).Error; err != nil {
		return err
	}
	return relabel(tx, c.TraceID, string(c.Label))
}

// LabelEvents lists the changes of a trace's label, newest first.
func (s *Store) LabelEvents(ctx context.Context, v Viewer, traceID string) (out []LabelEvent, err error) {
	defer wrap(&err, "list label changes of trace %s", traceID)
	if _, err := s.Trace(ctx, v, traceID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Where("trace_id = ?", traceID).Order("created_at DESC, id DESC").Find(&out).Error
	return out, err
}
