package formats

import "plumbline/experiments/trace"

// DryRunResult is the object that an import prints without writing anything. Its
// keys are a documented, stable interface; unknown values are null.
type DryRunResult struct {
	Files  []DryFile  `json:"files"`
	Traces []DryTrace `json:"traces"`
}

// DryFile is one file of a dry run.
type DryFile struct {
	Path     string     `json:"path"`
	Format   Format     `json:"format"`
	Records  *int       `json:"records"`
	Problems []*Problem `json:"problems"`
}

// DryTrace is one attempt of a dry run.
type DryTrace struct {
	InstanceID     string   `json:"instance_id"`
	Agent          *string  `json:"agent"`
	Model          *string  `json:"model"`
	Repo           *string  `json:"repo"`
	BaseCommit     *string  `json:"base_commit"`
	Trajectory     *string  `json:"trajectory"`
	PatchState     *string  `json:"patch_state"`
	PatchFiles     []string `json:"patch_files"` // null when there is no patch text
	PatchAdded     *int     `json:"patch_added"`
	PatchRemoved   *int     `json:"patch_removed"`
	PatchSHA256    *string  `json:"patch_sha256"`
	Steps          *int     `json:"steps"`
	CostUSD        *float64 `json:"cost_usd"`
	InputTokens    *int64   `json:"input_tokens"`
	OutputTokens   *int64   `json:"output_tokens"`
	Status         *string  `json:"status"`
	Summary        *string  `json:"summary"`
	Resolved       *bool    `json:"resolved"`
	ResolvedSource *string  `json:"resolved_source"`
}

// DryRun turns joined records into that object. The Joiner must have kept the
// summaries; patches are not needed.
func DryRun(in Joined) DryRunResult {
	out := DryRunResult{Files: []DryFile{}, Traces: []DryTrace{}}
	for _, f := range in.Files {
		out.Files = append(out.Files, DryFile{Path: f.Path, Format: f.Format, Records: f.Records, Problems: f.Problems})
	}
	for _, a := range in.Attempts {
		out.Traces = append(out.Traces, dryTrace(a))
	}
	return out
}

func dryTrace(a *Attempt) DryTrace {
	t := &a.Trace
	d := DryTrace{
		InstanceID: t.InstanceID, Agent: known(t.Agent), Model: known(t.Model), Repo: known(a.Repo), BaseCommit: known(a.Base),
		Trajectory: known(t.Trajectory), Steps: a.Steps, CostUSD: t.Usage.CostUSD, InputTokens: t.Usage.InputTokens,
		OutputTokens: t.Usage.OutputTokens, Status: known(t.Status), Summary: known(t.Summary),
		Resolved: t.Outcome.Resolved, PatchState: known(string(patchWord(a))),
	}
	if a.Patch.SHA256 != "" {
		d.PatchFiles, d.PatchAdded, d.PatchRemoved, d.PatchSHA256 = a.Patch.Files, a.Patch.Added, a.Patch.Removed, &a.Patch.SHA256
	}
	if t.Outcome.Resolved != nil {
		d.ResolvedSource = known(t.Outcome.Source)
	}
	return d
}

func patchWord(a *Attempt) trace.PatchState { return a.Patch.State }

// known is nil for an empty text.
func known(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
