package models

import "context"

// PrefixCell counts an arm's decided items of the same truth whose votes came in the
// same order: one letter a vote, a, r, u, x for accept, reject, uncertain and
// unparseable.
type PrefixCell struct {
	ArmID string
	Label string
	Votes string
	N     int
}

// PrefixCells reads the votes of every decided item in their order, as counts. It
// reads each vote once, so it is for a reader who asks for it.
func (s *Store) PrefixCells(ctx context.Context, v Viewer, experimentID string) (out []PrefixCell, err error) {
	defer wrap(&err, "order the votes of experiment %s", experimentID)
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return nil, err
	}
	rows, err := s.read(ctx).Table("votes v").Joins("JOIN decisions d ON d.item_id = v.item_id").
		Select("d.arm_id, d.label, v.item_id, v.vote").Where("d.experiment_id = ?", experimentID).Order("v.item_id, v.idx").Rows()
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	at := map[PrefixCell]int{}
	var item, arm, label string
	var votes []byte
	flush := func() {
		if item == "" {
			return
		}
		key := PrefixCell{ArmID: arm, Label: label, Votes: string(votes)}
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, key)
		}
		out[i].N++
	}
	for rows.Next() {
		var a, l, id, vote string
		if err := rows.Scan(&a, &l, &id, &vote); err != nil {
			return nil, err
		}
		if id != item {
			flush()
			item, arm, label, votes = id, a, l, votes[:0]
		}
		letter := byte('x')
		switch vote {
		case "accept", "reject", "uncertain":
			letter = vote[0]
		}
		votes = append(votes, letter)
	}
	flush()
	return out, rows.Err()
}
