package models_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plumbline/models"
	"plumbline/models/modelstest"
)

func TestNotesAreKept(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		ctx := context.Background()
		now := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
		s.SetClock(func() time.Time { return now })
		b := setup(t, s, 2)
		e, refs := launch(t, b, 1)
		w, err := s.ClaimShard(ctx, refs[0], "w", now.Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		item := w.Items[0].ID
		bob := models.Viewer{Name: "bob", Roles: map[string]models.Role{b.project.ID: models.RoleEditor}}
		for _, n := range []struct {
			v    models.Viewer
			text string
		}{{admin, "  first\x00 "}, {admin, "first\ufffd"}, {bob, "second\nline"}} {
			now = now.Add(time.Second)
			if _, err := s.SaveNote(ctx, n.v, item, n.text); err != nil {
				t.Fatal(err)
			}
		}
		history, err := s.NoteHistory(ctx, admin, item)
		if err != nil {
			t.Fatal(err)
		}
		type line struct {
			Text, Author string
			At           time.Time
		}
		var got []line
		for _, n := range history {
			got = append(got, line{n.Text, n.Author, n.CreatedAt})
		}
		want := []line{{"second\nline", "bob", now}, {"first\ufffd", "admin", now.Add(-2 * time.Second)}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		newest := func() map[string]string {
			t.Helper()
			notes, err := s.Notes(ctx, admin, e.ID, []string{item, w.Items[1].ID})
			if err != nil {
				t.Fatal(err)
			}
			out := map[string]string{}
			for id, n := range notes {
				out[id] = n.Text
			}
			return out
		}
		if diff := cmp.Diff(map[string]string{item: "second\nline"}, newest()); diff != "" {
			t.Error(diff)
		}
		if _, err := s.SaveNote(ctx, bob, item, " "); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]string{}, newest()); diff != "" {
			t.Errorf("a taken note still shows: %s", diff)
		}
		if history, err = s.NoteHistory(ctx, admin, item); err != nil || len(history) != 3 {
			t.Errorf("history of %d, %v", len(history), err)
		}
		var invalid *models.InvalidError
		if _, err := s.SaveNote(ctx, admin, item, strings.Repeat("x", models.MaxNote+1)); !errors.As(err, &invalid) {
			t.Errorf("an endless note: %v", err)
		}
		reader := models.Viewer{Name: "eve", Roles: map[string]models.Role{b.project.ID: models.RoleViewer}}
		if _, err := s.SaveNote(ctx, reader, item, "x"); !errors.Is(err, models.ErrForbidden) {
			t.Errorf("a viewer wrote a note: %v", err)
		}
		share := models.Viewer{Name: "share link", Share: e.ID}
		if _, err := s.Notes(ctx, share, e.ID, []string{item}); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("a share link reads notes: %v", err)
		}
		if _, err := s.SaveNote(ctx, share, item, "x"); !errors.Is(err, models.ErrForbidden) {
			t.Errorf("a share link wrote a note: %v", err)
		}
	})
}
