package runner

import (
	"context"
	"encoding/json"
	"fmt"

	"plumbline/experiments/vote"
	"plumbline/models"
	"plumbline/runner/reviewer"
)

// LaunchCascade stores a cascade experiment and queues its work.
func (r *Runner) LaunchCascade(ctx context.Context, v models.Viewer, spec CascadeSpec) (models.Experiment, error) {
	spec.Arms = nil
	for _, a := range spec.Policy {
		spec.Arms = append(spec.Arms, ArmSpec{ReviewerVersionID: a.ReviewerVersionID, Form: a.Form})
	}
	if err := spec.check(); err != nil {
		return models.Experiment{}, err
	}
	// Several policies may share a reviewer and form, which two plain arms may not.
	plain := spec.LaunchSpec
	plain.Arms = plain.Arms[:1]
	if err := plain.check(); err != nil {
		return models.Experiment{}, err
	}
	spec.OnLeak = plain.OnLeak
	d, err := r.store.Dataset(ctx, v, spec.DatasetID)
	if err != nil {
		return models.Experiment{}, err
	}
	arms, snapshot, err := r.resolve(ctx, v, d.ProjectID, spec.LaunchSpec)
	if err != nil {
		return models.Experiment{}, err
	}
	config := CascadeConfig{Checks: spec.Checks, Arms: spec.Policy}
	if err := r.resolveGenerator(ctx, v, d.ProjectID, &config); err != nil {
		return models.Experiment{}, err
	}
	if config.ChecksSHA256, err = config.hash(spec.Seed); err != nil {
		return models.Experiment{}, err
	}
	for i := range arms {
		if spec.Policy[i].checked() {
			arms[i].ReviewerName = arms[i].ReviewerName + ", " + spec.Policy[i].Policy.Name + " cascade"
		}
	}
	snapshot.Rule = vote.Plurality
	raw, err := json.Marshal(cascadeSnapshot{snapshot, config})
	if err != nil {
		return models.Experiment{}, fmt.Errorf("write the configuration: %w", err)
	}
	return r.store.CreateExperiment(ctx, v, models.ExperimentDraft{
		DatasetID: spec.DatasetID, SplitID: spec.SplitID, Name: spec.Name, Kind: KindCascade,
		Votes: spec.Votes, Seed: spec.Seed, Config: string(raw), CodeVersion: r.version, Arms: arms, ShardSize: max(1, cascadeShard/len(arms)) * len(arms),
	}, r.enqueue)
}

// cascadeShard is smaller than that of reviews: an item may run a dozen programs.
// A shard has all arms of its traces, so that one process works on their checks.
const cascadeShard = 12

// resolveGenerator keeps the generator as it is now.
func (r *Runner) resolveGenerator(ctx context.Context, v models.Viewer, projectID string, c *CascadeConfig) error {
	switch c.Checks.Generator {
	case "":
		return nil
	case RecordedGenerator:
		c.GeneratorName = "recorded replies"
		return nil
	}
	found, err := r.store.ReviewerVersions(ctx, v, projectID, []string{c.Checks.Generator})
	if err != nil {
		return err
	}
	x := found[0]
	if k := reviewer.Kind(x.Version.Kind); k != reviewer.KindOpenAI && k != reviewer.KindAnthropic {
		return models.Invalid("generator", fmt.Sprintf("a %s reviewer writes no tests; choose an endpoint, or the recorded replies", k))
	}
	c.GeneratorName, c.GeneratorSpec = x.Reviewer.Name, json.RawMessage(x.Version.Spec)
	return nil
}
