package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"plumbline/experiments/cascade"
	"plumbline/experiments/evidence"
	"plumbline/experiments/freeze"
	"plumbline/experiments/review"
	"plumbline/experiments/vote"
	"plumbline/models"
	"plumbline/runner/reviewer"
)

// KindReview is the kind of an experiment that asks reviewers and runs no check.
const KindReview = "review"

// ThawPolicy makes a policy of an arm of a freeze, by the arm's index in the
// manifest: the frozen reviewer with its evidence form and number of votes, and no
// check. It refuses a manifest that was changed, and a reviewer or prompt that is
// not the frozen one any more.
func (r *Runner) ThawPolicy(ctx context.Context, v models.Viewer, document []byte, arm int) (FrozenPolicy, error) {
	m, sha, err := freeze.Open(document)
	if err != nil {
		return FrozenPolicy{}, err
	}
	if arm < 0 || arm >= len(m.Arms) {
		return FrozenPolicy{}, models.Invalid("arm", fmt.Sprintf("the freeze has arms 0 to %d", len(m.Arms)-1))
	}
	e, err := r.store.Experiment(ctx, v, m.Experiment)
	if err != nil {
		return FrozenPolicy{}, err
	}
	if e.Kind != KindReview {
		return FrozenPolicy{}, models.Invalid("policy", "the frozen experiment is no review; name the experiment itself, whose policies are fixed since its launch")
	}
	a, kept := m.Arms[arm], m.Reviewers[arm]
	found, err := r.store.ReviewerVersions(ctx, v, e.ProjectID, []string{a.ReviewerVersionID})
	if err != nil {
		return FrozenPolicy{}, err
	}
	x := found[0].Version
	if x.SpecSHA256 != kept.SpecSHA256 || specHash(x.Spec) != kept.SpecSHA256 {
		return FrozenPolicy{}, fmt.Errorf("the settings of reviewer %s: %w", kept.Name, ErrPolicyChanged)
	}
	now := promptHashes()
	for _, p := range m.Prompts {
		if p.Version == kept.Prompt && now[p.Version] != p.SHA256 {
			return FrozenPolicy{}, fmt.Errorf("the prompt %s: %w", p.Version, ErrPolicyChanged)
		}
	}
	spec := &reviewer.Spec{}
	if err := json.Unmarshal([]byte(x.Spec), spec); err != nil {
		return FrozenPolicy{}, fmt.Errorf("read the settings of reviewer %s: %w", kept.Name, err)
	}
	spec.PromptVersion = kept.Prompt
	frozen := m.FrozenAt
	p := FrozenPolicy{
		Format: PolicyFormat, Name: m.Name + ", frozen", Cascade: cascade.ReviewOnly(m.Name+", frozen", a.Reviewer+" "+string(a.Form)), Checks: ChecksSpec{}.filled(),
		ReviewerName: a.Reviewer, Reviewer: spec, Form: a.Form, Budget: m.Config.Budget, Seed: m.Config.Seed,
		Experiment: m.Experiment, Arm: a.Reviewer + " · " + string(a.Form), FrozenAt: &frozen, Manifest: sha,
	}
	p.Cascade.Residual.Votes, p.Cascade.Residual.Rule = m.Config.Votes, vote.Rule(m.Config.Tally)
	return p.seal(), p.check()
}

func specHash(spec string) string {
	sum := sha256.Sum256([]byte(spec))
	return hex.EncodeToString(sum[:])
}

// Presets of NewPolicy.
const (
	PresetStatic      = "static"      // stages 0 and 1; what they do not decide is uncertain
	PresetRecommended = "recommended" // all stages; a passing test goes on as evidence
	PresetEvaluated   = "evaluated"   // all stages; a passing test accepts
	PresetReview      = "review"      // votes alone
)

// PolicyDraft describes a policy that no experiment has measured.
type PolicyDraft struct {
	Preset    string
	Reviewer  string // by name; empty for a preset without votes
	Generator string // by name, RecordedGenerator, or empty for none
	Form      evidence.Form
	Votes     int
	Budget    int
	Seed      int64
	Sandbox   string
	Image     string
}

// NewPolicy freezes one of the presets with reviewers of a project as they are now.
func (r *Runner) NewPolicy(ctx context.Context, v models.Viewer, projectID string, d PolicyDraft) (FrozenPolicy, error) {
	p := FrozenPolicy{Format: PolicyFormat, Name: d.Preset, Form: d.Form, Budget: d.Budget, Seed: d.Seed}
	arm := strings.TrimSpace(d.Reviewer + " " + string(d.Form))
	switch d.Preset {
	case PresetStatic:
		p = DefaultPolicy()
	case PresetRecommended:
		p.Cascade = cascade.Recommended(arm)
	case PresetEvaluated:
		p.Cascade = cascade.Evaluated(arm)
	case PresetReview:
		p.Cascade = cascade.ReviewOnly(d.Preset, arm)
	default:
		return p, models.Invalid("preset", fmt.Sprintf("there is no preset %q: choose %s, %s, %s or %s", d.Preset, PresetStatic, PresetRecommended, PresetEvaluated, PresetReview))
	}
	p.Checks.Generator, p.Checks.Sandbox, p.Checks.Image = d.Generator, d.Sandbox, d.Image
	p.Checks = p.Checks.filled()
	latest, err := r.store.Reviewers(ctx, v, projectID)
	if err != nil {
		return p, err
	}
	find := func(name string) (*reviewer.Spec, error) {
		for _, x := range latest {
			if x.Reviewer.Name == name {
				spec := &reviewer.Spec{}
				if err := json.Unmarshal([]byte(x.Version.Spec), spec); err != nil {
					return nil, fmt.Errorf("read the settings of reviewer %s: %w", name, err)
				}
				return spec, nil
			}
		}
		return nil, models.Invalid("reviewer", fmt.Sprintf("the project has no reviewer %q", name))
	}
	if p.Cascade.Residual.Votes > 0 {
		if d.Reviewer == "" {
			p.Cascade.Residual = cascade.ResidualRule{} // what no check decides is uncertain
		} else {
			if p.Reviewer, err = find(d.Reviewer); err != nil {
				return p, err
			}
			if p.Reviewer.PromptVersion == "" {
				p.Reviewer.PromptVersion = review.Current
			}
			p.ReviewerName, p.Cascade.Residual.Votes = d.Reviewer, d.Votes
		}
	}
	switch {
	case d.Generator == "" && p.Cascade.Tests.Attempts > 0:
		p.Cascade.Tests = cascade.TestRule{}
	case d.Generator != "" && d.Generator != RecordedGenerator:
		if p.Generator, err = find(d.Generator); err != nil {
			return p, err
		}
		if k := p.Generator.Kind; k != reviewer.KindOpenAI && k != reviewer.KindAnthropic {
			return p, models.Invalid("generator", fmt.Sprintf("a %s reviewer writes no tests; choose an endpoint", k))
		}
		p.GeneratorName = d.Generator
	}
	now := r.store.Now()
	p.FrozenAt, p.SHA256 = &now, ""
	return p.seal(), p.check()
}
