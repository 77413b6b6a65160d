package models

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// AddToSplit puts traces into the dataset's split of that name, making it if
// there is none. Traces already in it stay.
func (s *Store) AddToSplit(ctx context.Context, v Viewer, datasetID, name string, traceIDs []string) (sp Split, err error) {
	defer wrap(&err, "add to split %q of dataset %s", name, datasetID)
	d, err := s.Dataset(ctx, v, datasetID)
	if err != nil {
		return sp, err
	}
	if err := v.mayEdit(d.ProjectID); err != nil {
		return sp, err
	}
	err = s.tx(ctx, func(tx *gorm.DB) error {
		sp = Split{ID: s.newID("sp"), DatasetID: datasetID, Name: Clean(name), CreatedAt: s.Now()}
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&sp).Error; err != nil {
			return err
		}
		sp = Split{}
		if err := tx.Take(&sp, "dataset_id = ? AND name = ?", datasetID, name).Error; err != nil {
			return err
		}
		type splitTrace struct{ SplitID, TraceID string }
		rows := make([]splitTrace, len(traceIDs))
		for i, id := range traceIDs {
			rows[i] = splitTrace{sp.ID, id}
		}
		if len(rows) == 0 {
			return nil
		}
		return tx.Table("split_traces").Clauses(clause.OnConflict{DoNothing: true}).CreateInBatches(rows, 500).Error
	})
	return sp, err
}
