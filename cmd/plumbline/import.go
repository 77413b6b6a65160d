package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"plumbline/models"
	"plumbline/runner/ingest"
)

type importCmd struct {
	Paths       []string `arg:"" name:"path" help:"Files and folders to read; folders are walked."`
	Dataset     string   `help:"Dataset to import into, by its name; made if there is none. Not needed with --dry-run." placeholder:"NAME"`
	Project     string   `help:"Project, by its short name." default:"default"`
	Split       string   `help:"Put the traces into the dataset's split of this name, or share the instances out: hash:design=30,held-out=70." placeholder:"NAME|RULE"`
	Format      string   `help:"Read every file as this format instead of deciding by its content. See docs/formats.md." placeholder:"FORMAT"`
	LabelColumn string   `help:"Column of tables among the files (CSV, JSON, JSONL, Parquet) that labels the attempts: resolved, unresolved, omission, regression, no_change or unknown. Rows name the instance and, where needed, the agent." placeholder:"NAME"`
	Agent       string   `help:"Agent of the traces, in place of what the files say." placeholder:"NAME"`
	Model       string   `help:"Model of the traces, in place of what the files say." placeholder:"NAME"`
	Again       bool     `help:"Read the files even if the very same were imported before."`
	DryRun      bool     `help:"Read everything and write nothing, not even a database."`
	JSON        bool     `help:"Print one JSON object: the report, or with --dry-run every file and trace as read." name:"json"`
}

// Validate refuses an import that has nowhere to go.
func (c *importCmd) Validate() error {
	if c.Dataset == "" && !c.DryRun {
		return errors.New("name the dataset to import into: --dataset NAME (or look first, with --dry-run)")
	}
	return nil
}

// errNothingRead ends an import that found no trace and no instance.
var errNothingRead = errors.New("nothing that can be imported was found; the reasons are above, and docs/formats.md lists what is read")

// importMemory is where the collector starts to work harder, so that a process
// that imports stays small; an import itself needs little of it.
const importMemory = 220 << 20

// limitImportMemory keeps a process that imports small, unless its owner has said
// how large it may be.
func limitImportMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(importMemory)
	}
}

// Run imports and says what was read, what was not, and why.
func (c *importCmd) Run(ctx context.Context, g *Globals, std streams) error {
	limitImportMemory()
	if c.DryRun {
		return c.dryRun(ctx, g, std)
	}
	return c.write(ctx, g, std)
}

func (c *importCmd) options(bar *importProgress) ingest.Options {
	return ingest.Options{Format: c.Format, Agent: c.Agent, Model: c.Model, Split: c.Split, LabelColumn: c.LabelColumn, Again: c.Again, Progress: bar.show}
}

func (c *importCmd) dryRun(ctx context.Context, g *Globals, std streams) error {
	bar := newImportProgress(std.err)
	res, err := ingest.New(ingest.Config{Log: g.logger(std)}).DryRun(ctx, c.Paths, c.options(bar))
	bar.end()
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(std.out, res)
	}
	writeDryRun(std.out, res)
	return nil
}

func (c *importCmd) write(ctx context.Context, g *Globals, std streams) (err error) {
	a, err := newApp(ctx, g, std)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	v := models.LocalAdmin()
	p, err := a.store.EnsureProject(ctx, c.Project, c.Project)
	if err != nil {
		return err
	}
	d, err := a.store.EnsureDataset(ctx, v, p.ID, c.Dataset, "", false)
	if err != nil {
		return err
	}
	bar := newImportProgress(std.err)
	rep, sum, err := a.ingest.Import(ctx, v, d.ID, c.Paths, c.options(bar))
	bar.end()
	if err != nil {
		return err
	}
	out := newImportReport(d, rep, sum)
	if c.JSON {
		err = writeJSON(std.out, out)
	} else {
		writeImport(std.out, out)
	}
	if err == nil && sum.Read.Attempts == 0 && sum.Read.Instances == 0 && sum.Column == nil {
		err = errNothingRead
	}
	return err
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write the JSON: %w", err)
	}
	return nil
}
