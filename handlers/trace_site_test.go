package handlers_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"plumbline/experiments/evidence"
	"plumbline/experiments/simulate"
	"plumbline/handlers"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/runner/runnertest"
)

var admin = models.LocalAdmin()

// site is a server on a store of its own, with the bundled cases in it.
type site struct {
	*runnertest.Bench
	server  *httptest.Server
	client  *http.Client
	dataset models.Dataset
}

func newSite(t testing.TB, change func(*handlers.Config)) *site {
	t.Helper()
	b := runnertest.New(t, modelstest.SQLite(t))
	d, err := b.Runner.LoadBundled(context.Background(), admin, b.Project.ID)
	if err != nil {
		t.Fatal(err)
	}
	c := handlers.Config{Store: b.Store, Runner: b.Runner, Ingest: b.Ingest, Project: b.Project, Log: slog.New(slog.DiscardHandler), Version: "test"}
	if change != nil {
		change(&c)
	}
	h := handlers.New(c)
	t.Cleanup(h.Close)
	s := &site{Bench: b, server: httptest.NewServer(h), dataset: d}
	t.Cleanup(s.server.Close)
	s.client = s.server.Client()
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return s
}

// experiment runs a small simulated experiment to its end.
func (s *site) experiment(t testing.TB) models.Experiment {
	t.Helper()
	id := s.Reviewer(t, "sim", reviewer.Spec{Kind: reviewer.KindSimulated, Simulated: &reviewer.Simulated{Preset: simulate.Small}})
	e, err := s.Runner.Launch(context.Background(), admin, runner.LaunchSpec{
		DatasetID: s.dataset.ID, Name: "first look", Votes: 3, Seed: 7, Budget: 8000,
		Arms: []runner.ArmSpec{{ReviewerVersionID: id, Form: evidence.Patch}, {ReviewerVersionID: id, Form: evidence.Official}},
	})
	if err != nil {
		t.Fatal(err)
	}
	stop := s.Work(t, 4)
	s.Wait(t, e.ID, runnertest.Ended)
	stop()
	return e
}

// ask sends a request as a page of the site itself would, and gives status, body
// and where it redirects to.
func (s *site) ask(t testing.TB, method, path, kind string, body io.Reader) (code int, text, location string) {
	t.Helper()
	req, err := http.NewRequest(method, s.server.URL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	res, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(raw), res.Header.Get("Location")
}

func (s *site) get(t testing.TB, path string) string {
	t.Helper()
	code, text, where := s.ask(t, http.MethodGet, path, "", nil)
	if code != http.StatusOK {
		t.Fatalf("GET %s: %d %s\n%s", path, code, where, text)
	}
	return text
}

func (s *site) post(t testing.TB, path string, form url.Values) (code int, text, location string) {
	t.Helper()
	return s.ask(t, http.MethodPost, path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

// upload sends fields and files as the import form does.
func (s *site) upload(t testing.TB, path string, fields map[string]string, files map[string]string) (code int, text, location string) {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := w.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range files {
		f, err := w.CreateFormFile("files", name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return s.ask(t, http.MethodPost, path, w.FormDataContentType(), &body)
}

// clean fails when a page holds what the content policy would stop, names another
// host to load from, or gives one id twice.
func clean(t *testing.T, path, page string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "style", strings.HasPrefix(a.Key, "on"):
				t.Errorf("%s: <%s %s=%q>", path, n.Data, a.Key, a.Val)
			case a.Key == "id" && ids[a.Val]:
				t.Errorf("%s: the id %q is there twice", path, a.Val)
			case a.Key == "id":
				ids[a.Val] = true
			case a.Key == "src" && !strings.HasPrefix(a.Val, "/static/"):
				t.Errorf("%s: loads %q", path, a.Val)
			}
		}
	}
}

// links gives the hrefs of a page that begin with prefix, in order, each once.
func links(t *testing.T, page, prefix string) []string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	seen := map[string]bool{}
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			if a.Key == "href" && strings.HasPrefix(a.Val, prefix) && !seen[a.Val] {
				seen[a.Val] = true
				out = append(out, a.Val)
			}
		}
	}
	return out
}
