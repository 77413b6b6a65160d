package handlers_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestReviewerPages(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	for _, path := range []string{"/reviewers", "/reviewers/new", "/reviewers/new?kind=anthropic", "/reviewers/new?kind=simulated", "/reviewers/new?kind=simulated&preset=simulated-strong", "/reviewers/new?kind=x"} {
		clean(t, path, s.get(t, path))
	}
	form := url.Values{
		"kind": {"openai"}, "name": {"gpt"}, "base_url": {"http://127.0.0.1:9/v1"}, "model": {"m<script>"}, "key": {"sk-secret-123456"},
		"temperature": {"hot"}, "max_tokens": {"1024"}, "structured": {"auto"}, "prompt_version": {"v1"},
	}
	code, page, _ := s.post(t, "/reviewers", form)
	if code != http.StatusUnprocessableEntity {
		t.Fatalf("a bad form answers %d", code)
	}
	clean(t, "reviewer form", page)
	for _, want := range []string{"must be a number", "must be a reference", `value="hot"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the form lacks %q", want)
		}
	}
	if strings.Contains(page, "sk-secret") {
		t.Error("a pasted key comes back on the page")
	}
	all, err := s.Store.Reviewers(context.Background(), admin, s.Project.ID)
	if err != nil || len(all) != 0 {
		t.Fatalf("a bad form stored %d reviewers, %v", len(all), err)
	}

	form.Set("key", "env:GPT_KEY")
	form.Set("temperature", "0.8")
	code, _, where := s.post(t, "/reviewers", form)
	if code != http.StatusSeeOther || !strings.HasPrefix(where, "/reviewers/rv_") {
		t.Fatalf("saved: %d %q", code, where)
	}
	form.Set("temperature", "0.2")
	form.Set("price.version", "2026-01")
	form.Set("price.input_per_mtok", "0.15")
	if code, _, again := s.post(t, "/reviewers", form); code != http.StatusSeeOther || again != where {
		t.Fatalf("a second version: %d %q, want %q", code, again, where)
	}
	page = s.get(t, where)
	clean(t, where, page)
	for _, want := range []string{"version 2", "version 1", "price, temperature", "env:GPT_KEY", "m&lt;script&gt;", "Save as version 3"} {
		if !strings.Contains(page, want) {
			t.Errorf("the reviewer's page lacks %q", want)
		}
	}
	if page := s.get(t, where+"?version=1"); !strings.Contains(page, `value="0.8"`) {
		t.Error("the first version does not show its temperature")
	}
	if code, _, _ := s.ask(t, http.MethodGet, where+"?version=9", "", nil); code != http.StatusNotFound {
		t.Errorf("a version that does not exist answers %d", code)
	}
	list := s.get(t, "/reviewers")
	clean(t, "/reviewers", list)
	for _, want := range []string{"127.0.0.1:9", "2026-01: $0.15 in, unknown out", "env:GPT_KEY"} {
		if !strings.Contains(list, want) {
			t.Errorf("the list lacks %q", want)
		}
	}

	own := url.Values{
		"kind": {"simulated"}, "name": {"mine"}, "simulated.correlation": {"0.3"}, "simulated.latency_ms": {"0"}, "prompt_version": {"v1"},
		"acceptable": {"0.5", "0.5", "0.5", "0"}, "defective": {"0.1", "0.8", "0.1", "0"},
	}
	if code, page, _ := s.post(t, "/reviewers", own); code != http.StatusUnprocessableEntity || !strings.Contains(page, "sum to") {
		t.Errorf("rates that do not sum to 1 answer %d", code)
	}
	own["acceptable"] = []string{"0.9", "0.05", "0.05", "0"}
	if code, _, where := s.post(t, "/reviewers", own); code != http.StatusSeeOther {
		t.Errorf("own rates: %d", code)
	} else if page := s.get(t, where); !strings.Contains(page, `data-badge="simulated"`) || !strings.Contains(page, `value="0.05"`) {
		t.Error("own rates are not shown, or without their badge")
	}
}
