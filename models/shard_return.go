package models

import (
	"context"
	"errors"

	"gorm.io/gorm"
)

// ReturnShard gives a lease back before the work is done, as a worker that shuts
// down does: the shard is queued anew under the next generation if it has open
// items or episodes and its experiment still runs, and released otherwise. It is
// nothing to return a shard that somebody else has taken over.
func (s *Store) ReturnShard(ctx context.Context, ref ShardRef, owner string, enqueue Enqueue) (err error) {
	defer wrap(&err, "return shard %s", ref.ShardID)
	err = s.tx(ctx, func(tx *gorm.DB) error {
		sh, open, err := heldShard(tx, ref, owner)
		if err != nil {
			return err
		}
		var e Experiment
		if err := tx.Take(&e, "id = ?", sh.ExperimentID).Error; err != nil {
			return err
		}
		if open == 0 || e.State != StateRunning {
			return s.release(tx, sh, open)
		}
		refs, err := s.requeue(tx, []Shard{sh})
		if err != nil {
			return err
		}
		return enqueue(ctx, sqlTx(tx), refs)
	})
	if errors.Is(err, ErrLeaseLost) {
		return nil
	}
	return err
}

// heldShard loads a shard that a worker holds, with the count of its open work, and
// locks its experiment. Whether it is still held is looked up under the lock, since
// another worker may take it over while this one waits.
func heldShard(tx *gorm.DB, ref ShardRef, owner string) (sh Shard, open int64, err error) {
	held := func() error {
		sh = Shard{}
		err := tx.Limit(1).Find(&sh, "id = ? AND generation = ? AND owner = ?", ref.ShardID, ref.Generation, owner).Error
		if err == nil && sh.ID == "" {
			return ErrLeaseLost
		}
		return err
	}
	if err := held(); err != nil {
		return sh, 0, err
	}
	if err := lockExperiment(tx, sh.ExperimentID); err != nil {
		return sh, 0, err
	}
	if err := held(); err != nil {
		return sh, 0, err
	}
	open, err = openWork(tx, "shard_id", sh.ID)
	return sh, open, err
}

// release ends the lease of a held shard with this much open work.
func (s *Store) release(tx *gorm.DB, sh Shard, open int64) error {
	state := ShardDone
	if open > 0 {
		state = ShardIdle
	}
	if err := tx.Model(&Shard{}).Where("id = ?", sh.ID).Updates(map[string]any{"state": state, "owner": "", "lease_until": nil}).Error; err != nil {
		return err
	}
	return s.settle(tx, sh.ExperimentID)
}
