package models

import (
	"context"
	"database/sql"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// LabelTaskRef names a task at a generation, which is what a queued job carries.
type LabelTaskRef struct {
	TaskID     string
	Generation int
}

// EnqueueLabels puts jobs for tasks into the queue inside the given transaction.
type EnqueueLabels func(ctx context.Context, tx *sql.Tx, tasks []LabelTaskRef) error

// LabelRunDraft is what is needed to start a label run. Settings is JSON.
type LabelRunDraft struct {
	DatasetID   string
	SplitID     string // empty: all traces of the dataset
	Settings    string
	Backend     string
	Unsandboxed bool
	Rounds      int
}

// StartLabelRun stores a run with a task for each instance that has a trace in it,
// and queues the tasks, all in one transaction. It answers ErrConflict while
// another run labels the dataset.
func (s *Store) StartLabelRun(ctx context.Context, v Viewer, d LabelRunDraft, enqueue EnqueueLabels) (run LabelRun, err error) {
	defer wrap(&err, "start a label run of dataset %s", d.DatasetID)
	ds, err := s.Dataset(ctx, v, d.DatasetID)
	if err != nil {
		return run, err
	}
	if err := v.mayEdit(ds.ProjectID); err != nil {
		return run, err
	}
	err = s.tx(ctx, func(tx *gorm.DB) error {
		if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Select("id").Take(&Dataset{}, "id = ?", d.DatasetID).Error; err != nil {
			return err
		}
		var active int64
		if err := tx.Model(&LabelRun{}).Where("dataset_id = ? AND state IN ?", d.DatasetID, []string{StateRunning, StateStopping}).Count(&active).Error; err != nil {
			return err
		}
		if active > 0 {
			return ErrConflict
		}
		ids, err := traceIDs(tx, d.DatasetID, d.SplitID)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			return Invalid("split", "there is no trace in it: import some, or choose another split")
		}
		run = LabelRun{
			ID: s.newID("lr"), DatasetID: d.DatasetID, State: StateRunning, Settings: Clean(d.Settings), Backend: d.Backend,
			Unsandboxed: d.Unsandboxed, Rounds: d.Rounds, TraceTotal: len(ids), CreatedBy: v.Name, CreatedAt: s.Now(),
		}
		if d.SplitID != "" {
			run.SplitID = &d.SplitID
		}
		tasks, err := s.labelTasks(tx, run)
		if err != nil {
			return err
		}
		run.TaskTotal = len(tasks)
		if err := tx.Create(&run).Error; err != nil {
			return err
		}
		if err := tx.CreateInBatches(&tasks, 500).Error; err != nil {
			return err
		}
		refs := make([]LabelTaskRef, len(tasks))
		for i, t := range tasks {
			refs[i] = LabelTaskRef{t.ID, t.Generation}
		}
		return enqueue(ctx, sqlTx(tx), refs)
	})
	return run, err
}

func (s *Store) labelTasks(tx *gorm.DB, run LabelRun) ([]LabelTask, error) {
	q := tx.Table("traces t").Where("t.dataset_id = ?", run.DatasetID).Group("t.instance_row").Order("min(t.id)")
	if run.SplitID != nil {
		q = q.Joins("JOIN split_traces st ON st.trace_id = t.id").Where("st.split_id = ?", *run.SplitID)
	}
	var rows []string
	if err := q.Pluck("t.instance_row", &rows).Error; err != nil {
		return nil, err
	}
	tasks := make([]LabelTask, len(rows))
	for i, row := range rows {
		tasks[i] = LabelTask{ID: s.newID("lt"), RunID: run.ID, InstanceRow: row, State: ShardQueued, Generation: 1, QueuedAt: s.Now()}
	}
	return tasks, nil
}

// StopLabelRun lets what runs end and starts no more.
func (s *Store) StopLabelRun(ctx context.Context, v Viewer, id string) (err error) {
	defer wrap(&err, "stop label run %s", id)
	if err := s.editLabelRun(ctx, v, id); err != nil {
		return err
	}
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := lockLabelRun(tx, id); err != nil {
			return err
		}
		up := tx.Model(&LabelRun{}).Where("id = ? AND state = ?", id, StateRunning).Update("state", StateStopping)
		if up.Error != nil {
			return up.Error
		}
		if up.RowsAffected == 0 {
			return ErrConflict
		}
		if err := tx.Model(&LabelTask{}).Where("run_id = ? AND state = ?", id, ShardQueued).Update("state", ShardIdle).Error; err != nil {
			return err
		}
		return s.settleLabelRun(tx, id)
	})
}

// ResumeLabelRun goes on with the tasks that are not done. What was found out
// stays.
func (s *Store) ResumeLabelRun(ctx context.Context, v Viewer, id string, enqueue EnqueueLabels) (err error) {
	defer wrap(&err, "resume label run %s", id)
	if err := s.editLabelRun(ctx, v, id); err != nil {
		return err
	}
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := lockLabelRun(tx, id); err != nil {
			return err
		}
		up := tx.Model(&LabelRun{}).Where("id = ? AND state = ?", id, StateStopped).Updates(map[string]any{"state": StateRunning, "finished_at": nil})
		if up.Error != nil {
			return up.Error
		}
		if up.RowsAffected == 0 {
			return ErrConflict
		}
		var idle []LabelTask
		if err := tx.Where("run_id = ? AND state = ?", id, ShardIdle).Order("id").Find(&idle).Error; err != nil {
			return err
		}
		refs, err := s.requeueLabels(tx, idle)
		if err != nil {
			return err
		}
		return enqueue(ctx, sqlTx(tx), refs)
	})
}

// requeueLabels queues tasks under the next generation, which makes older jobs void.
func (s *Store) requeueLabels(tx *gorm.DB, tasks []LabelTask) ([]LabelTaskRef, error) {
	refs := make([]LabelTaskRef, 0, len(tasks))
	for _, t := range tasks {
		up := tx.Model(&LabelTask{}).Where("id = ? AND generation = ?", t.ID, t.Generation).Updates(map[string]any{
			"state": ShardQueued, "generation": t.Generation + 1, "owner": "", "lease_until": nil, "queued_at": s.Now(),
		})
		if up.Error != nil {
			return nil, up.Error
		}
		if up.RowsAffected == 1 {
			refs = append(refs, LabelTaskRef{t.ID, t.Generation + 1})
		}
	}
	return refs, nil
}

// lockLabelRun makes the transactions that change a run's tasks or state wait for
// each other, so that one of two that end at once sees that nothing is left.
func lockLabelRun(tx *gorm.DB, id string) error {
	return tx.Clauses(clause.Locking{Strength: "UPDATE"}).Select("id").Take(&LabelRun{}, "id = ?", id).Error
}

// settleLabelRun ends a run once no task is queued or leased. The caller holds the
// run's lock.
func (s *Store) settleLabelRun(tx *gorm.DB, id string) error {
	var busy, open int64
	if err := tx.Model(&LabelTask{}).Where("run_id = ? AND state IN ?", id, []string{ShardQueued, ShardLeased}).Count(&busy).Error; err != nil || busy > 0 {
		return err
	}
	if err := tx.Model(&LabelTask{}).Where("run_id = ? AND state <> ?", id, ShardDone).Count(&open).Error; err != nil {
		return err
	}
	state := StateDone
	if open > 0 {
		state = StateStopped
	}
	now := s.Now()
	return tx.Model(&LabelRun{}).Where("id = ? AND state IN ?", id, []string{StateRunning, StateStopping}).
		Updates(map[string]any{"state": state, "finished_at": &now}).Error
}

func (s *Store) editLabelRun(ctx context.Context, v Viewer, id string) error {
	run, err := s.LabelRun(ctx, v, id)
	if err != nil {
		return err
	}
	d, err := s.Dataset(ctx, v, run.DatasetID)
	if err != nil {
		return err
	}
	return v.mayEdit(d.ProjectID)
}
