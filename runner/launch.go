package runner

import (
	"context"
	"encoding/json"
	"fmt"

	"plumbline/experiments/evidence"
	"plumbline/experiments/vote"
	"plumbline/models"
	"plumbline/runner/reviewer"
)

// OnLeak says what a hit of the leakage audit does.
type OnLeak string

// Block asks no vote and shows the hit. Withhold replaces the lines that hold
// hidden material by a notice, counts them as cut, and asks.
const (
	Block    OnLeak = "block"
	Withhold OnLeak = "withhold"
)

// ArmSpec is a reviewer version under an evidence form.
type ArmSpec struct {
	ReviewerVersionID string        `json:"reviewer_version_id"`
	Form              evidence.Form `json:"form"`
}

// LaunchSpec describes a review experiment. The zero value of an option takes the
// default that its comment names.
type LaunchSpec struct {
	DatasetID string    `json:"dataset_id"`
	SplitID   string    `json:"split_id,omitempty"` // empty: all traces
	Name      string    `json:"name"`
	Votes     int       `json:"votes"` // K, 1 to 99
	Seed      int64     `json:"seed"`
	Budget    int       `json:"budget_tokens"` // of one evidence text; 0: no limit
	OnLeak    OnLeak    `json:"on_leak"`       // default block
	Cache     bool      `json:"cache"`         // take stored answers to equal requests
	Arms      []ArmSpec `json:"arms"`
}

// Snapshot is the configuration that an experiment keeps: what was asked for, and
// the settings of each reviewer version as they were.
type Snapshot struct {
	LaunchSpec
	Rule      vote.Rule                   `json:"rule"`
	Reviewers map[string]SnapshotReviewer `json:"reviewers"` // by version id
}

// SnapshotReviewer is a reviewer version as an experiment used it.
type SnapshotReviewer struct {
	Name    string          `json:"name"`
	Version int             `json:"version"`
	Spec    json.RawMessage `json:"spec"`
}

// check returns an *models.InvalidError with a message for each bad field.
func (s *LaunchSpec) check() error {
	bad := map[string]string{}
	if s.Votes < 1 || s.Votes > 99 {
		bad["votes"] = "choose 1 to 99 votes"
	}
	if s.Budget < 0 || (s.Budget > 0 && s.Budget < 500) {
		bad["budget_tokens"] = "choose at least 500 tokens, or 0 for no limit"
	}
	switch s.OnLeak {
	case "":
		s.OnLeak = Block
	case Block, Withhold:
	default:
		bad["on_leak"] = "choose block or withhold"
	}
	if len(s.Arms) == 0 {
		bad["arms"] = "choose at least one reviewer and evidence form"
	}
	if len(s.Arms) > 64 {
		bad["arms"] = "choose at most 64 arms"
	}
	seen := map[ArmSpec]bool{}
	for _, a := range s.Arms {
		if !a.Form.Valid() {
			bad["arms"] = fmt.Sprintf("there is no evidence form %q", a.Form)
		}
		if seen[a] {
			bad["arms"] = fmt.Sprintf("the arm with form %s is chosen twice; more votes are more draws of one arm", a.Form)
		}
		seen[a] = true
	}
	if len(bad) > 0 {
		return &models.InvalidError{Fields: bad}
	}
	return nil
}

// Launch stores an experiment and queues its work. The work begins at once if a
// worker runs.
func (r *Runner) Launch(ctx context.Context, v models.Viewer, spec LaunchSpec) (models.Experiment, error) {
	if err := spec.check(); err != nil {
		return models.Experiment{}, err
	}
	d, err := r.store.Dataset(ctx, v, spec.DatasetID)
	if err != nil {
		return models.Experiment{}, err
	}
	arms, snapshot, err := r.resolve(ctx, v, d.ProjectID, spec)
	if err != nil {
		return models.Experiment{}, err
	}
	config, err := json.Marshal(snapshot)
	if err != nil {
		return models.Experiment{}, fmt.Errorf("write the configuration: %w", err)
	}
	return r.store.CreateExperiment(ctx, v, models.ExperimentDraft{
		DatasetID: spec.DatasetID, SplitID: spec.SplitID, Name: spec.Name, Kind: "review",
		Votes: spec.Votes, Seed: spec.Seed, Config: string(config), CodeVersion: r.version, Arms: arms, ShardSize: shardSize,
	}, r.enqueue)
}

// shardSize keeps jobs coarse (a hundred votes or so each) and still lets
// several workers share a small experiment.
const shardSize = 25

func (r *Runner) resolve(ctx context.Context, v models.Viewer, projectID string, spec LaunchSpec) ([]models.ArmDraft, Snapshot, error) {
	snap := Snapshot{LaunchSpec: spec, Rule: vote.Plurality, Reviewers: map[string]SnapshotReviewer{}}
	var arms []models.ArmDraft
	for _, a := range spec.Arms {
		found, err := r.store.ReviewerVersions(ctx, v, projectID, []string{a.ReviewerVersionID})
		if err != nil {
			return nil, snap, err
		}
		x := found[0]
		snap.Reviewers[x.Version.ID] = SnapshotReviewer{Name: x.Reviewer.Name, Version: x.Version.Version, Spec: json.RawMessage(x.Version.Spec)}
		arms = append(arms, models.ArmDraft{
			ReviewerVersionID: x.Version.ID, ReviewerName: x.Reviewer.Name, Model: x.Version.Model,
			Form: string(a.Form), Simulated: x.Version.Kind == string(reviewer.KindSimulated),
		})
	}
	return arms, snap, nil
}

// Stop lets calls in flight end and starts no more.
func (r *Runner) Stop(ctx context.Context, v models.Viewer, experimentID string) error {
	return r.store.StopExperiment(ctx, v, experimentID)
}

// Resume asks for what is missing or was in error, and for nothing else. A held-out
// run is not resumed over a change after its freeze: a *freeze.ChangedError names it.
func (r *Runner) Resume(ctx context.Context, v models.Viewer, experimentID string) error {
	if err := r.checkFrozen(ctx, v, experimentID); err != nil {
		return err
	}
	return r.store.ResumeExperiment(ctx, v, experimentID, r.enqueue)
}
