package handlers_test

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"plumbline/experiments/evidence"
	"plumbline/experiments/simulate"
	"plumbline/handlers/handlertest"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/runner/runnertest"
)

// playground is a site with a finished review experiment and a worker.
func playground(t *testing.T, latencyMS float64) (*handlertest.Site, *handlertest.Client, models.Experiment) {
	t.Helper()
	s := handlertest.New(t, modelstest.SQLite(t), nil)
	ctx := context.Background()
	d, err := s.Runner.LoadBundled(ctx, admin, s.Project.ID)
	if err != nil {
		t.Fatal(err)
	}
	id := s.Reviewer(t, "sim", reviewer.Spec{Kind: reviewer.KindSimulated, Simulated: &reviewer.Simulated{Preset: simulate.Small, LatencyMS: latencyMS}})
	e, err := s.Runner.Launch(ctx, admin, runner.LaunchSpec{
		DatasetID: d.ID, Name: "source", Votes: 3, Seed: 7, Budget: 8000, OnLeak: runner.Withhold, Arms: []runner.ArmSpec{{ReviewerVersionID: id, Form: evidence.Patch}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Work(t, 4)
	s.Wait(t, e.ID, runnertest.Ended)
	return s, s.Client(t), e
}

// formOf reads a form of a page as a browser would send it: hidden fields, texts,
// ticked boxes and the chosen options.
func formOf(t *testing.T, page, action string) url.Values {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	attr := func(n *html.Node, name string) (string, bool) {
		for _, a := range n.Attr {
			if a.Key == name {
				return a.Val, true
			}
		}
		return "", false
	}
	var form *html.Node
	for n := range root.Descendants() {
		if at, _ := attr(n, "action"); n.Data == "form" && at == action {
			form = n
		}
	}
	if form == nil {
		t.Fatalf("no form leads to %s", action)
	}
	out := url.Values{}
	for n := range form.Descendants() {
		name, named := attr(n, "name")
		switch {
		case !named:
		case n.Data == "input":
			kind, _ := attr(n, "type")
			_, on := attr(n, "checked")
			if value, _ := attr(n, "value"); (kind != "checkbox" && kind != "radio") || on {
				out.Add(name, value)
			}
		case n.Data == "select":
			first, chosen := "", ""
			for o := range n.Descendants() {
				if o.Data != "option" {
					continue
				}
				value, _ := attr(o, "value")
				if first == "" {
					first = value
				}
				if _, on := attr(o, "selected"); on {
					chosen = value
				}
			}
			if chosen == "" {
				chosen = first
			}
			out.Set(name, chosen)
		}
	}
	return out
}

func submit(t *testing.T, s *handlertest.Site, c *handlertest.Client, path string, form url.Values) (int, string) {
	t.Helper()
	res, err := c.Client.PostForm(s.URL+path, form)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode, res.Header.Get("Location")
}

// The form of the policies view starts a control experiment as it stands; a limit
// stops it, the page says so, and the form there goes on to the end.
func TestControlFormToTheEnd(t *testing.T) {
	t.Parallel()
	s, c, e := playground(t, 0)
	action := "/experiments/" + e.ID + "/control"
	form := formOf(t, c.Get(t, "/experiments/"+e.ID+"/belief?view=policies&costs=draft").Body, action)
	if form.Get("csrf") == "" || len(form["policy"]) < 3 || form.Get("costs") != "draft" {
		t.Fatalf("the form holds %v", form)
	}
	without := url.Values{"policy": {"dp"}, "seed": {"1"}, "name": {"x"}}
	if code, _ := submit(t, s, s.Client(t), action, without); code != http.StatusForbidden {
		t.Errorf("a form of another site is answered with %d", code)
	}
	form.Set("max_votes", "6")
	form["policy"] = []string{"always_verify", "pipeline", "dp"}
	code, where := submit(t, s, c, action, form)
	if code != http.StatusSeeOther || !strings.HasSuffix(where, "/control") {
		t.Fatalf("the form is answered with %d, %s", code, where)
	}
	id := strings.Split(where, "/")[2]
	p := s.Wait(t, id, runnertest.Ended)
	page := c.Get(t, where).Body
	clean(t, where, page)
	for _, says := range []string{"the limit of 6 calls is reached", "simulated", "episodes", "Utility of the policies"} {
		if !strings.Contains(page, says) {
			t.Errorf("stopped after %d of %d: the page does not say %q", p.Done, p.Total, says)
		}
	}
	again := formOf(t, page, where+"/resume")
	again.Set("max_votes", "")
	if code, at := submit(t, s, c, where+"/resume", again); code != http.StatusSeeOther || at != where {
		t.Fatalf("going on is answered with %d, %s", code, at)
	}
	if p := s.Wait(t, id, runnertest.Ended); p.State != models.StateDone || p.Missing != 0 {
		t.Fatalf("after going on: %+v", p)
	}
	page = c.Get(t, where).Body
	if !strings.Contains(page, "gives the same actions and utility") || strings.Contains(page, "hx-trigger") {
		t.Error("the page of the end does not say that the log replays, or still asks for news")
	}
	episodes := 0
	for _, at := range links(t, page, "/episodes/") {
		if episodes++; episodes > 6 {
			break
		}
		log := c.Get(t, at)
		clean(t, at, log.Body)
		if log.Code != http.StatusOK || !strings.Contains(log.Body, "→") {
			t.Errorf("%s: %d, or without a reason", at, log.Code)
		}
	}
	if episodes == 0 {
		t.Error("no episode can be opened")
	}
}

// A running experiment is watched, stopped from its page, and goes on from there.
func TestControlStopsAndGoesOn(t *testing.T) {
	t.Parallel()
	s, c, e := playground(t, 60)
	action := "/experiments/" + e.ID + "/control"
	form := formOf(t, c.Get(t, "/experiments/"+e.ID+"/belief?view=policies&costs=draft").Body, action)
	form["policy"] = []string{"best_of_n_select"}
	code, where := submit(t, s, c, action, form)
	if code != http.StatusSeeOther {
		t.Fatalf("the form is answered with %d", code)
	}
	id := strings.Split(where, "/")[2]
	s.Wait(t, id, func(p models.Progress) bool { return p.Votes > 3 })
	page := c.Get(t, where).Body
	if !strings.Contains(page, `hx-get="`+where+`"`) {
		t.Error("the page of a running experiment does not ask for news")
	}
	stop := "/experiments/" + id + "/stop"
	if code, _ := submit(t, s, c, stop, formOf(t, page, stop)); code != http.StatusSeeOther {
		t.Fatalf("stopping is answered with %d", code)
	}
	if p := s.Wait(t, id, runnertest.Ended); p.State != models.StateStopped || p.Done == p.Total {
		t.Fatalf("after stopping: %+v", p)
	}
	page = c.Get(t, where).Body
	if code, _ := submit(t, s, c, where+"/resume", formOf(t, page, where+"/resume")); code != http.StatusSeeOther {
		t.Fatalf("going on is answered with %d", code)
	}
	if p := s.Wait(t, id, runnertest.Ended); p.State != models.StateDone {
		t.Fatalf("after going on: %+v", p)
	}
}

func TestControlRefusesInWords(t *testing.T) {
	t.Parallel()
	_, c, e := playground(t, 0)
	for _, x := range []struct{ field, value, says string }{
		{"seed", "π", "whole number"}, {"max_votes", "-3", "above 0"}, {"max_votes", "1e9", "whole number"}, {"max_usd", "NaN", "above 0"}, {"max_usd", "2", "above 0"},
		{"policy", "gate:nobody", "no policy"}, {"ask", "guess", "live or recorded"}, {"tasks", "<b>", "no split"}, {"verify", "pray", "recorded label"}, {"sandbox", "castle", "no sandbox"},
		{"generator", "rv_nobody", ""}, {"c_ver", "-1", "must not be negative"},
	} {
		form := url.Values{"costs": {"own"}, "name": {"x"}, "seed": {"1"}, "policy": {"dp"}}
		form.Set(x.field, x.value)
		got := c.Post(t, "/experiments/"+e.ID+"/control", form)
		if x.field == "max_usd" && x.value == "2" { // simulated reviewers cost nothing, so that any limit can be kept
			if got.Code != http.StatusSeeOther {
				t.Errorf("a limit in money: %d", got.Code)
			}
			continue
		}
		if got.Code < 400 || got.Code >= 500 || !strings.Contains(got.Body, x.says) {
			t.Errorf("%s=%s: %d without %q", x.field, x.value, got.Code, x.says)
		}
	}
	for _, path := range []string{"/experiments/" + e.ID + "/control", "/experiments/ex_none/control", "/episodes/ep_none", "/critics/ct_none", "/critics/ct_none/errors"} {
		if got := c.Get(t, path); got.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, got.Code)
		}
	}
}

// A trace leads to its belief path.
func TestTraceLeadsToItsBelief(t *testing.T) {
	t.Parallel()
	_, c, e := playground(t, 0)
	tasks := c.Get(t, "/experiments/"+e.ID+"/belief?view=tasks").Body
	at := links(t, tasks, "/traces/")
	if len(at) == 0 {
		t.Fatal("no candidate leads to its trace")
	}
	trace, _, _ := strings.Cut(at[0], "/belief")
	page := c.Get(t, trace).Body
	paths := links(t, page, trace+"/belief?experiment="+e.ID)
	if len(paths) != 1 {
		t.Fatalf("%s links to %v", trace, paths)
	}
	if got := c.Get(t, paths[0]); got.Code != http.StatusOK || !strings.Contains(got.Body, "The belief starts at") {
		t.Errorf("%s: %d", paths[0], got.Code)
	}
}

// critics sends a table as the import form does.
func (s *site) critics(t testing.TB, fields map[string]string, content string) (code int, text, location string) {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := w.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	f, err := w.CreateFormFile("file", "table.csv")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return s.ask(t, http.MethodPost, "/critics/import", w.FormDataContentType(), &body)
}

const smallTable = "task,try,y,tests,llm,sure\na,0,1,pass,pass,0.9\na,1,0,fail,pass,0.2\nb,0,0,fail,fail,nan\nb,1,0,pass,,0.4\nc,0,1,pass,fail,0.8\nd,0,0,fail,error,0.1\ne,0,1,pass,pass,0.7\nf,0,0,fail,fail,0.3\n"

// A table of recorded critics comes in over the form, and every view of it opens.
func TestCriticsOverTheForm(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	fields := map[string]string{"name": "small <b>table</b>", "task": "task", "label": "y", "critics": "tests, llm", "scores": "sure", "candidate": "try"}
	code, _, where := s.critics(t, fields, smallTable)
	if code != http.StatusSeeOther || !strings.HasPrefix(where, "/critics/") {
		t.Fatalf("%d %s", code, where)
	}
	for _, view := range append(beliefViews, "published") {
		at := where + "?costs=draft&view=" + view + "&critic=tests&critic=llm&critic=cut-sure"
		page := s.get(t, at)
		clean(t, at, page)
		if view == "published" && !strings.Contains(page, "this table has no syntax") {
			t.Errorf("the published view does not say what is missing")
		}
	}
	list := s.get(t, "/critics")
	if !strings.Contains(list, "small &lt;b&gt;table") {
		t.Error("the list does not name the table")
	}
	path := links(t, s.get(t, where+"?view=tasks"), where+"/candidates/")
	if len(path) == 0 {
		t.Fatal("no candidate leads to its path")
	}
	clean(t, path[0], s.get(t, path[0]))
	csv := s.get(t, where+"/episodes.csv?costs=draft")
	if !strings.HasPrefix(csv, "policy") && !strings.Contains(csv, "always_verify") {
		t.Errorf("episodes: %.200s", csv)
	}
	if code, _, at := s.post(t, where+"/delete", url.Values{}); code != http.StatusSeeOther || at != "/critics" {
		t.Errorf("deleting: %d %s", code, at)
	}
}

// Files and declarations that cannot be used are refused in words; single bad rows
// are listed and take their task out.
func TestCriticsBadFiles(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	for name, x := range map[string]struct{ content, task, critics, says string }{
		"empty":          {"", "task", "tests", "empty"},
		"no such column": {smallTable, "nobody", "tests", "there is no column"},
		"no critic":      {smallTable, "task", "", "at least one column"},
		"bad outcomes":   {smallTable, "task", "tests:1", "2 to 1000 outcomes"},
		"only a header":  {"task,y,tests\n", "task", "tests", "no row after the header"},
		"NaN labels":     {"task,y,tests\na,maybe,1\n", "task", "tests", "the first error is"},
		"long name":      {smallTable, "task", strings.Repeat("n", 200) + "=tests", "at most 120 bytes"},
		"binary":         {"\x00\xff\x00", "task", "tests", "there is no column"},
	} {
		code, page, _ := s.critics(t, map[string]string{"name": name, "task": x.task, "label": "y", "critics": x.critics}, x.content)
		if code != http.StatusUnprocessableEntity || !strings.Contains(page, x.says) {
			t.Errorf("%s: %d, without %q", name, code, x.says)
		}
	}
	code, _, where := s.critics(t, map[string]string{"name": "holes", "task": "task", "label": "y", "critics": "tests"}, "task,y,tests\na,1,pass\nb,0,<i>perhaps</i>\nc,0,fail\n")
	if code != http.StatusSeeOther {
		t.Fatalf("one bad row: %d", code)
	}
	page := s.get(t, where+"/errors")
	if !strings.Contains(page, "&lt;i&gt;perhaps") || !strings.Contains(page, "tests") {
		t.Error("the bad row is not listed")
	}
	for _, view := range beliefViews {
		at := where + "?costs=draft&view=" + view
		clean(t, at, s.get(t, at))
	}
}

// The page of the real records says how many published numbers it reaches.
func TestRealCriticsPage(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("PLUMBLINE_SHARED")
	if dir == "" {
		dir = "../../shared"
	}
	raw, err := os.ReadFile(filepath.Join(dir, "data/real/bayes-critics/lcb_hard_gpt5_mini.csv"))
	if err != nil {
		modelstest.Need(t, err.Error())
	}
	s := newSite(t, nil)
	fields := map[string]string{"name": "hard", "task": "instance_id", "label": "y", "critics": "syntax, lint, tests, llm", "candidate": "patch_id", "group": "benchmark, generator"}
	code, _, where := s.critics(t, fields, string(raw))
	if code != http.StatusSeeOther {
		t.Fatal(code)
	}
	page := s.get(t, where+"?view=published")
	clean(t, where, page)
	for _, says := range []string{"47 of 47 published numbers are reached", "Published mean", "13.586", "6/6", "5/5"} {
		if !strings.Contains(page, says) {
			t.Errorf("the page does not say %q", says)
		}
	}
	if page := s.get(t, where+"?critic=syntax&critic=lint&critic=tests&critic=llm"); !strings.Contains(page, "lint says fail on all 87 candidates") {
		t.Error("the page does not say that lint is constant")
	}
}
