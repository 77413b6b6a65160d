package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"plumbline/experiments/evidence"
	"plumbline/experiments/review"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/runner/reviewer"
)

// Estimate is what a review experiment will take. Nil is unknown, never zero.
type Estimate struct {
	Traces, Acceptable, Defective, Unlabeled int
	Sampled                                  int // traces whose evidence was rendered for it
	Arms                                     []ArmEstimate
	Calls                                    int
	Input, Output                            *int64 // tokens
	CostUSD                                  *float64
}

// ArmEstimate is the part of one arm.
type ArmEstimate struct {
	ArmSpec
	Reviewer      string
	Calls         int // at most, if Turns is not 0
	Turns         int // most calls of one review with tools; 0: each vote is one call
	Input, Output *int64
	CostUSD       *float64
	Unshown       int   // traces of the sample that the form cannot show
	Why           error // why the last of them cannot
}

// What an estimate rests on.
const (
	estimateTraces = 12
	// OutputTokens is what a reply is taken to be long, unless the reviewer's limit
	// is lower: a rationale of a paragraph with three citations.
	OutputTokens = 250
	// largeSteps is the size from which the steps of a sampled trace are weighed,
	// not read.
	largeSteps = 4 << 20
)

// Estimate counts the calls of an experiment, and guesses tokens and cost from the
// prompts of a few of its traces. Nothing is stored and no endpoint is asked. An
// empty choice of arms gives the counts of the split alone.
func (r *Runner) Estimate(ctx context.Context, v models.Viewer, spec LaunchSpec) (Estimate, error) {
	var out Estimate
	d, err := r.store.Dataset(ctx, v, spec.DatasetID)
	if err != nil {
		return out, err
	}
	cells, err := r.store.Composition(ctx, v, d.ID, spec.SplitID)
	if err != nil {
		return out, err
	}
	for _, c := range cells {
		out.Traces += c.N
		switch trace.Label(c.Label) {
		case trace.Acceptable:
			out.Acceptable += c.N
		case trace.Defective:
			out.Defective += c.N
		default:
			out.Unlabeled += c.N
		}
	}
	if len(spec.Arms) == 0 || out.Traces == 0 || spec.Votes < 1 {
		return out, nil
	}
	sample, err := r.sample(ctx, v, spec)
	if err != nil {
		return out, err
	}
	out.Sampled = len(sample)
	out.Input, out.Output, out.CostUSD = new(int64), new(int64), new(float64)
	for _, arm := range spec.Arms {
		a, err := r.estimateArm(ctx, v, d.ProjectID, arm, spec, sample, out.Traces)
		if err != nil {
			return out, err
		}
		out.Arms = append(out.Arms, a)
		out.Calls += a.Calls
		out.Input, out.Output = plus(out.Input, a.Input), plus(out.Output, a.Output)
		out.CostUSD = plus(out.CostUSD, a.CostUSD)
	}
	return out, nil
}

// plus adds what is known; one unknown makes the sum unknown.
func plus[T int64 | float64](a, b *T) *T {
	if a == nil || b == nil {
		return nil
	}
	sum := *a + *b
	return &sum
}

// sample takes traces evenly from the first page of the split.
func (r *Runner) sample(ctx context.Context, v models.Viewer, spec LaunchSpec) ([]sampled, error) {
	rows, _, err := r.store.Traces(ctx, v, models.TraceFilter{DatasetID: spec.DatasetID, SplitID: spec.SplitID}, models.Page{Limit: 500})
	if err != nil {
		return nil, err
	}
	steps := false
	for _, a := range spec.Arms {
		steps = steps || a.Form.NeedsSteps()
	}
	n := min(len(rows), estimateTraces)
	var out []sampled
	for i := range n {
		s, err := r.weigh(ctx, v, rows[i*len(rows)/n].ID, steps)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// sampled is a trace of the sample; tokens of steps that were not read are in
// steps.
type sampled struct {
	in    evidence.Input
	steps int
}

// weigh reads what the forms need of a trace. Steps beyond largeSteps are weighed.
func (r *Runner) weigh(ctx context.Context, v models.Viewer, id string, needSteps bool) (sampled, error) {
	size := int64(0)
	if needSteps {
		var err error
		if size, err = r.store.StepBytes(ctx, v, id); err != nil {
			return sampled{}, err
		}
	}
	in, err := r.store.LoadEvidenceInput(ctx, id, needSteps && size <= largeSteps)
	if err != nil {
		return sampled{}, err
	}
	s := sampled{in: evidence.From(in.Instance, in.Trace)}
	if size > largeSteps {
		s.steps = int(size / 4)
	}
	return s, nil
}

func (r *Runner) estimateArm(ctx context.Context, v models.Viewer, projectID string, arm ArmSpec, spec LaunchSpec, sample []sampled, traces int) (ArmEstimate, error) {
	out := ArmEstimate{ArmSpec: arm, Calls: traces * spec.Votes}
	found, err := r.store.ReviewerVersions(ctx, v, projectID, []string{arm.ReviewerVersionID})
	if err != nil {
		return out, err
	}
	out.Reviewer = found[0].Reviewer.Name
	var s reviewer.Spec
	if err := json.Unmarshal([]byte(found[0].Version.Spec), &s); err != nil {
		return out, fmt.Errorf("read reviewer version %s: %w", arm.ReviewerVersionID, err)
	}
	s = s.Filled()
	if s.Tools != nil {
		// Each call sends the conversation so far, whose length nobody knows before.
		out.Turns = s.Tools.Turns
		out.Calls *= out.Turns
		return out, nil
	}
	sum, shown := 0, 0
	for _, x := range sample {
		tokens, err := promptTokens(x, arm.Form, spec.Budget, s.PromptVersion)
		if err != nil {
			if !errors.Is(err, evidence.ErrNoOutcome) && !errors.Is(err, evidence.ErrNoMissing) && !errors.Is(err, evidence.ErrBudget) {
				return out, err
			}
			out.Unshown, out.Why = out.Unshown+1, err
			continue
		}
		sum, shown = sum+tokens, shown+1
	}
	if shown == 0 {
		return out, nil
	}
	in := int64(sum) * int64(out.Calls) / int64(shown)
	reply := int64(min(OutputTokens, s.MaxTokens)) * int64(out.Calls)
	out.Input, out.Output = &in, &reply
	if s.Kind == reviewer.KindSimulated {
		out.CostUSD = new(float64) // nothing is asked, so nothing is paid
		return out, nil
	}
	out.CostUSD = s.Price.Cost(reviewer.Usage{PromptTokens: out.Input, CompletionTokens: out.Output})
	return out, nil
}

// promptTokens is the estimated length of the prompt for one trace.
func promptTokens(x sampled, form evidence.Form, budget int, version string) (int, error) {
	ev, err := evidence.Render(x.in, form, budget)
	if err != nil {
		return 0, err
	}
	m, err := review.Prompt(ev, version)
	if err != nil {
		return 0, err
	}
	n := evidence.Tokens(m.System) + evidence.Tokens(m.User)
	if form != evidence.Trace || x.steps == 0 {
		return n, nil
	}
	if budget <= 0 {
		return n + x.steps, nil
	}
	return n + max(0, min(x.steps, budget-ev.Tokens)), nil
}
