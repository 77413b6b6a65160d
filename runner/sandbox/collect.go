package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// ErrNotPlain says that a stranger left something else than a plain file.
var ErrNotPlain = errors.New("not a plain file")

// ReadLeft reads a file that a program left in a writable mount. It follows no
// symbolic link, opens nothing but a plain file, and reads at most limit bytes;
// more is reported by cut.
func ReadLeft(dir, name string, limit int64) (content []byte, cut bool, err error) {
	fail := func(err error) ([]byte, bool, error) {
		return nil, false, fmt.Errorf("read what was left at %s: %w", name, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fail(err)
	}
	defer root.Close()
	for p := filepath.Clean(name); p != "."; p = filepath.Dir(p) {
		info, err := root.Lstat(p)
		if err != nil {
			return fail(err)
		}
		if ok := info.Mode().IsRegular() || info.IsDir() && p != filepath.Clean(name); !ok {
			return fail(ErrNotPlain)
		}
	}
	f, err := root.Open(name)
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	// The program is gone, so that what was looked at is what was opened.
	content, err = io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return fail(err)
	}
	if int64(len(content)) > limit {
		return content[:limit], true, nil
	}
	return content, false, nil
}
