package models

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"gorm.io/gorm"
)

// ArmDraft is a reviewer version under an evidence form.
type ArmDraft struct {
	ReviewerVersionID string
	ReviewerName      string
	Model             string
	Form              string
	Simulated         bool
}

// ExperimentDraft is what is needed to start an experiment. Config is the
// snapshot of its configuration as JSON.
type ExperimentDraft struct {
	DatasetID   string
	SplitID     string // empty: all traces of the dataset
	Name        string
	Kind        string
	Votes       int
	Seed        int64
	Config      string
	CodeVersion string
	Arms        []ArmDraft
	ShardSize   int // items a shard
}

// ShardRef names a shard at a generation, which is what a queued job carries.
type ShardRef struct {
	ShardID    string
	Generation int
}

// Enqueue puts jobs for shards into the queue inside the given transaction.
type Enqueue func(ctx context.Context, tx *sql.Tx, shards []ShardRef) error

// CreateExperiment stores an experiment with its arms, items and shards and
// enqueues the shards, all in one transaction: either everything is there and
// will run, or nothing is.
func (s *Store) CreateExperiment(ctx context.Context, v Viewer, d ExperimentDraft, enqueue Enqueue) (e Experiment, err error) {
	defer wrap(&err, "create experiment %q", d.Name)
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
	err = s.tx(ctx, func(tx *gorm.DB) error {
		e, err = s.createExperiment(ctx, tx, ds, d, enqueue)
		return err
	})
	return e, err
}

func (s *Store) createExperiment(ctx context.Context, tx *gorm.DB, ds Dataset, d ExperimentDraft, enqueue Enqueue) (Experiment, error) {
	var e Experiment
	ids, err := traceIDs(tx, d.DatasetID, d.SplitID)
	if err != nil {
		return e, err
	}
	if len(ids) == 0 {
		return e, Invalid("split", "there is no trace in it: import some, or choose another split")
	}
	var arms []Arm
	e, arms = s.newExperiment(ds, d)
	e.ItemTotal = len(ids) * len(d.Arms)
	if err := tx.Create(&e).Error; err != nil {
		return e, err
	}
	if err := tx.Create(&arms).Error; err != nil {
		return e, err
	}
	refs, err := s.createItems(tx, e, arms, ids, d.ShardSize)
	if err != nil {
		return e, err
	}
	return e, enqueue(ctx, sqlTx(tx), refs)
}

// newExperiment makes the rows of a running experiment and its arms.
func (s *Store) newExperiment(ds Dataset, d ExperimentDraft) (Experiment, []Arm) {
	now := s.Now()
	e := Experiment{
		ID: s.newID("ex"), ProjectID: ds.ProjectID, DatasetID: d.DatasetID, Name: Clean(d.Name), Kind: d.Kind,
		Votes: d.Votes, Seed: d.Seed, Config: Clean(d.Config), CodeVersion: d.CodeVersion, State: StateRunning,
		CreatedAt: now, StartedAt: &now,
	}
	if d.SplitID != "" {
		e.SplitID = &d.SplitID
	}
	arms := make([]Arm, len(d.Arms))
	for i, a := range d.Arms {
		arms[i] = Arm{
			ID: s.newID("ar"), ExperimentID: e.ID, Idx: i, ReviewerVersionID: a.ReviewerVersionID,
			ReviewerName: a.ReviewerName, Model: a.Model, Form: a.Form, Simulated: a.Simulated,
		}
		e.Simulated = e.Simulated || a.Simulated
	}
	return e, arms
}

// createItems lays the items out trace by trace, so that all arms of a trace are
// near each other in time and an interrupted experiment has few half-seen traces.
func (s *Store) createItems(tx *gorm.DB, e Experiment, arms []Arm, traceIDs []string, size int) ([]ShardRef, error) {
	if size <= 0 {
		size = 25
	}
	total := len(arms) * len(traceIDs)
	shards := make([]Shard, (total+size-1)/size)
	refs := make([]ShardRef, len(shards))
	for i := range shards {
		shards[i] = Shard{ID: s.newID("sh"), ExperimentID: e.ID, Idx: i, State: ShardQueued, Generation: 1, QueuedAt: e.CreatedAt}
		refs[i] = ShardRef{shards[i].ID, 1}
	}
	if err := tx.CreateInBatches(shards, 500).Error; err != nil {
		return nil, err
	}
	items := make([]Item, 0, total)
	for _, t := range traceIDs {
		for _, a := range arms {
			items = append(items, Item{
				ID: s.newID("it"), ExperimentID: e.ID, ArmID: a.ID, TraceID: t,
				ShardID: shards[len(items)/size].ID, State: ItemPending, UpdatedAt: e.CreatedAt,
			})
		}
	}
	return refs, tx.CreateInBatches(items, 500).Error
}

func traceIDs(tx *gorm.DB, datasetID, splitID string) (ids []string, err error) {
	q := tx.Table("traces t").Where("t.dataset_id = ?", datasetID).Order("t.id")
	if splitID != "" {
		var sp Split
		if err := tx.Take(&sp, "id = ? AND dataset_id = ?", splitID, datasetID).Error; err != nil {
			return nil, fmt.Errorf("split %s: %w", splitID, err)
		}
		q = q.Joins("JOIN split_traces st ON st.trace_id = t.id").Where("st.split_id = ?", splitID)
	}
	err = q.Pluck("t.id", &ids).Error
	return ids, err
}
