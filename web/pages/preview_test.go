package pages

import (
	"flag"
	"net"
	"net/http"
	"strings"
	"testing"

	"plumbline/static"
	"plumbline/web/layout"
)

var preview = flag.String("preview", "", "serve the sample pages on this address until interrupted")

// TestPreview serves the sample pages under the content security policy of the
// product, to be looked at: go test ./web/pages -run TestPreview -preview 127.0.0.1:0 -timeout 0 -v
func TestPreview(t *testing.T) {
	if *preview == "" {
		t.Skip("no -preview address")
	}
	l, err := net.Listen("tcp", *preview)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		c, ok := samplePages()[strings.Trim(r.URL.Path, "/")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		if err := c.Render(layout.WithCSRF(r.Context(), "token"), w); err != nil {
			t.Error(err)
		}
	})
	t.Log("http://" + l.Addr().String())
	if err := http.Serve(l, mux); err != nil {
		t.Fatal(err)
	}
}
