package models

import (
	"cmp"
	"context"
	"slices"
	"time"

	"gorm.io/gorm"
)

// The methods of tasks are called by workers, which act for the system and not for
// a viewer: what they may touch was decided when the run was made.

// LabelWork is a task with what a worker needs to perform it.
type LabelWork struct {
	Task     LabelTask
	Run      LabelRun
	Bundled  bool           // the dataset is the project's own cases
	Instance *LabelInstance // nil: not checked yet
	Traces   []string       // ids without a result, in order
}

// ClaimLabelTask takes the lease of a task for a worker until the given time. It
// answers ErrLeaseLost if the generation is outdated, another lease is alive or the
// run was stopped: the job is then void.
func (s *Store) ClaimLabelTask(ctx context.Context, ref LabelTaskRef, owner string, until time.Time) (w LabelWork, err error) {
	defer wrap(&err, "claim label task %s", ref.TaskID)
	err = s.tx(ctx, func(tx *gorm.DB) error {
		if err := tx.Limit(1).Find(&w.Task, "id = ? AND generation = ?", ref.TaskID, ref.Generation).Error; err != nil {
			return err
		}
		if w.Task.ID == "" {
			return ErrLeaseLost
		}
		if err := lockLabelRun(tx, w.Task.RunID); err != nil {
			return err
		}
		if err := tx.Take(&w.Run, "id = ?", w.Task.RunID).Error; err != nil {
			return err
		}
		if w.Run.State != StateRunning {
			return ErrLeaseLost
		}
		at := stamp(until)
		up := tx.Model(&LabelTask{}).
			Where("id = ? AND generation = ? AND (state = ? OR (state = ? AND (owner = ? OR lease_until < ?)))",
				ref.TaskID, ref.Generation, ShardQueued, ShardLeased, owner, s.Now()).
			Updates(map[string]any{"state": ShardLeased, "owner": owner, "lease_until": &at})
		if up.Error != nil {
			return up.Error
		}
		if up.RowsAffected == 0 {
			return ErrLeaseLost
		}
		return s.loadLabelWork(tx, &w)
	})
	return w, err
}

func (s *Store) loadLabelWork(tx *gorm.DB, w *LabelWork) error {
	var d Dataset
	if err := tx.Take(&d, "id = ?", w.Run.DatasetID).Error; err != nil {
		return err
	}
	w.Bundled = d.Bundled
	var in LabelInstance
	if err := tx.Limit(1).Find(&in, "run_id = ? AND instance_row = ?", w.Run.ID, w.Task.InstanceRow).Error; err != nil {
		return err
	}
	if in.RunID != "" {
		w.Instance = &in
	}
	q := tx.Table("traces t").Where("t.instance_row = ?", w.Task.InstanceRow).
		Where("NOT EXISTS (SELECT 1 FROM label_results r WHERE r.run_id = ? AND r.trace_id = t.id)", w.Run.ID).Order("t.id")
	if w.Run.SplitID != nil {
		q = q.Joins("JOIN split_traces st ON st.trace_id = t.id").Where("st.split_id = ?", *w.Run.SplitID)
	}
	return q.Pluck("t.id", &w.Traces).Error
}

// KeepLabelTask extends a lease and reports whether the worker may go on: another
// worker may have taken the task over, or the run was stopped.
func (s *Store) KeepLabelTask(ctx context.Context, taskID, owner string, until time.Time) (ok bool, err error) {
	defer wrap(&err, "keep the lease of label task %s", taskID)
	err = s.tx(ctx, func(tx *gorm.DB) error {
		at := stamp(until)
		if err := tx.Model(&LabelTask{}).Where("id = ? AND owner = ? AND state = ?", taskID, owner, ShardLeased).Update("lease_until", &at).Error; err != nil {
			return err
		}
		var n int64
		err := tx.Table("label_tasks t").Joins("JOIN label_runs r ON r.id = t.run_id").
			Where("t.id = ? AND t.owner = ? AND t.state = ? AND r.state = ?", taskID, owner, ShardLeased, StateRunning).Count(&n).Error
		ok = n == 1
		return err
	})
	return ok, err
}

// ReleaseLabelTask ends a lease: done if nothing is left of the task, idle, to be
// resumed, otherwise. message says why it could not be ended.
func (s *Store) ReleaseLabelTask(ctx context.Context, ref LabelTaskRef, owner string, done bool, message string) (err error) {
	defer wrap(&err, "release label task %s", ref.TaskID)
	return s.tx(ctx, func(tx *gorm.DB) error {
		t, err := heldLabelTask(tx, ref, owner)
		if err != nil {
			return err
		}
		state := ShardIdle
		if done {
			state = ShardDone
		}
		if err := tx.Model(&LabelTask{}).Where("id = ?", t.ID).
			Updates(map[string]any{"state": state, "owner": "", "lease_until": nil, "error_message": Clean(message)}).Error; err != nil {
			return err
		}
		return s.settleLabelRun(tx, t.RunID)
	})
}

// ReturnLabelTask gives a lease back before the work is done, as a worker that
// shuts down does: the task is queued anew if its run still runs.
func (s *Store) ReturnLabelTask(ctx context.Context, ref LabelTaskRef, owner string, enqueue EnqueueLabels) (err error) {
	defer wrap(&err, "return label task %s", ref.TaskID)
	return s.tx(ctx, func(tx *gorm.DB) error {
		t, err := heldLabelTask(tx, ref, owner)
		if err != nil {
			return err
		}
		var run LabelRun
		if err := tx.Take(&run, "id = ?", t.RunID).Error; err != nil {
			return err
		}
		if run.State != StateRunning {
			if err := tx.Model(&LabelTask{}).Where("id = ?", t.ID).Updates(map[string]any{"state": ShardIdle, "owner": "", "lease_until": nil}).Error; err != nil {
				return err
			}
			return s.settleLabelRun(tx, t.RunID)
		}
		refs, err := s.requeueLabels(tx, []LabelTask{t})
		if err != nil {
			return err
		}
		return enqueue(ctx, sqlTx(tx), refs)
	})
}

// heldLabelTask loads a task that a worker holds and locks its run.
func heldLabelTask(tx *gorm.DB, ref LabelTaskRef, owner string) (t LabelTask, err error) {
	if err := tx.Limit(1).Find(&t, "id = ? AND generation = ? AND owner = ?", ref.TaskID, ref.Generation, owner).Error; err != nil {
		return t, err
	}
	if t.ID == "" {
		return t, ErrLeaseLost
	}
	return t, lockLabelRun(tx, t.RunID)
}

// RequeueLostLabels queues anew the tasks whose worker died, and those that wait
// although live says that no job for them is waiting. It returns how many.
func (s *Store) RequeueLostLabels(ctx context.Context, owner string, grace time.Duration, live func(context.Context) (map[LabelTaskRef]bool, error), enqueue EnqueueLabels) (n int, err error) {
	defer wrap(&err, "requeue lost label tasks")
	now := s.Now()
	var lost, waiting []LabelTask
	if err := s.read(ctx).Where("state = ? AND lease_until < ? AND owner <> ?", ShardLeased, now, owner).Limit(1000).Find(&lost).Error; err != nil {
		return 0, err
	}
	if err := s.read(ctx).Where("state = ? AND queued_at < ?", ShardQueued, now.Add(-grace)).Limit(10000).Find(&waiting).Error; err != nil {
		return 0, err
	}
	if len(waiting) > 0 {
		have, err := live(ctx)
		if err != nil {
			return 0, err
		}
		for _, t := range waiting {
			if !have[LabelTaskRef{t.ID, t.Generation}] {
				lost = append(lost, t)
			}
		}
	}
	if len(lost) == 0 {
		return 0, nil
	}
	// Every process locks runs in the same order.
	slices.SortFunc(lost, func(a, b LabelTask) int { return cmp.Compare(a.RunID, b.RunID) })
	err = s.tx(ctx, func(tx *gorm.DB) error {
		run, err := s.lostLabels(tx, lost, now)
		if err != nil {
			return err
		}
		refs, err := s.requeueLabels(tx, run)
		if n = len(refs); err != nil || n == 0 {
			return err
		}
		return enqueue(ctx, sqlTx(tx), refs)
	})
	return n, err
}

// lostLabels looks at lost tasks once more under their run's lock; those of a run
// that was stopped become idle.
func (s *Store) lostLabels(tx *gorm.DB, lost []LabelTask, now time.Time) (run []LabelTask, err error) {
	for _, t := range lost {
		if err := lockLabelRun(tx, t.RunID); err != nil {
			return nil, err
		}
		var r LabelRun
		if err := tx.Take(&r, "id = ?", t.RunID).Error; err != nil {
			return nil, err
		}
		var cur LabelTask
		if err := tx.Take(&cur, "id = ?", t.ID).Error; err != nil {
			return nil, err
		}
		if cur.Generation != t.Generation || cur.State != t.State || (cur.LeaseUntil != nil && !cur.LeaseUntil.Before(now)) {
			continue // somebody was quicker
		}
		if r.State == StateRunning {
			run = append(run, cur)
			continue
		}
		if err := tx.Model(&LabelTask{}).Where("id = ?", cur.ID).Updates(map[string]any{
			"state": ShardIdle, "owner": "", "lease_until": nil, "generation": cur.Generation + 1,
		}).Error; err != nil {
			return nil, err
		}
		if err := s.settleLabelRun(tx, r.ID); err != nil {
			return nil, err
		}
	}
	return run, nil
}
