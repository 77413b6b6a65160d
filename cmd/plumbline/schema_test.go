package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plumbline/models"
)

// A schema of a newer program is refused in words, by every command that opens
// the database.
func TestNewerSchemaIsRefused(t *testing.T) {
	dir := t.TempDir()
	std := func() streams { return streams{nil, &bytes.Buffer{}, &bytes.Buffer{}} }
	if code := program(t, std(), "migrate", "--data="+dir); code != 0 {
		t.Fatal(code)
	}
	s, err := models.Open(context.Background(), filepath.Join(dir, "plumbline.db"), models.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.WriteDB().Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, 1)"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"serve", "--addr=127.0.0.1:0"}, {"demo", "--addr=127.0.0.1:0"}, {"work"}, {"migrate"}, {"doctor"}, {"export", "x", "--format=predictions"},
	} {
		var errs bytes.Buffer
		done := make(chan int, 1)
		go func() { done <- program(t, streams{nil, &errs, &errs}, append(args, "--data="+dir)...) }()
		select {
		case code := <-done:
			if code != 1 || !strings.Contains(errs.String(), "newer schema") {
				t.Errorf("%v: exit code %d, %q", args, code, errs.String())
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("%v runs on a newer schema", args)
		}
	}
}
