package models

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Import report states.
const (
	ReportRunning = "running"
	ReportDone    = "done"
	ReportBroken  = "broken"
)

// StartImport opens a report for an import into a dataset.
func (s *Store) StartImport(ctx context.Context, v Viewer, datasetID, origin string) (rep ImportReport, err error) {
	defer wrap(&err, "open an import report for dataset %s", datasetID)
	d, err := s.Dataset(ctx, v, datasetID)
	if err != nil {
		return rep, err
	}
	if err := v.mayEdit(d.ProjectID); err != nil {
		return rep, err
	}
	rep = ImportReport{ID: s.newID("im"), DatasetID: datasetID, State: ReportRunning, Origin: Clean(origin), Summary: "{}", CreatedAt: s.Now()}
	err = s.tx(ctx, func(tx *gorm.DB) error { return tx.Create(&rep).Error })
	return rep, err
}

// ImportEnd is how an import ended.
type ImportEnd struct {
	State   string // ReportDone or ReportBroken
	Message string // a sentence for the page
	Summary string // JSON; empty stands for an empty object
	Sources []ImportSource
	// Records, Added and Problems are shown in the list; nil is not known.
	Records, Added, Problems *int
	// InputSHA256 and InputBytes are as in ImportReport.
	InputSHA256 string
	InputBytes  int64
}

// FinishImport closes a report.
func (s *Store) FinishImport(ctx context.Context, v Viewer, reportID string, end ImportEnd) (err error) {
	defer wrap(&err, "close import report %s", reportID)
	rep, err := s.ImportReport(ctx, v, reportID)
	if err != nil {
		return err
	}
	if end.Summary == "" {
		end.Summary = "{}"
	}
	return s.tx(ctx, func(tx *gorm.DB) error {
		now := s.Now()
		up := tx.Model(&ImportReport{}).Where("id = ?", reportID).Updates(map[string]any{
			"state": end.State, "message": Clean(end.Message), "summary": Clean(end.Summary), "finished_at": &now,
			"records": end.Records, "added": end.Added, "problems": end.Problems,
			"input_sha256": end.InputSHA256, "input_bytes": end.InputBytes,
		})
		if up.Error != nil {
			return up.Error
		}
		for i := range end.Sources {
			end.Sources[i].DatasetID, end.Sources[i].ReportID = rep.DatasetID, reportID
			end.Sources[i].Path = Clean(end.Sources[i].Path)
		}
		if len(end.Sources) == 0 {
			return nil
		}
		return tx.Clauses(clause.OnConflict{DoNothing: true}).CreateInBatches(end.Sources, 200).Error
	})
}

// ImportReport returns one report.
func (s *Store) ImportReport(ctx context.Context, v Viewer, id string) (rep ImportReport, err error) {
	defer wrap(&err, "load import report %s", id)
	if err := s.read(ctx).Take(&rep, "id = ?", id).Error; err != nil {
		return rep, err
	}
	_, err = s.Dataset(ctx, v, rep.DatasetID)
	return rep, err
}

// ImportReports lists a dataset's reports without their summaries, newest first.
func (s *Store) ImportReports(ctx context.Context, v Viewer, datasetID string) (out []ImportReport, err error) {
	defer wrap(&err, "list import reports of dataset %s", datasetID)
	if _, err := s.Dataset(ctx, v, datasetID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Omit("summary").Where("dataset_id = ?", datasetID).Order("id DESC").Limit(200).Find(&out).Error
	return out, err
}

// OpenImports lists the reports of all datasets that are still running.
func (s *Store) OpenImports(ctx context.Context) (out []ImportReport, err error) {
	defer wrap(&err, "list open imports")
	err = s.read(ctx).Where("state = ?", ReportRunning).Order("id").Find(&out).Error
	return out, err
}

// SameImports lists, without their summaries, the finished imports into a dataset
// that read as many bytes and could read all of them. Whether they read the same
// bytes is told by InputSHA256.
func (s *Store) SameImports(ctx context.Context, v Viewer, datasetID string, bytes int64) (out []ImportReport, err error) {
	defer wrap(&err, "look for an earlier import into dataset %s", datasetID)
	if _, err := s.Dataset(ctx, v, datasetID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Omit("summary").Where("dataset_id = ? AND state = ? AND input_bytes = ? AND input_sha256 <> ''", datasetID, ReportDone, bytes).
		Order("id DESC").Find(&out).Error
	return out, err
}
