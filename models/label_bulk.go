package models

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"plumbline/experiments/trace"
)

// BulkLabel gives one label to every trace that a filter selects.
type BulkLabel struct {
	Filter TraceFilter
	Label  trace.Label
	Bucket trace.Bucket
	Reason string // required
	// Expect is how many traces the author was told that the filter selects. If it
	// selects another number by now, nothing is changed.
	Expect int64
}

// BulkDone says what a bulk change did.
type BulkDone struct {
	Selected int
	Changed  int // the others had label and bucket already and keep their source
}

// LabelBefore counts traces by the label they have and where it comes from.
type LabelBefore struct {
	Label  string
	Bucket string
	Source string
	N      int
}

// LabelsBefore counts the labels of what a filter selects, for the author of a bulk
// change to see what it would overwrite.
func (s *Store) LabelsBefore(ctx context.Context, v Viewer, f TraceFilter) (out []LabelBefore, err error) {
	defer wrap(&err, "count labels of dataset %s", f.DatasetID)
	if _, err := s.Dataset(ctx, v, f.DatasetID); err != nil {
		return nil, err
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	const by = "t.label, t.bucket, t.label_source"
	err = f.apply(s.read(ctx).Table(s.tracesBy("traces_by_filter")).Select("t.label, t.bucket, t.label_source AS source, count(*) AS n")).
		Group(by).Order("n DESC, " + by).Scan(&out).Error
	return out, err
}

// bulkBatch is how many traces one statement of a bulk change touches.
const bulkBatch = 500

// LabelTraces changes the label of every trace that a filter selects by hand, all
// of them or none. Each changed trace keeps its old value in its history, with
// author, time and reason.
func (s *Store) LabelTraces(ctx context.Context, v Viewer, b BulkLabel) (done BulkDone, err error) {
	defer wrap(&err, "label traces of dataset %s", b.Filter.DatasetID)
	d, err := s.Dataset(ctx, v, b.Filter.DatasetID)
	if err != nil {
		return done, err
	}
	if err := v.mayEdit(d.ProjectID); err != nil {
		return done, err
	}
	if err := b.Filter.check(); err != nil {
		return done, err
	}
	c := LabelChange{Label: b.Label, Bucket: b.Bucket, Source: trace.Manual, Reason: b.Reason}
	if err := c.check(); err != nil {
		return done, err
	}
	err = s.tx(ctx, func(tx *gorm.DB) error {
		done = BulkDone{}
		now, last := s.Now(), ""
		for {
			var part []TraceRow
			q := b.Filter.apply(tx.Table("traces t").Select("t.id, t.label, t.bucket")).Where("t.id > ?", last)
			if err := q.Order("t.id").Limit(bulkBatch).Scan(&part).Error; err != nil {
				return err
			}
			if len(part) == 0 {
				break
			}
			last = part[len(part)-1].ID
			done.Selected += len(part)
			n, err := s.labelMany(tx, v.Name, now, part, c)
			if err != nil {
				return err
			}
			done.Changed += n
		}
		if int64(done.Selected) != b.Expect {
			return Invalid("filter", fmt.Sprintf("the filter selects %d traces now, not the %d you were shown: look again", done.Selected, b.Expect))
		}
		return nil
	})
	return done, err
}

// labelMany changes the labels of traces that have another one.
func (s *Store) labelMany(tx *gorm.DB, author string, at time.Time, rows []TraceRow, c LabelChange) (int, error) {
	var events []LabelEvent
	var ids []string
	for _, r := range rows {
		if r.Label == string(c.Label) && r.Bucket == string(c.Bucket) {
			continue
		}
		ids = append(ids, r.ID)
		events = append(events, LabelEvent{
			ID: s.newID("le"), TraceID: r.ID, Label: string(c.Label), Bucket: string(c.Bucket), Source: string(c.Source),
			Reason: Clean(c.Reason), Author: author, OldLabel: r.Label, OldBucket: r.Bucket, CreatedAt: at,
		})
	}
	if len(ids) == 0 {
		return 0, nil
	}
	if err := tx.CreateInBatches(events, bulkBatch).Error; err != nil {
		return 0, err
	}
	err := tx.Model(&TraceRow{}).Where("id IN ?", ids).Updates(map[string]any{
		"label": string(c.Label), "bucket": string(c.Bucket), "label_source": string(c.Source),
	}).Error
	if err != nil {
		return 0, err
	}
	return len(ids), tx.Model(&Decision{}).Where("trace_id IN ?", ids).Update("label", string(c.Label)).Error
}
