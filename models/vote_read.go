package models

import "context"

// VoteDetail is a vote with its texts.
type VoteDetail struct {
	VoteRow
	Rationale string
	Citations string
	Raw       string
}

// Votes returns the votes of items, ordered by item and index, without texts.
func (s *Store) Votes(ctx context.Context, v Viewer, experimentID string, itemIDs []string) (out []VoteRow, err error) {
	defer wrap(&err, "load votes of %d items", len(itemIDs))
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return nil, err
	}
	for len(itemIDs) > 0 {
		n := min(len(itemIDs), 1000)
		var part []VoteRow
		// The experiment is compared below: as a condition it would lure SQLite away
		// from the primary key, to a scan of all votes of the experiment.
		if err := s.read(ctx).Where("item_id IN ?", itemIDs[:n]).Order("item_id, idx").Find(&part).Error; err != nil {
			return nil, err
		}
		for _, r := range part {
			if r.ExperimentID == experimentID {
				out = append(out, r)
			}
		}
		itemIDs = itemIDs[n:]
	}
	return out, nil
}

// VoteDetails returns the votes of one item with what the reviewer wrote.
func (s *Store) VoteDetails(ctx context.Context, v Viewer, itemID string) (out []VoteDetail, err error) {
	defer wrap(&err, "load votes of item %s", itemID)
	if _, _, err := s.Outcome(ctx, v, itemID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Table("votes v").Select("v.*, x.rationale, x.citations, x.raw").
		Joins("JOIN vote_texts x ON x.item_id = v.item_id AND x.idx = v.idx").
		Where("v.item_id = ?", itemID).Order("v.idx").Scan(&out).Error
	return out, err
}

// EachVote calls f for every vote of an experiment with its texts, in the order
// of items and indices, a batch at a time, for exports.
func (s *Store) EachVote(ctx context.Context, v Viewer, experimentID string, f func(VoteDetail) error) (err error) {
	defer wrap(&err, "read votes of experiment %s", experimentID)
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return err
	}
	item, idx := "", -1
	for {
		var part []VoteDetail
		err := s.read(ctx).Table("votes v").Select("v.*, x.rationale, x.citations, x.raw").
			Joins("JOIN vote_texts x ON x.item_id = v.item_id AND x.idx = v.idx").
			Where("v.experiment_id = ? AND (v.item_id, v.idx) > (?, ?)", experimentID, item, idx).
			Order("v.item_id, v.idx").Limit(500).Scan(&part).Error
		if err != nil {
			return err
		}
		for _, d := range part {
			if err := f(d); err != nil {
				return err
			}
		}
		if len(part) < 500 {
			return nil
		}
		item, idx = part[499].ItemID, part[499].Idx
	}
}

// ItemCallErrors lists the tries of an item that did not end in a vote.
func (s *Store) ItemCallErrors(ctx context.Context, v Viewer, itemID string) (out []CallError, err error) {
	defer wrap(&err, "load call errors of item %s", itemID)
	if _, _, err := s.Outcome(ctx, v, itemID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Where("item_id = ?", itemID).Order("created_at, id").Find(&out).Error
	return out, err
}

// Leaks lists what the leakage audit found on an item; it needs an editor, since
// it quotes the oracle.
func (s *Store) Leaks(ctx context.Context, v Viewer, itemID string) (out []Leak, err error) {
	defer wrap(&err, "load leaks of item %s", itemID)
	_, e, err := s.Outcome(ctx, v, itemID)
	if err != nil {
		return nil, err
	}
	if err := v.mayEdit(e.ProjectID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Where("item_id = ?", itemID).Order("idx").Find(&out).Error
	return out, err
}

// Evidence returns the text of an item's evidence exactly as the reviewer saw it.
func (s *Store) Evidence(ctx context.Context, v Viewer, itemID string) (out EvidenceRow, err error) {
	defer wrap(&err, "load evidence of item %s", itemID)
	row, _, err := s.Outcome(ctx, v, itemID)
	if err != nil {
		return out, err
	}
	if v.Share != "" {
		return out, ErrNotFound // a share page shows results, not evidence
	}
	err = s.read(ctx).Take(&out, "sha256 = ?", row.EvidenceSHA256).Error
	return out, err
}
