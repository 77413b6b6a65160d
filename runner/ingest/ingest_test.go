package ingest_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner/ingest"
)

var admin = models.LocalAdmin()

// bench is an ingest with a dataset to import into.
type bench struct {
	store   *models.Store
	ingest  *ingest.Ingest
	dataset models.Dataset
}

func newBench(t testing.TB, s *models.Store) bench {
	t.Helper()
	p, err := s.EnsureProject(context.Background(), "default", "Default")
	if err != nil {
		t.Fatal(err)
	}
	b := bench{store: s, ingest: ingest.New(ingest.Config{Store: s, Uploads: t.TempDir()})}
	b.dataset.ProjectID = p.ID
	return b.into(t, "imported")
}

// into is the same ingest with another dataset.
func (b bench) into(t testing.TB, name string) bench {
	t.Helper()
	d, err := b.store.EnsureDataset(context.Background(), admin, b.dataset.ProjectID, name, "", false)
	if err != nil {
		t.Fatal(err)
	}
	b.dataset = d
	return b
}

func (b bench) load(t testing.TB, o ingest.Options, paths ...string) ingest.Summary {
	t.Helper()
	rep, sum, err := b.ingest.Import(context.Background(), admin, b.dataset.ID, paths, o)
	if err != nil {
		t.Fatal(err)
	}
	if rep.State != models.ReportDone {
		t.Fatalf("the report is %s: %s", rep.State, rep.Message)
	}
	return sum
}

// traces are all traces of the dataset.
func (b bench) traces(t testing.TB) []models.TraceRow {
	t.Helper()
	var out []models.TraceRow
	for after := ""; ; {
		rows, next, err := b.store.Traces(context.Background(), admin, models.TraceFilter{DatasetID: b.dataset.ID}, models.Page{After: after, Limit: 500})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, rows...)
		if after = next; after == "" {
			return out
		}
	}
}

// tree are files by their path.
type tree map[string]string

// write puts the files into a new folder.
func (f tree) write(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range f {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// line is one JSON line.
func line(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n"
}

type obj map[string]any

// diff is a patch that sets one line of a file.
func diff(file, to string) string {
	return "diff --git a/" + file + " b/" + file + "\n--- a/" + file + "\n+++ b/" + file + "\n@@ -1 +1 @@\n-old\n+" + to + "\n"
}

func pred(t testing.TB, id, to string) string {
	t.Helper()
	return line(t, obj{"instance_id": id, "model_name_or_path": "bot", "model_patch": diff("a.py", to)})
}

func report(id string, resolved bool) string {
	ok, bad := `["t::a"]`, `[]`
	if !resolved {
		ok, bad = bad, ok
	}
	text, _ := json.Marshal(resolved)
	return `{"` + id + `":{"patch_is_None":false,"patch_exists":true,"patch_successfully_applied":true,"resolved":` + string(text) +
		`,"tests_status":{"FAIL_TO_PASS":{"success":` + ok + `,"failure":` + bad + `},"PASS_TO_PASS":{"success":["t::b"],"failure":[]}}}}`
}

// problems are the messages of all files, by path.
func problems(sum ingest.Summary) map[string][]string {
	out := map[string][]string{}
	for _, f := range sum.Files {
		for _, p := range f.Problems {
			out[f.Path] = append(out[f.Path], p.Error())
		}
	}
	return out
}

func sqlite(t testing.TB) bench { return newBench(t, modelstest.SQLite(t)) }

// patch is the stored patch of a trace.
func (b bench) patch(t testing.TB, r models.TraceRow) string {
	t.Helper()
	d, err := b.store.TraceDetail(context.Background(), admin, r.ID)
	if err != nil {
		t.Fatal(err)
	}
	return d.Patch
}
