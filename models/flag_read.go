package models

import "context"

// VoteFlags lists the flags of items, ordered by item, vote and place.
func (s *Store) VoteFlags(ctx context.Context, v Viewer, experimentID string, itemIDs []string) (out []VoteFlag, err error) {
	defer wrap(&err, "load the flags of %d items", len(itemIDs))
	e, err := s.Experiment(ctx, v, experimentID)
	if err != nil {
		return nil, err
	}
	if err := v.mayRead(e.ProjectID); err != nil {
		return nil, err // flags quote evidence, which a share link does not show
	}
	for len(itemIDs) > 0 {
		n := min(len(itemIDs), 1000)
		var part []VoteFlag
		if err := s.read(ctx).Where("experiment_id = ? AND item_id IN ?", experimentID, itemIDs[:n]).Order("item_id, idx, n").Find(&part).Error; err != nil {
			return nil, err
		}
		out, itemIDs = append(out, part...), itemIDs[n:]
	}
	return out, nil
}

// MisreadCount counts an arm's misread votes in one direction. Items are the items
// with at least one such vote in that direction.
type MisreadCount struct {
	ArmID string
	Vote  string // accept, reject or uncertain
	Votes int    // with a contradiction
	Items int
}

// ArmAudit says how many of an arm's votes are audited, and counts its items with
// a vote that contradicts its evidence or itself.
type ArmAudit struct {
	ArmID     string
	Unaudited int
	Items     int
	Inexact   int // items whose votes only cite inexactly
	ByVote    []MisreadCount
	ByKind    []KindCount
}

// KindCount counts the votes of an arm with one kind of flag.
type KindCount struct {
	ArmID         string
	Vote          string
	Kind          string
	Contradiction bool
	Votes         int
}

// ArmAudits counts flags by arm and direction, in the order of arm ids. An arm
// without flags and without unaudited votes has no entry: all its votes, if it has
// any, are audited and none is flagged.
func (s *Store) ArmAudits(ctx context.Context, v Viewer, experimentID string) (out []ArmAudit, err error) {
	defer wrap(&err, "count misread votes of experiment %s", experimentID)
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return nil, err
	}
	db := s.read(ctx)
	index := map[string]int{}
	arm := func(id string) *ArmAudit {
		i, ok := index[id]
		if !ok {
			i = len(out)
			index[id] = i
			out = append(out, ArmAudit{ArmID: id})
		}
		return &out[i]
	}
	var open []struct {
		ArmID string
		N     int
	}
	// The literal 0 lets both engines use the index of unaudited votes.
	if err := db.Table("votes").Select("arm_id, count(*) AS n").Where("experiment_id = ? AND audit_rules = 0", experimentID).
		Group("arm_id").Order("arm_id").Scan(&open).Error; err != nil {
		return nil, err
	}
	for _, r := range open {
		arm(r.ArmID).Unaudited = r.N
	}
	var kinds []KindCount
	if err := db.Raw(`SELECT arm_id, vote, kind, contradiction, count(*) AS votes FROM
			(SELECT DISTINCT arm_id, vote, kind, contradiction, item_id, idx FROM vote_flags WHERE experiment_id = ?) f
		GROUP BY arm_id, vote, kind, contradiction ORDER BY arm_id, vote, kind`, experimentID).Scan(&kinds).Error; err != nil {
		return nil, err
	}
	for _, k := range kinds {
		a := arm(k.ArmID)
		a.ByKind = append(a.ByKind, k)
	}
	var votes []MisreadCount
	if err := db.Raw(`SELECT arm_id, vote, count(*) AS votes, count(DISTINCT item_id) AS items FROM
			(SELECT DISTINCT arm_id, vote, item_id, idx FROM vote_flags WHERE experiment_id = ? AND contradiction) f
		GROUP BY arm_id, vote ORDER BY arm_id, vote`, experimentID).Scan(&votes).Error; err != nil {
		return nil, err
	}
	for _, r := range votes {
		a := arm(r.ArmID)
		a.ByVote = append(a.ByVote, r)
	}
	var items []struct {
		ArmID     string
		Contra    int
		Inexactly int
	}
	if err := db.Raw(`SELECT arm_id, sum(CASE WHEN c > 0 THEN 1 ELSE 0 END) AS contra, sum(CASE WHEN c = 0 THEN 1 ELSE 0 END) AS inexactly FROM
			(SELECT arm_id, item_id, sum(CASE WHEN contradiction THEN 1 ELSE 0 END) AS c FROM vote_flags WHERE experiment_id = ? GROUP BY arm_id, item_id) f
		GROUP BY arm_id ORDER BY arm_id`, experimentID).Scan(&items).Error; err != nil {
		return nil, err
	}
	for _, r := range items {
		a := arm(r.ArmID)
		a.Items, a.Inexact = r.Contra, r.Inexactly
	}
	return out, nil
}

// ScreenCount counts the audited votes of one reviewer version under one form.
// Cached votes are left out, since they repeat an answer that is counted already,
// and so are unparseable ones, which say nothing that could contradict.
type ScreenCount struct {
	VersionID      string
	Version        int
	Form           string
	Votes          int // audited
	Contradictions int // votes with at least one
	Unaudited      int
	Traces         int
	Simulated      bool
}

// ScreenCounts counts contradictions over all stored votes of a reviewer, newest
// version first.
func (s *Store) ScreenCounts(ctx context.Context, v Viewer, reviewerID string) (out []ScreenCount, err error) {
	defer wrap(&err, "screen reviewer %s", reviewerID)
	if _, _, err := s.Reviewer(ctx, v, reviewerID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Table("arms a").Select(`rn.id AS version_id, rn.version, a.form, a.simulated,
		sum(CASE WHEN v.audit_rules > 0 THEN 1 ELSE 0 END) AS votes,
		sum(CASE WHEN v.contradictions > 0 THEN 1 ELSE 0 END) AS contradictions,
		sum(CASE WHEN v.audit_rules = 0 THEN 1 ELSE 0 END) AS unaudited,
		count(DISTINCT i.trace_id) AS traces`).
		Joins("JOIN reviewer_versions rn ON rn.id = a.reviewer_version_id").
		Joins("JOIN votes v ON v.experiment_id = a.experiment_id AND v.arm_id = a.id").
		Joins("JOIN items i ON i.id = v.item_id").
		Where("rn.reviewer_id = ? AND v.vote <> 'unparseable' AND NOT v.cached", reviewerID).
		Group("rn.id, rn.version, a.form, a.simulated").Order("rn.version DESC, a.form").Scan(&out).Error
	return out, err
}
