package models_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plumbline/models"
	"plumbline/models/migrate"
	"plumbline/models/modelstest"
)

// databases gives the URL of an empty database on each engine.
func databases(t *testing.T, f func(t *testing.T, url string)) {
	t.Run("sqlite", func(t *testing.T) { f(t, filepath.Join(t.TempDir(), "plumbline.db")) })
	t.Run("postgres", func(t *testing.T) { f(t, modelstest.PostgresURL(t)) })
}

func open(t *testing.T, url string) *models.Store {
	t.Helper()
	s, err := models.Open(context.Background(), url, models.Options{MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Replicas that start at once migrate one after the other, and every step runs once.
func TestReplicasMigrateAtOnce(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, url string) {
		const replicas = 5
		var mu sync.Mutex
		var wg sync.WaitGroup
		var inside atomic.Int32
		steps := 0
		for range replicas {
			s := open(t, url)
			wg.Add(1)
			go func() {
				defer wg.Done()
				n, err := s.Migrate(context.Background(), func(context.Context) error {
					if now := inside.Add(1); now > 1 {
						t.Errorf("%d replicas migrate at the same time", now)
					}
					time.Sleep(2 * time.Millisecond)
					inside.Add(-1)
					return nil
				})
				mu.Lock()
				defer mu.Unlock()
				steps += n
				if err != nil {
					t.Error(err)
				}
			}()
		}
		wg.Wait()
		s := open(t, url)
		if err := s.CheckSchema(context.Background()); err != nil {
			t.Error(err)
		}
		again, err := s.Migrate(context.Background(), nil)
		if err != nil || again != 0 || steps == 0 {
			t.Errorf("%d steps by %d replicas, then %d more (%v)", steps, replicas, again, err)
		}
	})
}

// A migration that was interrupted leaves whole steps; starting again does the
// rest, and a server refuses to work on half a schema.
func TestHalfDoneMigration(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, url string) {
		ctx := context.Background()
		s := open(t, url)
		if _, err := s.Migrate(ctx, nil); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := migrate.Down(ctx, s.Dialect(), s.WriteDB()); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.CheckSchema(ctx); !errors.Is(err, migrate.ErrOldSchema) {
			t.Errorf("half a schema: %v", err)
		}
		if n, err := s.Migrate(ctx, nil); n != 3 || err != nil {
			t.Errorf("the rest took %d steps, %v", n, err)
		}
		if err := s.CheckSchema(ctx); err != nil {
			t.Error(err)
		}
	})
}

// A failing step after ours ends the migration with its reason and releases the lock.
func TestFailedMigrationReleasesItsLock(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, url string) {
		broken := errors.New("no room")
		if _, err := open(t, url).Migrate(context.Background(), func(context.Context) error { return broken }); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		if _, err := open(t, url).Migrate(context.Background(), nil); err != nil {
			t.Errorf("after a failure: %v", err)
		}
	})
}
