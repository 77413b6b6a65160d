package ingest

import (
	"context"
	"runtime/debug"

	"plumbline/experiments/formats"
	"plumbline/experiments/trace"
	"plumbline/models"
)

// storing groups instances and whole attempts into transactions of bounded size.
type storing struct {
	store   *models.Store
	viewer  models.Viewer
	dataset string
	run     *models.ImportRun
	split   trace.SplitRule
	sum     *Summary

	instances []trace.Instance
	seen      map[string]bool // instances of this batch that no row describes
	inputs    []models.TraceInput
	named     [][]string // the splits that the source names, by input
	bytes     int64
}

// Limits of a transaction. Its writes are committed together, so that an import
// that is killed leaves no half.
const (
	batchRows  = 200
	batchBytes = 4 << 20
	largeBatch = 32 << 20 // a single text larger than any usual batch
)

func (s *storing) instance(ctx context.Context, in trace.Instance) error {
	s.instances = append(s.instances, in)
	s.bytes += int64(len(in.Issue) + len(in.Hints) + len(in.Oracle.GoldPatch) + len(in.Oracle.TestPatch) + 60*(len(in.Oracle.FailToPass)+len(in.Oracle.PassToPass)))
	return s.full(ctx)
}

// bare notes an instance that is known by its attempts only.
func (s *storing) bare(in trace.Instance) {
	if s.seen[in.ID] {
		return
	}
	s.seen[in.ID] = true
	s.instances = append(s.instances, in)
}

// attempt takes an attempt with all its texts, which are bytes long in memory.
func (s *storing) attempt(ctx context.Context, a *formats.Attempt, in models.TraceInput, bytes int64) error {
	s.inputs, s.named = append(s.inputs, in), append(s.named, a.Splits())
	s.bytes += bytes
	s.sum.Labels[a.Trace.Outcome.Label]++
	return s.full(ctx)
}

func (s *storing) full(ctx context.Context) error {
	if s.bytes < batchBytes && len(s.inputs) < batchRows && len(s.instances) < batchRows {
		return nil
	}
	return s.flush(ctx)
}

// flush stores what was gathered in one transaction and puts the traces into their
// splits.
func (s *storing) flush(ctx context.Context) error {
	if len(s.inputs)+len(s.instances) == 0 {
		return nil
	}
	large := s.bytes > largeBatch
	if large {
		// The database copies a text while it stores it; what reading it left behind is
		// given back first.
		debug.FreeOSMemory()
	}
	res, err := s.store.ImportBatch(ctx, s.viewer, s.dataset, s.run, s.instances, s.inputs)
	if err != nil {
		return err
	}
	splits := map[string][]string{}
	for i, r := range res {
		t := s.inputs[i].Trace
		s.sum.note(t, r)
		names := s.named[i]
		if name := s.split.Of(t.InstanceID); name != "" {
			names = []string{name} // the rule of the import goes before the source
		}
		for _, name := range names {
			if r.TraceID != "" {
				splits[name] = append(splits[name], r.TraceID)
			}
		}
	}
	for _, name := range sortedKeys(splits) {
		if _, err := s.store.AddToSplit(ctx, s.viewer, s.dataset, name, splits[name]); err != nil {
			return err
		}
		s.sum.Splits[name] += len(splits[name])
	}
	clear(s.inputs)
	clear(s.instances)
	clear(s.seen)
	s.inputs, s.named, s.instances, s.bytes = s.inputs[:0], s.named[:0], s.instances[:0], 0
	if large {
		debug.FreeOSMemory() // before the next one comes
	}
	return nil
}
