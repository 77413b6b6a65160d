package models

import (
	"context"
	"time"

	"gorm.io/gorm"
)

// Freeze is a fixed choice of a design experiment, without its manifest.
type Freeze struct {
	ID             string
	ProjectID      string
	ExperimentID   string // the design experiment
	ManifestSHA256 string `gorm:"column:manifest_sha256"`
	Author         string
	CreatedAt      time.Time
}

// FreezeManifest is the document of a freeze, byte for byte as it was written.
type FreezeManifest struct {
	FreezeID string `gorm:"primaryKey"`
	Document string
}

// FreezeDraft is a sealed manifest of a design experiment.
type FreezeDraft struct {
	ExperimentID string
	Document     []byte
	SHA256       string
}

// CreateFreeze stores a sealed manifest. Its author is the viewer.
func (s *Store) CreateFreeze(ctx context.Context, v Viewer, d FreezeDraft) (f Freeze, err error) {
	defer wrap(&err, "freeze experiment %s", d.ExperimentID)
	if err := s.editExperiment(ctx, v, d.ExperimentID); err != nil {
		return f, err
	}
	e, err := s.Experiment(ctx, v, d.ExperimentID)
	if err != nil {
		return f, err
	}
	f = Freeze{ID: s.newID("fz"), ProjectID: e.ProjectID, ExperimentID: e.ID, ManifestSHA256: d.SHA256, Author: v.Name, CreatedAt: s.Now()}
	err = s.tx(ctx, func(tx *gorm.DB) error {
		if err := tx.Create(&f).Error; err != nil {
			return err
		}
		return tx.Create(&FreezeManifest{FreezeID: f.ID, Document: string(d.Document)}).Error
	})
	return f, err
}
