package sandbox

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// CopyTree copies a folder, or one file, to a place that may hold files already;
// those of the source win. Symbolic links are copied as links, and devices,
// sockets and pipes are left out. Where the file system can share blocks
// between files the copy costs next to no space and time; a later change of one
// side never shows on the other.
func CopyTree(to, from string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	if !info.IsDir() {
		return copyFile(to, from, info)
	}
	c := treeCopy{work: make(chan [2]string, 64)}
	var wg sync.WaitGroup
	for range min(4, runtime.GOMAXPROCS(0)+1) {
		wg.Go(c.files)
	}
	err = filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		dst := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			return ensureDir(dst)
		case d.Type()&fs.ModeSymlink != 0, d.Type().IsRegular():
			c.work <- [2]string{dst, p}
		}
		return c.failed()
	})
	close(c.work)
	wg.Wait()
	if err = errors.Join(err, c.failed()); err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	return nil
}

type treeCopy struct {
	work chan [2]string
	mu   sync.Mutex
	err  error
}

func (c *treeCopy) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *treeCopy) files() {
	for w := range c.work {
		if c.failed() != nil {
			continue // drain, so that the walk is not held up
		}
		info, err := os.Lstat(w[1])
		if err == nil {
			err = copyFile(w[0], w[1], info)
		}
		if err != nil {
			c.mu.Lock()
			c.err = err
			c.mu.Unlock()
		}
	}
}

// ensureDir makes a folder, in place of a file or link that stands there.
func ensureDir(dir string) error {
	if info, err := os.Lstat(dir); err == nil {
		if info.IsDir() {
			return nil
		}
		if err := os.Remove(dir); err != nil {
			return err
		}
	}
	return os.MkdirAll(dir, 0o755)
}

func copyFile(to, from string, info fs.FileInfo) error {
	// A link that stands there must be replaced, not followed.
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	if !reflink(out, in) {
		if _, err := io.Copy(out, in); err != nil {
			out.Close()
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// linkAll makes a folder with a symbolic link for each file below from; the links
// name the source by another path, under which it will be seen.
func linkAll(to, from, seen string) error {
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		return os.Symlink(filepath.Join(seen, rel), filepath.Join(to, rel))
	})
}
