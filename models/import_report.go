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
	rep = ImportReport{ID: newID("im", s.now()), DatasetID: datasetID, State: ReportRunning, Origin: Clean(origin), Summary: "{}", CreatedAt: s.Now()}
	err = s.tx(ctx, func(tx *gorm.DB) error { return tx.Create(&rep).Error })
	return rep, err
}

// FinishImport closes a report with its JSON summary and the sources that were
// read. state is ReportDone or ReportBroken, message a sentence for the page.
func (s *Store) FinishImport(ctx context.Context, v Viewer, reportID, state, message, summary string, sources []ImportSource) (err error) {
	defer wrap(&err, "close import report %s", reportID)
	rep, err := s.ImportReport(ctx, v, reportID)
	if err != nil {
		return err
	}
	return s.tx(ctx, func(tx *gorm.DB) error {
		now := s.Now()
		up := tx.Model(&ImportReport{}).Where("id = ?", reportID).Updates(map[string]any{
			"state": state, "message": Clean(message), "summary": Clean(summary), "finished_at": &now,
		})
		if up.Error != nil {
			return up.Error
		}
		for i := range sources {
			sources[i].DatasetID, sources[i].ReportID = rep.DatasetID, reportID
			sources[i].Path = Clean(sources[i].Path)
		}
		if len(sources) == 0 {
			return nil
		}
		return tx.Clauses(clause.OnConflict{DoNothing: true}).CreateInBatches(sources, 200).Error
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

// ImportReports lists a dataset's reports, newest first.
func (s *Store) ImportReports(ctx context.Context, v Viewer, datasetID string) (out []ImportReport, err error) {
	defer wrap(&err, "list import reports of dataset %s", datasetID)
	if _, err := s.Dataset(ctx, v, datasetID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Where("dataset_id = ?", datasetID).Order("id DESC").Limit(200).Find(&out).Error
	return out, err
}

// OpenImports lists the reports of all datasets that are still running.
func (s *Store) OpenImports(ctx context.Context) (out []ImportReport, err error) {
	defer wrap(&err, "list open imports")
	err = s.read(ctx).Where("state = ?", ReportRunning).Order("id").Find(&out).Error
	return out, err
}
