package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func get(t *testing.T, path string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w.Result()
}

func TestHandler(t *testing.T) {
	t.Parallel()
	hashed := URL(Bundle)
	if !regexp.MustCompile(`^/static/css/app\.[0-9a-f]{10}\.css$`).MatchString(hashed) {
		t.Fatalf("URL(%q) = %q", Bundle, hashed)
	}
	for _, tt := range []struct {
		name, path, cache string
		code              int
	}{
		{"current hash", hashed, "public, max-age=31536000, immutable", 200},
		{"no hash", "/static/css/app.css", "no-cache", 200},
		{"old hash", "/static/css/app.0000000000.css", "no-cache", 200},
		{"name with a dot", "/static/vendor/htmx/htmx.min.js", "no-cache", 200},
		{"hashed name with a dot", URL("vendor/htmx/htmx.min.js"), "public, max-age=31536000, immutable", 200},
		{"unknown", "/static/nothing.js", "", 404},
		{"folder", "/static/css/", "", 404},
		{"outside", "/static/../static.go", "", 404},
		{"part of the bundle", "/static/css/10-tokens.css", "", 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			res := get(t, tt.path)
			if res.StatusCode != tt.code {
				t.Fatalf("status %d, want %d", res.StatusCode, tt.code)
			}
			if tt.code != 200 {
				return
			}
			if got := res.Header.Get("Cache-Control"); got != tt.cache {
				t.Errorf("Cache-Control %q, want %q", got, tt.cache)
			}
			if res.Header.Get("Content-Encoding") != "" {
				t.Error("encoded without being asked")
			}
		})
	}
}

func TestHandlerGzipAndETag(t *testing.T) {
	t.Parallel()
	path := URL("vendor/echarts/echarts.min.js")
	plain := get(t, path)
	want, err := io.ReadAll(plain.Body)
	if err != nil {
		t.Fatal(err)
	}
	packed := get(t, path, "Accept-Encoding", "br, gzip;q=0.8")
	if packed.Header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("not compressed: %v", packed.Header)
	}
	zr, err := gzip.NewReader(packed.Body)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(zr)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the compressed file differs from the plain one")
	}
	if plain.Header.Get("ETag") == packed.Header.Get("ETag") {
		t.Error("both encodings share an ETag")
	}
	if res := get(t, path, "If-None-Match", plain.Header.Get("ETag")); res.StatusCode != http.StatusNotModified {
		t.Errorf("known ETag: status %d, want 304", res.StatusCode)
	}
	if res := get(t, path, "Accept-Encoding", "gzip;q=0.0, br"); res.Header.Get("Content-Encoding") != "" {
		t.Error("compressed although refused with q=0.0")
	}
}

func TestHandlerMethod(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, URL(Bundle), nil))
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") == "" {
		t.Errorf("POST: %d %v", w.Code, w.Header())
	}
}

func TestURLPanicsOnUnknownFile(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	URL("css/absent.css")
}

// TestVendorChecksums compares the vendored files with the list, both ways.
func TestVendorChecksums(t *testing.T) {
	t.Parallel()
	list, err := files.ReadFile("vendor/VERSIONS")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(list)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Fields(line)
		if len(f) != 5 {
			t.Fatalf("line %q has %d fields, want 5", line, len(f))
		}
		want["vendor/"+f[3]] = f[4]
	}
	err = fs.WalkDir(files, "vendor", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".js") {
			return err
		}
		body, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(body)
		if got := hex.EncodeToString(sum[:]); got != want[name] {
			t.Errorf("%s: SHA-256 %s, listed %q", name, got, want[name])
		}
		delete(want, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range want {
		t.Errorf("%s is listed but not embedded", name)
	}
}

// TestOwnFilesStayLocal reads our own sheets and scripts: none may name another
// host, and none may need what the content security policy forbids.
func TestOwnFilesStayLocal(t *testing.T) {
	t.Parallel()
	bad := regexp.MustCompile(`(?i)https?://(?:[a-z0-9.-]+)|\beval\(|new Function|innerHTML|@import|setAttribute\(['"]style`)
	for name, a := range assets() {
		if strings.HasPrefix(name, "vendor/") {
			continue
		}
		for _, hit := range bad.FindAllString(string(a.body), -1) {
			if hit == "http://www.w3.org" {
				continue // the SVG namespace is a name, not an address
			}
			t.Errorf("%s contains %q", name, hit)
		}
	}
}
