package handlers_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"plumbline/experiments/evidence"
	"plumbline/experiments/toolreview"
	"plumbline/handlers"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/runner/reviewer/reviewertest"
	"plumbline/runner/runnertest"
	"plumbline/runner/sandbox"
)

// toolSite holds a finished experiment whose reviewer looked at one trace with a
// hostile command, and one that never decides.
func toolSite(t *testing.T) (s *site, e models.Experiment, items []string) {
	t.Helper()
	ctx := context.Background()
	if _, err := sandbox.Open(ctx, sandbox.Auto, sandbox.Options{}); err != nil {
		modelstest.Need(t, err.Error())
	}
	host, err := runner.NewCheckHost(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	s = checkSite(t, host)
	hostile := `{"command":"printf '<script>pwned()</script>\\033[31m\\n'; exit 3"}`
	srv := reviewertest.New(t, reviewertest.Options{Fault: reviewertest.Script(
		reviewertest.Step{Text: evil, Calls: []reviewertest.ToolCall{{ID: "a", Name: "run", Args: hostile}, {ID: "b", Name: evil, Args: evil}}},
		reviewertest.Use("read_file", `{"path":"nowhere"}`), reviewertest.Use("decide", reviewertest.Decide("reject")),
	)})
	endless := reviewertest.New(t, reviewertest.Options{Fault: reviewertest.Script(reviewertest.Use("search", `{"pattern":"def "}`))})
	spec := func(srv *reviewertest.Server, turns int) reviewer.Spec {
		return reviewer.Spec{Kind: reviewer.KindOpenAI, BaseURL: srv.URL, Model: "m", Tools: &toolreview.Policy{Turns: turns}}
	}
	rows, _, err := s.Store.Traces(ctx, admin, models.TraceFilter{DatasetID: s.dataset.ID}, models.Page{Limit: 500})
	if err != nil {
		t.Fatal(err)
	}
	split, err := s.Store.AddToSplit(ctx, admin, s.dataset.ID, "one", []string{rows[0].ID})
	if err != nil {
		t.Fatal(err)
	}
	e, err = s.Runner.Launch(ctx, admin, runner.LaunchSpec{
		DatasetID: s.dataset.ID, SplitID: split.ID, Name: "looks", Votes: 1, Seed: 1,
		Arms: []runner.ArmSpec{
			{ReviewerVersionID: s.Reviewer(t, "looks for itself", spec(srv, 12)), Form: evidence.Patch},
			{ReviewerVersionID: s.Reviewer(t, "never decides", spec(endless, 2)), Form: evidence.Patch},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	stop := s.Work(t, 2)
	s.Wait(t, e.ID, runnertest.Ended)
	stop()
	all, err := s.Store.TraceItems(ctx, admin, rows[0].ID, 20)
	if err != nil || len(all) != 2 {
		t.Fatalf("%v, %d items", err, len(all))
	}
	for _, name := range []string{"looks for itself", "never decides"} {
		for _, it := range all {
			if it.ReviewerName == name {
				items = append(items, it.ItemID)
			}
		}
	}
	return s, e, items
}

// checkSite is a site whose worker runs programs on a host.
func checkSite(t *testing.T, host *runner.CheckHost) *site {
	t.Helper()
	b := runnertest.NewWith(t, modelstest.SQLite(t), func(c *runner.Config) { c.Checks = host })
	d, err := b.Runner.LoadBundled(context.Background(), admin, b.Project.ID)
	if err != nil {
		t.Fatal(err)
	}
	h := handlers.New(handlers.Config{Store: b.Store, Runner: b.Runner, Ingest: b.Ingest, Project: b.Project, Log: slog.New(slog.DiscardHandler), Version: "test"})
	t.Cleanup(h.Close)
	s := &site{Bench: b, server: httptest.NewServer(h), dataset: d}
	t.Cleanup(s.server.Close)
	s.client = s.server.Client()
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return s
}

func TestToolPages(t *testing.T) {
	t.Parallel()
	s, e, items := toolSite(t)
	has := func(path string, want ...string) {
		t.Helper()
		page := s.get(t, path)
		clean(t, path, page)
		if strings.Contains(page, "<script>pwned") || strings.Contains(page, "<script>window.pwned") {
			t.Errorf("%s runs what a stranger wrote", path)
		}
		for _, w := range want {
			if !strings.Contains(page, w) {
				t.Errorf("%s lacks %q", path, w)
			}
		}
	}
	has("/items/"+items[0]+"/tools", "Turn 3", "exit code 3", "&lt;script&gt;pwned()", "are not the JSON object", "3 of 12", "2, 1 of them looks", "Ended: decided", "The cited line settles it.")
	has("/items/"+items[1]+"/tools?vote=1", "Ended: out of turns", "gave no verdict", "ended before this was performed", "2 of 2")
	has("/items/"+items[1]+"/tools?vote=2", "not there")
	has("/experiments/"+e.ID, "/experiments/"+e.ID+"/tools")
	has("/experiments/"+e.ID+"/tools", "looks for itself", "never decides", "out of turns", "1/1", "prompt tokens", "/items/"+items[0]+"/tools?vote=1")
	// The vote's card on the trace page leads to the transcript.
	code, _, where := s.ask(t, http.MethodGet, "/items/"+items[0], "", nil)
	if code != http.StatusSeeOther {
		t.Fatal(code)
	}
	has(where, "A review with tools: decided; 3 turns, 2 commands", "/items/"+items[0]+"/tools?vote=1")
	for _, path := range []string{"/items/nope/tools", "/items/" + items[0] + "/tools?vote=x", "/experiments/nope/tools"} {
		if code, _, _ := s.ask(t, http.MethodGet, path, "", nil); code != http.StatusNotFound {
			t.Errorf("GET %s answers %d", path, code)
		}
	}
}

// An experiment without such an arm says so, and a vote by a single answer has no
// transcript.
func TestToolPagesWithoutTools(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	e := s.experiment(t)
	if page := s.get(t, "/experiments/"+e.ID+"/tools"); !strings.Contains(page, "No arm of this experiment") {
		t.Error(page)
	}
	rows, _, err := s.Store.Outcomes(context.Background(), admin, models.OutcomeFilter{ExperimentID: e.ID}, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	if page := s.get(t, "/items/"+rows[0].ItemID+"/tools"); !strings.Contains(page, "uses no tools") {
		t.Error(page)
	}
}

// The form of a reviewer makes one with tools and keeps it one.
func TestToolReviewerForm(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	form := url.Values{
		"kind": {"openai"}, "name": {"with tools"}, "base_url": {"http://127.0.0.1:9/v1"}, "model": {"m"}, "tools": {"yes"}, "tools.turns": {"5"},
	}
	code, page, where := s.post(t, "/reviewers", form)
	if code != http.StatusSeeOther {
		t.Fatalf("%d %s", code, page)
	}
	page = s.get(t, where)
	if !strings.Contains(page, `name="tools.turns"`) || !strings.Contains(page, `value="5"`) || !strings.Contains(page, `value="8000"`) {
		t.Errorf("the form does not show the tools")
	}
	form.Set("tools.turns", "1000")
	if code, page, _ = s.post(t, "/reviewers", form); code != http.StatusUnprocessableEntity || !strings.Contains(page, "must be between 1 and 100") {
		t.Errorf("1000 turns: %d", code)
	}
}
