package models

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// StopExperiment asks a running experiment to stop: no new call starts, calls in
// flight end and their votes are kept. Stopping what has ended is a conflict.
func (s *Store) StopExperiment(ctx context.Context, v Viewer, id string) (err error) {
	defer wrap(&err, "stop experiment %s", id)
	if err := s.editExperiment(ctx, v, id); err != nil {
		return err
	}
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := lockExperiment(tx, id); err != nil {
			return err
		}
		up := tx.Model(&Experiment{}).Where("id = ? AND state = ?", id, StateRunning).Update("state", StateStopping)
		if up.Error != nil {
			return up.Error
		}
		if up.RowsAffected == 0 {
			return ErrConflict
		}
		if err := tx.Model(&Shard{}).Where("experiment_id = ? AND state = ?", id, ShardQueued).Update("state", ShardIdle).Error; err != nil {
			return err
		}
		return s.settle(tx, id)
	})
}

// ResumeExperiment runs again what is missing or in error; finished items and
// stored votes are left alone.
func (s *Store) ResumeExperiment(ctx context.Context, v Viewer, id string, enqueue Enqueue) (err error) {
	defer wrap(&err, "resume experiment %s", id)
	if err := s.editExperiment(ctx, v, id); err != nil {
		return err
	}
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := lockExperiment(tx, id); err != nil {
			return err
		}
		up := tx.Model(&Experiment{}).Where("id = ? AND state IN ?", id, []string{StateStopped, StateDone}).
			Updates(map[string]any{"state": StateRunning, "finished_at": nil})
		if up.Error != nil {
			return up.Error
		}
		if up.RowsAffected == 0 {
			return ErrConflict
		}
		if err := tx.Model(&Item{}).Where("experiment_id = ? AND state IN ? AND "+asksItems, id, []string{ItemError, ItemRunning}).
			Updates(map[string]any{"state": ItemPending, "error_class": "", "error_message": "", "updated_at": s.Now()}).Error; err != nil {
			return err
		}
		if err := s.reopenEpisodes(tx, id); err != nil {
			return err
		}
		var shards []Shard
		if err := tx.Where(`experiment_id = ? AND (id IN (SELECT shard_id FROM items WHERE experiment_id = ? AND state = ? AND `+asksItems+`)
			OR id IN (SELECT shard_id FROM episodes WHERE experiment_id = ? AND state = ?))`, id, id, ItemPending, id, EpisodePending).
			Order("idx").Find(&shards).Error; err != nil {
			return err
		}
		refs, err := s.requeue(tx, shards)
		if err != nil {
			return err
		}
		if len(refs) == 0 {
			return s.settle(tx, id)
		}
		return enqueue(ctx, sqlTx(tx), refs)
	})
}

// requeue puts shards back into the queue under the next generation, which makes
// every older job for them void.
func (s *Store) requeue(tx *gorm.DB, shards []Shard) ([]ShardRef, error) {
	refs := make([]ShardRef, 0, len(shards))
	for _, sh := range shards {
		up := tx.Model(&Shard{}).Where("id = ? AND generation = ?", sh.ID, sh.Generation).Updates(map[string]any{
			"state": ShardQueued, "generation": sh.Generation + 1, "owner": "", "lease_until": nil, "queued_at": s.Now(),
		})
		if up.Error != nil {
			return nil, up.Error
		}
		if up.RowsAffected == 1 {
			refs = append(refs, ShardRef{sh.ID, sh.Generation + 1})
		}
	}
	return refs, nil
}

// lockExperiment makes the transactions that change an experiment's shards or
// state wait for each other. Without it two workers that release the last two
// shards at once each see the other's lease and nobody ends the experiment.
func lockExperiment(tx *gorm.DB, id string) error {
	var e Experiment
	return tx.Clauses(clause.Locking{Strength: "UPDATE"}).Select("id").Take(&e, "id = ?", id).Error
}

// settle moves an experiment to its end state once no shard is queued or leased.
// The caller holds the experiment's lock.
func (s *Store) settle(tx *gorm.DB, id string) error {
	var busy int64
	if err := tx.Model(&Shard{}).Where("experiment_id = ? AND state IN ?", id, []string{ShardQueued, ShardLeased}).Count(&busy).Error; err != nil {
		return err
	}
	if busy > 0 {
		return nil
	}
	open, err := openWork(tx, "experiment_id", id)
	if err != nil {
		return err
	}
	state := StateDone
	if open > 0 {
		state = StateStopped
	}
	now := s.Now()
	return tx.Model(&Experiment{}).Where("id = ? AND state IN ?", id, []string{StateRunning, StateStopping}).
		Updates(map[string]any{"state": state, "finished_at": &now}).Error
}

func (s *Store) editExperiment(ctx context.Context, v Viewer, id string) error {
	e, err := s.Experiment(ctx, v, id)
	if err != nil {
		return err
	}
	if v.Share != "" {
		return ErrForbidden
	}
	return v.mayEdit(e.ProjectID)
}
