package models

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/driver/postgres"
	"gorm.io/driver/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	_ "modernc.org/sqlite" // registers the pure-Go driver "sqlite"

	"plumbline/models/migrate"
)

// Options for Open.
type Options struct {
	// MaxConns caps the Postgres pool; 0 takes 20, of which the queue uses a few.
	MaxConns int
	// Log receives slow and broken statements; nil takes slog's default.
	Log *slog.Logger
	// Statements is told of every statement with its placeholders; tests count them.
	// Nil tells nobody.
	Statements func(sql string)
}

// Open opens the database at a URL: postgres://… or sqlite:PATH (or a bare
// path). It does not migrate; see Migrate and CheckSchema.
func Open(ctx context.Context, database string, o Options) (*Store, error) {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	cfg := &gorm.Config{
		TranslateError:         true,
		SkipDefaultTransaction: true, // every write here has an explicit transaction
		Logger: logger.NewSlogLogger(o.Log, logger.Config{
			SlowThreshold: 2 * time.Second, LogLevel: logger.Warn,
			IgnoreRecordNotFoundError: true, ParameterizedQueries: true,
		}),
	}
	if o.Statements != nil {
		cfg.Logger = telling{cfg.Logger, o.Statements}
	}
	if strings.HasPrefix(database, "postgres://") || strings.HasPrefix(database, "postgresql://") {
		return openPostgres(ctx, database, o, cfg)
	}
	return openSQLite(strings.TrimPrefix(database, "sqlite:"), cfg)
}

func openPostgres(ctx context.Context, database string, o Options, cfg *gorm.Config) (*Store, error) {
	pc, err := pgxpool.ParseConfig(database)
	if err != nil {
		return nil, errors.New("read the database URL: it is not a valid postgres:// URL") // the text may hold a password
	}
	pc.MaxConns = 20
	if o.MaxConns > 0 {
		pc.MaxConns = int32(o.MaxConns)
	}
	pc.MaxConnIdleTime = time.Minute
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, fmt.Errorf("open the Postgres pool: %w", err)
	}
	db := stdlib.OpenDBFromPool(pool)
	g, err := gorm.Open(postgres.New(postgres.Config{Conn: db}), cfg)
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("open Postgres at %s: %w", pc.ConnConfig.Host, err)
	}
	return &Store{dialect: migrate.Postgres, w: g, r: g, wsql: db, rsql: db, pool: pool, now: time.Now}, nil
}

// One writer and a pool of readers: with a single pool a dashboard query starves
// the writers, and with deferred transactions most read-then-write transactions
// fail with "database is locked" at once, whatever the busy timeout.
func openSQLite(path string, cfg *gorm.Config) (*Store, error) {
	if path == "" {
		return nil, errors.New("open the database: no path given")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	const pragmas = "_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=foreign_keys(1)&_time_format=sqlite"
	file := "file:" + (&url.URL{Path: path}).EscapedPath()
	w, err := sql.Open("sqlite", file+"?"+pragmas+"&_txlock=immediate")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	w.SetMaxOpenConns(1)
	if err := w.Ping(); err != nil {
		w.Close()
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	// Readers walk much data; the writer gains nothing from a large cache.
	r, err := sql.Open("sqlite", file+"?"+pragmas+"&_pragma=query_only(1)&_pragma=cache_size(-16000)")
	if err != nil {
		w.Close()
		return nil, fmt.Errorf("open %s for reading: %w", path, err)
	}
	r.SetMaxOpenConns(4)
	r.SetMaxIdleConns(4)
	open := func(db *sql.DB) (*gorm.DB, error) {
		return gorm.Open(&sqlite.Dialector{DriverName: "sqlite", Conn: db}, cfg)
	}
	gw, err := open(w)
	if err == nil {
		var gr *gorm.DB
		if gr, err = open(r); err == nil {
			return &Store{dialect: migrate.SQLite, path: path, w: gw, r: gr, wsql: w, rsql: r, now: time.Now}, nil
		}
	}
	w.Close()
	r.Close()
	return nil, fmt.Errorf("open %s: %w", path, err)
}
