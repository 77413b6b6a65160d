package models

import (
	"context"
	"encoding/json"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"plumbline/experiments/trace"
)

// SaveControlledCases keeps what traces of the dataset lack by construction; saving
// again replaces.
func (s *Store) SaveControlledCases(ctx context.Context, v Viewer, datasetID string, cases []ControlledCase) (err error) {
	defer wrap(&err, "save %d controlled cases", len(cases))
	d, err := s.Dataset(ctx, v, datasetID)
	if err != nil {
		return err
	}
	if err := v.mayEdit(d.ProjectID); err != nil {
		return err
	}
	if len(cases) == 0 {
		return nil
	}
	var ids []string
	for i := range cases {
		ids = append(ids, cases[i].TraceID)
		cases[i].Item, cases[i].Missing = Clean(cases[i].Item), Clean(cases[i].Missing)
	}
	return s.tx(ctx, func(tx *gorm.DB) error {
		for part := range slices.Chunk(ids, 500) {
			var n int64
			if err := tx.Model(&TraceRow{}).Where("dataset_id = ? AND id IN ?", datasetID, part).Count(&n).Error; err != nil {
				return err
			}
			if int(n) != len(part) {
				return ErrNotFound
			}
		}
		return tx.Clauses(clause.OnConflict{UpdateAll: true}).CreateInBatches(&cases, 500).Error
	})
}

// ControlledCase reads what a trace lacks by construction, for a worker;
// ErrNotFound for a trace of another kind.
func (s *Store) ControlledCase(ctx context.Context, traceID string) (c ControlledCase, err error) {
	defer wrap(&err, "read the controlled case %s", traceID)
	err = s.read(ctx).Take(&c, "trace_id = ?", traceID).Error
	return c, err
}

// ReferenceInstances lists the instances of a dataset that have a reference patch,
// with their oracles, by id. Only editors may read oracles.
func (s *Store) ReferenceInstances(ctx context.Context, v Viewer, datasetID string) (out []trace.Instance, err error) {
	defer wrap(&err, "list reference patches of dataset %s", datasetID)
	d, err := s.Dataset(ctx, v, datasetID)
	if err != nil {
		return nil, err
	}
	if err := v.mayEdit(d.ProjectID); err != nil {
		return nil, err
	}
	var rows []struct {
		InstanceRow
		Issue, Hints, GoldPatch, TestPatch, FailToPass, PassToPass string
	}
	err = s.read(ctx).Raw(`SELECT i.*, x.issue, x.hints, o.gold_patch, o.test_patch, o.fail_to_pass, o.pass_to_pass
		FROM instances i JOIN instance_texts x ON x.instance_row = i.id JOIN instance_oracles o ON o.instance_row = i.id
		WHERE i.dataset_id = ? AND o.gold_patch <> '' ORDER BY i.instance_id`, datasetID).Scan(&rows).Error
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		in := coreInstance(TraceDetail{Instance: r.InstanceRow, Issue: r.Issue, Hints: r.Hints})
		in.Oracle = trace.Oracle{GoldPatch: r.GoldPatch, TestPatch: r.TestPatch}
		for _, l := range []struct {
			raw string
			to  *[]string
		}{{r.FailToPass, &in.Oracle.FailToPass}, {r.PassToPass, &in.Oracle.PassToPass}} {
			if l.raw == "" {
				continue
			}
			if err := json.Unmarshal([]byte(l.raw), l.to); err != nil {
				return nil, err
			}
		}
		out = append(out, in)
	}
	return out, nil
}
