package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"gopkg.in/yaml.v3"

	"plumbline/experiments/cascade"
	"plumbline/experiments/evidence"
	"plumbline/models"
	"plumbline/runner"
)

// cascadeFile is a cascade as a file; docs/checks.md is its manual.
type cascadeFile struct {
	Name      string         `yaml:"name"`
	Dataset   string         `yaml:"dataset"`
	Split     string         `yaml:"split"`
	Votes     int            `yaml:"votes"`
	Seed      int64          `yaml:"seed"`
	Budget    int            `yaml:"budget_tokens"`
	OnLeak    runner.OnLeak  `yaml:"on_leak"`
	Cache     bool           `yaml:"cache"`
	Reviewers []runReviewer  `yaml:"reviewers"`
	Checks    map[string]any `yaml:"checks"` // as runner.ChecksSpec; the generator by its name
	Arms      []cascadeArm   `yaml:"arms"`
}

// cascadeArm is a policy, by its name or spelled out, with its residual reviewer.
type cascadeArm struct {
	Policy   any    `yaml:"policy"`
	Reviewer string `yaml:"reviewer"`
	Form     string `yaml:"form"`
}

// strictJSON reads a plain value into a struct with JSON names; an unknown name is
// refused.
func strictJSON(from, into any) error {
	raw, err := json.Marshal(from)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	return dec.Decode(into)
}

func parseCascadeFile(name string, raw []byte) (cascadeFile, error) {
	var f cascadeFile
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
		return f, fmt.Errorf("%s: name: give the cascade a name", name)
	case f.Dataset == "":
		return f, fmt.Errorf("%s: dataset: name the dataset", name)
	case len(f.Arms) == 0:
		return f, fmt.Errorf("%s: arms: name at least one policy with its reviewer", name)
	}
	if f.Votes == 0 {
		f.Votes = 5
	}
	for i, a := range f.Arms {
		if _, err := a.policy(); err != nil {
			return f, fmt.Errorf("%s: arms[%d]: policy: %w", name, i, err)
		}
		if a.Form == "" {
			f.Arms[i].Form = string(evidence.Checked)
		} else if _, err := evidence.ParseForm(a.Form); err != nil {
			return f, fmt.Errorf("%s: arms[%d]: %w", name, i, err)
		}
	}
	if _, err := f.checks(); err != nil {
		return f, fmt.Errorf("%s: checks: %w", name, err)
	}
	return f, nil
}

func (f cascadeFile) checks() (runner.ChecksSpec, error) {
	var s runner.ChecksSpec
	if f.Checks == nil {
		return s, nil
	}
	err := strictJSON(f.Checks, &s)
	return s, err
}

// policy reads the policy of an arm; nothing is the recommended one.
func (a cascadeArm) policy() (cascade.Policy, error) {
	switch p := a.Policy.(type) {
	case nil:
		return cascade.Recommended(""), nil
	case string:
		switch p {
		case "recommended":
			return cascade.Recommended(""), nil
		case "evaluated":
			return cascade.Evaluated(""), nil
		case "reviewer only":
			name := "reviewer only"
			if a.Form != "" {
				name = a.Form + " only"
			}
			return cascade.ReviewOnly(name, ""), nil
		}
		return cascade.Policy{}, fmt.Errorf("there is none named %q: write recommended, evaluated, reviewer only, or spell one out", p)
	}
	var out cascade.Policy
	err := strictJSON(a.Policy, &out)
	return out, err
}

// resolve saves the reviewers of the file and finds what it names.
func (f cascadeFile) resolve(ctx context.Context, s *models.Store, v models.Viewer, projectID string) (runner.CascadeSpec, error) {
	var spec runner.CascadeSpec
	plain := runFile{Name: f.Name, Dataset: f.Dataset, Split: f.Split, Votes: f.Votes, Seed: f.Seed, Budget: f.Budget, OnLeak: f.OnLeak, Cache: f.Cache, Reviewers: f.Reviewers}
	var err error
	if spec.LaunchSpec, err = plain.resolve(ctx, s, v, projectID); err != nil {
		return spec, err
	}
	if spec.Checks, err = f.checks(); err != nil {
		return spec, err
	}
	known, err := s.Reviewers(ctx, v, projectID)
	if err != nil {
		return spec, err
	}
	versions := map[string]string{}
	for _, r := range known {
		versions[r.Reviewer.Name] = r.Version.ID
	}
	if g := spec.Checks.Generator; g != "" && g != runner.RecordedGenerator {
		id, ok := versions[g]
		if !ok {
			return spec, fmt.Errorf("checks: generator: there is no reviewer %q; define it under reviewers", g)
		}
		spec.Checks.Generator = id
	}
	for i, a := range f.Arms {
		id, ok := versions[a.Reviewer]
		if !ok {
			return spec, fmt.Errorf("arms[%d]: there is no reviewer %q; define it under reviewers", i, a.Reviewer)
		}
		p, err := a.policy()
		if err != nil {
			return spec, fmt.Errorf("arms[%d]: policy: %w", i, err)
		}
		form, err := evidence.ParseForm(a.Form)
		if err != nil {
			return spec, fmt.Errorf("arms[%d]: %w", i, err)
		}
		spec.Policy = append(spec.Policy, runner.CascadeArm{Policy: p, ReviewerVersionID: id, Form: form})
	}
	return spec, nil
}
