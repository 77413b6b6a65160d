package runner

import (
	"context"
	"encoding/json"
	"fmt"

	"plumbline/experiments/control/rewrite"
	"plumbline/experiments/evidence"
	"plumbline/models"
	"plumbline/runner/reviewer"
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
	if spec.Generator != "" {
		if spec.Choice.Regenerations == nil {
			n := usualRewrites
			spec.Choice.Regenerations = &n
		}
		for i := range tasks { // the first recorded attempt is in hand; the others are written
			tasks[i].TraceIDs = tasks[i].TraceIDs[:1]
		}
	}
	config := ControlConfig{
		Verify: spec.Verify, Sandbox: spec.Sandbox,
		SourceID: source.ID, Policies: spec.Policies, Ask: spec.Ask, ByGenerator: spec.ByGenerator, Regenerations: spec.Choice.Regenerations,
		Actions: spec.Choice.Actions, MaxVotes: spec.MaxVotes, MaxUSD: spec.MaxUSD, Costs: spec.Choice.Costs.Rule, KernelFor: spec.Choice.kernelRule(),
	}
	if config.Problems, config.FittedOn, err = study.problems(tasks); err != nil {
		return models.Experiment{}, err
	}
	if config.Generator, err = r.controlWriter(ctx, v, source, spec.Generator); err != nil {
		return models.Experiment{}, err
	}
	launch, err := r.controlArms(ctx, v, source, study, spec.Seed, &config)
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
func (r *Runner) controlArms(ctx context.Context, v models.Viewer, source models.Experiment, study *Study, seed int64, config *ControlConfig) (LaunchSpec, error) {
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
		if c.Kind.check() {
			k := ControlCritic{Name: c.Name, Kind: c.Kind, Arm: -1}
			if k.Checks, err = r.controlChecks(ctx, v, source, c, seed); err != nil {
				return LaunchSpec{}, err
			}
			config.Critics = append(config.Critics, k)
			continue
		}
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

// controlChecks takes the settings that a check of the source ran under. With
// another seed a generated test is another one, and is not shared.
func (r *Runner) controlChecks(ctx context.Context, v models.Viewer, source models.Experiment, c RecordedCritic, seed int64) (*CascadeConfig, error) {
	if c.Kind == CriticPublic {
		return nil, nil
	}
	raw, err := r.store.CheckConfig(ctx, c.Checks)
	if err != nil {
		return nil, err
	}
	out := &CascadeConfig{}
	if err := json.Unmarshal([]byte(raw), &out.Checks); err != nil {
		return nil, fmt.Errorf("read the settings of checks %s: %w", c.Checks, err)
	}
	out.Checks = out.Checks.filled()
	if err := r.resolveGenerator(ctx, v, source.ProjectID, out); err != nil {
		return nil, err
	}
	out.ChecksSHA256, err = out.hash(seed)
	return out, err
}

// writtenDataset is where patches go that control experiments write.
const writtenDataset = "Patches written in control experiments"

// controlWriter keeps the generator of candidates as it is now; nil for none.
func (r *Runner) controlWriter(ctx context.Context, v models.Viewer, source models.Experiment, versionID string) (*ControlWriter, error) {
	if versionID == "" {
		return nil, nil
	}
	found, err := r.store.ReviewerVersions(ctx, v, source.ProjectID, []string{versionID})
	if err != nil {
		return nil, err
	}
	x := found[0]
	if k := reviewer.Kind(x.Version.Kind); k != reviewer.KindOpenAI && k != reviewer.KindAnthropic {
		return nil, models.Invalid("generator", fmt.Sprintf("a %s reviewer writes no patches; choose an endpoint, or the recorded attempts", k))
	}
	d, err := r.store.EnsureDataset(ctx, v, source.ProjectID, writtenDataset, "Candidates that generators wrote when a policy regenerated.", false)
	if err != nil {
		return nil, err
	}
	return &ControlWriter{
		VersionID: x.Version.ID, Name: x.Reviewer.Name, Model: x.Version.Model, Spec: json.RawMessage(x.Version.Spec), Prompt: rewrite.Current, DatasetID: d.ID,
	}, nil
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
