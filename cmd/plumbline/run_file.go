package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"gopkg.in/yaml.v3"

	"plumbline/experiments/evidence"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/runner/reviewer"
)

// runFile is an experiment as a file; docs/run.md is its manual.
type runFile struct {
	Name      string        `yaml:"name"`
	Dataset   string        `yaml:"dataset"`
	Split     string        `yaml:"split"`
	Votes     int           `yaml:"votes"`
	Seed      int64         `yaml:"seed"`
	Budget    int           `yaml:"budget_tokens"`
	OnLeak    runner.OnLeak `yaml:"on_leak"`
	Cache     bool          `yaml:"cache"`
	Reviewers []runReviewer `yaml:"reviewers"`
	Arms      []runArm      `yaml:"arms"`
}

// runReviewer defines a reviewer; the settings beside its name are those of
// reviewer.Spec, with the same names.
type runReviewer struct {
	Name     string         `yaml:"name"`
	Note     string         `yaml:"note"`
	Settings map[string]any `yaml:",inline"`
}

// spec reads the settings beside the name; an unknown one is refused.
func (r runReviewer) spec() (spec reviewer.Spec, err error) {
	raw, err := json.Marshal(r.Settings)
	if err != nil {
		return spec, err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	return spec, dec.Decode(&spec)
}

type runArm struct {
	Reviewer string   `yaml:"reviewer"`
	Forms    []string `yaml:"forms"`
}

// parseRunFile refuses unknown keys, so that a misspelt setting cannot be lost.
func parseRunFile(name string, raw []byte) (runFile, error) {
	var f runFile
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	dec.KnownFields(true)
	if err := dec.Decode(&f); err != nil {
		if errors.Is(err, io.EOF) {
			return f, fmt.Errorf("%s is empty", name)
		}
		return f, fmt.Errorf("read %s: %w", name, err)
	}
	switch {
	case f.Name == "":
		return f, fmt.Errorf("%s: name: give the experiment a name", name)
	case f.Dataset == "":
		return f, fmt.Errorf("%s: dataset: name the dataset", name)
	case len(f.Arms) == 0:
		return f, fmt.Errorf("%s: arms: name at least one reviewer with its forms", name)
	}
	for i, a := range f.Arms {
		for _, form := range a.Forms {
			if _, err := evidence.ParseForm(form); err != nil {
				return f, fmt.Errorf("%s: arms[%d]: %w", name, i, err)
			}
		}
	}
	if f.Votes == 0 {
		f.Votes = 5
	}
	return f, nil
}

func (f runFile) resolve(ctx context.Context, s *models.Store, v models.Viewer, projectID string) (runner.LaunchSpec, error) {
	spec := runner.LaunchSpec{Name: f.Name, Votes: f.Votes, Seed: f.Seed, Budget: f.Budget, OnLeak: f.OnLeak, Cache: f.Cache}
	if err := f.saveReviewers(ctx, s, v, projectID); err != nil {
		return spec, err
	}
	datasets, err := s.Datasets(ctx, v)
	if err != nil {
		return spec, err
	}
	for _, d := range datasets {
		if d.ProjectID == projectID && d.Name == f.Dataset {
			spec.DatasetID = d.ID
		}
	}
	if spec.DatasetID == "" {
		return spec, fmt.Errorf("dataset: there is none named %q in this project; import one with plumbline import PATH --dataset %q", f.Dataset, f.Dataset)
	}
	if f.Split != "" {
		splits, err := s.Splits(ctx, v, spec.DatasetID)
		if err != nil {
			return spec, err
		}
		for _, x := range splits {
			if x.Name == f.Split {
				spec.SplitID = x.ID
			}
		}
		if spec.SplitID == "" {
			return spec, fmt.Errorf("split: dataset %q has no split %q", f.Dataset, f.Split)
		}
	}
	known, err := s.Reviewers(ctx, v, projectID)
	if err != nil {
		return spec, err
	}
	versions := map[string]string{}
	for _, r := range known {
		versions[r.Reviewer.Name] = r.Version.ID
	}
	for i, a := range f.Arms {
		id, ok := versions[a.Reviewer]
		if !ok {
			return spec, fmt.Errorf("arms[%d]: there is no reviewer %q; define it under reviewers", i, a.Reviewer)
		}
		for _, name := range a.Forms {
			form, err := evidence.ParseForm(name)
			if err != nil {
				return spec, fmt.Errorf("arms[%d]: %w", i, err)
			}
			spec.Arms = append(spec.Arms, runner.ArmSpec{ReviewerVersionID: id, Form: form})
		}
	}
	return spec, nil
}

func (f runFile) saveReviewers(ctx context.Context, s *models.Store, v models.Viewer, projectID string) error {
	for i, r := range f.Reviewers {
		spec, err := r.spec()
		if err != nil {
			return fmt.Errorf("reviewers[%d] (%s): %w", i, r.Name, err)
		}
		if bad := spec.Validate(); len(bad) > 0 {
			return fmt.Errorf("reviewers[%d] (%s): %s %s", i, r.Name, bad[0].Field, bad[0].Message)
		}
		spec = spec.Filled()
		raw, err := json.Marshal(spec)
		if err != nil {
			return fmt.Errorf("reviewers[%d]: %w", i, err)
		}
		if _, err := s.SaveReviewer(ctx, v, models.ReviewerDraft{
			ProjectID: projectID, Name: r.Name, Note: r.Note, Kind: string(spec.Kind), Model: spec.Model, Spec: string(raw),
		}); err != nil {
			return err
		}
	}
	return nil
}

func readAllLimited(r io.Reader, limit int64) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(raw)) > limit {
		err = fmt.Errorf("it is larger than %d bytes", limit)
	}
	return raw, err
}
