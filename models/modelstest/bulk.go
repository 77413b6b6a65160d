package modelstest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"plumbline/models"
)

// copyRows inserts n rows past the store, as fast as the engine can: COPY on
// PostgreSQL, one transaction of prepared statements on SQLite.
func copyRows(ctx context.Context, s *models.Store, table string, columns []string, n int, row func(i int) []any) error {
	var err error
	if pool := s.Pool(); pool != nil {
		_, err = pool.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromSlice(n, func(i int) ([]any, error) { return row(i), nil }))
	} else {
		err = insertRows(ctx, s, table, columns, n, row)
	}
	if err != nil {
		return fmt.Errorf("fill table %s: %w", table, err)
	}
	return nil
}

func insertRows(ctx context.Context, s *models.Store, table string, columns []string, n int, row func(i int) []any) error {
	tx, err := s.WriteDB().BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // without effect once committed
	one := "(" + strings.TrimSuffix(strings.Repeat("?,", len(columns)), ",") + ")"
	head := fmt.Sprintf("INSERT INTO %s (%s) VALUES ", table, strings.Join(columns, ", "))
	size := 5000 / len(columns) // values a statement
	full, err := tx.PrepareContext(ctx, head+strings.TrimSuffix(strings.Repeat(one+",", size), ","))
	if err != nil {
		return err
	}
	args := make([]any, 0, size*len(columns))
	for i := range n {
		args = append(args, row(i)...)
		if len(args) == cap(args) {
			if _, err := full.ExecContext(ctx, args...); err != nil {
				return errors.Join(err, full.Close())
			}
			args = args[:0]
		}
	}
	if err := full.Close(); err != nil {
		return err
	}
	if left := len(args) / len(columns); left > 0 {
		if _, err := tx.ExecContext(ctx, head+strings.TrimSuffix(strings.Repeat(one+",", left), ","), args...); err != nil {
			return err
		}
	}
	return tx.Commit()
}
