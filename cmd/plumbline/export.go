package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"plumbline/models"
	"plumbline/runner"
)

type exportCmd struct {
	What   string `arg:"" name:"experiment|dataset" help:"Experiment or dataset, by its id or its name."`
	Format string `help:"What to write, and how: predictions.jsonl, traces.jsonl; of an experiment votes, decisions or arms, each as .csv, .jsonl or .parquet, and inspect.json. See docs/run.md for the columns." enum:"predictions,predictions.jsonl,traces.jsonl,votes.csv,votes.jsonl,votes.parquet,decisions.csv,decisions.jsonl,decisions.parquet,arms.csv,arms.jsonl,arms.parquet,inspect.json" required:"" placeholder:"FORMAT"`
	Output string `short:"o" help:"File to write; standard output if none is named." type:"path" placeholder:"FILE"`
}

// Run streams an export out of the store. Gold patches, test patches and names of
// hidden tests are in none of the formats.
func (c *exportCmd) Run(ctx context.Context, g *Globals, std streams) (err error) {
	log := g.logger(std)
	s, err := g.openExisting(ctx, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	spec, err := findExport(ctx, s, c.What)
	if err != nil {
		return err
	}
	if spec.Format = c.Format; spec.Format == "predictions" {
		spec.Format = "predictions.jsonl"
	}
	r := runner.New(runner.Config{Store: s, Log: log, Version: version()})
	defer r.Close()
	var report runner.ExportReport
	err = toFile(c.Output, std.out, func(w io.Writer) error {
		report, err = r.Export(ctx, models.LocalAdmin(), spec, w)
		return err
	})
	if err == nil {
		writeCounts(std.err, "Items without a decision, which say in the file why:", report.Undecided)
	}
	return err
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

// findExport finds an experiment or dataset by id, else by name.
func findExport(ctx context.Context, s *models.Store, what string) (spec runner.ExportSpec, err error) {
	v := models.LocalAdmin()
	e, err := s.Experiment(ctx, v, what)
	if err == nil {
		return runner.ExportSpec{Experiment: e.ID}, nil
	}
	if errors.Is(err, models.ErrNotFound) {
		var d models.Dataset
		if d, err = s.Dataset(ctx, v, what); err == nil {
			return ofDataset(d.ID), nil
		}
	}
	if !errors.Is(err, models.ErrNotFound) {
		return spec, err
	}
	datasets, err := s.Datasets(ctx, v)
	if err != nil {
		return spec, err
	}
	experiments, err := s.Experiments(ctx, v, models.ExperimentFilter{Limit: 500})
	if err != nil {
		return spec, err
	}
	var found []string
	for _, d := range datasets {
		if d.Name == what {
			spec = ofDataset(d.ID)
			found = append(found, "dataset "+d.ID)
		}
	}
	for _, e := range experiments {
		if e.Name == what {
			spec = runner.ExportSpec{Experiment: e.ID}
			found = append(found, "experiment "+e.ID)
		}
	}
	switch len(found) {
	case 0:
		return spec, fmt.Errorf("there is no experiment or dataset with the id or name %q", what)
	case 1:
		return spec, nil
	}
	return spec, fmt.Errorf("%q names several; choose one by its id: %s", what, strings.Join(found, ", "))
}

func ofDataset(id string) runner.ExportSpec {
	return runner.ExportSpec{Traces: models.TraceFilter{DatasetID: id}}
}

// toFile lets write fill a file that appears only when it is whole, or standard
// output when no file is named.
func toFile(path string, stdout io.Writer, write func(io.Writer) error) error {
	if path == "" {
		return write(stdout)
	}
	part := path + ".part"
	f, err := os.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("write the export: %w", err)
	}
	err = errors.Join(write(f), f.Close())
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		os.Remove(part) // what is left of it is of no use
	}
	return err
}
