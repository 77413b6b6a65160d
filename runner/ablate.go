package runner

import (
	"context"
	"errors"
	"path"
	"time"

	"plumbline/experiments/ablation"
	"plumbline/experiments/bundled"
	"plumbline/experiments/patch"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/runner/checks"
	"plumbline/runner/sandbox"
	"plumbline/runner/workspace"
)

// AblateSpec says of which dataset controlled cases are made, and how its official
// tests run. Zero values take the defaults that the comments name.
type AblateSpec struct {
	DatasetID string
	PerKind   int           // ablations of each kind that are kept of an instance; default 1
	Repeat    int           // runs of the official tests on each tree; default 2
	Backend   string        // sandbox; default auto
	Image     string        // for backends that run images
	ReadOnly  []string      // folders of the host that the tests see too
	Runner    string        // default by language and test ids
	Python    string        // default python3
	Args      []string      // further arguments of the test runner
	Env       []string      // NAME=value for the tests
	Wall      time.Duration // for one run of the tests; default 5 min
	// DropBroken leaves out pass-to-pass tests that fail on the reference here.
	DropBroken bool
}

// Ablated is what became of one instance.
type Ablated struct {
	Instance string            `json:"instance_id"`
	State    string            `json:"state"` // "usable", or why nothing can be verified here
	Reason   string            `json:"reason"`
	Proposed int               `json:"proposed"`
	Tried    int               `json:"tried"`
	Kept     []AblatedCase     `json:"kept"`
	Refused  map[string]int    `json:"refused"` // proposals that were tried and not kept, by outcome
	Controls []bundled.Control `json:"-"`
}

// AblatedCase is a controlled case that was kept.
type AblatedCase struct {
	Kind    string       `json:"kind"`
	Name    string       `json:"name"`
	Bucket  trace.Bucket `json:"bucket"`
	Missing string       `json:"missing"`
}

// States of Ablated beside those of checks.Usability.
const (
	NoAblation = "no_ablation" // the language is none of those that can be read
)

// Ablate proposes ablations of the reference patches of a dataset, runs the official
// tests on each, and stores those that prove defective, with the reference patches,
// as controlled cases. tell hears of each instance when it is done. The error is of
// ctx, the store or the sandbox.
func (r *Runner) Ablate(ctx context.Context, v models.Viewer, host *CheckHost, s AblateSpec, tell func(Ablated)) error {
	instances, err := r.store.ReferenceInstances(ctx, v, s.DatasetID)
	if err != nil {
		return err
	}
	if len(instances) == 0 {
		return models.Invalid("dataset", "none of its instances has a reference patch")
	}
	s = s.filled()
	box, err := sandbox.Open(ctx, s.Backend, sandbox.Options{ReadOnly: s.ReadOnly})
	if err != nil {
		return err
	}
	for _, in := range instances {
		out, err := ablate(ctx, host, box, s, in)
		if err != nil {
			return err
		}
		if len(out.Controls) > 0 {
			if err := r.storeControls(ctx, v, s.DatasetID, in, out.Controls); err != nil {
				return err
			}
		}
		tell(out)
	}
	return nil
}

func (s AblateSpec) filled() AblateSpec {
	if s.Backend == "" {
		s.Backend = sandbox.Auto
	}
	if s.PerKind <= 0 {
		s.PerKind = 1
	}
	if s.Repeat <= 0 {
		s.Repeat = 2
	}
	if s.Wall <= 0 {
		s.Wall = 5 * time.Minute
	}
	return s
}

func ablate(ctx context.Context, host *CheckHost, box sandbox.Backend, s AblateSpec, in trace.Instance) (Ablated, error) {
	out := Ablated{Instance: in.ID, Kept: []AblatedCase{}, Refused: map[string]int{}}
	stop := func(state, reason string) (Ablated, error) {
		out.State, out.Reason = state, reason
		return out, ctx.Err()
	}
	base, err := host.Base(ctx, in)
	if err != nil {
		return stop(string(checks.NoBase), err.Error())
	}
	proposals, err := ablation.Propose(ablationLanguage(in), changedFiles(base, in.Oracle.GoldPatch), in.Oracle.GoldPatch)
	if err != nil {
		state := string(checks.GoldDoesNotApply)
		if errors.Is(err, ablation.ErrLanguage) {
			state = NoAblation
		}
		return stop(state, err.Error())
	}
	out.Proposed = len(proposals)
	name := s.Runner
	if name == "" {
		name = checks.ChooseRunner(in)
	}
	set := host.Settings()
	set.Python, set.Args = s.Python, s.Args
	run, err := checks.NewRunner(name, set)
	if err != nil {
		return stop(string(checks.NoRunner), err.Error())
	}
	sub, check := checks.NewSubject(in, base, run, checks.Exec{Box: box, Env: s.Env, Image: s.Image, Limits: sandbox.Limits{Wall: s.Wall}}, 0)
	if check.State == checks.Usable {
		if check, err = sub.CheckInstance(ctx, checks.InstanceOptions{Repeat: s.Repeat, DropBroken: s.DropBroken}); err != nil {
			return out, err
		}
	}
	if check.State != checks.Usable {
		return stop(string(check.State), check.Reason)
	}
	out.State = string(check.State)
	out.add(in, bundled.Control{Kind: bundled.Reference, Name: "reference", Missing: bundled.NothingMissing}, in.Oracle.GoldPatch, trace.Acceptable, trace.NoBucket, check.Gold)
	for _, kind := range ablation.Kinds {
		if err := out.verify(ctx, sub, check, s, in, kind, proposals); err != nil {
			return out, err
		}
	}
	return out, nil
}

// verify runs the official tests on proposals of a kind until enough are kept.
func (a *Ablated) verify(ctx context.Context, sub checks.Subject, check checks.InstanceCheck, s AblateSpec, in trace.Instance, kind ablation.Kind, proposals []ablation.Ablation) error {
	kept := 0
	for _, p := range proposals {
		if p.Kind != kind || kept == s.PerKind {
			continue
		}
		a.Tried++
		got, err := sub.CheckTrace(ctx, trace.Trace{InstanceID: in.ID, PatchState: trace.PatchText, Patch: p.Patch}, check, s.Repeat)
		if err != nil {
			return err
		}
		switch {
		case got.Outcome != checks.Labelled:
			a.Refused[string(got.Outcome)]++
		case got.Label != trace.Defective:
			a.Refused["not_defective"]++
		default:
			kept++
			a.add(in, bundled.Control{Kind: string(p.Kind), Name: p.Name, File: p.File, Line: p.Line, Item: p.Item, Missing: p.Missing}, p.Patch, got.Label, got.Bucket, got.Counts)
		}
	}
	return nil
}

// add keeps a controlled case with the outcome that running the tests gave it.
func (a *Ablated) add(in trace.Instance, k bundled.Control, diff string, label trace.Label, bucket trace.Bucket, counts *trace.TestCounts) {
	resolved := label == trace.Acceptable
	k.Trace = trace.Trace{
		InstanceID: in.ID, Agent: "ablation", Model: k.Kind, Attempt: len(a.Controls), PatchState: trace.PatchText, Patch: diff, Status: "constructed",
		Trajectory: "controls/" + in.ID + "/" + k.Name,
		Outcome:    trace.Outcome{Resolved: &resolved, Source: "plumbline ablate", Label: label, Bucket: bucket, From: trace.Constructed, Tests: counts},
	}
	if k.Kind == bundled.Reference {
		k.Trace.Agent, k.Trace.Model, k.Trace.Attempt = "reference", "reference patch", 1
	}
	if !resolved {
		k.Trace.Outcome.Reason = "unresolved"
	}
	a.Controls = append(a.Controls, k)
	a.Kept = append(a.Kept, AblatedCase{k.Kind, k.Name, bucket, k.Missing})
}

// ablationLanguage is that of the instance, or else of the files of its reference.
func ablationLanguage(in trace.Instance) string {
	if in.Language != "" {
		return in.Language
	}
	d := patch.Parse(in.Oracle.GoldPatch)
	for i := range d.Files {
		switch path.Ext(d.Files[i].Path()) {
		case ".py":
			return "python"
		case ".go":
			return "go"
		}
	}
	return ""
}

// changedFiles reads the files that a patch changes from its base.
func changedFiles(base *workspace.Base, diff string) map[string]string {
	out := map[string]string{}
	d := patch.Parse(diff)
	tree := base.Tree()
	for i := range d.Files {
		if name := d.Files[i].Old; name != "" {
			if f, err := tree.Read(name); err == nil {
				out[name] = string(f.Data)
			}
		}
	}
	return out
}
