package models

import (
	"context"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// VoteInput is one answer to store.
type VoteInput struct {
	Row       VoteRow
	Rationale string
	Citations string // JSON
	Raw       string
	Audit     *VoteAudit // nil: not audited
}

// CommitVotes stores answers in one transaction. An answer whose (item, index)
// is stored already is dropped: the first one counts, and kept says which were
// taken. An item that now has all K votes gets its decision and is done.
func (s *Store) CommitVotes(ctx context.Context, votes []VoteInput) (kept []bool, err error) {
	defer wrap(&err, "commit %d votes", len(votes))
	err = s.tx(ctx, func(tx *gorm.DB) error {
		items := itemsOf(votes)
		if err := lockItems(tx, items); err != nil {
			return err
		}
		// With the items locked, nobody else can add to what is read here.
		var stored []VoteRow
		if err := tx.Select("item_id", "idx").Where("item_id IN ?", items).Find(&stored).Error; err != nil {
			return err
		}
		var fresh []VoteInput
		fresh, kept = firstAnswers(votes, stored)
		if len(fresh) == 0 {
			return nil
		}
		if err := s.saveVotes(tx, fresh); err != nil {
			return err
		}
		return s.decide(tx, itemsOf(fresh))
	})
	return kept, err
}

// itemsOf lists the items of votes, each once and in order.
func itemsOf(votes []VoteInput) []string {
	ids := make([]string, len(votes))
	for i, v := range votes {
		ids[i] = v.Row.ItemID
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// lockItems makes commits to one item wait for each other: of two that bring the
// last votes at once, the second must see the first's. Every process locks items
// in the order of their ids, so that two that share several cannot deadlock.
func lockItems(tx *gorm.DB, ids []string) error {
	var locked []string
	err := tx.Model(&Item{}).Clauses(clause.Locking{Strength: "UPDATE"}).Where("id IN ?", ids).Order("id").Pluck("id", &locked).Error
	if err == nil && len(locked) < len(ids) {
		err = gorm.ErrRecordNotFound
	}
	return err
}

func lockItem(tx *gorm.DB, id string) error { return lockItems(tx, []string{id}) }

// firstAnswers are the votes whose place is free, each place taken once; kept
// says which of all votes they are.
func firstAnswers(votes []VoteInput, stored []VoteRow) (fresh []VoteInput, kept []bool) {
	type place struct {
		item string
		idx  int
	}
	taken := make(map[place]bool, len(stored)+len(votes))
	for _, r := range stored {
		taken[place{r.ItemID, r.Idx}] = true
	}
	kept = make([]bool, len(votes))
	for i, v := range votes {
		at := place{v.Row.ItemID, v.Row.Idx}
		if taken[at] {
			continue
		}
		taken[at], kept[i] = true, true
		fresh = append(fresh, v)
	}
	return fresh, kept
}

func (s *Store) saveVotes(tx *gorm.DB, votes []VoteInput) error {
	rows, texts := make([]VoteRow, len(votes)), make([]VoteText, len(votes))
	for i, v := range votes {
		row := v.Row
		row.Headline, row.Problem, row.CreatedAt = Clean(row.Headline), Clean(row.Problem), s.Now()
		row.AuditRules, row.Contradictions = v.Audit.columns()
		rows[i] = row
		texts[i] = VoteText{ItemID: row.ItemID, Idx: row.Idx, Rationale: Clean(v.Rationale), Citations: Clean(v.Citations), Raw: Clean(v.Raw)}
	}
	if err := tx.CreateInBatches(&rows, 500).Error; err != nil {
		return err
	}
	if err := tx.CreateInBatches(&texts, 500).Error; err != nil {
		return err
	}
	for i, v := range votes {
		if err := saveFlags(tx, rows[i], v.Audit); err != nil {
			return err
		}
	}
	return nil
}
