package models

import (
	"context"
	"fmt"
	"os"

	"plumbline/models/migrate"
)

// Migrate brings the schema up to date and then runs more (the queue's own
// tables), all under one lock, so that two replicas may start at once. It
// reports how many of the schema's steps were run.
func (s *Store) Migrate(ctx context.Context, more func(context.Context) error) (int, error) {
	unlock, err := s.lockMigrations(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	n, err := migrate.Up(ctx, s.dialect, s.wsql)
	if err != nil {
		return n, err
	}
	if more != nil {
		if err := more(ctx); err != nil {
			return n, fmt.Errorf("migrate the queue: %w", err)
		}
	}
	return n, nil
}

// CheckSchema refuses a schema that is older or newer than this program.
func (s *Store) CheckSchema(ctx context.Context) error {
	return migrate.Check(ctx, s.dialect, s.wsql)
}

// migrationLock is an arbitrary constant that all versions of the program share.
const migrationLock = 0x706c756d62

func (s *Store) lockMigrations(ctx context.Context) (func(), error) {
	if s.pool == nil {
		f, err := os.OpenFile(s.path+".migrate-lock", os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, fmt.Errorf("open the migration lock: %w", err)
		}
		if err := lockFile(ctx, f); err != nil {
			f.Close()
			return nil, fmt.Errorf("wait for another migration: %w", err)
		}
		return func() { f.Close() }, nil
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("reach the database: %w", err)
	}
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(migrationLock)); err != nil {
		conn.Release()
		return nil, fmt.Errorf("wait for another migration: %w", err)
	}
	return func() {
		// The connection may be broken; closing it frees the lock in any case.
		if _, err := conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(migrationLock)); err != nil {
			conn.Conn().Close(context.WithoutCancel(ctx))
		}
		conn.Release()
	}, nil
}
