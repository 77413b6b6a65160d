package models

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// SaveControlledCases keeps what traces lack by construction; saving again
// replaces.
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
	for i := range cases {
		cases[i].Item, cases[i].Missing = Clean(cases[i].Item), Clean(cases[i].Missing)
	}
	return s.tx(ctx, func(tx *gorm.DB) error {
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
