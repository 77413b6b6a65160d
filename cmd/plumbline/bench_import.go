package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"plumbline/models"
	"plumbline/runner/ingest"
)

type benchImportCmd struct {
	Bytes int64   `help:"Size of the generated predictions file." default:"1000000000"`
	Lines []int64 `help:"Lengths of a line to measure, in bytes; each is a file of its own." default:"2000,10000,100000000"`
	JSON  bool    `help:"Print the figures as JSON." name:"json"`
}

// importFigure is the import of one generated file.
type importFigure struct {
	machine
	Line    int64    `json:"line_bytes"`
	Bytes   int64    `json:"file_bytes"`
	Records int      `json:"records"`
	TookS   float64  `json:"took_s"`
	PeakMiB *float64 `json:"peak_resident_mib"` // of the whole process while it imports
	ScanS   float64  `json:"plain_scan_s"`
	OfScan  float64  `json:"of_plain_scan"`
}

// Run imports generated files, each into a database of its own.
func (c *benchImportCmd) Run(ctx context.Context, g *Globals, std streams) error {
	if c.Bytes < 1000 || len(c.Lines) == 0 {
		return errors.New("choose at least 1000 bytes and one length of a line")
	}
	var out []importFigure
	for _, line := range c.Lines {
		f, err := c.measure(ctx, g, std, line)
		if err != nil {
			return err
		}
		out = append(out, f)
		if !c.JSON {
			if len(out) == 1 {
				fmt.Fprintf(std.out, "%s\n", f.machine)
			}
			fmt.Fprintf(std.out, "lines of %9d bytes: %8d records, %6.1f MB in %5.1f s  %.2f × a plain scan  peak resident memory %s\n",
				f.Line, f.Records, float64(f.Bytes)/1e6, f.TookS, f.OfScan, mib(f.PeakMiB))
		}
	}
	if c.JSON {
		return writeJSON(std.out, out)
	}
	return nil
}

func (c *benchImportCmd) measure(ctx context.Context, g *Globals, std streams, line int64) (out importFigure, err error) {
	dir, err := os.MkdirTemp("", "plumbline-bench-")
	if err != nil {
		return out, fmt.Errorf("make a folder for the measurement: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "preds.jsonl")
	if err := writeBenchPredictions(path, max(c.Bytes, line), line); err != nil {
		return out, err
	}
	if out, err = importBench(ctx, g, std, path); err != nil {
		return out, err
	}
	scan, records, err := plainScan(path)
	if err != nil {
		return out, err
	}
	if out.Records != records {
		return out, fmt.Errorf("the import read %d of %d records", out.Records, records)
	}
	out.Line, out.ScanS, out.OfScan = line, scan.Seconds(), out.TookS/scan.Seconds()
	return out, nil
}

// importBench imports as the import command does and tells what it took. The peak
// counts from its beginning, where the system lets a process begin anew.
func importBench(ctx context.Context, g *Globals, std streams, path string) (out importFigure, err error) {
	limitImportMemory()
	a, end, err := scratchApp(ctx, g, std)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, end()) }()
	v := models.LocalAdmin()
	p, err := a.store.EnsureProject(ctx, "default", "Default project")
	if err != nil {
		return out, err
	}
	d, err := a.store.EnsureDataset(ctx, v, p.ID, "Bench", "Made for a measurement.", false)
	if err != nil {
		return out, err
	}
	debug.FreeOSMemory()
	resetPeak()
	start := time.Now()
	_, sum, err := a.ingest.Import(ctx, v, d.ID, []string{path}, ingest.Options{})
	if err != nil {
		return out, err
	}
	out = importFigure{Records: sum.Outcomes[models.ImportAdded], TookS: time.Since(start).Seconds(), PeakMiB: peakMiB()}
	info, err := os.Stat(path)
	if err != nil {
		return out, fmt.Errorf("look at the imported file: %w", err)
	}
	out.Bytes = info.Size()
	out.machine, err = a.machine(ctx)
	return out, err
}

// resetPeak lets peakMiB count from now on. Where the system refuses, it counts from
// the start of the process.
func resetPeak() {
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o600)
}

// plainScan reads a file line by line and decodes each line with encoding/json: the
// least that a reader of JSON lines could do, nothing kept and nothing stored.
func plainScan(path string) (time.Duration, int, error) {
	start, n := time.Now(), 0
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, fmt.Errorf("scan the generated file: %w", err)
	}
	defer f.Close() // only reading
	dec := json.NewDecoder(bufio.NewReaderSize(f, 1<<20))
	for {
		var rec struct {
			InstanceID string `json:"instance_id"`
			Model      string `json:"model_name_or_path"`
			Patch      string `json:"model_patch"`
		}
		err := dec.Decode(&rec)
		if errors.Is(err, io.EOF) {
			return time.Since(start), n, nil
		}
		if err != nil {
			return 0, 0, fmt.Errorf("scan the generated file: %w", err)
		}
		n++
	}
}

// writeBenchPredictions writes lines of about that length until they are as many
// bytes.
func writeBenchPredictions(path string, size, line int64) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write a file to import: %w", err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	rng := rand.New(rand.NewPCG(1, uint64(line)))
	written := int64(0)
	put := func(format string, args ...any) int64 {
		n, _ := fmt.Fprintf(w, format, args...) // a bufio.Writer keeps its error
		written += int64(n)
		return int64(n)
	}
	for at := 0; written < size; at++ {
		n := put(`{"instance_id": "org__repo-%d", "model_name_or_path": "agent-%d", "model_patch": "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,0 +1,99 @@\n`, at/20, at%20)
		for n < line-70 {
			n += put(`+    value_%d = compute(\"%x\", %d)\n`, rng.IntN(1000), rng.Uint64(), rng.IntN(100))
		}
		put("\"}\n")
	}
	return errors.Join(w.Flush(), f.Close())
}
