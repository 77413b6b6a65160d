package models

import (
	"cmp"
	"context"
	"slices"
	"time"

	"gorm.io/gorm"
)

// The methods of shards are called by workers, which act for the system and not
// for a viewer: what they may touch was decided when the experiment was made.

// ShardWork is a shard with what a worker needs to perform it.
type ShardWork struct {
	Shard      Shard
	Experiment Experiment
	Arms       map[string]Arm
	Items      []Item           // not yet done, in order
	Voted      map[string][]int // vote indices that are stored, by item id
}

// ClaimShard takes the lease of a shard for a worker until the given time. It
// answers ErrLeaseLost if the generation is outdated, another lease is alive or
// the experiment no longer runs: the job is then void.
func (s *Store) ClaimShard(ctx context.Context, ref ShardRef, owner string, until time.Time) (w ShardWork, err error) {
	defer wrap(&err, "claim shard %s", ref.ShardID)
	err = s.tx(ctx, func(tx *gorm.DB) error {
		if err := tx.Limit(1).Find(&w.Shard, "id = ? AND generation = ?", ref.ShardID, ref.Generation).Error; err != nil {
			return err
		}
		if w.Shard.ID == "" {
			return ErrLeaseLost
		}
		if err := lockExperiment(tx, w.Shard.ExperimentID); err != nil {
			return err
		}
		if err := tx.Take(&w.Experiment, "id = ?", w.Shard.ExperimentID).Error; err != nil {
			return err
		}
		if w.Experiment.State != StateRunning {
			return ErrLeaseLost
		}
		at := stamp(until)
		up := tx.Model(&Shard{}).
			Where("id = ? AND generation = ? AND (state = ? OR (state = ? AND (owner = ? OR lease_until < ?)))",
				ref.ShardID, ref.Generation, ShardQueued, ShardLeased, owner, s.Now()).
			Updates(map[string]any{"state": ShardLeased, "owner": owner, "lease_until": &at})
		if up.Error != nil {
			return up.Error
		}
		if up.RowsAffected == 0 {
			return ErrLeaseLost
		}
		return s.loadWork(tx, &w)
	})
	return w, err
}

func (s *Store) loadWork(tx *gorm.DB, w *ShardWork) error {
	var arms []Arm
	if err := tx.Where("experiment_id = ?", w.Experiment.ID).Find(&arms).Error; err != nil {
		return err
	}
	w.Arms = make(map[string]Arm, len(arms))
	for _, a := range arms {
		w.Arms[a.ID] = a
	}
	// What a dead worker left running is open work again.
	if err := tx.Where("shard_id = ? AND state IN ?", w.Shard.ID, []string{ItemPending, ItemRunning}).Order("id").Find(&w.Items).Error; err != nil {
		return err
	}
	var voted []VoteRow
	if err := tx.Select("item_id", "idx").Where("item_id IN (SELECT id FROM items WHERE shard_id = ?)", w.Shard.ID).Find(&voted).Error; err != nil {
		return err
	}
	w.Voted = make(map[string][]int)
	for _, x := range voted {
		w.Voted[x.ItemID] = append(w.Voted[x.ItemID], x.Idx)
	}
	return nil
}

// KeepShards extends the leases of a worker's shards and returns the shards that
// the worker must stop asking for: their experiment no longer runs, or another
// worker has taken them over.
func (s *Store) KeepShards(ctx context.Context, owner string, shardIDs []string, until time.Time) (stop map[string]bool, err error) {
	defer wrap(&err, "keep %d leases", len(shardIDs))
	err = s.tx(ctx, func(tx *gorm.DB) error {
		at := stamp(until)
		if err := tx.Model(&Shard{}).Where("id IN ? AND owner = ? AND state = ?", shardIDs, owner, ShardLeased).
			Update("lease_until", &at).Error; err != nil {
			return err
		}
		var keep []string
		if err := tx.Table("shards sh").Joins("JOIN experiments e ON e.id = sh.experiment_id").
			Where("sh.id IN ? AND sh.owner = ? AND sh.state = ? AND e.state = ?", shardIDs, owner, ShardLeased, StateRunning).
			Pluck("sh.id", &keep).Error; err != nil {
			return err
		}
		stop = make(map[string]bool)
		for _, id := range shardIDs {
			stop[id] = !slices.Contains(keep, id)
		}
		return nil
	})
	return stop, err
}

// ReleaseShard ends a lease: the shard is done if no item and no episode is open,
// idle (to be resumed) otherwise, and the experiment is settled.
func (s *Store) ReleaseShard(ctx context.Context, ref ShardRef, owner string) (err error) {
	defer wrap(&err, "release shard %s", ref.ShardID)
	return s.tx(ctx, func(tx *gorm.DB) error {
		sh, open, err := heldShard(tx, ref, owner)
		if err != nil {
			return err
		}
		return s.release(tx, sh, open)
	})
}

// RequeueLost finds shards whose worker died (the lease ran out), and shards
// that wait although live says no job for them is waiting, and enqueues them
// anew under the next generation. Waiting shards younger than grace are left
// alone, and so are shards of owner, which asks and is therefore alive, however
// late its renewals are. It returns how many were enqueued.
func (s *Store) RequeueLost(ctx context.Context, owner string, grace time.Duration, live func(context.Context) (map[ShardRef]bool, error), enqueue Enqueue) (n int, err error) {
	defer wrap(&err, "requeue lost shards")
	now := s.Now()
	var lost, waiting []Shard
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
		for _, sh := range waiting {
			if !have[ShardRef{sh.ID, sh.Generation}] {
				lost = append(lost, sh)
			}
		}
	}
	if len(lost) == 0 {
		return 0, nil
	}
	// Every process locks experiments in the same order.
	slices.SortFunc(lost, func(a, b Shard) int { return cmp.Compare(a.ExperimentID, b.ExperimentID) })
	err = s.tx(ctx, func(tx *gorm.DB) error {
		var run []Shard
		for _, sh := range lost {
			if err := lockExperiment(tx, sh.ExperimentID); err != nil {
				return err
			}
			var e Experiment
			if err := tx.Take(&e, "id = ?", sh.ExperimentID).Error; err != nil {
				return err
			}
			var cur Shard
			if err := tx.Take(&cur, "id = ?", sh.ID).Error; err != nil {
				return err
			}
			if cur.Generation != sh.Generation || cur.State != sh.State || (cur.LeaseUntil != nil && !cur.LeaseUntil.Before(now)) {
				continue // somebody was quicker
			}
			if e.State == StateRunning {
				run = append(run, cur)
				continue
			}
			// A stop was asked for and the worker died before it could end.
			if err := tx.Model(&Shard{}).Where("id = ?", cur.ID).Updates(map[string]any{
				"state": ShardIdle, "owner": "", "lease_until": nil, "generation": cur.Generation + 1,
			}).Error; err != nil {
				return err
			}
			if err := s.settle(tx, e.ID); err != nil {
				return err
			}
		}
		refs, err := s.requeue(tx, run)
		if err != nil {
			return err
		}
		n = len(refs)
		if n == 0 {
			return nil
		}
		return enqueue(ctx, sqlTx(tx), refs)
	})
	return n, err
}
