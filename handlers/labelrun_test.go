package handlers_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"plumbline/handlers"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner/checks"
	"plumbline/runner/jobs"
	"plumbline/runner/sandbox"
)

// A label run is started, stopped and resumed in the browser. Only one labels a
// dataset at a time, and a browser cannot ask for no sandbox.
func TestLabelRuns(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	if _, err := sandbox.Open(ctx, sandbox.Auto, sandbox.Options{}); err != nil {
		modelstest.Need(t, err.Error())
	}
	s := newSite(t, func(c *handlers.Config) {
		log := slog.New(slog.DiscardHandler)
		q, err := jobs.NewQueue(c.Store, log)
		if err != nil {
			t.Fatal(err)
		}
		if c.Labels, err = checks.NewLabeller(checks.LabellerConfig{Store: c.Store, Enqueue: q.EnqueueLabels, Cache: t.TempDir(), Log: log}); err != nil {
			t.Fatal(err)
		}
	})
	list := "/datasets/" + s.dataset.ID + "/labelruns"
	page := s.get(t, list)
	clean(t, list, page)
	if !strings.Contains(page, "Label by execution") || strings.Contains(page, `value="none"`) || !strings.Contains(page, "The official tests were not run here yet.") {
		t.Error("the page has no form, no empty state, or offers to do without a sandbox")
	}
	form := url.Values{"repeat": {"2"}, "seconds": {"60"}, "sandbox": {"auto"}}
	for field, bad := range map[string][2]string{"sandbox": {"none", "choose one of auto"}, "repeat": {"99", "1 to 20 runs"}, "seconds": {"0", "at least 1"}} {
		f := url.Values{"repeat": form["repeat"], "seconds": form["seconds"], "sandbox": form["sandbox"]}
		f.Set(field, bad[0])
		if code, page, _ := s.post(t, list, f); code != http.StatusUnprocessableEntity || !strings.Contains(page, bad[1]) {
			t.Errorf("%s %s: %d without %q", field, bad[0], code, bad[1])
		}
	}
	code, body, where := s.post(t, list, form)
	if code != http.StatusSeeOther || !strings.HasPrefix(where, "/labelruns/lr_") {
		t.Fatalf("started: %d %q %.300s", code, where, body)
	}
	page = s.get(t, where)
	clean(t, where, page)
	if !strings.Contains(page, "0 of 84 traces") || !strings.Contains(page, "0 of 14 instances") || !strings.Contains(page, where+"/stop") {
		t.Error("a run that has just begun does not say how far it is, or cannot be stopped")
	}
	if code, page, _ := s.post(t, list, form); code != http.StatusUnprocessableEntity || !strings.Contains(page, "is under way") {
		t.Errorf("a second run at once: %d", code)
	}
	if code, _, _ := s.post(t, where+"/stop", nil); code != http.StatusSeeOther {
		t.Errorf("stop: %d", code)
	}
	id := strings.TrimPrefix(where, "/labelruns/")
	if run, err := s.Store.LabelRun(ctx, admin, id); err != nil || run.State != models.StateStopped {
		t.Errorf("after the stop: %s, %v", run.State, err)
	}
	if code, _, _ := s.post(t, where+"/resume", nil); code != http.StatusSeeOther {
		t.Errorf("resume: %d", code)
	}
	if run, err := s.Store.LabelRun(ctx, admin, id); err != nil || run.State != models.StateRunning || run.Rounds != 2 {
		t.Errorf("after the resume: %+v, %v", run, err)
	}
	rows, _, err := s.Store.Traces(ctx, admin, models.TraceFilter{DatasetID: s.dataset.ID}, models.Page{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	one := where + "/traces/" + rows[0].ID
	page = s.get(t, one)
	clean(t, one, page)
	if !strings.Contains(page, "Nothing was run") {
		t.Error("a trace without runs has no empty state")
	}
	for _, gone := range []string{"/labelruns/lr_none", where + "/traces/tr_none", "/labelruns/logs/lx_none", "/datasets/ds_none/labelruns"} {
		if code, _, _ := s.ask(t, http.MethodGet, gone, "", nil); code != http.StatusNotFound {
			t.Errorf("%s: %d", gone, code)
		}
	}
}
