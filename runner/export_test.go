package runner_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/formats"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/ingest"
	"plumbline/runner/runnertest"
)

var exportAdmin = models.LocalAdmin()

// exportText exports into memory.
func exportText(t *testing.T, r *runner.Runner, spec runner.ExportSpec, format string) string {
	t.Helper()
	var b bytes.Buffer
	spec.Format = format
	if _, err := r.Export(context.Background(), exportAdmin, spec, &b); err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return b.String()
}

// readVotes reads an export of votes as an import would.
func readVotes(t *testing.T, name, text string) (out []formats.Vote) {
	t.Helper()
	f, _ := formats.Sniff(name, []byte(text[:min(len(text), formats.SniffLen)]))
	_, err := formats.Read(f, strings.NewReader(text), formats.Source{Path: name, Size: int64(len(text))}, func(r formats.Record) error {
		switch v := r.(type) {
		case *formats.Problem:
			t.Error(v)
		case *formats.Vote:
			c := *v
			c.Pos = formats.Pos{}
			out = append(out, c)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The same votes stand in every form, one row for each that is stored, and both
// engines give the same.
func TestExportVotes(t *testing.T) {
	t.Parallel()
	var first []formats.Vote
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		e, err := modelstest.Fill(context.Background(), s, modelstest.Size{Traces: 60, Arms: 9, Votes: 5, Attempts: 2}, 3)
		if err != nil {
			t.Fatal(err)
		}
		r := runnertest.New(t, s).Runner
		spec := runner.ExportSpec{Experiment: e.ID}
		want := readVotes(t, "votes.jsonl", exportText(t, r, spec, "votes.jsonl"))
		if len(want) != 60*9*5 {
			t.Fatalf("%d votes", len(want))
		}
		for _, name := range []string{"votes.csv", "votes.parquet"} {
			if d := cmp.Diff(want, readVotes(t, name, exportText(t, r, spec, name))); d != "" {
				t.Errorf("%s: %.2000s", name, d)
			}
		}
		// Inspect has the votes of a trace by index, then arm.
		byItem := map[string]formats.Vote{}
		for _, v := range want {
			byItem[v.Names.Item+" "+string(rune('0'+v.Index))] = v
		}
		log := readVotes(t, "log.json", exportText(t, r, spec, "inspect.json"))
		if len(log) != len(want) {
			t.Errorf("the Inspect log has %d votes of %d", len(log), len(want))
		}
		for _, v := range log {
			if d := cmp.Diff(byItem[v.Names.Item+" "+string(rune('0'+v.Index))], v); d != "" {
				t.Fatalf("%.2000s", d)
			}
		}
		for i := range want {
			if want[i].VotedAt.IsZero() {
				t.Error("a vote without its time")
			}
			want[i].VotedAt = time.Time{} // the two stores were filled at different times
		}
		if first == nil {
			first = want
			return
		}
		if d := cmp.Diff(first, want); d != "" {
			t.Errorf("the engines differ: %.2000s", d)
		}
	})
}

// An experiment's share link shows results; it exports nothing.
func TestExportNeedsMoreThanAShareLink(t *testing.T) {
	t.Parallel()
	s := modelstest.SQLite(t)
	e, err := modelstest.Fill(context.Background(), s, modelstest.Size{Traces: 3, Arms: 1, Votes: 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	r := runnertest.New(t, s).Runner
	for _, v := range []models.Viewer{{Share: e.ID}, {Name: "stranger"}} {
		for _, f := range runner.Exports() {
			var b bytes.Buffer
			if _, err := r.Export(context.Background(), v, runner.ExportSpec{Format: f.Name, Experiment: e.ID}, &b); err == nil || b.Len() > 0 {
				t.Errorf("%s gives %d bytes to %+v: %v", f.Name, b.Len(), v, err)
			}
		}
	}
}

// peakWriter notes how much memory lives while an export writes.
type peakWriter struct {
	n, peak uint64
	sample  []metrics.Sample
}

func (p *peakWriter) Write(b []byte) (int, error) {
	if p.n>>20 != (p.n+uint64(len(b)))>>20 { // once a MiB
		runtime.GC()
		metrics.Read(p.sample)
		p.peak = max(p.peak, p.sample[0].Value.Uint64())
	}
	p.n += uint64(len(b))
	return len(b), nil
}

// exportPeak exports and returns the bytes written and the most that lived
// meanwhile beyond what lived before.
func exportPeak(t *testing.T, r *runner.Runner, spec runner.ExportSpec) (written, peak uint64) {
	t.Helper()
	w := &peakWriter{sample: []metrics.Sample{{Name: "/gc/heap/live:bytes"}}}
	runtime.GC()
	metrics.Read(w.sample)
	before := w.sample[0].Value.Uint64()
	if _, err := r.Export(context.Background(), exportAdmin, spec, w); err != nil {
		t.Fatalf("%s: %v", spec.Format, err)
	}
	return w.n, max(w.peak, before) - before
}

// An export of 200,000 votes needs no more memory than a small one: what lives
// stays far below what is written.
func TestExportMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a store with 200,000 votes")
	}
	s := modelstest.SQLite(t)
	e, err := modelstest.Fill(context.Background(), s, modelstest.Size{Traces: 2500, Arms: 8, Votes: 10}, 1)
	if err != nil {
		t.Fatal(err)
	}
	r := runnertest.New(t, s).Runner
	for _, f := range []string{"votes.jsonl", "votes.csv", "votes.parquet", "inspect.json", "decisions.parquet"} {
		written, peak := exportPeak(t, r, runner.ExportSpec{Format: f, Experiment: e.ID})
		t.Logf("%s: %d MiB written, %d KiB lived", f, written>>20, peak>>10)
		if peak > 40<<20 {
			t.Errorf("%s: %d MiB lived while %d MiB were written", f, peak>>20, written>>20)
		}
	}
}

// A trace of any length is exported step by step, and imported again it is the
// same trace.
func TestExportLongTrace(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b := runnertest.New(t, modelstest.SQLite(t))
	d, err := b.Store.EnsureDataset(ctx, exportAdmin, b.Project.ID, "long", "", false)
	if err != nil {
		t.Fatal(err)
	}
	const steps, size = 3000, 20_000
	in := models.TraceInput{Trace: trace.Trace{InstanceID: "acme__shop-1", Agent: "bot", PatchState: trace.PatchNone}}
	for i := range steps {
		in.Trace.Steps = append(in.Trace.Steps, trace.Step{Index: i, Kind: trace.StepAction, Tool: "bash", Action: "ls", Observation: strings.Repeat("x", size)})
	}
	if _, err := b.Store.ImportTraces(ctx, exportAdmin, d.ID, nil, []models.TraceInput{in}); err != nil {
		t.Fatal(err)
	}
	in = models.TraceInput{}
	spec := runner.ExportSpec{Format: "traces.jsonl", Traces: models.TraceFilter{DatasetID: d.ID}}
	written, peak := exportPeak(t, b.Runner, spec)
	if written < steps*size || peak > 40<<20 {
		t.Errorf("%d MiB lived while %d MiB were written", peak>>20, written>>20)
	}
	again, err := b.Store.EnsureDataset(ctx, exportAdmin, b.Project.ID, "again", "", false)
	if err != nil {
		t.Fatal(err)
	}
	path := writeFile(t, func(w io.Writer) error {
		_, err := b.Runner.Export(ctx, exportAdmin, spec, w)
		return err
	})
	if _, _, err := b.Ingest.Import(ctx, exportAdmin, again.ID, []string{path}, ingest.Options{}); err != nil {
		t.Fatal(err)
	}
	rows := map[string]models.TraceRow{}
	for _, id := range []string{d.ID, again.ID} {
		list, _, err := b.Store.Traces(ctx, exportAdmin, models.TraceFilter{DatasetID: id}, models.Page{})
		if err != nil || len(list) != 1 {
			t.Fatalf("%d traces, %v", len(list), err)
		}
		rows[id] = list[0]
	}
	if x, y := rows[d.ID], rows[again.ID]; x.ContentSHA256 != y.ContentSHA256 || x.StepCount != steps || y.StepCount != steps {
		t.Errorf("%d steps, content %s; read again %d steps, content %s", x.StepCount, x.ContentSHA256, y.StepCount, y.ContentSHA256)
	}
}

func writeFile(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "export.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}
