package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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

// WrongGroup counts the wrong decisions of an experiment on the traces of one
// repository, agent and bucket, beside all decisions on traces of known truth.
type WrongGroup struct {
	Repo       string
	Agent      string
	Bucket     string
	Misses     int
	Rejections int
	Decided    int // items with a decision other than uncertain
}

// WrongGroups counts wrong decisions over all arms by the facts of the traces
// together, so that one pass over the decisions serves every grouping of a page.
func (s *Store) WrongGroups(ctx context.Context, v Viewer, experimentID string) (out []WrongGroup, err error) {
	defer wrap(&err, "group wrong decisions of experiment %s", experimentID)
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Table("decisions d").Joins("JOIN traces t ON t.id = d.trace_id").
		Select(`t.repo, t.agent, t.bucket, count(*) AS decided,
			sum(CASE WHEN d.label = 'defective' AND d.decision <> 'reject' THEN 1 ELSE 0 END) AS misses,
			sum(CASE WHEN d.label = 'acceptable' AND d.decision <> 'accept' THEN 1 ELSE 0 END) AS rejections`).
		Where("d.experiment_id = ? AND d.label <> 'unknown' AND d.decision <> 'uncertain'", experimentID).
		Group("t.repo, t.agent, t.bucket").Order("t.repo, t.agent, t.bucket").Scan(&out).Error
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
