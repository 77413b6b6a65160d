package models

import (
	"context"

	"gorm.io/gorm"
)

// ReturnShard gives a lease back before the work is done, as a worker that shuts
// down does: the shard is queued anew under the next generation if it has open
// items and its experiment still runs, and released otherwise.
func (s *Store) ReturnShard(ctx context.Context, ref ShardRef, owner string, enqueue Enqueue) (err error) {
	defer wrap(&err, "return shard %s", ref.ShardID)
	queued := false
	err = s.tx(ctx, func(tx *gorm.DB) error {
		var sh Shard
		if err := tx.Limit(1).Find(&sh, "id = ? AND generation = ? AND owner = ?", ref.ShardID, ref.Generation, owner).Error; err != nil {
			return err
		}
		if sh.ID == "" {
			queued = true // somebody else has it already
			return nil
		}
		if err := lockExperiment(tx, sh.ExperimentID); err != nil {
			return err
		}
		var open int64
		if err := tx.Model(&Item{}).Where("shard_id = ? AND state IN ?", sh.ID, []string{ItemPending, ItemRunning}).Count(&open).Error; err != nil {
			return err
		}
		var e Experiment
		if err := tx.Take(&e, "id = ?", sh.ExperimentID).Error; err != nil {
			return err
		}
		if open == 0 || e.State != StateRunning {
			return nil
		}
		queued = true
		refs, err := s.requeue(tx, []Shard{sh})
		if err != nil {
			return err
		}
		return enqueue(ctx, sqlTx(tx), refs)
	})
	if err != nil || queued {
		return err
	}
	return s.ReleaseShard(ctx, ref, owner)
}
