package models

import "context"

// Notes returns the newest note of each item that has one, by item id.
func (s *Store) Notes(ctx context.Context, v Viewer, experimentID string, itemIDs []string) (out map[string]ItemNote, err error) {
	defer wrap(&err, "load the notes of %d items", len(itemIDs))
	e, err := s.Experiment(ctx, v, experimentID)
	if err != nil {
		return nil, err
	}
	if err := v.mayRead(e.ProjectID); err != nil {
		return nil, err // notes are for the team, not for who has a share link
	}
	out = map[string]ItemNote{}
	for len(itemIDs) > 0 {
		n := min(len(itemIDs), 1000)
		var part []ItemNote
		err := s.read(ctx).Table("item_notes n").Select("n.*").Joins("JOIN items i ON i.id = n.item_id").
			Where("i.experiment_id = ? AND n.item_id IN ?", experimentID, itemIDs[:n]).
			Where("n.id = (SELECT max(x.id) FROM item_notes x WHERE x.item_id = n.item_id)").Scan(&part).Error
		if err != nil {
			return nil, err
		}
		for _, x := range part {
			if x.Text != "" {
				out[x.ItemID] = x
			}
		}
		itemIDs = itemIDs[n:]
	}
	return out, nil
}

// NoteHistory lists every note of an item, newest first.
func (s *Store) NoteHistory(ctx context.Context, v Viewer, itemID string) (out []ItemNote, err error) {
	defer wrap(&err, "list the notes of item %s", itemID)
	_, e, err := s.Outcome(ctx, v, itemID)
	if err != nil {
		return nil, err
	}
	if err := v.mayRead(e.ProjectID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Where("item_id = ?", itemID).Order("id DESC").Find(&out).Error
	return out, err
}
