// Package modelstest gives tests real, migrated stores: always on SQLite, and on
// PostgreSQL where PLUMBLINE_TEST_POSTGRES names a server.
package modelstest

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"plumbline/models"
)

// Need skips the test because something outside is missing, or fails it where
// PLUMBLINE_TEST_REQUIRE=all forbids skipping.
func Need(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("PLUMBLINE_TEST_REQUIRE") == "all" {
		t.Fatalf("required here, and missing: %s", why)
	}
	t.Skip(why)
}

// SQLite opens a migrated store in a folder of the test's own.
func SQLite(t testing.TB) *models.Store {
	t.Helper()
	return Open(t, filepath.Join(t.TempDir(), "plumbline.db"))
}

// Postgres opens a migrated store in a database of the test's own.
func Postgres(t testing.TB) *models.Store {
	t.Helper()
	return Open(t, PostgresURL(t))
}

// Each runs f on both engines, as subtests.
func Each(t *testing.T, f func(t *testing.T, s *models.Store)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { f(t, Postgres(t)) })
}

// Open opens and migrates a store and closes it with the test.
func Open(t testing.TB, database string) *models.Store {
	t.Helper()
	ctx := context.Background()
	s, err := models.Open(ctx, database, models.Options{MaxConns: 10, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := s.Migrate(ctx, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

// PostgresURL makes an empty database and returns its URL; it is dropped with the
// test.
func PostgresURL(t testing.TB) string {
	t.Helper()
	server := os.Getenv("PLUMBLINE_TEST_POSTGRES")
	if server == "" {
		Need(t, "PLUMBLINE_TEST_POSTGRES names no PostgreSQL server")
	}
	database, drop, err := Scratch(context.Background(), server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := drop(); err != nil {
			t.Error(err)
		}
	})
	return database
}
