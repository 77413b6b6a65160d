package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"plumbline/experiments/belief"
	"plumbline/experiments/control"
	"plumbline/models"
	"plumbline/runner/reviewer"
	"plumbline/runner/sandbox"
)

// AskMode says how a critic of a control experiment is asked.
type AskMode string

// Live asks the reviewer. FromRecord looks up what the source experiment has, and
// asks nobody.
const (
	AskLive    AskMode = "live"
	AskRecords AskMode = "recorded"
)

// ControlSpec describes a control experiment: policies that ask the reviewers of a
// source experiment about recorded attempts, with parameters estimated from it.
type ControlSpec struct {
	SourceID    string
	SplitID     string // of the tasks to play; empty: all traces of the dataset
	Name        string
	Policies    []string
	Seed        int64
	Ask         AskMode
	ByGenerator bool
	Choice      BeliefChoice
	// Generator is a reviewer version whose endpoint writes new candidates; empty:
	// regenerating takes the next recorded attempt.
	Generator string
	Verify    VerifyMode
	Sandbox   string   // where tests run; default auto
	MaxVotes  int      // of calls to models, votes and patches together; 0: no limit
	MaxUSD    *float64 // nil: no limit
}

// VerifyMode says what a verification does.
type VerifyMode string

// VerifyRecords looks up the recorded label. VerifyOfficial runs the official tests
// in the sandbox, VerifyExisting those of them that pass before the change: what a
// team can run that has no hidden tests.
const (
	VerifyRecords  VerifyMode = "recorded"
	VerifyOfficial VerifyMode = "official"
	VerifyExisting VerifyMode = "existing"
)

// usualRewrites are the regenerations of an episode with a generator, unless the
// reader says otherwise.
const usualRewrites = 2

// ControlCritic is a critic of a control experiment: how the answer of an arm is
// read, or which check is run.
type ControlCritic struct {
	Name   string         `json:"name"`
	Kind   CriticKind     `json:"kind"`
	Arm    int            `json:"arm"`              // index of the arm in the experiment; -1: a check
	Checks *CascadeConfig `json:"checks,omitempty"` // of static checks and generated tests
}

// ControlConfig is what a control experiment keeps beside its snapshot. With it and
// the log every number can be computed again.
type ControlConfig struct {
	SourceID      string          `json:"source_id"`
	Policies      []string        `json:"policies"`
	Ask           AskMode         `json:"ask"`
	ByGenerator   bool            `json:"by_generator,omitempty"`
	Critics       []ControlCritic `json:"critics"`
	Regenerations *int            `json:"regenerations,omitempty"` // nil: as many as recorded
	Actions       int             `json:"actions,omitempty"`       // 0: no limit
	Verify        VerifyMode      `json:"verify,omitempty"`        // empty: recorded
	Sandbox       string          `json:"sandbox,omitempty"`
	Generator     *ControlWriter  `json:"generator,omitempty"` // nil: the next recorded attempt
	MaxVotes      int             `json:"max_votes,omitempty"`
	MaxUSD        *float64        `json:"max_usd,omitempty"`
	// Problems are the decision problems by fold: the parameters of a fold were
	// estimated without its tasks. AllTasks holds for tasks that are not in the source.
	Problems  map[int]control.Problem `json:"problems"`
	FittedOn  map[int]int             `json:"fitted_on"` // tasks, by fold
	Costs     CostRule                `json:"costs"`
	KernelFor KernelRule              `json:"kernel"`
}

// ControlWriter is a generator of candidates as it was at launch.
type ControlWriter struct {
	VersionID string          `json:"version_id"`
	Name      string          `json:"name"`
	Model     string          `json:"model"`
	Spec      json.RawMessage `json:"spec"`
	Prompt    string          `json:"prompt"` // version
	DatasetID string          `json:"dataset_id"`
}

// AllTasks is the fold of tasks that no parameter has seen.
const AllTasks = kFolds

// controlSnapshot is the configuration of a control experiment as it is stored.
type controlSnapshot struct {
	Snapshot
	Control ControlConfig `json:"control"`
}

// ControlConfigOf reads the configuration of a control experiment.
func ControlConfigOf(e models.Experiment) (ControlConfig, error) {
	var c controlSnapshot
	if err := json.Unmarshal([]byte(e.Config), &c); err != nil {
		return ControlConfig{}, fmt.Errorf("read the configuration of experiment %s: %w", e.ID, err)
	}
	return c.Control, nil
}

// checkControl returns an *models.InvalidError for a spec that cannot be played.
func (r *Runner) checkControl(ctx context.Context, v models.Viewer, spec *ControlSpec, source models.Experiment, study *Study) error {
	bad := map[string]string{}
	if spec.Ask == "" {
		spec.Ask = AskLive
	}
	if spec.Ask != AskLive && spec.Ask != AskRecords {
		bad["ask"] = "choose live or recorded"
	}
	if source.Kind == models.KindControl {
		bad["source"] = "a control experiment asks only what its policies want; take the review experiment it came from"
	}
	if spec.Choice.Joint || spec.Choice.Temper {
		bad["critic"] = "a joint critic and tempered evidence cannot be played; choose the critics one by one"
	}
	for _, c := range study.Critics {
		switch {
		case c.Kind == CriticVote && source.Votes > 1:
			bad["critic"] = c.Name + ": one vote of several cannot be asked alone; choose the decision or the count"
		case c.Kind == CriticCut || (c.Arm < 0 && !c.Kind.check()):
			bad["critic"] = c.Name + " is no reviewer that can be asked and no check that can be run"
		case spec.Ask == AskRecords && spec.Generator != "":
			bad["ask"] = "nothing is recorded of patches that are yet to be written; ask live"
		}
	}
	if study.ProblemError != nil {
		bad["costs"] = study.ProblemError.Error()
	} else {
		names := control.Names(&study.Problem)
		if len(spec.Policies) == 0 {
			bad["policy"] = "choose at least one policy"
		}
		for _, p := range spec.Policies {
			if !slices.Contains(names, p) {
				bad["policy"] = fmt.Sprintf("there is no policy %q with these critics", p)
			}
		}
	}
	if spec.MaxVotes < 0 || (spec.MaxVotes > 0 && spec.MaxVotes < source.Votes) {
		bad["max_votes"] = fmt.Sprintf("a single question takes %d votes", source.Votes)
	}
	switch spec.Verify {
	case "":
		spec.Verify = VerifyRecords
	case VerifyRecords, VerifyOfficial, VerifyExisting:
	default:
		bad["verify"] = "choose the recorded label, the official tests or the existing tests"
	}
	if spec.Generator != "" && spec.Verify == VerifyRecords {
		bad["verify"] = "no label is recorded of patches that are yet to be written; run tests"
	}
	switch spec.Sandbox {
	case "", sandbox.Auto, sandbox.Bubblewrap, sandbox.Namespaces, sandbox.Docker, sandbox.Podman, sandbox.Apptainer, sandbox.None:
	default:
		bad["sandbox"] = fmt.Sprintf("there is no sandbox %q", spec.Sandbox)
	}
	if m := spec.MaxUSD; m != nil {
		if !(*m > 0) {
			bad["max_usd"] = "give an amount above 0"
		} else if name, err := r.unpriced(ctx, v, source, study, spec.Generator); err != nil {
			return err
		} else if name != "" {
			bad["max_usd"] = "the price of " + name + " is unknown, so that no limit in money can be kept"
		}
	}
	if len(bad) > 0 {
		return &models.InvalidError{Fields: bad}
	}
	return nil
}

// unpriced names a reviewer among the critics, or the generator, whose calls have no
// known price.
func (r *Runner) unpriced(ctx context.Context, v models.Viewer, source models.Experiment, study *Study, generator string) (string, error) {
	arms, err := r.store.Arms(ctx, v, source.ID)
	if err != nil {
		return "", err
	}
	var versions []string
	for _, c := range study.Critics {
		if c.Arm >= 0 && !arms[c.Arm].Simulated {
			versions = append(versions, arms[c.Arm].ReviewerVersionID)
		}
	}
	if generator != "" {
		versions = append(versions, generator)
	}
	for _, id := range versions {
		found, err := r.store.ReviewerVersions(ctx, v, source.ProjectID, []string{id})
		if err != nil {
			return "", err
		}
		var spec reviewer.Spec
		if err := json.Unmarshal([]byte(found[0].Version.Spec), &spec); err != nil {
			return "", fmt.Errorf("read the settings of reviewer %s: %w", found[0].Reviewer.Name, err)
		}
		if spec.Price == nil || spec.Price.InputPerMTok == nil || spec.Price.OutputPerMTok == nil {
			return found[0].Reviewer.Name, nil
		}
	}
	return "", nil
}

// problems fits the parameters that the tasks need: those of a task in the source
// come from the other folds of it.
func (s *Study) problems(tasks []models.ControlTaskDraft) (map[int]control.Problem, map[int]int, error) {
	known := map[string]bool{}
	for _, k := range s.full.Tasks {
		known[k.ID] = true
	}
	problems, fitted := map[int]control.Problem{}, map[int]int{}
	for i := range tasks {
		t := &tasks[i]
		t.Fold = AllTasks
		if known[t.InstanceID] {
			t.Fold = belief.Fold(t.InstanceID, kFolds)
		}
		if _, ok := problems[t.Fold]; ok {
			continue
		}
		train := s.full.Where(func(k belief.Task) bool { return t.Fold == AllTasks || belief.Fold(k.ID, kFolds) != t.Fold })
		if len(train.Tasks) == 0 {
			return nil, nil, models.Invalid("source", "all its tasks fall into one fold, so that nothing is left to estimate from; play other tasks, or take a source with more")
		}
		e, err := belief.Fit(train, s.Choice.options())
		if err != nil {
			return nil, nil, err
		}
		if problems[t.Fold], err = s.problem(e); err != nil {
			return nil, nil, err
		}
		fitted[t.Fold] = len(train.Tasks)
	}
	return problems, fitted, nil
}
