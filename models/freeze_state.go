package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"gorm.io/gorm"

	"plumbline/experiments/freeze"
)

// FreezeScope names what the fingerprints are wanted of: the traces of a design
// experiment, splits of its dataset, and reviewer versions.
type FreezeScope struct {
	ExperimentID string
	SplitIDs     []string
	VersionIDs   []string
}

// FreezeState reads the fingerprints of what is stored now. What does not exist is
// left out. Prompts and CodeVersion are not the store's and stay empty.
func (s *Store) FreezeState(ctx context.Context, v Viewer, sc FreezeScope) (st freeze.State, err error) {
	defer wrap(&err, "read what experiment %s froze", sc.ExperimentID)
	e, err := s.Experiment(ctx, v, sc.ExperimentID)
	if err != nil {
		return st, err
	}
	if err := v.mayRead(e.ProjectID); err != nil {
		return st, err
	}
	return freezeState(s.read(ctx), e, sc)
}

// freezeState reads by the handle it is given, so that a run can be checked and
// started in one transaction.
func freezeState(db *gorm.DB, e Experiment, sc FreezeScope) (st freeze.State, err error) {
	issues := map[string]string{}
	st.Design, err = fingerprints(db, "t.id IN (SELECT trace_id FROM items WHERE experiment_id = ?)", e.ID, issues)
	if err != nil {
		return st, err
	}
	st.Splits = make(map[string]freeze.Split, len(sc.SplitIDs))
	for _, id := range sc.SplitIDs {
		var sp Split
		if err := db.Limit(1).Find(&sp, "id = ? AND dataset_id = ?", id, e.DatasetID).Error; err != nil {
			return st, err
		}
		if sp.ID == "" {
			continue
		}
		out := freeze.Split{ID: sp.ID, Name: sp.Name}
		out.Traces, err = fingerprints(db, "t.id IN (SELECT trace_id FROM split_traces WHERE split_id = ?)", sp.ID, issues)
		if err != nil {
			return st, err
		}
		st.Splits[id] = out
	}
	st.Specs, err = specs(db, sc.VersionIDs)
	return st, err
}

// fingerprints lists traces in the order of their ids. The hash of a trace's content
// is kept with it and changes with it; an issue has none, so it is read and hashed,
// once for each instance.
func fingerprints(db *gorm.DB, where, arg string, issues map[string]string) ([]freeze.Trace, error) {
	var rows []TraceRow
	err := db.Table("traces t").Select(`t.id, t.instance_row, t.instance_id, t.content_sha256, t.label, t.bucket,
		t.tests_known, t.tests_applied, t.f2p_ok, t.f2p_all, t.p2p_ok, t.p2p_all`).Where(where, arg).Order("t.id").Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, r := range rows {
		if _, ok := issues[r.InstanceRow]; !ok {
			issues[r.InstanceRow] = ""
			missing = append(missing, r.InstanceRow)
		}
	}
	for len(missing) > 0 {
		n := min(len(missing), 200)
		var texts []InstanceText
		if err := db.Where("instance_row IN ?", missing[:n]).Find(&texts).Error; err != nil {
			return nil, err
		}
		for _, t := range texts {
			sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s%s", len(t.Issue), t.Issue, t.Hints))
			issues[t.InstanceRow] = hex.EncodeToString(sum[:])
		}
		missing = missing[n:]
	}
	out := make([]freeze.Trace, len(rows))
	for i, r := range rows {
		out[i] = freeze.Trace{
			ID: r.ID, Instance: r.InstanceID, Content: r.ContentSHA256, Issue: issues[r.InstanceRow],
			Outcome: freeze.Outcome(r.Label, r.Bucket, r.TestsKnown, r.TestsApplied, r.F2POK, r.F2PAll, r.P2POK, r.P2PAll),
		}
	}
	return out, nil
}

func specs(db *gorm.DB, versionIDs []string) (map[string]freeze.Spec, error) {
	var rows []struct {
		ReviewerVersion
		Newest int
	}
	err := db.Table("reviewer_versions rn").
		Select("rn.*, (SELECT max(x.version) FROM reviewer_versions x WHERE x.reviewer_id = rn.reviewer_id) AS newest").
		Where("rn.id IN ?", versionIDs).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	out := make(map[string]freeze.Spec, len(rows))
	for _, r := range rows {
		sum := sha256.Sum256([]byte(r.Spec))
		out[r.ID] = freeze.Spec{Written: r.SpecSHA256, Actual: hex.EncodeToString(sum[:]), Newest: r.Newest}
	}
	return out, nil
}
