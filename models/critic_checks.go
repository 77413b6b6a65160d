package models

import (
	"context"
	"fmt"
)

// CheckedTrace is what checks under one configuration observed of a trace: the set
// and its attempts at generated tests, without texts. StaticMS is the time of the
// static tools, on both trees together.
type CheckedTrace struct {
	Set      CheckSet
	Tests    []GeneratedTest
	StaticMS int64
}

// CriticChecks lists the checks of an experiment's traces, by set: the newest set
// comes last. Like CriticRecords it is for project members only.
func (s *Store) CriticChecks(ctx context.Context, v Viewer, experimentID string) (out []CheckedTrace, err error) {
	defer wrap(&err, "read the checks of experiment %s", experimentID)
	if err := s.memberOf(ctx, v, experimentID); err != nil {
		return nil, err
	}
	const of = "(SELECT trace_id FROM items WHERE experiment_id = ?)"
	const sets = "(SELECT id FROM check_sets WHERE trace_id IN " + of + ")"
	db := s.read(ctx)
	var rows []CheckSet
	if err := db.Where("trace_id IN "+of, experimentID).Order("id").Find(&rows).Error; err != nil || len(rows) == 0 {
		return nil, err
	}
	at := make(map[string]int, len(rows))
	for i, r := range rows {
		at[r.ID] = i
		out = append(out, CheckedTrace{Set: r})
	}
	var tests []GeneratedTest
	if err := db.Where("set_id IN "+sets, experimentID).Order("set_id, attempt").Find(&tests).Error; err != nil {
		return nil, err
	}
	for _, t := range tests {
		if i, ok := at[t.SetID]; ok { // a set that was opened since is not in the list
			out[i].Tests = append(out[i].Tests, t)
		}
	}
	var static []SetStaticCost
	err = db.Table("static_runs").Select("set_id, sum(wall_ms) AS wall_ms").Where("set_id IN "+sets, experimentID).Group("set_id").Scan(&static).Error
	for _, x := range static {
		if i, ok := at[x.SetID]; ok {
			out[i].StaticMS = x.WallMS
		}
	}
	return out, err
}

// SuiteTime is the mean time in milliseconds of a run of the official tests on a
// patched tree, over the traces of an experiment; n is 0 where none was run.
func (s *Store) SuiteTime(ctx context.Context, v Viewer, experimentID string) (ms float64, n int, err error) {
	defer wrap(&err, "read how long the tests of experiment %s took", experimentID)
	if err := s.memberOf(ctx, v, experimentID); err != nil {
		return 0, 0, err
	}
	var row struct {
		MS *float64 `gorm:"column:ms"`
		N  int
	}
	err = s.read(ctx).Raw(`SELECT avg(wall_ms) AS ms, count(*) AS n FROM label_executions
		WHERE tree = 'patch' AND trace_id IN (SELECT trace_id FROM items WHERE experiment_id = ?)`, experimentID).Scan(&row).Error
	if row.MS != nil {
		ms = *row.MS
	}
	return ms, row.N, err
}

// CheckConfig reads the settings of a configuration of checks by its hash.
func (s *Store) CheckConfig(ctx context.Context, sha256 string) (config string, err error) {
	defer wrap(&err, "read the settings of checks %s", sha256)
	var set CheckSet
	if err := s.read(ctx).Where("config_sha256 = ?", sha256).Order("id DESC").Take(&set).Error; err != nil {
		return "", fmt.Errorf("nothing was checked under it: %w", err)
	}
	return set.Config, nil
}
