package models

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// StartItem marks an item as running with the evidence it is judged under. The
// evidence text is stored once, under its hash.
func (s *Store) StartItem(ctx context.Context, itemID string, ev EvidenceRow) (err error) {
	defer wrap(&err, "start item %s", itemID)
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := s.saveEvidence(tx, ev); err != nil {
			return err
		}
		return s.mark(tx, itemID, map[string]any{"state": ItemRunning, "evidence_sha256": ev.SHA256, "error_class": "", "error_message": ""})
	})
}

// BlockItem stops an item before any vote, with what the leakage audit found.
func (s *Store) BlockItem(ctx context.Context, itemID string, ev EvidenceRow, message string, leaks []Leak) (err error) {
	defer wrap(&err, "block item %s", itemID)
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := s.saveEvidence(tx, ev); err != nil {
			return err
		}
		if err := tx.Where("item_id = ?", itemID).Delete(&Leak{}).Error; err != nil {
			return err
		}
		for i := range leaks {
			leaks[i].ItemID, leaks[i].Idx, leaks[i].Text = itemID, i, Clean(leaks[i].Text)
		}
		if len(leaks) > 0 {
			if err := tx.Create(&leaks).Error; err != nil {
				return err
			}
		}
		return s.mark(tx, itemID, map[string]any{
			"state": ItemBlocked, "evidence_sha256": ev.SHA256, "error_class": "leak", "error_message": Clean(message),
		})
	})
}

// FailItem marks an item as in error, keeping the votes it has.
func (s *Store) FailItem(ctx context.Context, itemID, class, message string) (err error) {
	defer wrap(&err, "fail item %s", itemID)
	return s.tx(ctx, func(tx *gorm.DB) error {
		return s.mark(tx, itemID, map[string]any{"state": ItemError, "error_class": class, "error_message": Clean(message)})
	})
}

// RecordCallErrors keeps tries that did not end in a vote.
func (s *Store) RecordCallErrors(ctx context.Context, errs []CallError) (err error) {
	defer wrap(&err, "record %d call errors", len(errs))
	if len(errs) == 0 {
		return nil
	}
	for i := range errs {
		errs[i].ID, errs[i].CreatedAt, errs[i].Message = s.newID("ce"), s.Now(), Clean(errs[i].Message)
	}
	return s.tx(ctx, func(tx *gorm.DB) error { return tx.Create(&errs).Error })
}

// mark never takes an item back from done: a late word about an item that has
// all its votes is void.
func (s *Store) mark(tx *gorm.DB, itemID string, set map[string]any) error {
	set["updated_at"] = s.Now()
	return tx.Model(&Item{}).Where("id = ? AND state <> ?", itemID, ItemDone).Updates(set).Error
}

func (s *Store) saveEvidence(tx *gorm.DB, ev EvidenceRow) error {
	ev.CreatedAt = s.Now()
	return tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&ev).Error
}
