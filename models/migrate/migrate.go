// Package migrate holds the versioned SQL of the schema and runs it on both
// engines. One set of files serves both: type names are replaced for SQLite.
package migrate

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed sql/*.sql
var files embed.FS

// Dialect names the engine.
type Dialect string

// The two engines.
const (
	SQLite   Dialect = "sqlite"
	Postgres Dialect = "postgres"
)

// ErrNewerSchema is returned when the database was migrated by a newer program.
var ErrNewerSchema = errors.New("the database has a newer schema than this program knows; start the newer program, or restore a backup made before the upgrade")

// ErrOldSchema is returned by Check when migrations are missing.
var ErrOldSchema = errors.New("the database schema is out of date; run `plumbline migrate`")

// Up brings the schema to the newest version known to this program and reports
// how many steps were run. It must not run in two processes at once: models.Store.Migrate
// holds the lock. Each step runs in its own transaction, so an interrupted run
// leaves whole steps only and running it again goes on. A newer schema is refused.
func Up(ctx context.Context, d Dialect, db *sql.DB) (int, error) {
	p, err := provider(d, db)
	if err != nil {
		return 0, err
	}
	if err := refuseNewer(ctx, p); err != nil {
		return 0, err
	}
	done, err := p.Up(ctx)
	if err != nil {
		return len(done), fmt.Errorf("migrate the schema: %w", err)
	}
	return len(done), nil
}

// Down takes back the newest step; tests use it.
func Down(ctx context.Context, d Dialect, db *sql.DB) error {
	p, err := provider(d, db)
	if err != nil {
		return err
	}
	if _, err := p.Down(ctx); err != nil {
		return fmt.Errorf("take back a migration: %w", err)
	}
	return nil
}

// Check returns nil if the schema is exactly the newest this program knows,
// ErrOldSchema or ErrNewerSchema otherwise. It changes nothing but goose's own
// version table.
func Check(ctx context.Context, d Dialect, db *sql.DB) error {
	p, err := provider(d, db)
	if err != nil {
		return err
	}
	if err := refuseNewer(ctx, p); err != nil {
		return err
	}
	pending, err := p.HasPending(ctx)
	if err != nil {
		return fmt.Errorf("read the schema version: %w", err)
	}
	if pending {
		return ErrOldSchema
	}
	return nil
}

func refuseNewer(ctx context.Context, p *goose.Provider) error {
	current, target, err := p.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the schema version: %w", err)
	}
	if current > target {
		return fmt.Errorf("schema version %d, program knows %d: %w", current, target, ErrNewerSchema)
	}
	return nil
}

func provider(d Dialect, db *sql.DB) (*goose.Provider, error) {
	dir, err := fs.Sub(files, "sql")
	if err != nil {
		return nil, fmt.Errorf("open the migrations: %w", err)
	}
	dialect, opts := goose.DialectSQLite3, []goose.ProviderOption{goose.WithDisableGlobalRegistry(true)}
	if d == Postgres {
		dialect = goose.DialectPostgres
	} else {
		dir = sqliteFS{dir}
	}
	p, err := goose.NewProvider(dialect, db, dir, opts...)
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	return p, nil
}
