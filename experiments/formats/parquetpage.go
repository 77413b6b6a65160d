package formats

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

const (
	pageHeaderRead = 4 << 10
	maxPageHeader  = 1 << 20
	runPadding     = 1 << 10 // values that writers fill the last run up with
)

var errRuns = errors.New("it repeats values more often than it has values")

// parquetPages walks the pages of a column chunk.
type parquetPages struct {
	c       *parquetCheck
	leaf    parquetLeaf
	codec   format.CompressionCodec
	at, end int64
	left    int64 // values
	n       int   // pages so far
}

func (p *parquetPages) next() error {
	p.n++
	h, err := p.header()
	if err != nil {
		return err
	}
	if h.CompressedPageSize < 0 || int64(h.CompressedPageSize) > p.end-p.at {
		return fmt.Errorf("it claims %d bytes where its column has %d left", h.CompressedPageSize, p.end-p.at)
	}
	if h.UncompressedPageSize < 0 {
		return errThrift
	}
	if p.codec == format.Uncompressed && h.UncompressedPageSize != h.CompressedPageSize {
		return fmt.Errorf("it claims %d bytes and, without compression, has %d", h.UncompressedPageSize, h.CompressedPageSize)
	}
	if p.c.bytes -= int64(h.UncompressedPageSize); p.c.bytes < 0 {
		return errBomb
	}
	body := make([]byte, h.CompressedPageSize)
	if _, err := readFull(p.c.at, body, p.at); err != nil {
		return err
	}
	p.at += int64(len(body))
	switch {
	case h.Type == format.DictionaryPage && h.DictionaryPageHeader.Valid:
		d := h.DictionaryPageHeader.V
		if d.NumValues < 0 || d.NumValues > h.UncompressedPageSize {
			return fmt.Errorf("it claims %d values in %d bytes", d.NumValues, h.UncompressedPageSize)
		}
		if d.Encoding != format.Plain && d.Encoding != format.PlainDictionary {
			return fmt.Errorf("its dictionary is in the encoding %s, which is not read", d.Encoding)
		}
		_, err := p.c.unpack.page(p.codec, body, int(h.UncompressedPageSize))
		return err
	case h.Type == format.DataPage && h.DataPageHeader.Valid:
		return p.first(&h.DataPageHeader.V, body, int(h.UncompressedPageSize))
	case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
		return p.second(&h.DataPageHeaderV2.V, body, int(h.UncompressedPageSize))
	}
	return errThrift
}

// header reads the header at p.at and moves behind it.
func (p *parquetPages) header() (*format.PageHeader, error) {
	for size := int64(pageHeaderRead); ; size *= 16 {
		b := make([]byte, min(size, p.end-p.at))
		if _, err := readFull(p.c.at, b, p.at); err != nil {
			return nil, err
		}
		n, err := thriftLen(b)
		if errors.Is(err, errShort) && size < maxPageHeader && int64(len(b)) < p.end-p.at {
			continue
		}
		if err != nil {
			return nil, err
		}
		var h format.PageHeader
		if err := thrift.Unmarshal(new(thrift.CompactProtocol), b[:n], &h); err != nil {
			return nil, err
		}
		p.at += int64(n)
		return &h, nil
	}
}

// take counts the values of a data page.
func (p *parquetPages) take(n int32) error {
	if n < 0 || int64(n) > p.left {
		return fmt.Errorf("it claims %d values where its column has %d left", n, p.left)
	}
	p.left -= int64(n)
	return nil
}

// first checks a data page of the first version, whose levels are compressed too.
func (p *parquetPages) first(h *format.DataPageHeader, body []byte, size int) error {
	if err := p.take(h.NumValues); err != nil {
		return err
	}
	b, err := p.c.unpack.page(p.codec, body, size)
	if err != nil {
		return err
	}
	for _, l := range []struct {
		most     int
		encoding format.Encoding
	}{{p.leaf.repetition, h.RepetitionLevelEncoding}, {p.leaf.definition, h.DefinitionLevelEncoding}} {
		if l.most == 0 {
			continue
		}
		if l.encoding != format.RLE {
			return fmt.Errorf("its levels are in the encoding %s, which is not read", l.encoding)
		}
		if b, err = lengthRuns(b, uint(bits.Len(uint(l.most))), h.NumValues); err != nil {
			return err
		}
	}
	return p.data(h.Encoding, b, h.NumValues)
}

// second checks a data page of the second version: levels stand before what is
// compressed.
func (p *parquetPages) second(h *format.DataPageHeaderV2, body []byte, size int) error {
	if err := p.take(h.NumValues); err != nil {
		return err
	}
	rep, def := int64(h.RepetitionLevelsByteLength), int64(h.DefinitionLevelsByteLength)
	if h.NumNulls < 0 || h.NumNulls > h.NumValues || h.NumRows < 0 || h.NumRows > h.NumValues || rep < 0 || def < 0 || rep+def > int64(min(len(body), size)) {
		return errThrift
	}
	if p.leaf.repetition > 0 {
		if err := runs(body[:rep], uint(bits.Len(uint(p.leaf.repetition))), h.NumValues); err != nil {
			return err
		}
	}
	if p.leaf.definition > 0 {
		if err := runs(body[rep:rep+def], uint(bits.Len(uint(p.leaf.definition))), h.NumValues); err != nil {
			return err
		}
	}
	b := body[rep+def:]
	if !h.IsCompressed.Valid || h.IsCompressed.V {
		var err error
		if b, err = p.c.unpack.page(p.codec, b, size-int(rep+def)); err != nil {
			return err
		}
	}
	return p.data(h.Encoding, b, h.NumValues)
}

// data checks the values of a page where their encoding lets few bytes stand for
// many values.
func (p *parquetPages) data(e format.Encoding, b []byte, n int32) error {
	switch e {
	case format.Plain, format.ByteStreamSplit:
		return nil
	case format.PlainDictionary, format.RLEDictionary:
		if len(b) == 0 {
			return nil
		}
		return runs(b[1:], uint(b[0]), n)
	case format.RLE:
		_, err := lengthRuns(b, 1, n)
		return err
	case format.DeltaBinaryPacked:
		_, _, err := readDeltaHead(b, n)
		return err
	case format.DeltaLengthByteArray:
		return deltaTexts(b, n)
	case format.DeltaByteArray:
		// Each text repeats the start of the one before it.
		shared, b, err := deltaLengths(b, n)
		if err != nil {
			return err
		}
		if p.c.bytes -= shared; p.c.bytes < 0 {
			return errBomb
		}
		return deltaTexts(b, n)
	}
	return fmt.Errorf("its values are in the encoding %s, which is not read", e)
}

// deltaTexts checks texts that follow their lengths.
func deltaTexts(b []byte, n int32) error {
	sum, b, err := deltaLengths(b, n)
	if err == nil && sum > int64(len(b)) {
		err = fmt.Errorf("it claims %d bytes of text and has %d", sum, len(b))
	}
	return err
}

// lengthRuns checks runs behind their length in bytes, and gives what follows.
func lengthRuns(b []byte, width uint, n int32) ([]byte, error) {
	if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
		return nil, io.ErrUnexpectedEOF
	}
	end := 4 + int(binary.LittleEndian.Uint32(b))
	return b[end:], runs(b[4:end], width, n)
}

// runs checks the hybrid of repeated and packed values: n of them, and the filling
// of the last run.
func runs(b []byte, width uint, n int32) error {
	if width > 32 {
		return errThrift
	}
	left := uint64(n) + runPadding
	for len(b) > 0 {
		u, k := binary.Uvarint(b)
		if k <= 0 {
			return errThrift
		}
		b = b[k:]
		count, size := u>>1, uint64(width+7)/8
		if count > left {
			return errRuns
		}
		if u&1 != 0 {
			size = count * uint64(width)
			count *= 8
		}
		if count > left {
			return errRuns
		}
		left -= count
		b = b[min(size, uint64(len(b))):] // the library reports what is missing
	}
	return nil
}

// unpacker undoes the compression of pages, never further than they claim.
type unpacker struct{ zstd *zstd.Decoder }

func (u *unpacker) close() {
	if u.zstd != nil {
		u.zstd.Close()
	}
}

// page unpacks a page, which must have exactly size bytes.
func (u *unpacker) page(codec format.CompressionCodec, b []byte, size int) ([]byte, error) {
	if size == 0 && len(b) == 0 {
		return nil, nil // a page of nulls alone
	}
	var out []byte
	var err error
	switch codec {
	case format.Uncompressed:
		return b, nil
	case format.Snappy:
		n, err := snappy.DecodedLen(b)
		if err != nil {
			return nil, err
		}
		if n != size {
			return nil, fmt.Errorf("it unpacks to %d bytes and claims %d", n, size)
		}
		return snappy.Decode(nil, b)
	case format.Gzip:
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(b)); err != nil {
			return nil, err
		}
		out, err = io.ReadAll(io.LimitReader(z, int64(size)+1))
	case format.Zstd:
		if u.zstd == nil {
			if u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true)); err != nil {
				return nil, err
			}
		}
		if out, err = u.zstd.DecodeAll(b, make([]byte, 0, size)); errors.Is(err, zstd.ErrDecoderSizeExceeded) {
			return nil, fmt.Errorf("it unpacks to more than the %d bytes it claims", size)
		}
	case format.Brotli:
		out, err = io.ReadAll(io.LimitReader(brotli.NewReader(bytes.NewReader(b)), int64(size)+1))
	case format.Lz4Raw:
		// The library takes any fault of LZ4 for too little room, doubles the
		// room and never ends. With the room that it starts with, this is the
		// call it will make.
		out = make([]byte, max(size, 3*len(b)))
		var n int
		if n, err = lz4.UncompressBlock(b, out); err == nil {
			out = out[:n]
		}
	default:
		return nil, fmt.Errorf("its compression %s is not read; write it with Snappy, Gzip or Zstandard", codec)
	}
	if err != nil {
		return nil, err
	}
	if len(out) != size {
		return nil, fmt.Errorf("it does not unpack to the %d bytes it claims", size)
	}
	return out, nil
}
