package workspace

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Cache is a folder of base trees, each under a key made from its content. Several
// processes may share it.
type Cache struct{ dir string }

// OpenCache makes the folder if there is none.
func OpenCache(dir string) (*Cache, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(filepath.Join(abs, "trees"), 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("open the cache of base trees: %w", err)
	}
	return &Cache{dir: abs}, nil
}

// Base is a tree before any change. Its folder must not be written to.
type Base struct {
	Key string // names the content
	Dir string
}

// Tree starts a tree of changes on the base.
func (b *Base) Tree() *Tree { return &Tree{base: b, changed: map[string]*File{}} }

// FromFiles keeps files, by slash-separated path from the root, as a base.
func (c *Cache) FromFiles(ctx context.Context, files map[string]string) (*Base, error) {
	h := sha256.New()
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		if err := checkPath(name); err != nil {
			return nil, fmt.Errorf("make a base tree: %w", err)
		}
		fmt.Fprintf(h, "%s\x00%d\x00%s", name, len(files[name]), files[name])
	}
	return c.keep(ctx, "files-"+hex.EncodeToString(h.Sum(nil))[:40], func(dir string) error {
		for _, name := range names {
			if err := writeFile(dir, name, File{Data: []byte(files[name]), Mode: 0o644}); err != nil {
				return err
			}
		}
		return nil
	})
}

// keep returns the base of a key, filling it first if it is not there. A fill that
// is broken off leaves nothing; of two at once one is thrown away.
func (c *Cache) keep(ctx context.Context, key string, fill func(dir string) error) (*Base, error) {
	dir := filepath.Join(c.dir, "trees", key)
	if _, err := os.Stat(dir); err == nil {
		now := time.Now()
		_ = os.Chtimes(dir, now, now) // only Prune looks at it
		return &Base{Key: key, Dir: dir}, nil
	}
	temp, err := os.MkdirTemp(c.dir, "filling-")
	if err != nil {
		return nil, fmt.Errorf("make a base tree: %w", err)
	}
	defer os.RemoveAll(temp)
	tree := filepath.Join(temp, "tree")
	if err := os.Mkdir(tree, 0o755); err != nil {
		return nil, fmt.Errorf("make a base tree: %w", err)
	}
	if err := fill(tree); err != nil {
		return nil, fmt.Errorf("make a base tree: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := os.Rename(tree, dir); err != nil {
		if _, there := os.Stat(dir); there != nil {
			return nil, fmt.Errorf("keep a base tree: %w", err)
		}
	}
	return &Base{Key: key, Dir: dir}, nil
}

// Prune removes the trees that were not used for longest until the rest is no
// larger than keep bytes. No tree used within the last hour is removed, since a
// check may be running on it.
func (c *Cache) Prune(keep int64) error {
	entries, err := os.ReadDir(filepath.Join(c.dir, "trees"))
	if err != nil {
		return fmt.Errorf("look through the base trees: %w", err)
	}
	type kept struct {
		dir  string
		used time.Time
		size int64
	}
	var all []kept
	var total int64
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue // removed meanwhile
		}
		k := kept{filepath.Join(c.dir, "trees", e.Name()), info.ModTime(), 0}
		_ = filepath.WalkDir(k.dir, func(_ string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				if info, err := d.Info(); err == nil {
					k.size += info.Size()
				}
			}
			return nil // what vanishes meanwhile has no size
		})
		total += k.size
		all = append(all, k)
	}
	slices.SortFunc(all, func(a, b kept) int { return cmp.Compare(a.used.UnixNano(), b.used.UnixNano()) })
	for _, k := range all {
		if total <= keep || time.Since(k.used) < time.Hour {
			break
		}
		if err := os.RemoveAll(k.dir); err != nil {
			return fmt.Errorf("remove a base tree: %w", err)
		}
		total -= k.size
	}
	return nil
}

// ErrPath says that a path leads out of the tree or into git's own folder.
var ErrPath = errors.New("not a path inside the tree")

func checkPath(p string) error {
	if p == "" || p == "." || path.Clean(p) != p || !filepath.IsLocal(filepath.FromSlash(p)) || strings.ContainsRune(p, 0) {
		return fmt.Errorf("%q: %w", p, ErrPath)
	}
	for _, part := range strings.Split(p, "/") {
		if strings.EqualFold(part, ".git") {
			return fmt.Errorf("%q: %w", p, ErrPath)
		}
	}
	return nil
}

// writeFile writes one file of a new tree below dir, which holds nothing that a
// link could lead out of: a path below a link is refused.
func writeFile(dir, name string, f File) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if parent := path.Dir(name); parent != "." {
		if err := root.MkdirAll(parent, 0o755); err != nil {
			return err
		}
	}
	if f.Mode&fs.ModeSymlink != 0 {
		return root.Symlink(string(f.Data), name)
	}
	out, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, f.Mode.Perm())
	if err != nil {
		return err
	}
	if _, err := io.WriteString(out, string(f.Data)); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
