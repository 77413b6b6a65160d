package models

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Like the methods of shards, those of this file are called by workers, which act
// for the system.

// EpisodeWork is a task of a shard with its candidates and the episodes on it that
// have not ended, each with the steps it has taken.
type EpisodeWork struct {
	Task       ControlTask
	Candidates []TraceRow // in order; the label is the one known now
	Episodes   []Episode
	Steps      map[string][]EpisodeStep // by episode id, in order
}

// ControlWork loads the open episodes of a shard, task by task.
func (s *Store) ControlWork(ctx context.Context, shardID string) (out []EpisodeWork, err error) {
	defer wrap(&err, "load the episodes of shard %s", shardID)
	db := s.read(ctx)
	var episodes []Episode
	err = db.Where("shard_id = ? AND state IN ?", shardID, []string{EpisodePending, EpisodeRunning}).Order("task_id, policy_idx").Find(&episodes).Error
	if err != nil || len(episodes) == 0 {
		return nil, err
	}
	var tasks []ControlTask
	if err := db.Where("shard_id = ?", shardID).Order("idx").Find(&tasks).Error; err != nil {
		return nil, err
	}
	for _, t := range tasks {
		w := EpisodeWork{Task: t, Steps: map[string][]EpisodeStep{}}
		for _, e := range episodes {
			if e.TaskID == t.ID {
				w.Episodes = append(w.Episodes, e)
			}
		}
		if len(w.Episodes) == 0 {
			continue
		}
		err := db.Table("traces t").Select("t.*").Joins("JOIN control_candidates c ON c.trace_id = t.id").
			Where("c.task_id = ?", t.ID).Order("c.idx").Scan(&w.Candidates).Error
		if err != nil {
			return nil, err
		}
		var steps []EpisodeStep
		err = db.Where("episode_id IN (SELECT id FROM episodes WHERE task_id = ?)", t.ID).Order("episode_id, idx").Find(&steps).Error
		if err != nil {
			return nil, err
		}
		for _, x := range steps {
			w.Steps[x.EpisodeID] = append(w.Steps[x.EpisodeID], x)
		}
		out = append(out, w)
	}
	return out, nil
}

// TakeStep commits a step of an episode and the episode as it is after it, in one
// transaction. A step whose index is stored already is dropped, since another
// worker was quicker: kept is false then and nothing is changed.
func (s *Store) TakeStep(ctx context.Context, e Episode, step EpisodeStep) (kept bool, err error) {
	defer wrap(&err, "take step %d of episode %s", step.Idx, e.ID)
	step.Reason, step.Note, step.CreatedAt = Clean(step.Reason), Clean(step.Note), s.Now()
	err = s.tx(ctx, func(tx *gorm.DB) error {
		ins := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&step)
		if ins.Error != nil || ins.RowsAffected == 0 {
			return ins.Error
		}
		kept = true
		return s.saveEpisode(tx, e)
	})
	return kept, err
}

// EndEpisode commits an end that is no step: censored, unreplayable, or an error
// that resuming may mend.
func (s *Store) EndEpisode(ctx context.Context, e Episode) (err error) {
	defer wrap(&err, "end episode %s", e.ID)
	return s.tx(ctx, func(tx *gorm.DB) error { return s.saveEpisode(tx, e) })
}

// saveEpisode never takes an ended episode back.
func (s *Store) saveEpisode(tx *gorm.DB, e Episode) error {
	return tx.Model(&Episode{}).Where("id = ? AND state <> ?", e.ID, EpisodeDone).Updates(map[string]any{
		"state": e.State, "status": e.Status, "why": Clean(e.Why), "steps": e.Steps, "belief": e.Belief, "cost": e.Cost,
		"reward": e.Reward, "solved": e.Solved, "updated_at": s.Now(),
	}).Error
}

// OpenItem returns the item of an arm on a trace, making it if there is none, with
// the indices of its votes. Policies that ask the same reviewer about the same
// candidate share the item and so the votes.
func (s *Store) OpenItem(ctx context.Context, experimentID, armID, traceID, shardID string) (it Item, voted []int, err error) {
	defer wrap(&err, "open the item of arm %s on trace %s", armID, traceID)
	err = s.tx(ctx, func(tx *gorm.DB) error {
		row := Item{
			ID: s.newID("it"), ExperimentID: experimentID, ArmID: armID, TraceID: traceID, ShardID: shardID,
			State: ItemPending, UpdatedAt: s.Now(),
		}
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error; err != nil {
			return err
		}
		if err := tx.Take(&it, "arm_id = ? AND trace_id = ?", armID, traceID).Error; err != nil {
			return err
		}
		return tx.Model(&VoteRow{}).Where("item_id = ?", it.ID).Order("idx").Pluck("idx", &voted).Error
	})
	return it, voted, err
}

// ItemAnswer is what came of asking: the item and, if it is done, its decision.
func (s *Store) ItemAnswer(ctx context.Context, itemID string) (it Item, d Decision, err error) {
	defer wrap(&err, "read the answer of item %s", itemID)
	if err := s.read(ctx).Take(&it, "id = ?", itemID).Error; err != nil {
		return it, d, err
	}
	err = s.read(ctx).Limit(1).Find(&d, "item_id = ?", itemID).Error
	return it, d, err
}

// VotesAsked counts the votes of an experiment, and sums what they cost; unknown
// tells how many have no known cost.
func (s *Store) VotesAsked(ctx context.Context, experimentID string) (votes, unknown int, usd float64, err error) {
	defer wrap(&err, "count the votes of experiment %s", experimentID)
	var row struct {
		N, Unknown int
		USD        float64 `gorm:"column:usd"`
	}
	err = s.read(ctx).Table("votes").Select(`count(*) AS n, sum(CASE WHEN cost_usd IS NULL THEN 1 ELSE 0 END) AS unknown,
		coalesce(sum(cost_usd), 0) AS usd`).Where("experiment_id = ?", experimentID).Scan(&row).Error
	return row.N, row.Unknown, row.USD, err
}

// HaltExperiment asks a running experiment to stop on behalf of the system, as a
// spent budget does. It is nothing to stop what has ended.
func (s *Store) HaltExperiment(ctx context.Context, id string) (err error) {
	defer wrap(&err, "halt experiment %s", id)
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := lockExperiment(tx, id); err != nil {
			return err
		}
		if err := tx.Model(&Experiment{}).Where("id = ? AND state = ?", id, StateRunning).Update("state", StateStopping).Error; err != nil {
			return err
		}
		if err := tx.Model(&Shard{}).Where("experiment_id = ? AND state = ?", id, ShardQueued).Update("state", ShardIdle).Error; err != nil {
			return err
		}
		return s.settle(tx, id)
	})
}

// SetConfig replaces the configuration of a control experiment that has stopped,
// as raising its budget does.
func (s *Store) SetConfig(ctx context.Context, v Viewer, id, config string) (err error) {
	defer wrap(&err, "change the configuration of experiment %s", id)
	if err := s.editExperiment(ctx, v, id); err != nil {
		return err
	}
	return s.tx(ctx, func(tx *gorm.DB) error {
		up := tx.Model(&Experiment{}).Where("id = ? AND kind = ? AND state IN ?", id, KindControl, []string{StateStopped, StateDone}).
			Update("config", Clean(config))
		if up.Error == nil && up.RowsAffected == 0 {
			return ErrConflict
		}
		return up.Error
	})
}
