package models

import (
	"context"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// EnsureDataset returns the project's dataset of that name, making it if there
// is none. bundled marks the project's own cases.
func (s *Store) EnsureDataset(ctx context.Context, v Viewer, projectID, name, note string, bundled bool) (d Dataset, err error) {
	defer wrap(&err, "ensure dataset %q", name)
	if err := v.mayEdit(projectID); err != nil {
		return d, err
	}
	name = strings.TrimSpace(Clean(name))
	if name == "" || len(name) > 200 {
		return d, Invalid("dataset", "give it a name of 1 to 200 bytes")
	}
	err = s.tx(ctx, func(tx *gorm.DB) error {
		d = Dataset{ID: s.newID("ds"), ProjectID: projectID, Name: name, Note: Clean(note), Bundled: bundled, CreatedAt: s.Now()}
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&d).Error; err != nil {
			return err
		}
		d = Dataset{}
		return tx.Take(&d, "project_id = ? AND name = ?", projectID, name).Error
	})
	return d, err
}
