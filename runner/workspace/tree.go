package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"plumbline/runner/sandbox"
)

// File is a file of a tree. Mode is 0644, 0755 or a symbolic link, whose Data is
// its target.
type File struct {
	Data []byte
	Mode fs.FileMode
}

// Tree is a base with changes, which are in memory. It is not safe for concurrent
// use; Clone gives each user an own one.
type Tree struct {
	base    *Base
	changed map[string]*File // nil: removed
}

// Base is what the tree was before its changes.
func (t *Tree) Base() *Base { return t.base }

// Clone is a tree that can be changed without changing this one.
func (t *Tree) Clone() *Tree { return &Tree{base: t.base, changed: maps.Clone(t.changed)} }

// Changed lists the paths that were written or removed, sorted.
func (t *Tree) Changed() []string { return slices.Sorted(maps.Keys(t.changed)) }

// Key names the content of the tree.
func (t *Tree) Key() string {
	if len(t.changed) == 0 {
		return t.base.Key
	}
	h := sha256.New()
	for _, p := range t.Changed() {
		f := t.changed[p]
		if f == nil {
			fmt.Fprintf(h, "%s\x00removed\x00", p)
			continue
		}
		fmt.Fprintf(h, "%s\x00%v\x00%d\x00%s", p, f.Mode, len(f.Data), f.Data)
	}
	return t.base.Key + "+" + hex.EncodeToString(h.Sum(nil))[:16]
}

// Read returns a file; the error wraps fs.ErrNotExist where there is none. A
// symbolic link is returned as one and never followed.
func (t *Tree) Read(name string) (File, error) {
	if err := checkPath(name); err != nil {
		return File{}, err
	}
	if f, ok := t.changed[name]; ok {
		if f == nil {
			return File{}, fmt.Errorf("read %s: %w", name, fs.ErrNotExist)
		}
		return *f, nil
	}
	return t.base.read(name)
}

func (b *Base) read(name string) (File, error) {
	full := filepath.Join(b.Dir, filepath.FromSlash(name))
	for p := path.Dir(name); p != "."; p = path.Dir(p) {
		info, err := os.Lstat(filepath.Join(b.Dir, filepath.FromSlash(p)))
		if err != nil || !info.IsDir() {
			return File{}, fmt.Errorf("read %s: %w", name, fs.ErrNotExist)
		}
	}
	info, err := os.Lstat(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return File{}, fmt.Errorf("read %s: %w", name, fs.ErrNotExist)
	case err != nil:
		return File{}, fmt.Errorf("read %s: %w", name, err)
	case info.IsDir():
		return File{}, fmt.Errorf("read %s: it is a folder: %w", name, fs.ErrNotExist)
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(full)
		if err != nil {
			return File{}, fmt.Errorf("read %s: %w", name, err)
		}
		return File{Data: []byte(target), Mode: fs.ModeSymlink | 0o777}, nil
	}
	data, err := os.ReadFile(full)
	if err != nil {
		return File{}, fmt.Errorf("read %s: %w", name, err)
	}
	mode := fs.FileMode(0o644)
	if info.Mode()&0o100 != 0 {
		mode = 0o755
	}
	return File{Data: data, Mode: mode}, nil
}

// Write puts a file into the tree.
func (t *Tree) Write(name string, f File) error {
	if err := checkPath(name); err != nil {
		return err
	}
	t.changed[name] = &f
	return nil
}

// Remove takes a file, or a folder with all below it, out of the tree.
func (t *Tree) Remove(name string) error {
	if err := checkPath(name); err != nil {
		return err
	}
	for p := range t.changed {
		if strings.HasPrefix(p, name+"/") {
			t.changed[p] = nil
		}
	}
	t.changed[name] = nil
	return nil
}

// Lay takes over every change of another tree on the same base, whatever this
// tree did to those files. Laying the hidden tests over a patched tree so gives
// the tests as their author meant them.
func (t *Tree) Lay(over *Tree) error {
	if over.base.Key != t.base.Key {
		return errors.New("lay one tree over another: they have different bases")
	}
	maps.Copy(t.changed, over.changed)
	return nil
}

// Has reports whether the tree has a file or a link of this name.
func (t *Tree) Has(name string) bool {
	_, err := t.Read(name)
	return err == nil
}

// HasDir reports whether the tree has a folder with something in it.
func (t *Tree) HasDir(name string) bool {
	for p, f := range t.changed {
		if f != nil && strings.HasPrefix(p, name+"/") {
			return true
		}
	}
	if f, ok := t.changed[name]; ok && f == nil {
		return false // removed as a folder
	}
	info, err := os.Lstat(filepath.Join(t.base.Dir, filepath.FromSlash(name)))
	return err == nil && info.IsDir()
}

// Stage makes the tree ready for a sandbox: a mount that gives the program a
// private copy at the target. The changed files lie in a folder of their own until
// done is called.
func (t *Tree) Stage(_ context.Context, target string) (m sandbox.Mount, done func(), err error) {
	m = sandbox.Mount{Source: t.base.Dir, Target: target, Mode: sandbox.Copy}
	if len(t.changed) == 0 {
		return m, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "plumbline-changes-")
	if err != nil {
		return m, nil, fmt.Errorf("stage a tree: %w", err)
	}
	done = func() { _ = os.RemoveAll(dir) } // what is left lies in the system's folder for such things
	for _, p := range t.Changed() {
		if _, err := os.Lstat(filepath.Join(t.base.Dir, filepath.FromSlash(p))); err == nil {
			m.Remove = append(m.Remove, p)
		}
		if f := t.changed[p]; f != nil {
			if err := writeFile(dir, p, *f); err != nil {
				done()
				return m, nil, fmt.Errorf("stage %s: %w", p, err)
			}
			m.Over = dir
		}
	}
	if m.Over != "" {
		if err := os.Chmod(dir, 0o755); err != nil {
			done()
			return m, nil, fmt.Errorf("stage a tree: %w", err)
		}
	}
	return m, done, nil
}

// Export writes the whole tree to an empty folder of the host.
func (t *Tree) Export(dir string) error {
	if err := sandbox.CopyTree(dir, t.base.Dir); err != nil {
		return fmt.Errorf("export a tree: %w", err)
	}
	for _, p := range t.Changed() {
		full := filepath.Join(dir, filepath.FromSlash(p))
		if err := os.RemoveAll(full); err != nil {
			return fmt.Errorf("export %s: %w", p, err)
		}
		if f := t.changed[p]; f != nil {
			if err := writeFile(dir, p, *f); err != nil {
				return fmt.Errorf("export %s: %w", p, err)
			}
		}
	}
	return nil
}

// StageChanges makes only the changes ready, to be laid over the same base that is
// in an image already.
func (t *Tree) StageChanges(_ context.Context, target string) (m sandbox.Mount, done func(), err error) {
	dir, err := os.MkdirTemp("", "plumbline-changes-")
	if err != nil {
		return m, nil, fmt.Errorf("stage changes: %w", err)
	}
	done = func() { _ = os.RemoveAll(dir) } // what is left lies in the system's folder for such things
	m = sandbox.Mount{Source: dir, Target: target, Mode: sandbox.Copy}
	for _, p := range t.Changed() {
		f := t.changed[p]
		if f == nil {
			m.Remove = append(m.Remove, p)
			continue
		}
		if err := writeFile(dir, p, *f); err != nil {
			done()
			return m, nil, fmt.Errorf("stage %s: %w", p, err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		done()
		return m, nil, fmt.Errorf("stage changes: %w", err)
	}
	return m, done, nil
}
