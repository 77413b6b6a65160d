package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"plumbline/handlers"
	"plumbline/handlers/handlertest"
	"plumbline/models/modelstest"
)

func ask(t *testing.T, site *handlertest.Site, method, path, host string) *http.Response {
	t.Helper()
	req, err := http.NewRequest(method, site.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		req.Host = host
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

func TestForeignNamesAreRefused(t *testing.T) {
	t.Parallel()
	site := handlertest.New(t, modelstest.SQLite(t), nil)
	for host, want := range map[string]int{
		"": 200, "localhost:1": 200, "127.0.0.1": 200, "[::1]:8080": 200,
		"evil.example": 421, "127.0.0.1.evil.example": 421, "10.0.0.1": 421,
	} {
		if got := ask(t, site, http.MethodGet, "/", host).StatusCode; got != want {
			t.Errorf("host %q answers %d, want %d", host, got, want)
		}
	}
	guarded := handlertest.New(t, modelstest.SQLite(t), func(c *handlers.Config) { c.Password = "$argon2id$v=19$m=16,t=1,p=1$YWJjZGVmZ2g$x" })
	if got := ask(t, guarded, http.MethodGet, "/login", "plumbline.example").StatusCode; got != http.StatusOK {
		t.Errorf("a server with a password refuses its own name: %d", got)
	}
}

func TestHeadersOfEveryPage(t *testing.T) {
	t.Parallel()
	site := handlertest.New(t, modelstest.SQLite(t), nil)
	for _, path := range []string{"/", "/definitions", "/nothing-here", "/healthz", "/static/css/app.css"} {
		res := ask(t, site, http.MethodGet, path, "")
		if csp := res.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: policy %q", path, csp)
		}
		for _, h := range []string{"X-Content-Type-Options", "Referrer-Policy", "X-Frame-Options"} {
			if res.Header.Get(h) == "" {
				t.Errorf("%s: no %s", path, h)
			}
		}
	}
	if res := ask(t, site, http.MethodHead, "/", ""); res.StatusCode != http.StatusOK {
		t.Errorf("HEAD / answers %d", res.StatusCode)
	}
}

func TestFormsNeedTheirToken(t *testing.T) {
	t.Parallel()
	site := handlertest.New(t, modelstest.SQLite(t), nil)
	res, err := http.PostForm(site.URL+"/reviewers", url.Values{"name": {"x"}})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusForbidden && res.StatusCode != http.StatusBadRequest {
		t.Errorf("a form without a token answers %d", res.StatusCode)
	}
	huge := strings.Repeat("a", 3<<20)
	big, err := http.PostForm(site.URL+"/reviewers", url.Values{"name": {huge}})
	if err != nil {
		t.Fatal(err)
	}
	defer big.Body.Close()
	if big.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a form of 3 MB answers %d", big.StatusCode)
	}
}
