package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"

	"plumbline/experiments/formats"
	"plumbline/experiments/labelcolumn"
	"plumbline/models"
)

// labelBatch is how many labels are given in one transaction.
const labelBatch = 500

// label gives the traces the labels of the column, after all of them are stored: a
// table may speak of traces of this import and of earlier ones alike.
func (g *Ingest) label(ctx context.Context, v models.Viewer, datasetID string, s *scan, sum *Summary) error {
	if s.labels == "" {
		return nil
	}
	l := &labelling{g: g, v: v, dataset: datasetID, sum: sum, column: s.labels}
	sum.Column = &ColumnSummary{Name: s.labels, Outcomes: map[models.Imported]int{}}
	again := s.visitor.again(func(string) bool { return true })
	again.progress = newMeter(nil, PhaseStore, nil)
	if err := again.each(ctx, func(e entry) error { return l.file(ctx, e) }); err != nil {
		return err
	}
	if err := l.flush(ctx); err != nil {
		return err
	}
	if sum.Column.Rows == 0 {
		return models.Invalid("label_column", fmt.Sprintf("no record of these files has a column %q", s.labels))
	}
	return nil
}

type labelling struct {
	g       *Ingest
	v       models.Viewer
	dataset string
	column  string
	sum     *Summary
	rows    []models.NamedLabel
}

func (l *labelling) file(ctx context.Context, e entry) error {
	if e.err != nil {
		return nil // told when it was read
	}
	var stop error
	take := func(r labelcolumn.Row) error {
		if stop = l.row(ctx, e.path, r); stop == nil {
			stop = ctx.Err()
		}
		return stop
	}
	fault := func(line int, message string) {} // the readers have told of it with the same place
	var err error
	if e.format == formats.ParquetRows {
		err = labelcolumn.ReadParquet(e.at, e.size, l.column, take, fault)
	} else {
		err = labelcolumn.Read(e.r, l.column, take, fault)
	}
	if err != nil && stop == nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		l.problem(e.path, 0, err.Error())
	}
	return stop
}

func (l *labelling) problem(path string, line int, message string) {
	l.sum.problem(&formats.Problem{Path: path, Line: line, Field: l.column, Message: message})
}

func (l *labelling) row(ctx context.Context, path string, r labelcolumn.Row) error {
	c := l.sum.Column
	c.Rows++
	label, bucket, ok, err := r.Label()
	switch {
	case err != nil:
		c.Unread++
		l.problem(path, r.Line, err.Error())
		return nil
	case !ok:
		c.Blank++
		return nil
	case r.InstanceID == "":
		c.Unread++
		l.problem(path, r.Line, "names no instance")
		return nil
	}
	l.rows = append(l.rows, models.NamedLabel{
		InstanceID: r.InstanceID, Model: r.Model, Agent: r.Agent, Attempt: r.Attempt, PatchSHA256: r.PatchSHA256,
		Label: label, Bucket: bucket, From: fmt.Sprintf("column %s of %s:%d", l.column, path, r.Line),
	})
	if len(l.rows) < labelBatch {
		return nil
	}
	return l.flush(ctx)
}

func (l *labelling) flush(ctx context.Context) error {
	if len(l.rows) == 0 {
		return nil
	}
	res, err := l.g.store.LabelByName(ctx, l.v, l.dataset, l.rows)
	if err != nil {
		return err
	}
	for i, r := range res {
		l.sum.Column.Outcomes[r.Outcome]++
		if r.Note != "" && len(l.sum.Notes) < noteLimit {
			l.sum.Notes = append(l.sum.Notes, Note{l.rows[i].InstanceID, l.rows[i].Model, r.Outcome, r.Note})
		}
	}
	l.rows = l.rows[:0]
	return nil
}
