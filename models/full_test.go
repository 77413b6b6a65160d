package models_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/models/modelstest"
)

// A full database takes nothing half, says so in words, loses nothing stored
// before, and goes on once there is room.
func TestFullDatabase(t *testing.T) {
	t.Parallel()
	s := modelstest.SQLite(t)
	ctx := context.Background()
	b := setup(t, s, 2)
	var pages int
	if err := s.WriteDB().QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	limit := func(n int) {
		if _, err := s.WriteDB().Exec("PRAGMA max_page_count = " + strconv.Itoa(n)); err != nil {
			t.Fatal(err)
		}
	}
	limit(pages + 2)
	big := attempt(9, strings.Repeat("+line\n", 100_000), trace.Unknown)
	_, err := s.ImportTraces(ctx, admin, b.dataset.ID, []trace.Instance{instance(9)}, []models.TraceInput{big})
	if !errors.Is(err, models.ErrStorageFull) {
		t.Fatalf("got %v, want ErrStorageFull", err)
	}
	if n, err := s.CountTraces(ctx, admin, models.TraceFilter{DatasetID: b.dataset.ID}); n != 2 || err != nil {
		t.Errorf("%d traces after a refused import (%v), want the 2 from before", n, err)
	}
	limit(1 << 20)
	if _, err := s.ImportTraces(ctx, admin, b.dataset.ID, []trace.Instance{instance(9)}, []models.TraceInput{big}); err != nil {
		t.Errorf("with room again: %v", err)
	}
}
