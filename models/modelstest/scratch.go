package modelstest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"
)

// Scratch makes a database of its own beside what server names: an empty
// PostgreSQL database on the same server, or an SQLite file in a new folder,
// which is beside the named file or, for the empty name, where temporary files
// go. The returned function removes it.
func Scratch(ctx context.Context, server string) (database string, drop func() error, err error) {
	u, err := url.Parse(server)
	if err == nil && (u.Scheme == "postgres" || u.Scheme == "postgresql") {
		return scratchPostgres(ctx, u)
	}
	parent := ""
	if server != "" {
		parent = filepath.Dir(server)
	}
	dir, err := os.MkdirTemp(parent, "plumbline-scratch-")
	if err != nil {
		return "", nil, fmt.Errorf("make a folder for a scratch database: %w", err)
	}
	return filepath.Join(dir, "plumbline.db"), func() error { return os.RemoveAll(dir) }, nil
}

func scratchPostgres(ctx context.Context, u *url.URL) (string, func() error, error) {
	conn, err := pgx.Connect(ctx, u.String())
	if err != nil {
		return "", nil, fmt.Errorf("reach the PostgreSQL server: %w", err) // pgx leaves the password out
	}
	name := fmt.Sprintf("plumbline_scratch_%d_%08x", os.Getpid(), rand.Uint32())
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		return "", nil, errors.Join(fmt.Errorf("make a scratch database: %w", err), conn.Close(ctx))
	}
	drop := func() error {
		ctx := context.WithoutCancel(ctx)
		_, err := conn.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
		return errors.Join(err, conn.Close(ctx))
	}
	own := *u
	own.Path = "/" + name
	return own.String(), drop, nil
}
