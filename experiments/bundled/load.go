package bundled

import (
	"embed"
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:embed cases/*.txtar
var archives embed.FS

var loadOnce = sync.OnceValues(func() ([]Case, error) {
	entries, err := archives.ReadDir("cases")
	if err != nil {
		return nil, fmt.Errorf("list bundled cases: %w", err)
	}
	var cases []Case
	seen := map[string]string{}
	for _, e := range entries {
		data, err := archives.ReadFile(path.Join("cases", e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read bundled case: %w", err)
		}
		c, err := Parse(e.Name(), data)
		if err != nil {
			return nil, err
		}
		if other, ok := seen[c.Instance.ID]; ok {
			return nil, fmt.Errorf("bundled cases %s and %s have the same id %s", other, c.File, c.Instance.ID)
		}
		seen[c.Instance.ID] = c.File
		cases = append(cases, c)
	}
	return cases, nil
})

// Cases returns all bundled cases, sorted by archive name. They are parsed once;
// the slice is shared, so callers must not change it or what it points to. An
// error means that the program was built with a broken archive.
func Cases() ([]Case, error) { return loadOnce() }

// folder collects the files of an archive under one directory, keyed by the rest
// of their path.
func folder(files map[string]string, dir string) map[string]string {
	out := map[string]string{}
	for name, text := range files {
		if rest, ok := strings.CutPrefix(name, dir+"/"); ok {
			out[rest] = text
		}
	}
	return out
}

// unpack lists the files of an archive and refuses names that are given twice,
// absolute, or lead out of the tree.
func unpack(data []byte) (map[string]string, error) {
	files := map[string]string{}
	for _, f := range txtar.Parse(data).Files {
		if path.Clean(f.Name) != f.Name || path.IsAbs(f.Name) || strings.HasPrefix(f.Name, "..") {
			return nil, fmt.Errorf("file name %q is not a clean relative path", f.Name)
		}
		if _, ok := files[f.Name]; ok {
			return nil, fmt.Errorf("file %s is there twice", f.Name)
		}
		files[f.Name] = string(f.Data)
	}
	return files, nil
}
