package runner

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plumbline/experiments/bundled"
	"plumbline/experiments/formats"
	"plumbline/experiments/trace"
	"plumbline/models"
)

// BundledName is the dataset of the project's own cases.
const BundledName = "Bundled cases"

const bundledNote = "Small repositories with issues, hidden tests and hand-written attempts, made for this program. " +
	"Their labels come from running the hidden tests."

// LoadBundled stores the bundled cases and their splits. Loading again adds
// nothing.
func (r *Runner) LoadBundled(ctx context.Context, v models.Viewer, projectID string) (models.Dataset, error) {
	cases, err := bundled.Cases()
	if err != nil {
		return models.Dataset{}, fmt.Errorf("read the bundled cases: %w", err)
	}
	d, err := r.store.EnsureDataset(ctx, v, projectID, BundledName, bundledNote, true)
	if err != nil {
		return d, err
	}
	splits := map[string][]string{}
	for _, c := range cases {
		var in []models.TraceInput
		for _, t := range c.Traces() {
			in = append(in, traceInput(t))
		}
		res, err := r.store.ImportTraces(ctx, v, d.ID, []trace.Instance{c.Instance}, in)
		if err != nil {
			return d, fmt.Errorf("store case %s: %w", c.File, err)
		}
		for _, x := range res {
			splits[c.Split] = append(splits[c.Split], x.TraceID)
		}
	}
	for name, ids := range splits {
		if _, err := r.store.AddToSplit(ctx, v, d.ID, name, ids); err != nil {
			return d, err
		}
	}
	return d, nil
}

// LoadControls adds the controlled cases of the bundled cases to their dataset, in a
// split of their own, and returns their number. Loading again adds nothing.
func (r *Runner) LoadControls(ctx context.Context, v models.Viewer, projectID string) (models.Dataset, int, error) {
	d, err := r.LoadBundled(ctx, v, projectID)
	if err != nil {
		return d, 0, err
	}
	cases, err := bundled.Cases()
	if err != nil {
		return d, 0, fmt.Errorf("read the bundled cases: %w", err)
	}
	n := 0
	for _, c := range cases {
		controls, err := c.Controls()
		if err != nil {
			return d, n, fmt.Errorf("read the controls: %w", err)
		}
		if err := r.storeControls(ctx, v, d.ID, c.Instance, controls); err != nil {
			return d, n, err
		}
		n += len(controls)
	}
	return d, n, nil
}

// storeControls stores controlled cases of one instance, puts them into their split,
// and keeps what they lack.
func (r *Runner) storeControls(ctx context.Context, v models.Viewer, datasetID string, in trace.Instance, controls []bundled.Control) error {
	var inputs []models.TraceInput
	for _, k := range controls {
		inputs = append(inputs, traceInput(k.Trace))
	}
	res, err := r.store.ImportTraces(ctx, v, datasetID, []trace.Instance{in}, inputs)
	if err != nil {
		return fmt.Errorf("store the controls of %s: %w", in.ID, err)
	}
	var ids []string
	var cases []models.ControlledCase
	for i, k := range controls {
		ids = append(ids, res[i].TraceID)
		cases = append(cases, models.ControlledCase{TraceID: res[i].TraceID, Kind: k.Kind, Name: k.Name, File: k.File, Line: k.Line, Item: k.Item, Missing: k.Missing})
	}
	if _, err := r.store.AddToSplit(ctx, v, datasetID, bundled.SplitControls, ids); err != nil {
		return err
	}
	return r.store.SaveControlledCases(ctx, v, datasetID, cases)
}

func traceInput(t trace.Trace) models.TraceInput {
	f := formats.Facts(t.PatchState, t.Patch)
	return models.TraceInput{Trace: t, Patch: models.PatchFacts{SHA256: f.SHA256, Files: len(f.Files), Added: f.Added, Removed: f.Removed}}
}

// visible is what anybody without an oracle may read of an instance: the issue
// and, where the base tree is at hand, its files. An agent that quotes a test it
// found in the base has leaked nothing.
func visible(in models.EvidenceInput) (string, error) {
	if !in.Bundled {
		return in.Instance.Issue, nil
	}
	cases, err := bundled.Cases()
	if err != nil {
		return "", fmt.Errorf("read the bundled cases: %w", err)
	}
	var b strings.Builder
	b.WriteString(in.Instance.Issue)
	for _, c := range cases {
		if c.Instance.ID != in.Instance.ID {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(c.Base)) {
			b.WriteByte('\n')
			b.WriteString(c.Base[name])
		}
	}
	return b.String(), nil
}
