package ingest

import (
	"context"
	"hash/maphash"
	"maps"

	"plumbline/experiments/formats"
)

// A file of predictions that is imported alone has nothing to be joined with: each
// of its records is an attempt, and within one file nothing is merged. It is read
// once, and its attempts are stored window by window, so that memory does not grow
// with their number.

// Limits of a window, in records and in bytes of their patches.
const (
	windowRows  = 5_000
	windowBytes = 12 << 20
)

// windows stores a file while it is read.
type windows struct {
	path      string // of the file
	store     *storing
	rows      int
	bytes     int64
	on        bool
	report    formats.JoinReport
	files     []formats.FileReport
	instances distinct
}

// standsAlone reports whether the records of a format speak of no other record.
func standsAlone(f formats.Format) bool {
	switch f {
	case formats.PredictionsJSONL, formats.PredictionsArray, formats.PredictionsKeyed, formats.PredictionsCSV:
		return true
	}
	return false
}

// begin decides by the first file, before anything is joined.
func (s *scan) begin(e entry) {
	if w := s.window; w != nil && e.err == nil && e.path == w.path && standsAlone(e.format) {
		w.on = true
		s.joinOptions.KeepPatches = true
		s.joiner = formats.NewJoiner(s.joinOptions)
	}
}

// took notes a record and ends the window when it is full.
func (s *scan) took(ctx context.Context, r formats.Record) error {
	w := s.window
	p, ok := r.(*formats.Prediction)
	if w == nil || !w.on || !ok {
		return nil
	}
	w.rows++
	w.bytes += int64(len(p.Patch))
	if w.rows < windowRows && w.bytes < windowBytes {
		return nil
	}
	return s.closeWindow(ctx)
}

// closeWindow stores what the window holds and begins another.
func (s *scan) closeWindow(ctx context.Context) error {
	w := s.window
	j := s.joiner.Finish()
	s.joiner = formats.NewJoiner(s.joinOptions)
	w.rows, w.bytes = 0, 0
	for i, a := range j.Attempts {
		w.instances.add(a.Trace.InstanceID)
		w.store.bare(bare(a))
		in := s.input(a)
		if err := w.store.attempt(ctx, a, in, int64(len(in.Trace.Patch))); err != nil {
			return err
		}
		j.Attempts[i] = nil // what is stored need not stay
	}
	w.add(j.Report)
	w.files = append(w.files, j.Files...)
	return w.store.flush(ctx)
}

// add sums the reports of windows.
func (w *windows) add(r formats.JoinReport) {
	t := &w.report
	t.Files += r.Files
	t.Records += r.Records
	t.Attempts += r.Attempts
	t.Joined += r.Joined
	t.Duplicates += r.Duplicates
	t.WithoutAttempt += r.WithoutAttempt
	t.Problems += r.Problems
	t.Conflicts = append(t.Conflicts, r.Conflicts...)
	t.ProblemsInRecord = append(t.ProblemsInRecord, r.ProblemsInRecord...)
	t.Skipped, t.UnknownOutcome = sumCounts(t.Skipped, r.Skipped), sumCounts(t.UnknownOutcome, r.UnknownOutcome)
}

func sumCounts(a, b map[string]int) map[string]int {
	if a == nil {
		return maps.Clone(b)
	}
	for k, n := range b {
		a[k] += n
	}
	return a
}

// endWindows stores the last window and makes the report that of all of them.
func (s *scan) endWindows(ctx context.Context) error {
	w := s.window
	if err := s.closeWindow(ctx); err != nil {
		return err
	}
	w.report.Instances = w.instances.n
	s.joined = formats.Joined{Files: w.files, Report: w.report}
	return nil
}

// distinct counts distinct texts by their hashes: two that share one of 64 bits
// count once, which a million texts do about once in thirty million imports.
type distinct struct {
	seed maphash.Seed
	seen map[uint64]struct{}
	n    int
}

func (d *distinct) add(s string) {
	if d.seen == nil {
		d.seed, d.seen = maphash.MakeSeed(), map[uint64]struct{}{}
	}
	h := maphash.String(d.seed, s)
	if _, ok := d.seen[h]; !ok {
		d.seen[h] = struct{}{}
		d.n++
	}
}

// windowOf is how a scan of these files may store while it reads; nil if it may not.
func windowOf(files []diskFile, st *storing) *windows {
	if st == nil || len(files) != 1 {
		return nil
	}
	return &windows{path: files[0].path, store: st}
}
