package bundled

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"plumbline/experiments/trace"
)

var (
	attemptName = regexp.MustCompile(`^\d\d-[a-z0-9-]+$`)
	stepKinds   = []trace.StepKind{
		trace.StepSystem, trace.StepUser, trace.StepThought, trace.StepAction,
		trace.StepObservation, trace.StepMessage, trace.StepError,
	}
)

// parseAttempts reads the attempts folder, in order of the folder names.
func parseAttempts(c Case, files map[string]string) ([]Attempt, error) {
	var names []string
	for p := range files {
		dir, _, _ := strings.Cut(p, "/")
		names = append(names, dir)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) < 4 {
		return nil, fmt.Errorf("%d attempts, want at least 4", len(names))
	}
	type key struct {
		agent, model string
		attempt      int
	}
	seen := map[key]string{}
	var out []Attempt
	for _, name := range names {
		a, err := parseAttempt(c, name, folder(files, name))
		if err != nil {
			return nil, fmt.Errorf("attempt %s: %w", name, err)
		}
		k := key{a.Trace.Agent, a.Trace.Model, a.Trace.Attempt}
		if other, ok := seen[k]; ok {
			return nil, fmt.Errorf("attempts %s and %s have the same agent, model and number", other, name)
		}
		seen[k] = name
		out = append(out, a)
	}
	return out, nil
}

func parseAttempt(c Case, name string, files map[string]string) (Attempt, error) {
	if !attemptName.MatchString(name) {
		return Attempt{}, fmt.Errorf("folder name is not NN-slug")
	}
	for _, f := range []string{"attempt.json", "patch.diff", "steps.jsonl", "summary.md"} {
		if _, ok := files[f]; !ok {
			return Attempt{}, fmt.Errorf("%s is missing", f)
		}
	}
	var rec attemptRecord
	if err := decode(files["attempt.json"], &rec); err != nil {
		return Attempt{}, fmt.Errorf("attempt.json: %w", err)
	}
	patch := files["patch.diff"]
	if err := rec.check(c, patch); err != nil {
		return Attempt{}, fmt.Errorf("attempt.json: %w", err)
	}
	steps, err := parseSteps(files["steps.jsonl"])
	if err != nil {
		return Attempt{}, err
	}
	t := trace.Trace{
		InstanceID: c.Instance.ID, Agent: rec.Agent, Model: rec.Model, Attempt: rec.Attempt,
		PatchState: trace.PatchText, Patch: patch,
		Summary: files["summary.md"], Steps: steps, Status: rec.Status,
		Usage: trace.Usage{
			CostUSD: rec.CostUSD, InputTokens: rec.InputTokens,
			OutputTokens: rec.OutputTokens, Duration: milliseconds(rec.DurationMS),
		},
		Outcome:    rec.outcome(c.File),
		Trajectory: "bundled/" + c.File + "/attempts/" + name,
	}
	if patch == "" {
		t.PatchState = trace.PatchEmpty
	}
	return Attempt{Name: name, Why: rec.Why, Trace: t}, nil
}

// check refuses an incomplete record and one whose label does not follow from
// its counts.
func (r attemptRecord) check(c Case, patch string) error {
	switch {
	case r.Recorded != "hand-written":
		return fmt.Errorf("recorded must say hand-written")
	case r.Agent == "" || r.Model == "" || r.Attempt < 1 || r.Why == "" || r.Status == "":
		return fmt.Errorf("agent, model, attempt, why and status are required")
	case r.CostUSD == nil || r.InputTokens == nil || r.OutputTokens == nil || r.DurationMS == nil || r.Tests == nil:
		return fmt.Errorf("cost_usd, input_tokens, output_tokens, duration_ms and tests are required")
	case patch != "" && !strings.HasPrefix(patch, "diff --git "):
		return fmt.Errorf("patch.diff is not a git diff")
	}
	n := *r.Tests
	if o := c.Instance.Oracle; n.F2PAll != len(o.FailToPass) || n.P2PAll != len(o.PassToPass) {
		return fmt.Errorf("tests are of %d and %d, the case has %d and %d",
			n.F2PAll, n.P2PAll, len(o.FailToPass), len(o.PassToPass))
	}
	label, bucket := Classify(n.F2POK == n.F2PAll, n.P2POK == n.P2PAll, patch == "")
	if label != r.Label || bucket != r.Bucket {
		return fmt.Errorf("the counts make it %q %q, the record says %q %q", label, bucket, r.Label, r.Bucket)
	}
	return nil
}

// Classify derives label and bucket from the official outcome: acceptable when
// both suites pass; else no change for an empty patch, regression when a
// pass-to-pass test fails, omission otherwise (paper G §4, Table 1).
func Classify(failToPass, passToPass, emptyPatch bool) (trace.Label, trace.Bucket) {
	switch {
	case emptyPatch:
		return trace.Defective, trace.NoChange
	case !passToPass:
		return trace.Defective, trace.Regression
	case !failToPass:
		return trace.Defective, trace.Omission
	default:
		return trace.Acceptable, trace.NoBucket
	}
}

func (r attemptRecord) outcome(file string) trace.Outcome {
	resolved := r.Label == trace.Acceptable
	out := trace.Outcome{
		Resolved: &resolved, Source: "bundled/" + file,
		Label: r.Label, Bucket: r.Bucket, From: trace.Execution,
		// An empty patch leaves base as it is, and the counts are those of base.
		Tests: &trace.TestCounts{
			FailToPassOK: r.Tests.F2POK, FailToPassAll: r.Tests.F2PAll,
			PassToPassOK: r.Tests.P2POK, PassToPassAll: r.Tests.P2PAll, Applied: true,
		},
	}
	switch {
	case r.Bucket == trace.NoChange:
		out.Reason = "empty_patch"
	case !resolved:
		out.Reason = "unresolved"
	}
	return out
}

func parseSteps(lines string) ([]trace.Step, error) {
	var out []trace.Step
	for n, line := range strings.Split(strings.TrimSuffix(lines, "\n"), "\n") {
		var rec stepRecord
		if err := decode(line, &rec); err != nil {
			return nil, fmt.Errorf("steps.jsonl line %d: %w", n+1, err)
		}
		if !slices.Contains(stepKinds, rec.Kind) {
			return nil, fmt.Errorf("steps.jsonl line %d: unknown kind %q", n+1, rec.Kind)
		}
		if rec.Thought == "" && rec.Action == "" && rec.Observation == "" {
			return nil, fmt.Errorf("steps.jsonl line %d: an empty step", n+1)
		}
		out = append(out, rec.step(n))
	}
	return out, nil
}
