package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"plumbline/experiments/evidence"
	"plumbline/experiments/freeze"
	"plumbline/experiments/review"
	"plumbline/models"
)

// FreezePlan is what the rule says of a design experiment, and what a freeze of it
// could be evaluated on.
type FreezePlan struct {
	Candidates freeze.Candidates
	Choices    []freeze.Choice
	Splits     []FreezeSplit
	Warnings   []string
	Blocked    string // why it cannot be frozen now; empty when it can
}

// FreezeSplit is a split that a freeze might be evaluated on. Out says why it may
// not be.
type FreezeSplit struct {
	models.SplitOverlap
	Out string
}

// PlanFreeze applies the rule to a measured design experiment.
func (r *Runner) PlanFreeze(ctx context.Context, v models.Viewer, res Results, c freeze.Candidates) (FreezePlan, error) {
	e := res.Experiment
	plan := FreezePlan{Candidates: c}
	versions, err := r.versionsOf(ctx, v, res)
	if err != nil {
		return plan, err
	}
	var arms []freeze.Arm
	undecided := 0
	for _, a := range res.Arms {
		arm := freeze.Arm{
			VersionID: a.Arm.ReviewerVersionID, Reviewer: a.Arm.ReviewerName, Version: versions[a.Arm.ReviewerVersionID].Version.Version,
			Form: evidence.Form(a.Arm.Form), Counts: a.Counts,
		}
		for state, n := range a.Items {
			if state != models.ItemDone {
				arm.Undecided += n
			}
		}
		undecided += arm.Undecided
		arms = append(arms, arm)
	}
	plan.Choices = freeze.Choose(arms, c)
	overlaps, err := r.store.SplitOverlaps(ctx, v, e.ID)
	if err != nil {
		return plan, err
	}
	usable := 0
	for _, o := range overlaps {
		s := FreezeSplit{SplitOverlap: o}
		switch {
		case e.SplitID != nil && o.ID == *e.SplitID:
			s.Out = "the choice is made on it"
		case o.Shared > 0:
			s.Out = fmt.Sprintf("%d of its traces were seen by the design experiment", o.Shared)
		case o.Traces == 0:
			s.Out = "it is empty"
		default:
			usable++
		}
		plan.Splits = append(plan.Splits, s)
	}
	plan.judge(e, undecided, usable)
	return plan, nil
}

func (p *FreezePlan) judge(e models.Experiment, undecided, usable int) {
	chosen := slices.ContainsFunc(p.Choices, func(c freeze.Choice) bool { return c.Chosen >= 0 })
	switch {
	case e.State == models.StateRunning || e.State == models.StateStopping:
		p.Blocked = "the experiment is still running"
	case !chosen:
		p.Blocked = "no arm is a candidate"
	case usable == 0:
		p.Blocked = "the dataset has no split whose traces the design experiment has not seen"
	}
	if undecided > 0 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%d items have no decision, so that the arms are not compared on the same traces.", undecided))
	}
	if slices.ContainsFunc(p.Choices, func(c freeze.Choice) bool { return c.Chosen < 0 }) {
		p.Warnings = append(p.Warnings, "A reviewer without a candidate is left out of the freeze.")
	}
}

// versionsOf loads the reviewer versions of the arms, by id.
func (r *Runner) versionsOf(ctx context.Context, v models.Viewer, res Results) (map[string]models.ReviewerLatest, error) {
	var ids []string
	for _, a := range res.Arms {
		if !slices.Contains(ids, a.Arm.ReviewerVersionID) {
			ids = append(ids, a.Arm.ReviewerVersionID)
		}
	}
	found, err := r.store.ReviewerVersions(ctx, v, res.Experiment.ProjectID, ids)
	if err != nil {
		return nil, err
	}
	out := make(map[string]models.ReviewerLatest, len(found))
	for _, x := range found {
		out[x.Version.ID] = x
	}
	return out, nil
}

// FreezeSpec says what to freeze.
type FreezeSpec struct {
	ExperimentID string
	Candidates   freeze.Candidates
	SplitIDs     []string // what may be evaluated
}

// Freeze applies the rule to a design experiment that has ended and stores the
// manifest of the choice.
func (r *Runner) Freeze(ctx context.Context, v models.Viewer, spec FreezeSpec) (models.Freeze, error) {
	res, err := r.Results(ctx, v, spec.ExperimentID, ResultOptions{})
	if err != nil {
		return models.Freeze{}, err
	}
	plan, err := r.PlanFreeze(ctx, v, res, spec.Candidates)
	if err != nil {
		return models.Freeze{}, err
	}
	if plan.Blocked != "" {
		return models.Freeze{}, models.Invalid("experiment", plan.Blocked)
	}
	if err := plan.checkSplits(spec.SplitIDs); err != nil {
		return models.Freeze{}, err
	}
	m, err := r.manifest(ctx, v, res, plan, spec.SplitIDs)
	if err != nil {
		return models.Freeze{}, err
	}
	document, sha, err := freeze.Seal(m)
	if err != nil {
		return models.Freeze{}, err
	}
	return r.store.CreateFreeze(ctx, v, models.FreezeDraft{ExperimentID: spec.ExperimentID, Document: document, SHA256: sha})
}

func (p FreezePlan) checkSplits(ids []string) error {
	if len(ids) == 0 {
		return models.Invalid("splits", "choose at least one split that the freeze may be evaluated on")
	}
	for _, id := range ids {
		i := slices.IndexFunc(p.Splits, func(s FreezeSplit) bool { return s.ID == id })
		if i < 0 {
			return models.Invalid("splits", "there is no split "+id+" in the dataset")
		}
		if s := p.Splits[i]; s.Out != "" {
			return models.Invalid("splits", s.Name+" cannot be evaluated: "+s.Out)
		}
	}
	return nil
}

func (r *Runner) manifest(ctx context.Context, v models.Viewer, res Results, plan FreezePlan, splitIDs []string) (freeze.Manifest, error) {
	e := res.Experiment
	d, err := r.store.Dataset(ctx, v, e.DatasetID)
	if err != nil {
		return freeze.Manifest{}, err
	}
	var snap Snapshot
	if err := json.Unmarshal([]byte(e.Config), &snap); err != nil {
		return freeze.Manifest{}, fmt.Errorf("read the configuration of experiment %s: %w", e.ID, err)
	}
	m := freeze.Manifest{
		Format: freeze.Format, Experiment: e.ID, Name: e.Name, Dataset: d.ID, DatasetName: d.Name, Author: v.Name, FrozenAt: r.store.Now(), CodeVersion: r.version,
		Config: freeze.Config{Votes: e.Votes, Seed: e.Seed, Budget: snap.Budget, OnLeak: string(snap.OnLeak), Cache: snap.Cache, Tally: string(snap.Rule)},
		Rule:   freeze.Rule{Text: freeze.RuleText, Candidates: plan.Candidates}, Design: freeze.Split{Name: "all traces"},
	}
	m.Choices, m.Arms = freeze.Decisions(plan.Choices)
	if err := r.freezeReviewers(ctx, v, res, &m); err != nil {
		return m, err
	}
	now, err := r.store.FreezeState(ctx, v, scopeOf(m, splitIDs))
	if err != nil {
		return m, err
	}
	m.Design.Traces = now.Design
	for _, s := range plan.Splits {
		if e.SplitID != nil && s.ID == *e.SplitID {
			m.Design.ID, m.Design.Name = s.ID, s.Name
		}
		if slices.Contains(splitIDs, s.ID) {
			m.Evaluation = append(m.Evaluation, now.Splits[s.ID])
		}
	}
	return m, nil
}

// freezeReviewers fills in the chosen reviewer versions and their prompts.
func (r *Runner) freezeReviewers(ctx context.Context, v models.Viewer, res Results, m *freeze.Manifest) error {
	versions, err := r.versionsOf(ctx, v, res)
	if err != nil {
		return err
	}
	prompts := promptHashes()
	for _, a := range m.Arms {
		x := versions[a.ReviewerVersionID]
		var spec struct {
			Prompt string `json:"prompt_version"`
		}
		if err := json.Unmarshal([]byte(x.Version.Spec), &spec); err != nil {
			return fmt.Errorf("read the settings of reviewer %s: %w", x.Reviewer.Name, err)
		}
		if spec.Prompt == "" {
			spec.Prompt = review.Current
		}
		m.Reviewers = append(m.Reviewers, freeze.Reviewer{
			VersionID: x.Version.ID, Name: x.Reviewer.Name, Version: x.Version.Version, Model: x.Version.Model, SpecSHA256: x.Version.SpecSHA256, Prompt: spec.Prompt,
		})
		p := freeze.Prompt{Version: spec.Prompt, SHA256: prompts[spec.Prompt]}
		if !slices.Contains(m.Prompts, p) {
			m.Prompts = append(m.Prompts, p)
		}
	}
	return nil
}

// scopeOf is what must be fingerprinted to compare a manifest with the store.
func scopeOf(m freeze.Manifest, splitIDs []string) models.FreezeScope {
	sc := models.FreezeScope{ExperimentID: m.Experiment, SplitIDs: splitIDs}
	for _, x := range m.Reviewers {
		sc.VersionIDs = append(sc.VersionIDs, x.VersionID)
	}
	return sc
}

// promptHashes are the hashes of the prompt versions this program writes: of both
// messages around a marker, and of the schema of the answer.
func promptHashes() map[string]string {
	out := map[string]string{}
	for _, version := range review.Versions() {
		m, err := review.Prompt(evidence.Evidence{Form: evidence.Patch, Text: "{{evidence}}"}, version)
		if err != nil {
			panic("runner: write a known prompt: " + err.Error())
		}
		h := sha256.New()
		for _, part := range []string{m.System, m.User, string(review.Schema())} {
			fmt.Fprintf(h, "%d\n%s", len(part), part)
		}
		out[version] = hex.EncodeToString(h.Sum(nil))
	}
	return out
}
