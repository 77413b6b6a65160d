package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"plumbline/models"
)

type exportCmd struct {
	What   string `arg:"" name:"experiment|dataset" help:"Experiment or dataset, by its id or its name."`
	Format string `help:"predictions (JSON lines for a harness), traces.jsonl, votes.jsonl, votes.csv or decisions.csv. See docs/run.md for the columns." enum:"predictions,votes.jsonl,votes.csv,decisions.csv,traces.jsonl" required:"" placeholder:"FORMAT"`
	Output string `short:"o" help:"File to write; standard output if none is named." type:"path" placeholder:"FILE"`
}

// Run streams an export out of the store. Gold patches, test patches and names of
// hidden tests are in none of the formats.
func (c *exportCmd) Run(ctx context.Context, g *Globals, std streams) (err error) {
	s, err := g.openExisting(ctx, g.logger(std))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	x, err := findExport(ctx, s, c.What)
	if err != nil {
		return err
	}
	x.notes = std.err
	write, err := x.writer(c.Format)
	if err != nil {
		return err
	}
	return toFile(c.Output, std.out, func(w io.Writer) error { return write(ctx, w) })
}

// openExisting opens a database that must be there, and refuses a schema that is
// older or newer than the program.
func (g *Globals) openExisting(ctx context.Context, log *slog.Logger) (*models.Store, error) {
	if err := g.databaseThere(); err != nil {
		return nil, err
	}
	return g.openStore(ctx, log, false)
}

// databaseThere refuses the path of an SQLite file that does not exist, which
// opening would make.
func (g *Globals) databaseThere() error {
	url, err := g.databaseURL()
	if err != nil || postgresURL(url) {
		return err
	}
	path := strings.TrimPrefix(url, "sqlite:")
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no database at %s: name it with --database or --data, or make one with plumbline serve, demo, import or migrate", path)
	}
	return nil
}

func postgresURL(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// exporter knows what is exported: an experiment, or a whole dataset.
type exporter struct {
	store      *models.Store
	viewer     models.Viewer
	dataset    models.Dataset
	experiment *models.Experiment // nil for a dataset
	notes      io.Writer
}

// findExport finds an experiment or dataset by id, else by name.
func findExport(ctx context.Context, s *models.Store, what string) (*exporter, error) {
	x := &exporter{store: s, viewer: models.LocalAdmin(), notes: io.Discard}
	e, err := s.Experiment(ctx, x.viewer, what)
	if err == nil {
		return x.of(ctx, &e)
	}
	if errors.Is(err, models.ErrNotFound) {
		x.dataset, err = s.Dataset(ctx, x.viewer, what)
	}
	if !errors.Is(err, models.ErrNotFound) {
		return x, err
	}
	datasets, err := s.Datasets(ctx, x.viewer)
	if err != nil {
		return nil, err
	}
	experiments, err := s.Experiments(ctx, x.viewer, models.ExperimentFilter{Limit: 500})
	if err != nil {
		return nil, err
	}
	var found []string
	for _, d := range datasets {
		if d.Name == what {
			x.dataset = d.Dataset
			found = append(found, "dataset "+d.ID)
		}
	}
	for _, e := range experiments {
		if e.Name == what {
			x.experiment = &e.Experiment
			found = append(found, "experiment "+e.ID)
		}
	}
	switch {
	case len(found) == 0:
		return nil, fmt.Errorf("there is no experiment or dataset with the id or name %q", what)
	case len(found) > 1:
		return nil, fmt.Errorf("%q names several; choose one by its id: %s", what, strings.Join(found, ", "))
	case x.experiment != nil:
		return x.of(ctx, x.experiment)
	}
	return x, nil
}

func (x *exporter) of(ctx context.Context, e *models.Experiment) (_ *exporter, err error) {
	x.experiment = e
	x.dataset, err = x.store.Dataset(ctx, x.viewer, e.DatasetID)
	return x, err
}

func (x *exporter) writer(format string) (func(context.Context, io.Writer) error, error) {
	switch format {
	case "predictions":
		return x.predictions, nil
	case "traces.jsonl":
		return x.traces, nil
	}
	if x.experiment == nil {
		return nil, fmt.Errorf("%s is of an experiment, and %q is a dataset: name one of its experiments", format, x.dataset.Name)
	}
	switch format {
	case "votes.jsonl":
		return x.votesJSONL, nil
	case "votes.csv":
		return x.votesCSV, nil
	}
	return x.decisionsCSV, nil
}

// toFile lets write fill a file that appears only when it is whole, or standard
// output when no file is named.
func toFile(path string, stdout io.Writer, write func(io.Writer) error) error {
	if path == "" {
		return buffered(stdout, write)
	}
	part := path + ".part"
	f, err := os.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("write the export: %w", err)
	}
	err = errors.Join(buffered(f, write), f.Close())
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		os.Remove(part) // what is left of it is of no use
	}
	return err
}

func buffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 64<<10)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write the export: %w", err)
	}
	return nil
}
