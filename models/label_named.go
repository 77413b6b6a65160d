package models

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"plumbline/experiments/trace"
)

// NamedLabel is a label that a table gives to an attempt, by what the table says of
// it. Empty fields say nothing and fit everything.
type NamedLabel struct {
	InstanceID  string
	Model       string // as the attempt's agent or its model
	Agent       string
	PatchSHA256 string
	Attempt     int // 0: not said
	Label       trace.Label
	Bucket      trace.Bucket
	From        string // file and line, for the reason of the change
}

// Outcomes of giving a label by name, beside ImportConflict.
const (
	LabelGiven   Imported = "labelled"
	LabelKnown   Imported = "label known"         // the trace has this label already
	LabelNoTrace Imported = "label without trace" // no stored trace fits
)

// LabelByName gives labels to stored traces, in one transaction. A label that fits
// several traces, or whose trace has another judged label, is a conflict and
// changes nothing. Each change is kept in the trace's history.
func (s *Store) LabelByName(ctx context.Context, v Viewer, datasetID string, in []NamedLabel) (out []ImportResult, err error) {
	defer wrap(&err, "give labels to traces of dataset %s", datasetID)
	d, err := s.Dataset(ctx, v, datasetID)
	if err != nil {
		return nil, err
	}
	if err := v.mayEdit(d.ProjectID); err != nil {
		return nil, err
	}
	err = s.tx(ctx, func(tx *gorm.DB) error {
		b := &importBatch{s: s, tx: tx, datasetID: datasetID}
		wanted := make([]TraceInput, len(in))
		for i, l := range in {
			wanted[i].Trace.InstanceID = l.InstanceID
		}
		if err := b.loadStored(wanted); err != nil {
			return err
		}
		out = make([]ImportResult, len(in))
		for i, l := range in {
			if out[i], err = b.nameLabel(v.Name, l); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// fits reports whether a stored trace is what the label's record speaks of.
func (l *NamedLabel) fits(r *TraceRow) bool {
	agent, model := Clean(l.Agent), Clean(l.Model)
	return (model == "" || r.Model == model || r.Agent == model) && (agent == "" || r.Agent == agent) &&
		(l.PatchSHA256 == "" || r.PatchSHA256 == l.PatchSHA256) && (l.Attempt == 0 || r.Attempt == l.Attempt)
}

func (b *importBatch) nameLabel(author string, l NamedLabel) (ImportResult, error) {
	rows := b.stored[Clean(l.InstanceID)]
	at := -1
	for i := range rows {
		if !l.fits(&rows[i]) {
			continue
		}
		if at >= 0 {
			return ImportResult{Outcome: ImportConflict, Note: l.From + " fits several stored attempts; the label was given to none"}, nil
		}
		at = i
	}
	if at < 0 {
		return ImportResult{Outcome: LabelNoTrace}, nil
	}
	r := &rows[at]
	res := ImportResult{TraceID: r.ID, Outcome: LabelKnown}
	bucket := l.Bucket
	if bucket == trace.NoBucket && r.Label == string(l.Label) {
		bucket = trace.Bucket(r.Bucket) // a table that names no kind of defect takes none away
	}
	switch {
	case r.Label == string(l.Label) && r.Bucket == string(bucket):
		return res, nil
	case l.Label == trace.Unknown && judged(r.Label), judged(r.Label) && r.Label != string(l.Label):
		res.Outcome = ImportConflict
		res.Note = fmt.Sprintf("stored outcome %s (%s), %s says %s; the stored one stays", r.Label, source(*r), l.From, l.Label)
		return res, nil
	case r.Bucket != "" && r.Bucket != string(bucket):
		res.Outcome = ImportConflict
		res.Note = fmt.Sprintf("stored as %s (%s), %s says %s; the stored one stays", r.Bucket, source(*r), l.From, bucket)
		return res, nil
	}
	from := trace.Imported
	if judged(r.Label) && r.LabelSource != "" {
		from = trace.LabelSource(r.LabelSource) // only the kind of defect is new
	}
	c := LabelChange{TraceID: r.ID, Label: l.Label, Bucket: bucket, Source: from, Reason: "from " + l.From}
	if err := b.s.setLabel(b.tx, author, c); err != nil {
		return res, err
	}
	if !judged(r.Label) {
		if err := b.tx.Model(&TraceRow{}).Where("id = ?", r.ID).Update("outcome_source", Clean(l.From)).Error; err != nil {
			return res, err
		}
		r.OutcomeSource = Clean(l.From)
	}
	r.Label, r.Bucket, r.LabelSource = string(l.Label), string(bucket), string(from)
	res.Outcome = LabelGiven
	return res, nil
}
