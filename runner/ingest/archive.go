package ingest

import (
	"archive/tar"
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// zip walks the entries of a zip by name. It needs random access.
func (l layers) zip(e entry, dir string) error {
	if e.at == nil {
		return l.spooled(e, func(e entry) error { return l.zip(e, dir) })
	}
	z, err := zip.NewReader(e.at, e.size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names are checked below
		return &archiveError{fmt.Errorf("not readable as zip: %w", err)}
	}
	z.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxWindow)))
	slices.SortStableFunc(z.File, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	names := namesIn{}
	for _, f := range z.File {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		mode := f.Mode()
		name, err := names.check(f.Name, mode)
		if err == nil && f.Flags&1 != 0 {
			err = errors.New("is encrypted: refused")
		}
		if err := l.member(dir, name, int64(min(f.UncompressedSize64, maxUnpacked)), mode, err, func() (io.Reader, func(), error) {
			r, err := f.Open()
			if err != nil {
				return nil, nil, err
			}
			return r, func() { r.Close() }, nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// tar walks the entries of a tar in their order, which is the only one there is.
func (l layers) tar(e entry, dir string) error {
	t := tar.NewReader(e.r)
	names := namesIn{}
	for {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return &archiveError{errors.New("the archive ends early; what stands before the break was read")}
		case err != nil && !errors.Is(err, tar.ErrInsecurePath):
			return &archiveError{fmt.Errorf("not readable as tar: %w", err)}
		}
		mode := h.FileInfo().Mode()
		if h.Typeflag == tar.TypeLink {
			mode |= fs.ModeSymlink // a second name of another file is a link too
		}
		name, err := names.check(h.Name, mode)
		if err := l.member(dir, name, h.Size, mode, err, func() (io.Reader, func(), error) { return t, func() {}, nil }); err != nil {
			return err
		}
	}
}

// member visits one entry of an archive.
func (l layers) member(dir, name string, size int64, mode fs.FileMode, refused error, open func() (io.Reader, func(), error)) error {
	full := path.Join(dir, name)
	switch {
	case refused != nil:
		return l.f(entry{path: path.Join(dir, strings.ToValidUTF8(name, "\ufffd")), err: refused})
	case mode.IsDir() || hidden(name):
		return nil
	case l.budget.left < 0:
		return &archiveError{l.budget.spend(0)}
	case !l.wanted(full):
		return nil
	}
	r, end, err := open()
	if err != nil {
		return l.f(entry{path: full, err: err})
	}
	defer end()
	if err := l.open(entry{path: full, r: buffered(&limited{r, l.budget}, size)}); err != nil {
		return err
	}
	if l.budget.left < 0 {
		return &archiveError{l.budget.spend(0)}
	}
	return nil
}

// hidden reports whether an entry lies in a hidden folder, or in the one that
// macOS adds to zips.
func hidden(name string) bool {
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		if part == "__MACOSX" || len(part) > 1 && part[0] == '.' {
			return true
		}
	}
	return false
}

// namesIn are the names an archive has given so far, by their lower-case form.
type namesIn map[string]string

// check refuses names that leave the archive or that no folder could hold side by
// side, and what is no file: nothing an archive says reaches outside of it.
func (n namesIn) check(name string, mode fs.FileMode) (string, error) {
	clean := strings.TrimPrefix(name, "./")
	switch {
	case mode.IsDir():
		return strings.Trim(clean, "/"), nil
	case strings.ContainsRune(clean, 0) || clean == "":
		return strings.ReplaceAll(clean, "\x00", "\ufffd"), errors.New("has no usable name: refused")
	case strings.HasPrefix(clean, "/") || strings.HasPrefix(clean, `\`) || len(clean) > 1 && clean[1] == ':':
		return strings.TrimLeft(clean, `/\`), fmt.Errorf("refused: the archive gives it an absolute path, %q", name)
	case slices.Contains(strings.FieldsFunc(clean, func(r rune) bool { return r == '/' || r == '\\' }), ".."):
		return strings.ReplaceAll(clean, "..", "__"), fmt.Errorf("refused: the archive gives it a path that leads out of it, %q", name)
	case mode&fs.ModeSymlink != 0:
		return clean, errors.New("is a link: refused")
	case !mode.IsRegular():
		return clean, errors.New("is no regular file: refused")
	}
	clean = path.Clean(strings.ReplaceAll(clean, `\`, "/"))
	folded := strings.ToLower(clean)
	if other, ok := n[folded]; ok {
		if other == clean {
			return clean, errors.New("is in the archive twice; the first one was read")
		}
		return clean, fmt.Errorf("differs from %q in upper and lower case only: refused", other)
	}
	n[folded] = clean
	return clean, nil
}
