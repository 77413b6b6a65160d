package handlers_test

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/alexedwards/argon2id"

	"plumbline/handlers"
)

func TestLogin(t *testing.T) {
	t.Parallel()
	hash, err := argon2id.CreateHash("correct horse", &argon2id.Params{Memory: 1024, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, func(c *handlers.Config) { c.Password = hash })
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	s.client.Jar = jar
	if code, _, where := s.ask(t, http.MethodGet, "/datasets/"+s.dataset.ID, "", nil); code != http.StatusSeeOther || !strings.HasPrefix(where, "/login") {
		t.Fatalf("signed out: %d %q", code, where)
	}
	page := s.get(t, "/login?next=/reviewers")
	clean(t, "/login", page)
	if !strings.Contains(page, `value="/reviewers"`) {
		t.Error("the page does not remember where to go")
	}
	code, page, _ := s.post(t, "/login", url.Values{"password": {"wrong"}})
	if code != http.StatusUnauthorized || !strings.Contains(page, "The password is wrong.") {
		t.Errorf("wrong password: %d", code)
	}
	code, _, where := s.post(t, "/login", url.Values{"password": {"correct horse"}, "next": {"/reviewers"}})
	if code != http.StatusSeeOther || where != "/reviewers" {
		t.Fatalf("signed in: %d %q", code, where)
	}
	s.get(t, "/datasets/"+s.dataset.ID)
	if code, _, where := s.ask(t, http.MethodGet, "/login?next=https://evil.test", "", nil); code != http.StatusSeeOther || where != "/" {
		t.Errorf("signed in already: %d %q", code, where)
	}
	cookies := jar.Cookies(mustParse(t, s.server.URL))
	if code, _, where := s.post(t, "/logout", nil); code != http.StatusSeeOther || where != "/login" {
		t.Errorf("sign out: %d %q", code, where)
	}
	jar.SetCookies(mustParse(t, s.server.URL), cookies) // the old session again
	if code, _, _ := s.ask(t, http.MethodGet, "/reviewers", "", nil); code != http.StatusSeeOther {
		t.Errorf("a session that was signed out still answers %d", code)
	}
	for range 6 {
		code, page, _ = s.post(t, "/login", url.Values{"password": {"wrong"}})
	}
	if code != http.StatusTooManyRequests || !strings.Contains(page, "Too many tries") {
		t.Errorf("after many tries: %d", code)
	}
	if code, _, _ := s.post(t, "/login", url.Values{"password": {"correct horse"}}); code != http.StatusTooManyRequests {
		t.Errorf("a throttled address may sign in: %d", code)
	}
}

func mustParse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestFormsFromElsewhereAreRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	req, err := http.NewRequest(http.MethodPost, s.server.URL+"/reviewers", strings.NewReader("name=x&kind=simulated"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "cross-site")
	res, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("a form of another site answers %d", res.StatusCode)
	}
}
