package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"plumbline/experiments/cascade"
	"plumbline/experiments/cascade/gentest"
	"plumbline/experiments/evidence"
	"plumbline/experiments/vote"
	"plumbline/models"
	"plumbline/runner/checks"
	"plumbline/runner/sandbox"
)

// KindCascade is the kind of a cascade experiment.
const KindCascade = "cascade"

// RecordedGenerator names the recorded replies where a generator is asked for.
const RecordedGenerator = "recorded"

// ChecksSpec says which checks a cascade has and how they run. Observations are
// shared by all cascades with equal checks.
type ChecksSpec struct {
	// Generator is a reviewer version whose endpoint writes tests, RecordedGenerator,
	// or empty for none.
	Generator string            `json:"generator,omitempty"`
	Tools     []checks.ToolSpec `json:"tools,omitempty"` // beside those that are found
	// Repeats are the runs of a generated test on the base; default 2.
	Repeats int `json:"repeats"`
	// TestWallS limits one run of a generated test in seconds; default 60.
	TestWallS float64 `json:"test_wall_s"`
	// Audit runs kept tests on the reference patch too. Nothing but the audit reads it.
	Audit bool `json:"audit"`
	// Sandbox is a backend by name; default auto. "none" protects nothing and is
	// marked on every result.
	Sandbox string `json:"sandbox,omitempty"`
	Image   string `json:"image,omitempty"` // for backends that run images
	Prompt  string `json:"prompt"`          // of the generator; default the current one
}

func (c ChecksSpec) filled() ChecksSpec {
	if c.Repeats == 0 {
		c.Repeats = 2
	}
	if c.TestWallS == 0 {
		c.TestWallS = 60
	}
	if c.Prompt == "" {
		c.Prompt = gentest.Current
	}
	return c
}

// CascadeArm is a policy with its residual reviewer. A policy without checks is an
// ordinary arm: a baseline on the same traces.
type CascadeArm struct {
	Policy            cascade.Policy `json:"policy"`
	ReviewerVersionID string         `json:"reviewer_version_id"`
	Form              evidence.Form  `json:"form"`
}

// checked reports an arm that runs checks.
func (a CascadeArm) checked() bool {
	return a.Policy.NoChange || a.Policy.Static != cascade.StaticOff || a.Policy.Tests.Attempts > 0
}

// CascadeSpec describes a cascade experiment. Arms of LaunchSpec is not read.
type CascadeSpec struct {
	LaunchSpec
	Checks ChecksSpec   `json:"checks"`
	Policy []CascadeArm `json:"cascade_arms"`
}

// CascadeConfig is the part of an experiment's configuration that a cascade adds.
type CascadeConfig struct {
	Checks ChecksSpec   `json:"checks"`
	Arms   []CascadeArm `json:"arms"` // by the index of the arm
	// GeneratorName and GeneratorSpec are the generator as it was at launch.
	GeneratorName string          `json:"generator_name,omitempty"`
	GeneratorSpec json.RawMessage `json:"generator_spec,omitempty"`
	// ChecksSHA256 names the checks: sets of observations belong to it.
	ChecksSHA256 string `json:"checks_sha256"`
}

// cascadeSnapshot is what a cascade experiment keeps.
type cascadeSnapshot struct {
	Snapshot
	Cascade CascadeConfig `json:"cascade"`
}

// CascadeConfigOf reads the configuration of a cascade experiment.
func CascadeConfigOf(e models.Experiment) (CascadeConfig, error) {
	var s cascadeSnapshot
	if err := json.Unmarshal([]byte(e.Config), &s); err != nil {
		return CascadeConfig{}, fmt.Errorf("read the configuration of experiment %s: %w", e.ID, err)
	}
	return s.Cascade, nil
}

// check returns an *models.InvalidError with a message for each bad field.
func (s *CascadeSpec) check() error {
	bad := map[string]string{}
	if len(s.Policy) == 0 {
		bad["cascade_arms"] = "choose at least one policy with a residual reviewer"
	}
	if len(s.Policy) > 32 {
		bad["cascade_arms"] = "choose at most 32 arms"
	}
	s.Checks = s.Checks.filled()
	seen := map[string]bool{}
	for i := range s.Policy {
		a := &s.Policy[i]
		a.Policy.Residual.Votes = s.Votes
		if a.Policy.Residual.Arm == "" {
			a.Policy.Residual.Arm = a.ReviewerVersionID + " " + string(a.Form)
		}
		if !a.Form.Valid() || a.Form.UpperBound() {
			bad["cascade_arms"] = fmt.Sprintf("a residual reviewer cannot be shown %q", a.Form)
		}
		if problems := a.Policy.Validate(); len(problems) > 0 {
			bad["cascade_arms"] = fmt.Sprintf("policy %q: %s", a.Policy.Name, problems[0])
		}
		if r := a.Policy.Residual.Rule; r != "" && r != vote.Plurality {
			bad["cascade_arms"] = "the votes of an experiment are tallied by plurality"
		}
		key := a.Policy.Name + "\x00" + a.ReviewerVersionID + "\x00" + string(a.Form)
		if seen[key] {
			bad["cascade_arms"] = fmt.Sprintf("policy %q is chosen twice with the same reviewer", a.Policy.Name)
		}
		seen[key] = true
	}
	c := s.Checks
	if c.Repeats < 1 || c.Repeats > 10 {
		bad["repeats"] = "choose 1 to 10 runs"
	}
	if !(c.TestWallS >= 1 && c.TestWallS <= 3600) {
		bad["test_wall_s"] = "choose 1 to 3600 seconds"
	}
	switch c.Sandbox {
	case "", sandbox.Auto, sandbox.Bubblewrap, sandbox.Namespaces, sandbox.Docker, sandbox.Podman, sandbox.Apptainer, sandbox.None:
	default:
		bad["sandbox"] = fmt.Sprintf("there is no sandbox %q", c.Sandbox)
	}
	for _, t := range c.Tools {
		if _, err := t.Tool(); err != nil {
			bad["tools"] = err.Error()
		}
	}
	if len(bad) > 0 {
		return &models.InvalidError{Fields: bad}
	}
	return nil
}

// hash names the checks of a configuration: what can change an observation.
func (c CascadeConfig) hash(seed int64) (string, error) {
	raw, err := json.Marshal(struct {
		Checks    ChecksSpec
		Generator json.RawMessage
		Seed      int64
	}{c.Checks, c.GeneratorSpec, seed})
	if err != nil {
		return "", fmt.Errorf("name the checks: %w", err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}
