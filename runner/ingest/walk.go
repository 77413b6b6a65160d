package ingest

import (
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// file is one file of an import. Path uses slashes and is relative to the root
// of the import: folder names carry meaning, such as instance ids and runs.
type file struct {
	path string
	size int64
	open func() (io.ReadCloser, error)
}

// walk lists the files below the paths in a fixed order. Hidden folders and what
// is not a regular file are left out; a link is not followed, because an import
// must not read what the user did not name.
func walk(paths []string) ([]file, error) {
	var out []file
	for _, root := range paths {
		info, err := os.Lstat(root)
		if err != nil {
			return nil, fmt.Errorf("look at %s: %w", root, err)
		}
		if !info.IsDir() {
			out = append(out, onDisk(root, filepath.Base(root), info.Size()))
			continue
		}
		err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && p != root && strings.HasPrefix(d.Name(), "."):
				return fs.SkipDir
			case !d.Type().IsRegular():
				return nil
			}
			rel, err := filepath.Rel(root, p)
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			out = append(out, onDisk(p, filepath.ToSlash(rel), info.Size()))
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("walk %s: %w", root, err)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].path < out[j].path })
	return out, nil
}

func onDisk(full, rel string, size int64) file {
	f := file{path: rel, size: size, open: func() (io.ReadCloser, error) { return os.Open(full) }}
	if strings.HasSuffix(rel, ".gz") && !strings.HasSuffix(rel, ".tar.gz") {
		f.path = strings.TrimSuffix(rel, ".gz")
		f.open = func() (io.ReadCloser, error) { return openGzip(full, size) }
	}
	return f
}

// maxRatio refuses compression bombs: text seldom shrinks below a hundredth.
const maxRatio = 200

type gzipFile struct {
	*gzip.Reader
	under *os.File
	left  int64
}

func openGzip(full string, size int64) (io.ReadCloser, error) {
	under, err := os.Open(full)
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(under)
	if err != nil {
		under.Close()
		return nil, err
	}
	return &gzipFile{r, under, max(size*maxRatio, 64<<20)}, nil
}

func (g *gzipFile) Read(p []byte) (int, error) {
	n, err := g.Reader.Read(p)
	if g.left -= int64(n); g.left < 0 {
		return n, fmt.Errorf("unpacks to more than %d times its size: refused as a compression bomb", maxRatio)
	}
	return n, err
}

func (g *gzipFile) Close() error {
	g.Reader.Close()
	return g.under.Close()
}
