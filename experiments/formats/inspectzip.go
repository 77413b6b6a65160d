package formats

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"path"
	"sort"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"plumbline/experiments/formats/jsonpull"
)

// Limits against compression bombs.
const (
	maxEntry = 2 << 30 // bytes of one entry, uncompressed
	maxRatio = 300     // of an entry larger than ratioFrom
	maxSlurp = 1 << 30 // bytes of a zip that cannot be read at random
)

const ratioFrom = 16 << 20

func matchZip(l *look) Confidence {
	if strings.HasPrefix(l.text, "PK\x03\x04") && (strings.HasSuffix(l.lower(), ".eval") || strings.Contains(l.text, "_journal/") || strings.Contains(l.text, "header.json")) {
		return Likely
	}
	return None
}

func readInspectZip(x *reading) error {
	at, size, err := x.readerAt()
	if err != nil {
		return err
	}
	z, err := zip.NewReader(at, size)
	if err != nil {
		return fmt.Errorf("not a readable zip: %w", err)
	}
	z.RegisterDecompressor(zstd.ZipMethodWinZip, func(r io.Reader) io.ReadCloser {
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
		if err != nil {
			return io.NopCloser(failing{err})
		}
		return d.IOReadCloser()
	})
	g := &inspectLog{x: x}
	if h := z.File; !g.readHeader(h, "header.json") && !g.readHeader(h, "_journal/start.json") {
		x.problem(0, "header.json", "missing, and no _journal/start.json to rebuild it from")
	}
	chunks, names := map[string][]*zip.File{}, []string{}
	for _, f := range z.File {
		rest, ok := strings.CutPrefix(f.Name, "samples/")
		if !ok || strings.HasSuffix(f.Name, "/") {
			continue
		}
		dir, _, chunked := strings.Cut(rest, "/")
		if !chunked {
			dir = strings.TrimSuffix(rest, ".json") + "\x00"
		}
		if chunks[dir] == nil {
			names = append(names, dir)
		}
		chunks[dir] = append(chunks[dir], f)
	}
	for _, name := range names {
		if err := g.zipSample(name, chunks[name]); err != nil {
			return err
		}
	}
	x.count(g.samples)
	return nil
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// readHeader reads the header or its start.
func (g *inspectLog) readHeader(files []*zip.File, name string) bool {
	for _, f := range files {
		if f.Name == name {
			v, err := g.entry(f)
			if err != nil {
				g.x.problem(0, name, err.Error())
				return false
			}
			g.header(obj(obj(v)["eval"]))
			return true
		}
	}
	return false
}

var errBomb = errors.New("refused: it grows too much when unpacked")

// entry reads one file of the zip as JSON.
func (g *inspectLog) entry(f *zip.File) (any, error) {
	if f.UncompressedSize64 > maxEntry || f.UncompressedSize64 > ratioFrom && f.UncompressedSize64/max(f.CompressedSize64, 1) > maxRatio {
		return nil, errBomb
	}
	in, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close() // only reading
	limit := &io.LimitedReader{R: in, N: int64(min(f.UncompressedSize64+1, maxEntry))}
	v, err := jsonpull.New(limit).Value()
	if err != nil && limit.N <= 0 {
		return nil, errBomb
	}
	return v, err
}

// zipSample reads a sample from its file, or puts it together from chunks.
func (g *inspectLog) zipSample(name string, files []*zip.File) error {
	sample := object{}
	if strings.HasSuffix(name, "\x00") {
		v, err := g.entry(files[0])
		if err != nil {
			g.x.problem(0, files[0].Name, err.Error())
			return nil
		}
		return g.sample(obj(v))
	}
	sort.SliceStable(files, func(a, b int) bool { return naturalLess(files[a].Name, files[b].Name) })
	var messages []any
	attachments := object{}
	for _, f := range files {
		kind := path.Base(path.Dir(f.Name))
		base := strings.TrimSuffix(path.Base(f.Name), ".json")
		if kind != "messages" && kind != "attachments" && base != "sample" && base != "metadata" {
			continue
		}
		v, err := g.entry(f)
		if err != nil {
			g.x.problem(0, f.Name, err.Error())
			continue
		}
		switch {
		case kind == "messages":
			messages = append(messages, list(v)...)
		case kind == "attachments":
			if m := obj(v); m != nil {
				for k, t := range m {
					attachments[k] = t
				}
			} else {
				attachments[base] = v
			}
		default:
			for k, t := range obj(v) {
				sample[k] = t
			}
		}
	}
	if messages != nil {
		sample["messages"] = messages
	}
	for k, v := range obj(sample["attachments"]) {
		attachments[k] = v
	}
	sample["attachments"] = attachments
	return g.sample(sample)
}

// readerAt gives random access to the source: directly where it has it, else by
// holding the file in memory.
func (x *reading) readerAt() (io.ReaderAt, int64, error) {
	if at, ok := x.raw.(io.ReaderAt); ok && x.src.Size > 0 {
		return at, x.src.Size, nil
	}
	b, err := io.ReadAll(io.LimitReader(x.in, maxSlurp+1))
	if err != nil {
		return nil, 0, err
	}
	if len(b) > maxSlurp {
		return nil, 0, errors.New("larger than " + strconv.Itoa(maxSlurp>>20) + " MB and not readable at random")
	}
	return strings.NewReader(string(b)), int64(len(b)), nil
}
