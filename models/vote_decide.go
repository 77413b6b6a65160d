package models

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"plumbline/experiments/vote"
)

// DecideItem decides an item whose votes are all stored, as may be left over
// from workers that died.
func (s *Store) DecideItem(ctx context.Context, itemID string) (err error) {
	defer wrap(&err, "decide item %s", itemID)
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := lockItem(tx, itemID); err != nil {
			return err
		}
		return s.decide(tx, []string{itemID})
	})
}

// costColumns sums what votes cost. A cached vote was billed when it was asked
// and is not billed again; what is unknown is counted by the known.
const costColumns = `sum(CASE WHEN v.cached THEN 1 ELSE 0 END) AS cached,
	coalesce(sum(CASE WHEN v.cached THEN 0 ELSE v.cost_usd END), 0) AS cost_usd, count(v.cost_usd) AS cost_known,
	coalesce(sum(CASE WHEN v.cached THEN 0 ELSE v.input_tokens END), 0) AS input_tokens,
	coalesce(sum(CASE WHEN v.cached THEN 0 ELSE v.output_tokens END), 0) AS output_tokens, count(v.input_tokens) AS tokens_known,
	coalesce(sum(v.latency_ms), 0) AS latency_ms`

// decide tallies those of the items that have all their votes.
func (s *Store) decide(tx *gorm.DB, itemIDs []string) error {
	var rows []Decision
	err := tx.Raw(`SELECT i.id AS item_id, i.experiment_id, i.arm_id, i.trace_id, t.label,
			sum(CASE WHEN v.vote = 'accept' THEN 1 ELSE 0 END) AS n_accept,
			sum(CASE WHEN v.vote = 'reject' THEN 1 ELSE 0 END) AS n_reject,
			sum(CASE WHEN v.vote = 'uncertain' THEN 1 ELSE 0 END) AS n_uncertain,
			sum(CASE WHEN v.vote = 'unparseable' THEN 1 ELSE 0 END) AS n_unparseable, `+costColumns+`
		FROM votes v JOIN items i ON i.id = v.item_id JOIN traces t ON t.id = i.trace_id JOIN experiments e ON e.id = i.experiment_id
		WHERE v.item_id IN ? GROUP BY i.id, i.experiment_id, i.arm_id, i.trace_id, t.label, e.votes HAVING count(*) >= e.votes
		ORDER BY i.id`, itemIDs).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return err
	}
	done := make([]string, len(rows))
	for i := range rows {
		r := &rows[i]
		counts := vote.Counts{Accept: r.NAccept, Reject: r.NReject, Uncertain: r.NUncertain, Unparseable: r.NUnparseable}
		r.Decision, r.CreatedAt = string(counts.Decide(vote.Plurality)), s.Now()
		done[i] = r.ItemID
	}
	if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&rows).Error; err != nil {
		return err
	}
	return tx.Model(&Item{}).Where("id IN ?", done).Updates(map[string]any{
		"state": ItemDone, "error_class": "", "error_message": "", "updated_at": s.Now(),
	}).Error
}
