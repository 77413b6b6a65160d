package models

import (
	"context"
	"strings"

	"gorm.io/gorm"
)

// ControlTaskDraft is a task with its candidates in order.
type ControlTaskDraft struct {
	InstanceID string
	TaskGroup  string
	Fold       int
	TraceIDs   []string
}

// ControlDraft is what is needed to start a control experiment: arms are the
// reviewers that policies may ask. ShardSize is in tasks.
type ControlDraft struct {
	ExperimentDraft
	Policies []string
	Tasks    []ControlTaskDraft
}

// CreateControl stores a control experiment with its tasks, candidates, episodes
// and shards and enqueues the shards, all in one transaction. Items are made when
// they are asked for, by OpenItem. All episodes of a task are in one shard.
func (s *Store) CreateControl(ctx context.Context, v Viewer, d ControlDraft, enqueue Enqueue) (e Experiment, err error) {
	defer wrap(&err, "create control experiment %q", d.Name)
	ds, err := s.Dataset(ctx, v, d.DatasetID)
	if err != nil {
		return e, err
	}
	if err := v.mayEdit(ds.ProjectID); err != nil {
		return e, err
	}
	if strings.TrimSpace(d.Name) == "" {
		return e, Invalid("name", "give the experiment a name")
	}
	if len(d.Tasks) == 0 || len(d.Policies) == 0 {
		return e, Invalid("tasks", "there is no task to play, or no policy to play it with")
	}
	err = s.tx(ctx, func(tx *gorm.DB) error {
		var arms []Arm
		e, arms = s.newExperiment(ds, d.ExperimentDraft)
		e.ItemTotal = len(d.Tasks) * len(d.Policies)
		if err := tx.Create(&e).Error; err != nil {
			return err
		}
		if len(arms) > 0 {
			if err := tx.Create(&arms).Error; err != nil {
				return err
			}
		}
		refs, err := s.createEpisodes(tx, e, d)
		if err != nil {
			return err
		}
		return enqueue(ctx, sqlTx(tx), refs)
	})
	return e, err
}

func (s *Store) createEpisodes(tx *gorm.DB, e Experiment, d ControlDraft) ([]ShardRef, error) {
	size := d.ShardSize
	if size <= 0 {
		size = 5
	}
	shards := make([]Shard, (len(d.Tasks)+size-1)/size)
	refs := make([]ShardRef, len(shards))
	for i := range shards {
		shards[i] = Shard{ID: s.newID("sh"), ExperimentID: e.ID, Idx: i, State: ShardQueued, Generation: 1, QueuedAt: e.CreatedAt}
		refs[i] = ShardRef{shards[i].ID, 1}
	}
	var tasks []ControlTask
	var candidates []ControlCandidate
	var episodes []Episode
	for i, t := range d.Tasks {
		task := ControlTask{
			ID: s.newID("tk"), ExperimentID: e.ID, ShardID: shards[i/size].ID, Idx: i,
			InstanceID: t.InstanceID, TaskGroup: t.TaskGroup, Fold: t.Fold,
		}
		tasks = append(tasks, task)
		for j, id := range t.TraceIDs {
			candidates = append(candidates, ControlCandidate{TaskID: task.ID, Idx: j, TraceID: id})
		}
		for j, p := range d.Policies {
			episodes = append(episodes, Episode{
				ID: s.newID("ep"), ExperimentID: e.ID, TaskID: task.ID, ShardID: task.ShardID, PolicyIdx: j, Policy: p,
				State: EpisodePending, UpdatedAt: e.CreatedAt,
			})
		}
	}
	for _, rows := range []any{shards, tasks, candidates, episodes} {
		if err := tx.CreateInBatches(rows, 500).Error; err != nil {
			return nil, err
		}
	}
	return refs, nil
}
