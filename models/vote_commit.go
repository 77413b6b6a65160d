package models

import (
	"cmp"
	"context"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"plumbline/experiments/vote"
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
	// Every process takes items and votes in the same order, so that two that
	// commit to the same items wait for each other instead of deadlocking.
	order := make([]int, len(votes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := votes[a].Row, votes[b].Row
		return cmp.Or(cmp.Compare(x.ItemID, y.ItemID), cmp.Compare(x.Idx, y.Idx), cmp.Compare(a, b))
	})
	err = s.tx(ctx, func(tx *gorm.DB) error {
		kept = make([]bool, len(votes))
		var items []string
		for _, i := range order {
			row := votes[i].Row
			if len(items) == 0 || items[len(items)-1] != row.ItemID {
				if err := lockItem(tx, row.ItemID); err != nil {
					return err
				}
				items = append(items, row.ItemID)
			}
			row.Headline, row.Problem, row.CreatedAt = Clean(row.Headline), Clean(row.Problem), s.Now()
			row.AuditRules, row.Contradictions = votes[i].Audit.columns()
			ins := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&row)
			if ins.Error != nil {
				return ins.Error
			}
			if kept[i] = ins.RowsAffected == 1; !kept[i] {
				continue
			}
			text := VoteText{ItemID: row.ItemID, Idx: row.Idx, Rationale: Clean(votes[i].Rationale), Citations: Clean(votes[i].Citations), Raw: Clean(votes[i].Raw)}
			if err := tx.Create(&text).Error; err != nil {
				return err
			}
			if err := saveFlags(tx, row, votes[i].Audit); err != nil {
				return err
			}
		}
		for _, id := range items {
			if err := s.decide(tx, id); err != nil {
				return err
			}
		}
		return nil
	})
	return kept, err
}

// DecideItem decides an item whose votes are all stored, as may be left over
// from workers that died.
func (s *Store) DecideItem(ctx context.Context, itemID string) (err error) {
	defer wrap(&err, "decide item %s", itemID)
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := lockItem(tx, itemID); err != nil {
			return err
		}
		return s.decide(tx, itemID)
	})
}

// lockItem makes commits to one item wait for each other: of two that bring the
// last votes at once, the second must see the first's.
func lockItem(tx *gorm.DB, itemID string) error {
	var it Item
	return tx.Clauses(clause.Locking{Strength: "UPDATE"}).Select("id").Take(&it, "id = ?", itemID).Error
}

// decide tallies an item once all its votes are there.
func (s *Store) decide(tx *gorm.DB, itemID string) error {
	var cell struct {
		ExperimentID, ArmID, TraceID, Label           string
		K                                             int
		NAccept, NReject, NUncertain, NUnparseable, N int
	}
	err := tx.Raw(`SELECT i.experiment_id, i.arm_id, i.trace_id, t.label, e.votes AS k, count(*) AS n,
			sum(CASE WHEN v.vote = 'accept' THEN 1 ELSE 0 END) AS n_accept,
			sum(CASE WHEN v.vote = 'reject' THEN 1 ELSE 0 END) AS n_reject,
			sum(CASE WHEN v.vote = 'uncertain' THEN 1 ELSE 0 END) AS n_uncertain,
			sum(CASE WHEN v.vote = 'unparseable' THEN 1 ELSE 0 END) AS n_unparseable
		FROM votes v JOIN items i ON i.id = v.item_id JOIN traces t ON t.id = i.trace_id
		JOIN experiments e ON e.id = i.experiment_id
		WHERE v.item_id = ? GROUP BY i.experiment_id, i.arm_id, i.trace_id, t.label, e.votes`, itemID).Scan(&cell).Error
	if err != nil || cell.N < cell.K {
		return err
	}
	counts := vote.Counts{Accept: cell.NAccept, Reject: cell.NReject, Uncertain: cell.NUncertain, Unparseable: cell.NUnparseable}
	row := Decision{
		ItemID: itemID, ExperimentID: cell.ExperimentID, ArmID: cell.ArmID, TraceID: cell.TraceID, Label: cell.Label,
		Decision: string(counts.Decide(vote.Plurality)), NAccept: cell.NAccept, NReject: cell.NReject,
		NUncertain: cell.NUncertain, NUnparseable: cell.NUnparseable, CreatedAt: s.Now(),
	}
	if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error; err != nil {
		return err
	}
	return tx.Model(&Item{}).Where("id = ?", itemID).Updates(map[string]any{
		"state": ItemDone, "error_class": "", "error_message": "", "updated_at": s.Now(),
	}).Error
}
