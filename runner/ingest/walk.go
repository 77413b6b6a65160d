package ingest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// diskFile is a file that the user named or that lies in a folder the user named.
// Path uses slashes and is relative to the root of the import: folder names carry
// meaning, such as instance ids and runs.
type diskFile struct {
	full string
	path string
	size int64
	err  error // why it cannot be read; it is a problem of this path and no other
}

// errLink keeps an import from reading what the user did not name.
var errLink = errors.New("is a link, which is not followed: name what it leads to")

// listDisk lists the files at and below the paths in a fixed order. Hidden folders
// and what is no regular file are left out. What cannot be looked at is in the
// list with the reason. A path that does not exist is an error: it was mistyped.
//
// The root of the import is the folder named, or with several paths the deepest
// folder that holds all of them, so that equal names in different folders stay
// apart and "preds.json logs/" reads like the folder around both.
func listDisk(paths []string) ([]diskFile, error) {
	var out []diskFile
	roots, base, err := rootsOf(paths)
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			f := diskFile{full: p, path: relative(base, p)}
			switch {
			case err != nil:
				f.err = reason(err)
			case d.IsDir() && p != root && strings.HasPrefix(d.Name(), "."):
				return fs.SkipDir
			case d.IsDir():
				return nil
			case d.Type()&fs.ModeSymlink != 0:
				f.err = errLink
			case !d.Type().IsRegular():
				return nil
			default:
				if info, err := d.Info(); err != nil {
					f.err = reason(err)
				} else {
					f.size = info.Size()
				}
			}
			out = append(out, f)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("walk %s: %w", root, err)
		}
	}
	slices.SortStableFunc(out, func(a, b diskFile) int { return strings.Compare(a.path, b.path) })
	return out, nil
}

// rootsOf resolves the paths, following a link that was named itself, and finds
// the folder that file names are relative to.
func rootsOf(paths []string) (roots []string, base string, err error) {
	folder := map[string]bool{}
	for _, p := range paths {
		full, err := filepath.Abs(p)
		if err != nil {
			return nil, "", fmt.Errorf("look at %s: %w", p, err)
		}
		info, err := os.Lstat(full)
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			if full, err = filepath.EvalSymlinks(full); err == nil {
				info, err = os.Lstat(full)
			}
		}
		if err != nil {
			return nil, "", fmt.Errorf("look at %s: %w", p, err)
		}
		roots = append(roots, full)
		folder[full] = info.IsDir()
	}
	roots = outermost(roots, folder)
	for i, full := range roots {
		dir := full
		if !folder[full] || len(roots) > 1 {
			dir = filepath.Dir(full) // of several folders, the name tells the runs apart
		}
		if i == 0 {
			base = dir
		}
		base = shared(base, dir)
	}
	return roots, base, nil
}

// outermost leaves out paths that were named twice or lie in a folder that was
// named.
func outermost(roots []string, folder map[string]bool) []string {
	var out []string
	for _, r := range roots {
		inside := slices.Contains(out, r)
		for dir := filepath.Dir(r); !inside; dir = filepath.Dir(dir) {
			inside = folder[dir]
			if dir == filepath.Dir(dir) {
				break
			}
		}
		if !inside {
			out = append(out, r)
		}
	}
	return out
}

// shared is the deepest folder that holds both.
func shared(a, b string) string {
	for a != b {
		if len(a) > len(b) {
			a = filepath.Dir(a)
			continue
		}
		up := filepath.Dir(b)
		if up == b {
			return a
		}
		b = up
	}
	return a
}

func relative(base, p string) string {
	rel, err := filepath.Rel(base, p)
	if err != nil || rel == "." {
		rel = filepath.Base(p)
	}
	return path.Clean(filepath.ToSlash(rel))
}

// reason is an error without the path, which stands beside it.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return errors.New("may not be read: the permission is missing")
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("is gone since the import began")
	}
	return err
}
