package ingest

import (
	"context"
	"encoding/json"
	"fmt"

	"plumbline/experiments/formats"
	"plumbline/experiments/trace"
	"plumbline/models"
)

// Summary is what an import did; it is stored with its report as JSON.
type Summary struct {
	Read     formats.JoinReport      `json:"read"`
	Files    []formats.FileReport    `json:"files"`
	Outcomes map[models.Imported]int `json:"outcomes"`
	Notes    []Note                  `json:"notes"` // conflicts and new attempts, capped at noteLimit
	Labels   map[trace.Label]int     `json:"labels"`
}

// Note is what a reader should know of one trace.
type Note struct {
	InstanceID string          `json:"instance_id"`
	Agent      string          `json:"agent"`
	Outcome    models.Imported `json:"outcome"`
	Message    string          `json:"message"`
}

const (
	noteLimit = 500
	batchSize = 50 // traces a transaction
)

// Import reads paths into a dataset and returns the finished report. A file that
// cannot be read is a line of the report; an error means that nothing more could
// be stored, and the report says so.
func (g *Ingest) Import(ctx context.Context, v models.Viewer, datasetID string, paths []string, o Options) (models.ImportReport, Summary, error) {
	origin := ""
	for i, p := range paths {
		if i > 0 {
			origin += ", "
		}
		origin += p
	}
	rep, err := g.store.StartImport(ctx, v, datasetID, origin)
	if err != nil {
		return rep, Summary{}, err
	}
	sum, err := g.fill(ctx, v, rep, paths, o)
	if err != nil {
		return rep, sum, err
	}
	rep, err = g.store.ImportReport(ctx, v, rep.ID)
	return rep, sum, err
}

// fill does the work of an open report and closes it.
func (g *Ingest) fill(ctx context.Context, v models.Viewer, rep models.ImportReport, paths []string, o Options) (Summary, error) {
	sum, sources, err := g.read(ctx, v, rep.DatasetID, paths, o)
	state, message := models.ReportDone, sum.sentence()
	if err != nil {
		state, message = models.ReportBroken, "The import ended early: "+err.Error()+". What was read before is stored; importing again adds only the rest."
	}
	raw, e := json.Marshal(sum)
	if e != nil {
		return sum, fmt.Errorf("write the import summary: %w", e)
	}
	if e := g.store.FinishImport(context.WithoutCancel(ctx), v, rep.ID, state, message, string(raw), sources); e != nil && err == nil {
		err = e
	}
	return sum, err
}

func (g *Ingest) read(ctx context.Context, v models.Viewer, datasetID string, paths []string, o Options) (Summary, []models.ImportSource, error) {
	sum := Summary{Outcomes: map[models.Imported]int{}, Labels: map[trace.Label]int{}, Notes: []Note{}}
	joined, sources, err := g.scan(ctx, paths, o)
	if err != nil {
		return sum, nil, err
	}
	sum.Read, sum.Files = joined.Report, joined.Files
	rows := make(map[string]trace.Instance, len(joined.Instances))
	for _, in := range joined.Instances {
		rows[in.ID] = in
	}
	var added []string
	for start := 0; start < len(joined.Attempts); start += batchSize {
		part := joined.Attempts[start:min(start+batchSize, len(joined.Attempts))]
		ids, err := g.storeBatch(ctx, v, datasetID, part, rows, &sum)
		if err != nil {
			return sum, sources, err
		}
		added = append(added, ids...)
	}
	// Rows nobody attempted are instances too.
	var rest []trace.Instance
	for _, in := range joined.Instances {
		if _, open := rows[in.ID]; open {
			rest = append(rest, in)
		}
	}
	for start := 0; start < len(rest); start += batchSize {
		if _, err := g.store.ImportTraces(ctx, v, datasetID, rest[start:min(start+batchSize, len(rest))], nil); err != nil {
			return sum, sources, err
		}
	}
	if o.Split != "" {
		if _, err := g.store.AddToSplit(ctx, v, datasetID, o.Split, added); err != nil {
			return sum, sources, err
		}
	}
	return sum, sources, nil
}

// storeBatch stores one batch; the instances it uses leave rows.
func (g *Ingest) storeBatch(ctx context.Context, v models.Viewer, datasetID string, part []*formats.Attempt, rows map[string]trace.Instance, sum *Summary) ([]string, error) {
	var instances []trace.Instance
	in := make([]models.TraceInput, len(part))
	for i, a := range part {
		if row, ok := rows[a.Trace.InstanceID]; ok {
			instances = append(instances, row)
			delete(rows, a.Trace.InstanceID)
		}
		in[i] = models.TraceInput{Trace: a.Trace, Patch: models.PatchFacts{
			SHA256: a.Patch.SHA256, Files: len(a.Patch.Files), Added: a.Patch.Added, Removed: a.Patch.Removed,
		}}
		sum.Labels[a.Trace.Outcome.Label]++
	}
	res, err := g.store.ImportTraces(ctx, v, datasetID, instances, in)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(res))
	for i, r := range res {
		ids[i] = r.TraceID
		sum.Outcomes[r.Outcome]++
		if r.Note != "" && len(sum.Notes) < noteLimit {
			sum.Notes = append(sum.Notes, Note{part[i].Trace.InstanceID, part[i].Trace.Agent, r.Outcome, r.Note})
		}
	}
	return ids, nil
}

// sentence says in words what an import did.
func (s Summary) sentence() string {
	o := s.Outcomes
	return fmt.Sprintf("%d files read: %d traces added, %d new attempts, %d completed, %d known already, %d conflicts, %d problems.",
		s.Read.Files, o[models.ImportAdded], o[models.ImportAttempt], o[models.ImportCompleted], o[models.ImportKnown],
		o[models.ImportConflict]+len(s.Read.Conflicts), s.Read.Problems)
}
