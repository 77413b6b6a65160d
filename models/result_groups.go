package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// UnfinishedCell counts an arm's items without a decision by state and truth.
type UnfinishedCell struct {
	ArmID string
	State string
	Label string
	N     int
}

// UnfinishedCells counts what is in error, blocked or not finished, by truth, so
// that a composition of decisions can show what is not there.
func (s *Store) UnfinishedCells(ctx context.Context, v Viewer, experimentID string) (out []UnfinishedCell, err error) {
	defer wrap(&err, "count unfinished items of experiment %s", experimentID)
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Table("items i").Select("i.arm_id, i.state, t.label, count(*) AS n").Joins("JOIN traces t ON t.id = i.trace_id").
		Where("i.experiment_id = ? AND i.state IN ?", experimentID, []string{ItemPending, ItemRunning, ItemError, ItemBlocked}).
		Group("i.arm_id, i.state, t.label").Order("i.arm_id, i.state, t.label").Scan(&out).Error
	return out, err
}

// WrongGroup counts the wrong decisions of an experiment in one group of traces,
// beside all decisions on traces of known truth in it.
type WrongGroup struct {
	Name       string
	Misses     int
	Rejections int
	Decided    int // items with a decision other than uncertain
}

// WrongByGroup counts wrong decisions over all arms by GroupRepo, GroupAgent or
// GroupBucket, the groups with most of them first.
func (s *Store) WrongByGroup(ctx context.Context, v Viewer, experimentID, by string) (out []WrongGroup, err error) {
	defer wrap(&err, "group wrong decisions of experiment %s", experimentID)
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return nil, err
	}
	expr, ok := groupExprs[by]
	if !ok || by == GroupArm || by == GroupMisread {
		return nil, Invalid("group", fmt.Sprintf("there is no grouping by %q", by))
	}
	err = s.read(ctx).Table("decisions d").Joins("JOIN traces t ON t.id = d.trace_id").
		Select(expr+` AS name, count(*) AS decided,
			sum(CASE WHEN d.label = 'defective' AND d.decision <> 'reject' THEN 1 ELSE 0 END) AS misses,
			sum(CASE WHEN d.label = 'acceptable' AND d.decision <> 'accept' THEN 1 ELSE 0 END) AS rejections`).
		Where("d.experiment_id = ? AND d.label <> 'unknown' AND d.decision <> 'uncertain'", experimentID).
		Group(expr).Order("sum(CASE WHEN d.label = 'defective' AND d.decision <> 'reject' OR d.label = 'acceptable' AND d.decision <> 'accept' THEN 1 ELSE 0 END) DESC, " + expr).Scan(&out).Error
	return out, err
}

// EvidenceDigest counts the distinct evidence texts of an experiment and hashes
// their sorted hashes, so that two runs can be seen to have shown the same.
func (s *Store) EvidenceDigest(ctx context.Context, v Viewer, experimentID string) (texts int, digest string, err error) {
	defer wrap(&err, "digest the evidence of experiment %s", experimentID)
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return 0, "", err
	}
	var hashes []string
	err = s.read(ctx).Table("items").Where("experiment_id = ? AND evidence_sha256 <> ''", experimentID).
		Distinct().Order("evidence_sha256").Pluck("evidence_sha256", &hashes).Error
	if err != nil {
		return 0, "", err
	}
	sum := sha256.New()
	for _, x := range hashes {
		sum.Write([]byte(x + "\n"))
	}
	return len(hashes), hex.EncodeToString(sum.Sum(nil)), nil
}

// UsesSplit reports whether an experiment runs on the split of that name.
func (s *Store) UsesSplit(ctx context.Context, v Viewer, experimentID, name string) (uses bool, err error) {
	defer wrap(&err, "look up the split of experiment %s", experimentID)
	e, err := s.Experiment(ctx, v, experimentID)
	if err != nil || e.SplitID == nil {
		return false, err
	}
	var n int64
	err = s.read(ctx).Table("splits").Where("id = ? AND name = ?", *e.SplitID, name).Count(&n).Error
	return n > 0, err
}
