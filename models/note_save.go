package models

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"
)

// ItemNote is what somebody wrote about an arm's look at a trace. The newest note
// of an item is its note; an empty one says that there is none any more.
type ItemNote struct {
	ID        string
	ItemID    string
	Text      string
	Author    string
	CreatedAt time.Time
}

// MaxNote is the longest note, in bytes.
const MaxNote = 8000

// SaveNote writes a note on an item; earlier notes are kept. Saving the text that
// stands there already changes nothing.
func (s *Store) SaveNote(ctx context.Context, v Viewer, itemID, text string) (n ItemNote, err error) {
	defer wrap(&err, "note on item %s", itemID)
	row, e, err := s.Outcome(ctx, v, itemID)
	if err != nil {
		return n, err
	}
	if err := s.editExperiment(ctx, v, e.ID); err != nil {
		return n, err
	}
	text = strings.TrimSpace(Clean(text))
	if len(text) > MaxNote {
		return n, Invalid("note", fmt.Sprintf("write at most %d bytes", MaxNote))
	}
	err = s.tx(ctx, func(tx *gorm.DB) error {
		if err := lockItem(tx, row.ItemID); err != nil {
			return err
		}
		var last ItemNote
		if err := tx.Where("item_id = ?", row.ItemID).Order("id DESC").Limit(1).Find(&last).Error; err != nil {
			return err
		}
		if last.Text == text {
			n = last
			return nil
		}
		n = ItemNote{ID: s.newID("no"), ItemID: row.ItemID, Text: text, Author: v.Name, CreatedAt: s.Now()}
		return tx.Create(&n).Error
	})
	return n, err
}
