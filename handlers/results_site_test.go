package handlers

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"plumbline/experiments/evidence"
	"plumbline/experiments/simulate"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/runner/reviewer"
	"plumbline/runner/runnertest"
)

// judgedSite is a server over a finished experiment of two simulated reviewers on
// the bundled cases.
type judgedSite struct {
	*httptest.Server
	bench      *runnertest.Bench
	client     *http.Client
	experiment models.Experiment
	arms       []models.Arm
}

func serveBench(t *testing.T, b *runnertest.Bench) (*httptest.Server, *http.Client) {
	t.Helper()
	s := New(Config{Store: b.Store, Runner: b.Runner, Ingest: b.Ingest, Project: b.Project, Log: slog.New(slog.DiscardHandler), Version: "test"})
	ts := httptest.NewServer(s)
	t.Cleanup(func() {
		s.Close()
		ts.Close()
	})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return ts, &http.Client{Jar: jar, Timeout: 20 * time.Second}
}

func launchOn(t *testing.T, b *runnertest.Bench, latencyMS float64, forms ...evidence.Form) models.Experiment {
	t.Helper()
	ctx := context.Background()
	v := models.LocalAdmin()
	d, err := b.Runner.LoadBundled(ctx, v, b.Project.ID)
	if err != nil {
		t.Fatal(err)
	}
	splits, err := b.Store.Splits(ctx, v, d.ID)
	if err != nil {
		t.Fatal(err)
	}
	spec := runner.LaunchSpec{DatasetID: d.ID, Name: "First <b>look</b>", Votes: 3, Seed: 7, Budget: 8000}
	for _, s := range splits {
		if s.Name == trace.SplitDesign {
			spec.SplitID = s.ID
		}
	}
	for _, preset := range []string{simulate.Small, simulate.Erratic} {
		id := b.Reviewer(t, preset, reviewer.Spec{Kind: reviewer.KindSimulated, Model: preset, Simulated: &reviewer.Simulated{Preset: preset, LatencyMS: latencyMS}})
		for _, f := range forms {
			spec.Arms = append(spec.Arms, runner.ArmSpec{ReviewerVersionID: id, Form: f})
		}
	}
	e, err := b.Runner.Launch(ctx, v, spec)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func newJudgedSite(t *testing.T, s *models.Store) *judgedSite {
	t.Helper()
	b := runnertest.New(t, s)
	e := launchOn(t, b, 0, evidence.Patch, evidence.Structured, evidence.Official)
	stop := b.Work(t, 4)
	b.Wait(t, e.ID, runnertest.Ended)
	stop()
	arms, err := s.Arms(context.Background(), models.LocalAdmin(), e.ID)
	if err != nil {
		t.Fatal(err)
	}
	ts, client := serveBench(t, b)
	return &judgedSite{ts, b, client, e, arms}
}

func (s *judgedSite) get(t *testing.T, path string, code int) string {
	t.Helper()
	res, err := s.client.Get(s.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != code {
		t.Fatalf("GET %s: status %d, want %d: %.300s", path, res.StatusCode, code, body)
	}
	return string(body)
}

var tokenField = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

func (s *judgedSite) post(t *testing.T, page, path string, form url.Values) (int, string) {
	t.Helper()
	m := tokenField.FindStringSubmatch(s.get(t, page, 200))
	if m == nil {
		t.Fatalf("no form on %s", page)
	}
	form.Set("csrf", html.UnescapeString(m[1]))
	res, err := s.client.PostForm(s.URL+path, form)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// links are the addresses of a page that match.
func links(t *testing.T, page, match string) (out []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "a" {
			continue
		}
		for _, a := range n.Attr {
			if a.Key == "href" && strings.Contains(a.Val, match) {
				out = append(out, a.Val)
			}
		}
	}
	return out
}
