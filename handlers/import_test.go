package handlers_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"plumbline/handlers"
	"plumbline/models"
	"plumbline/runner/ingest"
)

const predictions = `{"instance_id":"acme__tool-1","model_name_or_path":"agent-x","model_patch":"diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\n"}
{"instance_id":"acme__tool-2","model_name_or_path":"agent-x","model_patch":""}
{"instance_id":"acme__tool-3","model_name_or_path":"agent-x",
`

// ended waits for the report of an upload.
func (s *site) ended(t *testing.T, report string) models.ImportReport {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		rep, err := s.Store.ImportReport(context.Background(), admin, report)
		if err != nil {
			t.Fatal(err)
		}
		if rep.State != models.ReportRunning {
			return rep
		}
		if time.Now().After(deadline) {
			t.Fatal("the import does not end")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestUpload(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	for _, path := range []string{"/import", "/datasets/" + s.dataset.ID + "/import"} {
		clean(t, path, s.get(t, path))
	}
	code, page, where := s.upload(t, "/import", map[string]string{"dataset": "new", "name": "mine", "split": "held-out"}, map[string]string{"run/preds.jsonl": predictions, "run/evil<script>.json": "{"})
	if code != http.StatusSeeOther || !strings.HasPrefix(where, "/imports/im_") {
		t.Fatalf("upload: %d %q %s", code, where, page)
	}
	if page := s.get(t, where); !strings.Contains(page, `hx-get="`+where+`"`) {
		t.Error("the report of a running import does not ask again")
	}
	s.Work(t, 2)
	rep := s.ended(t, strings.TrimPrefix(where, "/imports/"))
	if rep.State != models.ReportDone {
		t.Fatalf("report %+v", rep)
	}
	page = s.get(t, where)
	clean(t, where, page)
	for _, want := range []string{"preds.jsonl", "evil&lt;script&gt;.json", "new traces", "Not read"} {
		if !strings.Contains(page, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if strings.Contains(page, "hx-get") {
		t.Error("the report of an ended import asks again")
	}
	var sum ingest.Summary
	if err := json.Unmarshal([]byte(s.get(t, where+"/report.json")), &sum); err != nil || sum.Read.Files != 2 {
		t.Errorf("downloaded report %+v, %v", sum.Read, err)
	}
	rows, _, err := s.Store.Traces(context.Background(), admin, models.TraceFilter{DatasetID: rep.DatasetID}, models.Page{})
	if err != nil || len(rows) < 2 {
		t.Fatalf("%d traces, %v", len(rows), err)
	}
	set := s.get(t, "/datasets/"+rep.DatasetID)
	clean(t, "dataset", set)
	for _, want := range []string{"held-out", "agent-x", where} {
		if !strings.Contains(set, want) {
			t.Errorf("the dataset's page lacks %q", want)
		}
	}
	// The same files again add nothing.
	_, _, again := s.upload(t, "/import", map[string]string{"dataset": rep.DatasetID}, map[string]string{"run/preds.jsonl": predictions})
	s.ended(t, strings.TrimPrefix(again, "/imports/"))
	if more, _, err := s.Store.Traces(context.Background(), admin, models.TraceFilter{DatasetID: rep.DatasetID}, models.Page{}); err != nil || len(more) != len(rows) {
		t.Errorf("a second import makes %d traces of %d, %v", len(more), len(rows), err)
	}
}

func TestUploadRefusals(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(c *handlers.Config) { c.MaxUpload = 64 << 10 })
	for _, tt := range []struct {
		name          string
		fields, files map[string]string
		code          int
		want          string
	}{
		{"no file", map[string]string{"dataset": s.dataset.ID}, nil, http.StatusUnprocessableEntity, "choose at least one file"},
		{"no dataset", nil, map[string]string{"a.json": "{}"}, http.StatusUnprocessableEntity, "choose a dataset"},
		{"no name", map[string]string{"dataset": "new"}, map[string]string{"a.json": "{}"}, http.StatusUnprocessableEntity, "give the new dataset a name"},
		{"unknown dataset", map[string]string{"dataset": "ds_none"}, map[string]string{"a.json": "{}"}, http.StatusNotFound, ""},
		{"too large", map[string]string{"dataset": s.dataset.ID}, map[string]string{"a.json": strings.Repeat("x", 1<<20)}, http.StatusRequestEntityTooLarge, "larger than this page takes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, page, _ := s.upload(t, "/import", tt.fields, tt.files)
			if code != tt.code || !strings.Contains(page, tt.want) {
				t.Errorf("%d, want %d with %q", code, tt.code, tt.want)
			}
		})
	}
	if code, _, _ := s.post(t, "/import", nil); code != http.StatusBadRequest {
		t.Errorf("a form without files answers %d", code)
	}
	reports, err := s.Store.ImportReports(context.Background(), admin, s.dataset.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range reports {
		if r.State == models.ReportRunning {
			t.Errorf("a refused upload left the report %+v open", r)
		}
	}
}
