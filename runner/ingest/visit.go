package ingest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"plumbline/experiments/formats"
)

// entry is one file of an import while it is visited: on disk, inside an archive,
// or unpacked. It has a reader or the reason why it has none.
type entry struct {
	path   string
	size   int64 // 0 when unknown
	r      *bufio.Reader
	at     io.ReaderAt // random access to the same bytes; nil where there is none
	format formats.Format
	err    error
}

// visitor goes through the files of an import, archives and compressed files
// inside. It can do so several times and gives the same paths each time.
type visitor struct {
	files  []diskFile
	format formats.Format // given by the user; empty: from the content
	temp   string         // where temporary files go; empty for the system's place
	// want tells which paths are opened; nil opens all.
	want func(path string) bool
	// progress is told of bytes and files.
	progress *meter
	// raw are the hashes of the files on disk that hold others.
	raw map[string]string
	// names are the folder names that archives go by, one each; packed are the paths
	// that hold others, as far as they were opened.
	names, packed map[string]bool
}

func newVisitor(files []diskFile, format formats.Format, temp string) *visitor {
	return &visitor{files: files, format: format, temp: temp, packed: map[string]bool{}, raw: map[string]string{}}
}

// again goes through the same files another time and opens only those wanted.
func (v *visitor) again(want func(path string) bool) *visitor {
	w := *v
	w.want = func(p string) bool { return want(p) || v.packed[p] }
	return &w
}

// each calls f for every file. An error of f, or the end of ctx, ends it.
func (v *visitor) each(ctx context.Context, f func(entry) error) error {
	v.names = make(map[string]bool, len(v.files))
	for _, d := range v.files {
		v.names[d.path] = true
		for dir := path.Dir(d.path); dir != "." && !v.names[dir+"/"]; dir = path.Dir(dir) {
			v.names[dir+"/"] = true
		}
	}
	for _, d := range v.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := v.disk(ctx, d, f); err != nil {
			return err
		}
		v.progress.file(d)
	}
	return nil
}

func (v *visitor) disk(ctx context.Context, d diskFile, f func(entry) error) error {
	if d.err != nil {
		return f(entry{path: d.path, err: d.err})
	}
	if v.want != nil && !v.want(d.path) {
		return nil
	}
	in, err := os.Open(d.full)
	if err != nil {
		return f(entry{path: d.path, err: reason(err)})
	}
	defer in.Close() // only reading
	l := layers{v: v, ctx: ctx, f: f, budget: newBudget(d.size), disk: d}
	return l.open(entry{path: d.path, size: d.size, r: buffered(&ticking{in, v.progress.read}, d.size), at: in})
}

// buffered reads ahead as far as a format is decided by; a small file gets a small
// buffer. A size of 0 is not known.
func buffered(r io.Reader, size int64) *bufio.Reader {
	n := int64(formats.SniffLen)
	if size > 0 {
		n = min(n, size+1<<10)
	}
	return bufio.NewReaderSize(r, int(n))
}

// layers is the way down into one file on disk.
type layers struct {
	v        *visitor
	ctx      context.Context
	f        func(entry) error
	budget   *budget
	disk     diskFile
	archives int // around the current file
	packed   int // compressions around the current file
}

const (
	maxArchives = 2 // an archive in an archive, no deeper
	maxPacked   = 2
)

func (l layers) wanted(p string) bool { return l.v.want == nil || l.v.want(p) }

// open looks at the first bytes: an archive is walked, something compressed is
// unpacked, anything else is a file.
func (l layers) open(e entry) error {
	head, err := e.r.Peek(e.r.Size())
	if err != nil && !errors.Is(err, io.EOF) && len(head) == 0 {
		return l.f(entry{path: e.path, err: err})
	} // an error behind the first bytes comes up again when they are read
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		if l.v.formatOf(e.path, head) != formats.InspectZip {
			return l.archive(e, layers.zip)
		}
	case len(head) > 262 && string(head[257:262]) == "ustar":
		return l.archive(e, layers.tar)
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(e.r)
		if err != nil {
			return l.f(entry{path: e.path, err: fmt.Errorf("not readable as gzip: %w", err)})
		}
		defer z.Close() // only reading
		return l.unpack(e.path, z)
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(e.r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxWindow), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return l.f(entry{path: e.path, err: fmt.Errorf("not readable as zstd: %w", err)})
		}
		defer z.Close()
		return l.unpack(e.path, z)
	case bytes.HasPrefix(head, []byte("\xfd7zXZ\x00")), bytes.HasPrefix(head, []byte("BZh")), bytes.HasPrefix(head, []byte("7z\xbc\xaf\x27\x1c")), bytes.HasPrefix(head, []byte("Rar!\x1a\x07")):
		return l.f(entry{path: e.path, err: errors.New("this compression is not read (zip, tar, gz and zst are): unpack it first")})
	}
	if !l.wanted(e.path) {
		return nil
	}
	e.format = l.v.formatOf(e.path, head)
	if e.at == nil && (e.format == formats.InspectZip || e.format == formats.ParquetRows) {
		return l.spooled(e, func(e entry) error { return l.f(e) })
	}
	return l.f(e)
}

const maxWindow = 64 << 20

func (l layers) unpack(p string, r io.Reader) error {
	if l.packed++; l.packed > maxPacked {
		return l.f(entry{path: p, err: fmt.Errorf("is compressed more than %d times over: refused", maxPacked)})
	}
	if err := l.hold(p); err != nil {
		return l.f(entry{path: p, err: err})
	}
	return l.open(entry{path: p, r: buffered(&limited{r, l.budget}, 0)})
}

// hold notes that a file holds others. The file on disk is hashed before it is read,
// because it is not read from its beginning to its end.
func (l layers) hold(p string) error {
	l.v.packed[p] = true
	if _, ok := l.v.raw[l.disk.path]; ok || l.v.want != nil {
		return nil
	}
	sum, err := hashFile(l.disk.full, func(int) {})
	if err != nil {
		return reason(err)
	}
	l.v.raw[l.disk.path] = sum
	return nil
}

// formatOf decides the format of a file. A file that is compressed is known by the
// name it has without the compression, unless the whole name is known.
func (v *visitor) formatOf(p string, head []byte) formats.Format {
	if v.format != "" {
		return v.format
	}
	format, _ := formats.Sniff(p, head)
	for _, ext := range []string{".gz", ".zst"} {
		if bare, ok := strings.CutSuffix(p, ext); ok && format != formats.HumanEvalGz {
			format, _ = formats.Sniff(bare, head)
		}
	}
	return format
}

// archive walks an archive like a folder of its name. What is wrong with the
// archive as a whole is a problem of its path.
func (l layers) archive(e entry, walk func(l layers, e entry, dir string) error) error {
	if l.archives++; l.archives > maxArchives {
		return l.f(entry{path: e.path, err: errors.New("is an archive in an archive in an archive: refused")})
	}
	if err := l.hold(e.path); err != nil {
		return l.f(entry{path: e.path, err: err})
	}
	err := walk(l, e, l.v.folder(e.path, l.archives == 1 && len(l.v.files) == 1))
	var broken *archiveError
	if errors.As(err, &broken) {
		return l.f(entry{path: e.path, err: broken.err})
	}
	return err
}

// archiveError is a fault of an archive rather than of the import.
type archiveError struct{ err error }

func (e *archiveError) Error() string { return e.err.Error() }

// folder is the folder name of an archive: its name without the endings, or the
// whole name where the short one is taken. The only archive of an import is its
// root and has none.
func (v *visitor) folder(p string, root bool) string {
	if root {
		return ""
	}
	short := p
	for _, ext := range []string{".zst", ".gz", ".tgz", ".tar", ".zip"} {
		short = strings.TrimSuffix(short, ext)
	}
	if short == "" || strings.HasSuffix(short, "/") || short != p && (v.names[short] || v.names[short+"/"]) {
		short = p
	}
	v.names[short+"/"] = true
	return short
}

// spooled gives an entry random access by way of a temporary file.
func (l layers) spooled(e entry, f func(entry) error) error {
	file, err := tempFile(l.v.temp)
	if err != nil {
		return err
	}
	defer file.Close() // it has no name any more
	n, err := io.Copy(file, e.r)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return l.f(entry{path: e.path, err: err})
	}
	e.size, e.at, e.r = n, file, buffered(file, n)
	return f(e)
}

// tempFile is a file that is gone when it is closed, or when the process ends.
func tempFile(dir string) (*os.File, error) {
	if dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make a folder for temporary files: %w", err)
		}
	}
	f, err := os.CreateTemp(dir, "plumbline-import-*")
	if err != nil {
		return nil, fmt.Errorf("make a temporary file: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(fmt.Errorf("make a temporary file: %w", err), f.Close())
	}
	return f, nil
}

// rowsFirst visits first the files for which first holds: what they say is needed
// to store what the others say.
func (v *visitor) rowsFirst(first func(path string) bool) {
	v.files = slices.Clone(v.files)
	slices.SortStableFunc(v.files, func(a, b diskFile) int {
		x, y := first(a.path), first(b.path)
		switch {
		case x == y:
			return 0
		case x:
			return -1
		}
		return 1
	})
}
