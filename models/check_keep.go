package models

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"plumbline/experiments/trace"
)

// Execution is a run of the official tests with its texts, for keeping.
type Execution struct {
	LabelExecution
	LabelExecutionText
}

// KeepLabelInstance stores what a run found out about an instance, with its
// executions. Storing again replaces it.
func (s *Store) KeepLabelInstance(ctx context.Context, in LabelInstance, all []Execution) (err error) {
	defer wrap(&err, "keep the check of instance %s", in.InstanceRow)
	in.CreatedAt, in.Reason, in.Notes, in.LeftOut = s.Now(), Clean(in.Reason), Clean(in.Notes), Clean(in.LeftOut)
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(&in).Error; err != nil {
			return err
		}
		if err := tx.Where("run_id = ? AND instance_row = ? AND trace_id IS NULL", in.RunID, in.InstanceRow).Delete(&LabelExecution{}).Error; err != nil {
			return err
		}
		return s.keepExecutions(tx, in.RunID, in.InstanceRow, nil, all)
	})
}

func (s *Store) keepExecutions(tx *gorm.DB, runID, instanceRow string, traceID *string, all []Execution) error {
	for _, e := range all {
		x, t := e.LabelExecution, e.LabelExecutionText
		x.ID, x.RunID, x.InstanceRow, x.TraceID, x.CreatedAt, x.Detail = s.newID("lx"), runID, instanceRow, traceID, s.Now(), Clean(x.Detail)
		t.ExecutionID, t.Command, t.Stdout, t.Stderr, t.Tests, t.Notes = x.ID, Clean(t.Command), Clean(t.Stdout), Clean(t.Stderr), Clean(t.Tests), Clean(t.Notes)
		if err := tx.Create(&x).Error; err != nil {
			return err
		}
		if err := tx.Create(&t).Error; err != nil {
			return err
		}
	}
	return nil
}

// KeepLabelResult stores what a run found out about a trace, with its executions,
// and makes it the trace's label if it gives one, in one transaction. A label that
// a person gave stays and the result says so. A second result of a run for a trace
// is dropped.
func (s *Store) KeepLabelResult(ctx context.Context, v Viewer, r LabelResult, counts *trace.TestCounts, all []Execution) (err error) {
	defer wrap(&err, "keep the check of trace %s", r.TraceID)
	r.CreatedAt, r.Reason, r.Applied = s.Now(), Clean(r.Reason), Clean(r.Applied)
	if counts != nil {
		c := *counts
		r.F2POK, r.F2PAll, r.P2POK, r.P2PAll = &c.FailToPassOK, &c.FailToPassAll, &c.PassToPassOK, &c.PassToPassAll
	}
	return s.tx(ctx, func(tx *gorm.DB) error {
		var old TraceRow
		if err := tx.Take(&old, "id = ?", r.TraceID).Error; err != nil {
			return err
		}
		r.InstanceRow, r.OldLabel, r.OldSource = old.InstanceRow, old.Label, old.LabelSource
		gives := r.Label == string(trace.Acceptable) || r.Label == string(trace.Defective)
		switch {
		case !gives:
			r.Label, r.Bucket, r.Kept = string(trace.Unknown), "", "the check gives no label"
		case old.LabelSource == string(trace.Manual):
			r.Kept = "a person gave the label"
		}
		first := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&r)
		if first.Error != nil || first.RowsAffected == 0 {
			return first.Error
		}
		if err := s.keepExecutions(tx, r.RunID, r.InstanceRow, &r.TraceID, all); err != nil {
			return err
		}
		if r.Kept != "" {
			return nil
		}
		if counts != nil {
			if err := tx.Model(&TraceRow{}).Where("id = ?", r.TraceID).Updates(map[string]any{
				"tests_known": true, "tests_applied": counts.Applied, "f2p_ok": counts.FailToPassOK, "f2p_all": counts.FailToPassAll,
				"p2p_ok": counts.PassToPassOK, "p2p_all": counts.PassToPassAll,
			}).Error; err != nil {
				return err
			}
		}
		return s.setLabel(tx, v.Name, LabelChange{
			TraceID: r.TraceID, Label: trace.Label(r.Label), Bucket: trace.Bucket(r.Bucket), Source: trace.Execution, Reason: r.Reason,
		})
	})
}
