package runner

import (
	"context"
	"encoding/json"
	"fmt"

	"plumbline/experiments/evidence"
	"plumbline/models"
)

// controlShard is how many tasks a worker takes at a time.
const controlShard = 4

// LaunchControl stores a control experiment and queues its work.
func (r *Runner) LaunchControl(ctx context.Context, v models.Viewer, spec ControlSpec) (models.Experiment, error) {
	source, err := r.store.Experiment(ctx, v, spec.SourceID)
	if err != nil {
		return models.Experiment{}, err
	}
	recorded, err := r.RecordedOf(ctx, v, source.ID, spec.ByGenerator)
	if err != nil {
		return models.Experiment{}, err
	}
	study, err := NewStudy(&recorded, spec.Choice)
	if err != nil {
		return models.Experiment{}, models.Invalid("critic", err.Error())
	}
	if err := r.checkControl(ctx, v, &spec, source, study); err != nil {
		return models.Experiment{}, err
	}
	tasks, err := r.controlTasks(ctx, v, source.DatasetID, spec)
	if err != nil {
		return models.Experiment{}, err
	}
	if len(tasks) == 0 {
		return models.Experiment{}, models.Invalid("split", "there is no trace in it")
	}
	config := ControlConfig{
		SourceID: source.ID, Policies: spec.Policies, Ask: spec.Ask, ByGenerator: spec.ByGenerator, Regenerations: spec.Choice.Regenerations,
		Actions: spec.Choice.Actions, MaxVotes: spec.MaxVotes, MaxUSD: spec.MaxUSD, Costs: spec.Choice.Costs.Rule, KernelFor: spec.Choice.kernelRule(),
	}
	if config.Problems, config.FittedOn, err = study.problems(tasks); err != nil {
		return models.Experiment{}, err
	}
	launch, err := r.controlArms(ctx, v, source, study, &config)
	if err != nil {
		return models.Experiment{}, err
	}
	launch.Name, launch.Seed, launch.SplitID = spec.Name, spec.Seed, spec.SplitID
	arms, snapshot, err := r.resolve(ctx, v, source.ProjectID, launch)
	if err != nil {
		return models.Experiment{}, err
	}
	raw, err := json.Marshal(controlSnapshot{snapshot, config})
	if err != nil {
		return models.Experiment{}, fmt.Errorf("write the configuration: %w", err)
	}
	return r.store.CreateControl(ctx, v, models.ControlDraft{
		ExperimentDraft: models.ExperimentDraft{
			DatasetID: source.DatasetID, SplitID: spec.SplitID, Name: spec.Name, Kind: models.KindControl, Votes: source.Votes, Seed: spec.Seed,
			Config: string(raw), CodeVersion: r.version, Arms: arms, ShardSize: controlShard,
		},
		Policies: spec.Policies, Tasks: tasks,
	}, r.enqueue)
}

// controlArms takes the arms of the chosen critics from the source, with the
// settings that its votes were asked under.
func (r *Runner) controlArms(ctx context.Context, v models.Viewer, source models.Experiment, study *Study, config *ControlConfig) (LaunchSpec, error) {
	var snap Snapshot
	if err := json.Unmarshal([]byte(source.Config), &snap); err != nil {
		return LaunchSpec{}, fmt.Errorf("read the configuration of experiment %s: %w", source.ID, err)
	}
	arms, err := r.store.Arms(ctx, v, source.ID)
	if err != nil {
		return LaunchSpec{}, err
	}
	spec := LaunchSpec{DatasetID: source.DatasetID, Votes: source.Votes, Budget: snap.Budget, OnLeak: snap.OnLeak, Cache: snap.Cache}
	at := map[int]int{}
	for _, c := range study.Critics {
		i, ok := at[c.Arm]
		if !ok {
			i = len(spec.Arms)
			at[c.Arm] = i
			spec.Arms = append(spec.Arms, ArmSpec{ReviewerVersionID: arms[c.Arm].ReviewerVersionID, Form: evidence.Form(arms[c.Arm].Form)})
		}
		config.Critics = append(config.Critics, ControlCritic{Name: c.Name, Kind: c.Kind, Arm: i})
	}
	return spec, nil
}

// controlTasks lists the tasks of a split with their candidates in the order of the
// belief page.
func (r *Runner) controlTasks(ctx context.Context, v models.Viewer, datasetID string, spec ControlSpec) ([]models.ControlTaskDraft, error) {
	var traces []models.CriticTrace
	page := models.Page{Limit: 500}
	for {
		rows, next, err := r.store.Traces(ctx, v, models.TraceFilter{DatasetID: datasetID, SplitID: spec.SplitID}, page)
		if err != nil {
			return nil, err
		}
		for _, t := range rows {
			traces = append(traces, models.CriticTrace{ID: t.ID, InstanceID: t.InstanceID, Agent: t.Agent, Model: t.Model, Attempt: t.Attempt})
		}
		if next == "" {
			break
		}
		page.After = next
	}
	var out []models.ControlTaskDraft
	for i, t := range inOrder(traces, spec.ByGenerator) {
		k := taskOf(t, spec.ByGenerator)
		if n := len(out); i == 0 || out[n-1].InstanceID != k.id || out[n-1].TaskGroup != k.group {
			out = append(out, models.ControlTaskDraft{InstanceID: k.id, TaskGroup: k.group})
		}
		last := &out[len(out)-1]
		last.TraceIDs = append(last.TraceIDs, t.ID)
	}
	return out, nil
}

// ResumeControl goes on with what is open or was in error, with other limits where
// they are given.
func (r *Runner) ResumeControl(ctx context.Context, v models.Viewer, id string, maxVotes *int, maxUSD *float64) error {
	if maxVotes != nil || maxUSD != nil {
		e, err := r.store.Experiment(ctx, v, id)
		if err != nil {
			return err
		}
		var c controlSnapshot
		if err := json.Unmarshal([]byte(e.Config), &c); err != nil {
			return fmt.Errorf("read the configuration of experiment %s: %w", e.ID, err)
		}
		if maxVotes != nil {
			c.Control.MaxVotes = *maxVotes
		}
		if maxUSD != nil {
			c.Control.MaxUSD = maxUSD
		}
		raw, err := json.Marshal(c)
		if err != nil {
			return fmt.Errorf("write the configuration: %w", err)
		}
		if err := r.store.SetConfig(ctx, v, id, string(raw)); err != nil {
			return err
		}
	}
	return r.Resume(ctx, v, id)
}
