package models

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"

	"plumbline/models/migrate"
)

// Store is the database. Make one with Open; it is safe for concurrent use.
type Store struct {
	dialect migrate.Dialect
	path    string   // SQLite file; empty on Postgres
	w, r    *gorm.DB // writes and reads; the same pool on Postgres
	wsql    *sql.DB
	rsql    *sql.DB
	pool    *pgxpool.Pool // nil on SQLite
	now     func() time.Time
	ids     idSource
}

// Now is the store's clock: UTC, cut to microseconds so that both engines give
// back what was written.
func (s *Store) Now() time.Time { return stamp(s.now()) }

// SetClock replaces the clock; tests own time with it.
func (s *Store) SetClock(now func() time.Time) { s.now = now }

func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// Dialect tells the engine.
func (s *Store) Dialect() migrate.Dialect { return s.dialect }

// WriteDB is the pool of writes, for the job queue that shares the database.
func (s *Store) WriteDB() *sql.DB { return s.wsql }

// Pool is the pgx pool under Postgres, nil on SQLite.
func (s *Store) Pool() *pgxpool.Pool { return s.pool }

// Ping checks that the database answers.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.rsql.PingContext(ctx); err != nil {
		return fmt.Errorf("reach the database: %w", err)
	}
	return nil
}

// tx runs f in a write transaction. The *gorm.DB in f is the only handle f may
// use: with SQLite's single writer any other would wait for itself.
func (s *Store) tx(ctx context.Context, f func(tx *gorm.DB) error) error {
	return s.w.WithContext(ctx).Transaction(f)
}

func (s *Store) read(ctx context.Context) *gorm.DB { return s.r.WithContext(ctx) }

// sqlTx is the seam through which a job is enqueued in the transaction that
// makes it necessary.
func sqlTx(tx *gorm.DB) *sql.Tx { return tx.Statement.ConnPool.(*sql.Tx) }

// Close ends all connections.
func (s *Store) Close() error {
	err := s.wsql.Close()
	if s.rsql != s.wsql {
		if e := s.rsql.Close(); err == nil {
			err = e
		}
	}
	if s.pool != nil {
		s.pool.Close()
	}
	if err != nil {
		return fmt.Errorf("close the database: %w", err)
	}
	return nil
}
