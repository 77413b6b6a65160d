// Package static holds everything a page loads: the style sheet, the scripts,
// the vendored libraries and the icon, embedded in the binary. Pages name a file
// with URL, which carries a hash of the content, so that browsers may keep it for
// ever; Handler serves it. Nothing is ever loaded from another host.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"sort"
	"strings"
	"sync"
	"time"
)

// Prefix is the path under which Handler expects to be mounted.
const Prefix = "/static/"

// Bundle is the one style sheet of every page: all files of css/ in the order of
// their names, so that a page can add its own file without touching another.
const Bundle = "css/app.css"

//go:embed css/*.css js/*.js img/* vendor
var files embed.FS

// asset is one file, ready to be served.
type asset struct {
	name, hash, kind string
	body             []byte
	packed           func() []byte // gzip of body, made once on first use; nil when it is not smaller
}

var assets = sync.OnceValue(load)

// load reads the embedded files and builds the bundle. The tree is fixed at
// compile time, so a failure is a programming error.
func load() map[string]*asset {
	all := map[string]*asset{}
	var sheets []string
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		if path.Dir(name) == "css" {
			sheets = append(sheets, name)
			return nil
		}
		all[name] = newAsset(name, body)
		return nil
	})
	if err != nil {
		panic(fmt.Sprintf("static: reading the embedded files: %v", err))
	}
	sort.Strings(sheets)
	var css bytes.Buffer
	for _, name := range sheets {
		body, err := files.ReadFile(name)
		if err != nil {
			panic(fmt.Sprintf("static: reading %s: %v", name, err))
		}
		css.Write(body)
		css.WriteByte('\n')
	}
	all[Bundle] = newAsset(Bundle, css.Bytes())
	return all
}

func newAsset(name string, body []byte) *asset {
	sum := sha256.Sum256(body)
	kind := mime.TypeByExtension(path.Ext(name))
	switch path.Ext(name) { // the tables of the operating system differ
	case ".js":
		kind = "text/javascript; charset=utf-8"
	case ".css":
		kind = "text/css; charset=utf-8"
	case ".svg":
		kind = "image/svg+xml"
	}
	if kind == "" {
		kind = "text/plain; charset=utf-8"
	}
	return &asset{
		name: name, hash: hex.EncodeToString(sum[:5]), kind: kind, body: body,
		packed: sync.OnceValue(func() []byte { return pack(body) }),
	}
}

// pack returns the gzip of body, or nil when it saves less than a tenth.
func pack(body []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil
	}
	if _, err := w.Write(body); err != nil {
		return nil
	}
	if err := w.Close(); err != nil || out.Len() > len(body)*9/10 {
		return nil
	}
	return out.Bytes()
}

// URL returns the path of an embedded file with the hash of its content in it:
// URL("css/app.css") is "/static/css/app.0123456789.css". It panics on a name
// that is not embedded, which a render test of the page shows at once.
func URL(name string) string {
	a, ok := assets()[name]
	if !ok {
		panic(fmt.Sprintf("static: no file %q", name))
	}
	ext := path.Ext(name)
	return Prefix + strings.TrimSuffix(name, ext) + "." + a.hash + ext
}

// find splits a requested path into the asset and whether its hash is current.
func find(p string) (a *asset, current bool) {
	name := strings.TrimPrefix(p, Prefix)
	if a, ok := assets()[name]; ok {
		return a, false
	}
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	hash := path.Ext(stem)
	if a, ok := assets()[strings.TrimSuffix(stem, hash)+ext]; ok && hash != "" {
		return a, hash == "."+a.hash
	}
	return nil, false
}

// Handler serves the embedded files under Prefix. A path with the current hash is
// immutable; one with another hash, or none, gets the current content and must be
// asked again, so that two versions of the program behind one address never leave
// a page without its style. Other methods than GET and HEAD get 405.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		a, current := find(r.URL.Path)
		if a == nil {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", a.kind)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Add("Vary", "Accept-Encoding")
		if current {
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
		} else {
			h.Set("Cache-Control", "no-cache")
		}
		body, tag := a.body, a.hash
		if takesGzip(r) {
			if packed := a.packed(); packed != nil {
				body, tag = packed, a.hash+"-gz"
				h.Set("Content-Encoding", "gzip")
			}
		}
		h.Set("ETag", `"`+tag+`"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	})
}

// takesGzip reads Accept-Encoding: gzip or * with a weight that is not zero.
func takesGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		coding, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if coding != "gzip" && coding != "*" {
			continue
		}
		q := strings.TrimSpace(params)
		return !(strings.HasPrefix(q, "q=0") && strings.Trim(q[3:], ".0") == "")
	}
	return false
}
