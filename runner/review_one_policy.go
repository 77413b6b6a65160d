package runner

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"plumbline/experiments/cascade"
	"plumbline/experiments/evidence"
	"plumbline/experiments/vote"
	"plumbline/models"
	"plumbline/runner/reviewer"
)

// PolicyFormat is the version of a FrozenPolicy's file.
const PolicyFormat = "plumbline-policy-1"

// FrozenPolicy is a cascade with everything that decides its verdicts, fixed in one
// document: checks, generator, reviewer with prompt version, evidence form, votes
// and seed. It holds no key; endpoints name theirs by reference.
type FrozenPolicy struct {
	Format        string         `json:"format"`
	Name          string         `json:"name"`
	Cascade       cascade.Policy `json:"cascade"`
	Checks        ChecksSpec     `json:"checks"`
	GeneratorName string         `json:"generator_name,omitempty"`
	Generator     *reviewer.Spec `json:"generator,omitempty"`
	ReviewerName  string         `json:"reviewer_name,omitempty"`
	Reviewer      *reviewer.Spec `json:"reviewer,omitempty"`
	Form          evidence.Form  `json:"form"`
	Budget        int            `json:"budget_tokens"`
	Seed          int64          `json:"seed"`

	Experiment string     `json:"experiment,omitempty"` // that it was taken from
	Arm        string     `json:"arm,omitempty"`
	FrozenAt   *time.Time `json:"frozen_at,omitempty"`
	Manifest   string     `json:"manifest_sha256,omitempty"` // of the freeze that it was taken from
	SHA256     string     `json:"sha256,omitempty"`          // of the document without this field
}

// DefaultPolicy is used where none is given: static checks that every installation
// has, no generator and no reviewer. What they do not decide is uncertain.
func DefaultPolicy() FrozenPolicy {
	p := FrozenPolicy{Format: PolicyFormat, Name: "static checks only", Cascade: cascade.RulesOnly(), Checks: ChecksSpec{}.filled(), Form: evidence.Checked}
	return p.seal()
}

// seal names the document by its content.
func (p FrozenPolicy) seal() FrozenPolicy {
	p.SHA256 = p.hash()
	return p
}

func (p FrozenPolicy) hash() string {
	p.SHA256 = ""
	sum := sha256.Sum256([]byte(settingsJSON(p)))
	return hex.EncodeToString(sum[:])
}

// ErrPolicyChanged says that a policy's document is not what was frozen.
var ErrPolicyChanged = errors.New("the policy was changed after it was frozen")

// ParsePolicy reads a policy's file and refuses one that was changed, one with
// fields that this program does not know, and one that cannot be run.
func ParsePolicy(raw []byte) (FrozenPolicy, error) {
	var p FrozenPolicy
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return p, fmt.Errorf("read the policy: %w", err)
	}
	if p.Format != PolicyFormat {
		return p, fmt.Errorf("read the policy: its format is %q, this program knows %q", p.Format, PolicyFormat)
	}
	if p.SHA256 != p.hash() {
		return p, ErrPolicyChanged
	}
	return p, p.check()
}

// check lists what would keep the policy from being run.
func (p FrozenPolicy) check() error {
	if bad := p.Cascade.Validate(); len(bad) > 0 {
		return fmt.Errorf("policy %q: %s", p.Name, bad[0])
	}
	if r := p.Cascade.Residual.Rule; r != "" && r != vote.Plurality && r != vote.Strict {
		return fmt.Errorf("policy %q: there is no tally rule %q", p.Name, r)
	}
	if p.Cascade.Residual.Votes > 0 {
		switch {
		case p.Reviewer == nil:
			return fmt.Errorf("policy %q asks for votes and names no reviewer", p.Name)
		case !p.Form.Valid() || !p.Form.Deployable():
			return fmt.Errorf("policy %q: the evidence form %q cannot be shown at review time", p.Name, p.Form)
		}
		if bad := p.Reviewer.Validate(); len(bad) > 0 {
			return fmt.Errorf("policy %q: reviewer: %s %s", p.Name, bad[0].Field, bad[0].Message)
		}
	}
	if p.Generator != nil {
		if bad := p.Generator.Validate(); len(bad) > 0 {
			return fmt.Errorf("policy %q: generator: %s %s", p.Name, bad[0].Field, bad[0].Message)
		}
	}
	return nil
}

// runs reports whether the policy runs programs.
func (p FrozenPolicy) runs() bool {
	return p.Cascade.Static != cascade.StaticOff || p.Cascade.Tests.Attempts > 0
}

// config is the policy's generator as a cascade's configuration has it.
func (p FrozenPolicy) config() CascadeConfig {
	c := CascadeConfig{Checks: p.Checks.filled(), GeneratorName: p.GeneratorName}
	if p.Generator != nil {
		c.GeneratorSpec = json.RawMessage(settingsJSON(p.Generator))
	}
	return c
}

// FreezePolicy takes a policy out of an arm of a cascade experiment, by the arm's
// index, with reviewer and generator as they were at launch.
func (r *Runner) FreezePolicy(ctx context.Context, v models.Viewer, experimentID string, arm int) (FrozenPolicy, error) {
	e, err := r.store.Experiment(ctx, v, experimentID)
	if err != nil {
		return FrozenPolicy{}, err
	}
	if e.Kind != KindCascade {
		return FrozenPolicy{}, models.Invalid("experiment", "it is no cascade; a review is frozen on its page, and the freeze is a policy")
	}
	var snap cascadeSnapshot
	if err := json.Unmarshal([]byte(e.Config), &snap); err != nil {
		return FrozenPolicy{}, fmt.Errorf("read the configuration of experiment %s: %w", e.ID, err)
	}
	if arm < 0 || arm >= len(snap.Cascade.Arms) {
		return FrozenPolicy{}, models.Invalid("arm", fmt.Sprintf("choose 0 to %d", len(snap.Cascade.Arms)-1))
	}
	a := snap.Cascade.Arms[arm]
	now := r.store.Now()
	p := FrozenPolicy{
		Format: PolicyFormat, Name: a.Policy.Name, Cascade: a.Policy, Checks: snap.Cascade.Checks, GeneratorName: snap.Cascade.GeneratorName,
		Form: a.Form, Budget: snap.Budget, Seed: snap.Seed, Experiment: e.ID, FrozenAt: &now,
	}
	p.Checks.Audit = false // there is no reference patch at review time
	if len(snap.Cascade.GeneratorSpec) > 0 {
		p.Generator = &reviewer.Spec{}
		if err := json.Unmarshal(snap.Cascade.GeneratorSpec, p.Generator); err != nil {
			return p, fmt.Errorf("read the settings of the generator: %w", err)
		}
	}
	if kept, ok := snap.Reviewers[a.ReviewerVersionID]; ok {
		p.ReviewerName, p.Arm = kept.Name, a.Policy.Name+" · "+kept.Name+" · "+string(a.Form)
		p.Reviewer = &reviewer.Spec{}
		if err := json.Unmarshal(kept.Spec, p.Reviewer); err != nil {
			return p, fmt.Errorf("read the settings of reviewer %s: %w", kept.Name, err)
		}
	}
	return p.seal(), nil
}
