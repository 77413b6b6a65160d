package handlers

import (
	"io"
	"net/url"
	"strings"
	"testing"

	"plumbline/experiments/evidence"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner/runnertest"
)

// A running experiment streams its progress and ends the stream when it is done;
// stop and resume are buttons of the page.
func TestLiveExperiment(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, store *models.Store) {
		b := runnertest.New(t, store)
		e := launchOn(t, b, 30, evidence.Patch)
		ts, client := serveBench(t, b)
		s := &judgedSite{Server: ts, bench: b, client: client, experiment: e}
		page := "/experiments/" + e.ID
		if body := s.get(t, page, 200); !strings.Contains(body, "sse-connect") || !strings.Contains(body, "queued") {
			t.Error("an experiment that waits is not live")
		}
		b.Work(t, 2)
		b.Wait(t, e.ID, func(p models.Progress) bool { return p.Votes >= 5 })
		if code, body := s.post(t, page, page+"/stop", url.Values{}); code != 200 || !strings.Contains(body, "stop") {
			t.Fatalf("stop: status %d", code)
		}
		if p := b.Wait(t, e.ID, runnertest.Ended); p.State != models.StateStopped {
			t.Fatalf("after stop: %+v", p)
		}
		if body := s.get(t, page, 200); strings.Contains(body, "sse-connect") || !strings.Contains(body, "/resume") {
			t.Error("a stopped experiment can be resumed and is not live")
		}
		if code, _ := s.post(t, page, page+"/resume", url.Values{}); code != 200 {
			t.Fatalf("resume: status %d", code)
		}
		res, err := client.Get(ts.URL + page + "/events")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		stream, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		text := string(stream)
		for _, want := range []string{"event: progress\ndata: <div", "event: results\n", "event: end\n", "status-done"} {
			if !strings.Contains(text, want) {
				t.Errorf("the stream lacks %q", want)
			}
		}
		if strings.Index(text, "event: end") < strings.LastIndex(text, "event: results") {
			t.Error("the stream ends before the last results")
		}
		s.get(t, page+"/results", 200)
		s.get(t, "/experiments/ex_unknown/events", 404)
	})
}

func TestHome(t *testing.T) {
	t.Parallel()
	b := runnertest.New(t, modelstest.SQLite(t))
	ts, client := serveBench(t, b)
	s := &judgedSite{Server: ts, client: client}
	if body := s.get(t, "/", 200); !strings.Contains(body, "No traces yet") || strings.Contains(body, "/experiments/new") {
		t.Error("an empty home page names the one thing to do, and it is not to start an experiment")
	}
	e := launchOn(t, b, 0, evidence.Patch)
	body := s.get(t, "/?sort=-name", 200)
	for _, want := range []string{"Bundled cases", "queued", e.ID, "simulated", "every 2s"} {
		if !strings.Contains(body, want) {
			t.Errorf("home lacks %q", want)
		}
	}
	b.Work(t, 4)
	b.Wait(t, e.ID, runnertest.Ended)
	if body := s.get(t, "/", 200); strings.Contains(body, "every 2s") || !strings.Contains(body, "done") {
		t.Error("home keeps asking although nothing runs")
	}
	s.get(t, "/definitions", 200)
}
