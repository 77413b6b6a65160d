// Package handlertest gives tests the whole site on a real store with a real
// worker, and a real browser to look at it.
package handlertest

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"plumbline/handlers"
	"plumbline/models"
	"plumbline/runner/runnertest"
)

// Site is a running web server on a store of its own.
type Site struct {
	*runnertest.Bench
	URL string
}

// New serves the site on a free port until the test ends. configure may change the
// configuration; nil leaves it.
func New(t testing.TB, s *models.Store, configure func(*handlers.Config)) *Site {
	t.Helper()
	b := runnertest.New(t, s)
	c := handlers.Config{Store: s, Runner: b.Runner, Ingest: b.Ingest, Project: b.Project, Log: slog.New(slog.DiscardHandler), Version: "test"}
	if configure != nil {
		configure(&c)
	}
	h := handlers.New(c)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := h.HTTPServer()
	go srv.Serve(l)
	t.Cleanup(func() {
		h.Close()
		srv.Close()
	})
	return &Site{b, "http://" + l.Addr().String()}
}

// Client is a reader with cookies of its own that does not follow redirects.
type Client struct {
	http.Client
	site *Site
}

// Client makes a new reader.
func (s *Site) Client(t testing.TB) *Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Client{http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, s}
}

// Answer is a response read to its end.
type Answer struct {
	Code   int
	Header http.Header
	Body   string
}

// Get reads a path.
func (c *Client) Get(t testing.TB, path string) Answer {
	t.Helper()
	res, err := c.Client.Get(c.site.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, res)
}

// Post sends a form to a path with the token that a page of the site gave.
func (c *Client) Post(t testing.TB, path string, form url.Values) Answer {
	t.Helper()
	form = cloneValues(form)
	form.Set("csrf", c.Token(t))
	res, err := c.Client.PostForm(c.site.URL+path, form)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, res)
}

// Token is the reader's token for forms, from its cookie.
func (c *Client) Token(t testing.TB) string {
	t.Helper()
	u, err := url.Parse(c.site.URL)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, k := range c.Jar.Cookies(u) {
			if strings.HasSuffix(k.Name, "csrf") {
				return k.Value
			}
		}
		c.Get(t, "/login")
	}
	t.Fatal("the site gave no token for forms")
	return ""
}

func read(t testing.TB, res *http.Response) Answer {
	t.Helper()
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return Answer{res.StatusCode, res.Header, string(body)}
}

func cloneValues(v url.Values) url.Values {
	out := url.Values{}
	for k, x := range v {
		out[k] = append([]string(nil), x...)
	}
	return out
}
