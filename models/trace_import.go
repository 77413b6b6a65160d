package models

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"plumbline/experiments/trace"
)

// Imported says what became of one trace of an import.
type Imported string

// Outcomes of importing one trace.
const (
	ImportAdded     Imported = "added"
	ImportKnown     Imported = "known"     // the same attempt is stored already
	ImportCompleted Imported = "completed" // it filled what a stored attempt lacked
	ImportAttempt   Imported = "attempt"   // another patch under a known agent and instance: a new attempt
	ImportConflict  Imported = "conflict"  // another outcome than the stored one; the stored one stays
)

// PatchFacts are what the caller knows of a patch; the store does not parse.
type PatchFacts struct {
	SHA256         string
	Files          int
	Added, Removed *int // nil: cannot be counted
}

// TraceInput is one trace to import.
type TraceInput struct {
	Trace trace.Trace
	Patch PatchFacts
}

// ImportResult is the outcome for one trace, in the order of the input.
type ImportResult struct {
	TraceID string
	Outcome Imported
	Note    string // what differed, for a conflict
}

// ImportTraces stores instances and traces in one transaction. Instances are
// matched by their published id; blanks of a stored one are filled and nothing
// is overwritten. A trace is the same attempt as a stored one if dataset,
// instance, agent, model and patch agree; it then completes that one and adds
// nothing. Another patch is a new attempt. Importing twice adds nothing.
func (s *Store) ImportTraces(ctx context.Context, v Viewer, datasetID string, instances []trace.Instance, traces []TraceInput) (out []ImportResult, err error) {
	defer wrap(&err, "import %d traces into dataset %s", len(traces), datasetID)
	d, err := s.Dataset(ctx, v, datasetID)
	if err != nil {
		return nil, err
	}
	if err := v.mayEdit(d.ProjectID); err != nil {
		return nil, err
	}
	err = s.tx(ctx, func(tx *gorm.DB) error {
		out = make([]ImportResult, 0, len(traces))
		rows := make(map[string]InstanceRow)
		for _, in := range instances {
			row, err := s.upsertInstance(tx, datasetID, in)
			if err != nil {
				return err
			}
			rows[row.InstanceID] = row
		}
		for _, t := range traces {
			id := Clean(t.Trace.InstanceID)
			row, ok := rows[id]
			if !ok {
				var err error
				if row, err = s.upsertInstance(tx, datasetID, trace.Instance{ID: id}); err != nil {
					return err
				}
				rows[id] = row
			}
			res, err := s.importTrace(tx, row, t)
			if err != nil {
				return err
			}
			out = append(out, res)
		}
		return nil
	})
	return out, err
}

func (s *Store) upsertInstance(tx *gorm.DB, datasetID string, in trace.Instance) (InstanceRow, error) {
	id := Clean(in.ID)
	var row InstanceRow
	err := tx.Take(&row, "dataset_id = ? AND instance_id = ?", datasetID, id).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		row = InstanceRow{
			ID: newID("in", s.now()), DatasetID: datasetID, InstanceID: id,
			Repo: Clean(in.Repo), BaseCommit: Clean(in.BaseCommit), Language: Clean(in.Language),
			Version: Clean(in.Version), Title: title(in.Issue), CreatedAt: s.Now(),
		}
		if err := tx.Create(&row).Error; err != nil {
			return row, err
		}
		text := InstanceText{InstanceRow: row.ID, Issue: Clean(in.Issue), Hints: Clean(in.Hints)}
		if err := tx.Create(&text).Error; err != nil {
			return row, err
		}
		return row, saveOracle(tx, row.ID, in.Oracle)
	}
	if err != nil {
		return row, err
	}
	err = s.fillInstance(tx, &row, in)
	return row, err
}

func (s *Store) fillInstance(tx *gorm.DB, row *InstanceRow, in trace.Instance) error {
	fill := map[string]any{}
	for _, f := range []struct {
		column string
		have   *string
		now    string
	}{
		{"repo", &row.Repo, in.Repo}, {"base_commit", &row.BaseCommit, in.BaseCommit},
		{"language", &row.Language, in.Language}, {"version", &row.Version, in.Version},
		{"title", &row.Title, title(in.Issue)},
	} {
		if *f.have == "" && f.now != "" {
			*f.have = Clean(f.now)
			fill[f.column] = *f.have
		}
	}
	if len(fill) > 0 {
		if err := tx.Model(&InstanceRow{}).Where("id = ?", row.ID).Updates(fill).Error; err != nil {
			return err
		}
		if err := tx.Model(&TraceRow{}).Where("instance_row = ?", row.ID).
			Updates(map[string]any{"repo": row.Repo, "language": row.Language}).Error; err != nil {
			return err
		}
	}
	if in.Issue != "" {
		if err := tx.Model(&InstanceText{}).Where("instance_row = ? AND issue = ''", row.ID).
			Updates(map[string]any{"issue": Clean(in.Issue), "hints": Clean(in.Hints)}).Error; err != nil {
			return err
		}
	}
	return saveOracle(tx, row.ID, in.Oracle)
}

// saveOracle stores an oracle unless one is stored already.
func saveOracle(tx *gorm.DB, instanceRow string, o trace.Oracle) error {
	if o.Empty() {
		return nil
	}
	f2p, err := json.Marshal(o.FailToPass)
	if err != nil {
		return err
	}
	p2p, err := json.Marshal(o.PassToPass)
	if err != nil {
		return err
	}
	row := OracleRow{
		InstanceRow: instanceRow, GoldPatch: Clean(o.GoldPatch), TestPatch: Clean(o.TestPatch),
		FailToPass: Clean(string(f2p)), PassToPass: Clean(string(p2p)),
	}
	return tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error
}

// title is the first line of an issue, cut for lists.
func title(issue string) string {
	for line := range strings.Lines(Clean(issue)) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#"))
		if line == "" {
			continue
		}
		if utf8.RuneCountInString(line) > 160 {
			line = string([]rune(line)[:159]) + "…"
		}
		return line
	}
	return ""
}
