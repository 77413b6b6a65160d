package runner

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"

	"plumbline/experiments/export"
	"plumbline/models"
)

// ExportFormat is a file that an export writes.
type ExportFormat struct {
	Name    string // as on the command line, and the end of the file's name
	Media   string
	Dataset bool   // of a dataset too, not of an experiment alone
	Holds   string // one sentence
	table   export.Form
	write   func(*exporting, context.Context, io.Writer) error
}

// Exports lists every format that can be written, in the order that people see.
func Exports() []ExportFormat {
	const lines, csv, parquet = "application/x-ndjson; charset=utf-8", "text/csv; charset=utf-8", "application/vnd.apache.parquet"
	return []ExportFormat{
		{Name: "predictions.jsonl", Media: lines, Dataset: true, write: (*exporting).predictions, Holds: "One submitted patch a line, as evaluation harnesses take it."},
		{Name: "traces.jsonl", Media: lines, Dataset: true, write: (*exporting).traces, Holds: "One whole trace a line: issue, patch, steps, usage, label and splits."},
		{Name: "votes.csv", Media: csv, table: export.CSV, write: (*exporting).votes, Holds: "One vote a row, with what the reviewer wrote."},
		{Name: "votes.jsonl", Media: lines, table: export.JSONL, write: (*exporting).votes, Holds: "One vote a line, with what the reviewer wrote."},
		{Name: "votes.parquet", Media: parquet, table: export.Parquet, write: (*exporting).votes, Holds: "One vote a row, with what the reviewer wrote."},
		{Name: "decisions.csv", Media: csv, table: export.CSV, write: (*exporting).decisions, Holds: "One row for each arm and trace; those without a decision say why."},
		{Name: "decisions.jsonl", Media: lines, table: export.JSONL, write: (*exporting).decisions, Holds: "One line for each arm and trace; those without a decision say why."},
		{Name: "decisions.parquet", Media: parquet, table: export.Parquet, write: (*exporting).decisions, Holds: "One row for each arm and trace; those without a decision say why."},
		{Name: "arms.csv", Media: csv, table: export.CSV, write: (*exporting).arms, Holds: "Every rate of every arm with both intervals."},
		{Name: "arms.jsonl", Media: lines, table: export.JSONL, write: (*exporting).arms, Holds: "Every rate of every arm with both intervals."},
		{Name: "arms.parquet", Media: parquet, table: export.Parquet, write: (*exporting).arms, Holds: "Every rate of every arm with both intervals."},
		{Name: "inspect.json", Media: "application/json", write: (*exporting).inspect, Holds: "An Inspect log: a sample for each trace and vote index, a scorer for each arm."},
	}
}

// FindExport looks a format up by its name.
func FindExport(name string) (ExportFormat, bool) {
	all := Exports()
	i := slices.IndexFunc(all, func(f ExportFormat) bool { return f.Name == name })
	if i < 0 {
		return ExportFormat{}, false
	}
	return all[i], true
}

// ExportSpec says what to export: an experiment, or the traces of a dataset that a
// filter selects.
type ExportSpec struct {
	Format     string
	Experiment string             // id; empty for a dataset
	Traces     models.TraceFilter // of a dataset; with Experiment it is not used
}

// ExportReport says what was written.
type ExportReport struct {
	Rows int
	// Undecided counts items without a decision by their state; they stand in exports
	// of decisions with their state.
	Undecided map[string]int
}

// Export streams an export into w. Nothing of the oracle is in any format. The
// memory it needs does not depend on the size of what is exported.
func (r *Runner) Export(ctx context.Context, v models.Viewer, spec ExportSpec, w io.Writer) (ExportReport, error) {
	f, ok := FindExport(spec.Format)
	if !ok {
		return ExportReport{}, models.Invalid("format", fmt.Sprintf("there is no format %q", spec.Format))
	}
	x := &exporting{runner: r, store: r.store, viewer: v, filter: spec.Traces, form: f.table, report: ExportReport{Undecided: map[string]int{}}}
	if err := x.find(ctx, spec, f); err != nil {
		return ExportReport{}, err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	if err := f.write(x, ctx, out); err != nil {
		return x.report, err
	}
	if err := out.Flush(); err != nil {
		return x.report, fmt.Errorf("write the export: %w", err)
	}
	return x.report, nil
}

// exporting is one export under way.
type exporting struct {
	runner     *Runner
	store      *models.Store
	viewer     models.Viewer
	dataset    models.Dataset
	experiment *models.Experiment // nil for a dataset
	armList    []models.Arm
	armOf      map[string]models.Arm
	filter     models.TraceFilter
	form       export.Form
	report     ExportReport
}

func (x *exporting) find(ctx context.Context, spec ExportSpec, f ExportFormat) (err error) {
	dataset := spec.Traces.DatasetID
	if spec.Experiment != "" {
		e, err := x.store.Experiment(ctx, x.viewer, spec.Experiment)
		if err != nil {
			return err
		}
		x.experiment, dataset = &e, e.DatasetID
		if x.armList, err = x.store.Arms(ctx, x.viewer, e.ID); err != nil {
			return err
		}
		x.armOf = make(map[string]models.Arm, len(x.armList))
		for _, a := range x.armList {
			x.armOf[a.ID] = a
		}
	} else if !f.Dataset {
		return models.Invalid("format", f.Name+" is of an experiment, not of a dataset: name one of its experiments")
	}
	x.dataset, err = x.store.Dataset(ctx, x.viewer, dataset)
	return err
}
