package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"plumbline/models"
	"plumbline/models/migrate"
)

// databaseChecks looks at the database without making or changing one.
func databaseChecks(ctx context.Context, g *Globals) []check {
	broken := func(err error, get string) []check {
		return []check{{"database", "reach", checkBroken, err.Error(), "everything", get}}
	}
	address, err := g.databaseURL()
	if err != nil {
		return broken(err, "check --database-file")
	}
	name, path := databaseName(address)
	var out []check
	if path != "" {
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			return append(out, newDatabaseCheck(path), diskCheck(path))
		}
	}
	s, err := models.Open(ctx, address, models.Options{MaxConns: 2, Log: slog.New(slog.DiscardHandler)})
	if err == nil {
		defer s.Close()
		err = s.Ping(ctx)
	}
	if err != nil {
		return broken(err, "check --database: is the server up, are host, name and password right, may the file be read and written?")
	}
	out = append(out, check{"database", "reach", checkOK, name, "", ""}, engineCheck(ctx, s), schemaCheck(ctx, s))
	if path != "" {
		out = append(out, diskCheck(path))
	}
	return out
}

// databaseName is what may be shown of an address, without user and password,
// and the path of an SQLite file.
func databaseName(address string) (name, path string) {
	if !postgresURL(address) {
		path = strings.TrimPrefix(address, "sqlite:")
		return path, path
	}
	u, err := url.Parse(address)
	if err != nil {
		return "an address that cannot be read", ""
	}
	return u.Host + u.Path, ""
}

func newDatabaseCheck(path string) check {
	dir := filepath.Dir(path)
	for {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.CreateTemp(dir, ".plumbline-doctor-*")
	if err != nil {
		return check{"database", "reach", checkBroken, fmt.Sprintf("%s does not exist and cannot be made: %v", path, err), "everything", "choose another place with --data or --database"}
	}
	f.Close()
	os.Remove(f.Name()) // it was made this moment, to see whether that works
	return check{"database", "reach", checkOK, "none yet at " + path + "; the first start makes it", "", ""}
}

// oldestPostgres is the oldest major version that the tests run on.
const oldestPostgres = 14

func engineCheck(ctx context.Context, s *models.Store) check {
	name, version, err := s.Engine(ctx)
	if err != nil {
		return check{"database", "engine", checkBroken, err.Error(), "everything", "check the rights of the database user"}
	}
	c := check{"database", "engine", checkOK, name + " " + version, "", ""}
	if major, err := strconv.Atoi(leadingDigits(version)); s.Dialect() == migrate.Postgres && err == nil && major < oldestPostgres {
		c.Status, c.For, c.Get = checkWarning, "being sure that everything works", fmt.Sprintf("PostgreSQL %d or newer", oldestPostgres)
	}
	return c
}

func leadingDigits(s string) string {
	return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
}

func schemaCheck(ctx context.Context, s *models.Store) check {
	err := s.CheckSchema(ctx)
	switch {
	case err == nil:
		return check{"database", "schema", checkOK, "up to date", "", ""}
	case errors.Is(err, migrate.ErrOldSchema):
		return check{"database", "schema", checkWarning, err.Error(), "export and doctor; serve, work, run and import migrate by themselves", "plumbline migrate"}
	}
	return check{"database", "schema", checkBroken, err.Error(), "everything", "start the program that made the schema, or one that is newer"}
}

// lowDisk is when a warning is due: an import of a large run needs about this.
const lowDisk = 1 << 30

func diskCheck(path string) check {
	dir := filepath.Dir(path)
	for {
		if free, err := freeDisk(dir); err == nil {
			c := check{"database", "disk", checkOK, fmt.Sprintf("%.1f GiB free at %s", float64(free)/(1<<30), dir), "", ""}
			if free < lowDisk {
				c.Status, c.For, c.Get = checkWarning, "importing traces and storing votes", "free some space, or choose another place with --data"
			}
			return c
		} else if !errors.Is(err, os.ErrNotExist) || dir == filepath.Dir(dir) {
			return check{"database", "disk", checkWarning, err.Error(), "knowing when the disk runs full", ""}
		}
		dir = filepath.Dir(dir)
	}
}
