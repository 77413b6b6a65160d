package migrate

import (
	"bytes"
	"io/fs"
	"strings"
	"time"
)

// sqliteTypes replaces the type names that SQLite's driver would not convert:
// it parses times only from columns declared DATE, DATETIME or TIMESTAMP.
var sqliteTypes = strings.NewReplacer(
	"TIMESTAMPTZ", "DATETIME",
	"DOUBLE PRECISION", "REAL",
	"BYTEA", "BLOB",
)

// sqliteFS serves the same files with SQLite's type names.
type sqliteFS struct{ fs.FS }

func (s sqliteFS) Open(name string) (fs.File, error) {
	f, err := s.FS.Open(name)
	if err != nil || !strings.HasSuffix(name, ".sql") {
		return f, err
	}
	defer f.Close()
	raw, err := fs.ReadFile(s.FS, name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	text := []byte(sqliteTypes.Replace(string(raw)))
	return &sqlFile{Reader: bytes.NewReader(text), info: sqlInfo{info, int64(len(text))}}, nil
}

func (s sqliteFS) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(s.FS, name) }

type sqlFile struct {
	*bytes.Reader
	info fs.FileInfo
}

func (f *sqlFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *sqlFile) Close() error               { return nil }

type sqlInfo struct {
	fs.FileInfo
	size int64
}

func (i sqlInfo) Size() int64        { return i.size }
func (i sqlInfo) ModTime() time.Time { return time.Time{} }
