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
