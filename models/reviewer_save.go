package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"gorm.io/gorm"
)

// ReviewerDraft is what is stored of a reviewer: Spec is its settings as JSON,
// already validated, holding key references and never a key.
type ReviewerDraft struct {
	ProjectID string
	Name      string
	Note      string
	Kind      string
	Model     string
	Spec      string
}

// SaveReviewer makes the reviewer or, if one of that name exists, adds a version
// when the settings differ from its newest. Versions are never changed.
func (s *Store) SaveReviewer(ctx context.Context, v Viewer, d ReviewerDraft) (out ReviewerVersion, err error) {
	defer wrap(&err, "save reviewer %q", d.Name)
	if err := v.mayEdit(d.ProjectID); err != nil {
		return out, err
	}
	name := strings.TrimSpace(Clean(d.Name))
	if name == "" || len(name) > 100 {
		return out, Invalid("name", "give it a name of 1 to 100 bytes")
	}
	sum := sha256.Sum256([]byte(d.Spec))
	hash := hex.EncodeToString(sum[:])
	err = s.tx(ctx, func(tx *gorm.DB) error {
		var r Reviewer
		if err := tx.Limit(1).Find(&r, "project_id = ? AND name = ?", d.ProjectID, name).Error; err != nil {
			return err
		}
		if r.ID == "" {
			r = Reviewer{ID: s.newID("rv"), ProjectID: d.ProjectID, Name: name, Note: Clean(d.Note), CreatedAt: s.Now()}
			if err := tx.Create(&r).Error; err != nil {
				return err
			}
		} else if d.Note != "" && d.Note != r.Note {
			if err := tx.Model(&Reviewer{}).Where("id = ?", r.ID).Update("note", Clean(d.Note)).Error; err != nil {
				return err
			}
		}
		var last ReviewerVersion
		if err := tx.Where("reviewer_id = ?", r.ID).Order("version DESC").Limit(1).Find(&last).Error; err != nil {
			return err
		}
		if last.ID != "" && last.SpecSHA256 == hash {
			out = last
			return nil
		}
		out = ReviewerVersion{
			ID: s.newID("rn"), ReviewerID: r.ID, Version: last.Version + 1, Kind: d.Kind, Model: Clean(d.Model),
			Spec: d.Spec, SpecSHA256: hash, CreatedAt: s.Now(),
		}
		return tx.Create(&out).Error
	})
	return out, err
}
