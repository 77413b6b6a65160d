package formats_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"plumbline/experiments/export"
	"plumbline/experiments/formats"
)

// parquetAllowance is what reading a damaged file may allocate in all, over its
// whole life: the floor that a small archive may unpack to, twice, for it is checked
// and then read, and the rest for the values that it may have.
const parquetAllowance = 64 << 20

// parquetWork reads a file and tells what is wrong with it, how many records it
// gave and how many bytes were allocated meanwhile.
func parquetWork(t testing.TB, b []byte) (problems []string, records int, allocated uint64) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	rep, err := formats.Read(formats.ParquetRows, bytes.NewReader(b), formats.Source{Path: "t.parquet", Size: int64(len(b))}, func(formats.Record) error {
		records++
		return nil
	})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Errorf("an error about bytes in memory: %v", err)
	}
	for _, p := range rep.Problems {
		problems = append(problems, p.Message)
	}
	return problems, records, after.TotalAlloc - before.TotalAlloc
}

// Files that were damaged at one to four places cost no more than they may. Not
// parallel: what others allocate would be counted.
func TestParquetDamagedAnywhere(t *testing.T) {
	kinds := []struct {
		name    string
		bytes   []byte
		changes int
	}{
		{"plain", parquetFile(t), 2500},
		{"v1", parquetFile(t, parquet.DataPageVersion(1)), 1200},
		{"snappy", parquetFile(t, parquet.Compression(&parquet.Snappy)), 800},
		{"gzip v1", parquetFile(t, parquet.Compression(&parquet.Gzip), parquet.DataPageVersion(1)), 800},
		{"zstd", parquetFile(t, parquet.Compression(&parquet.Zstd)), 800},
		{"lz4", parquetFile(t, parquet.Compression(&parquet.Lz4Raw)), 800},
		{"brotli v1", parquetFile(t, parquet.Compression(&parquet.Brotli), parquet.DataPageVersion(1)), 400},
		{"delta", deltaFile(t), 800},
		{"votes", exported(t, export.Parquet, sampleVotes()), 400},
		{"decisions", exported(t, export.Parquet, sampleDecisions()), 400},
	}
	for k, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			if problems, records, _ := parquetWork(t, kind.bytes); records == 0 || strings.Contains(strings.Join(problems, " "), "Parquet") {
				t.Fatalf("the whole file gives %d records and %q", records, problems)
			}
			refused := 0
			for i := range kind.changes {
				b := damaged(kind.bytes, uint64(k), uint64(i))
				problems, records, allocated := parquetWork(t, b)
				if allocated > parquetAllowance {
					t.Errorf("change %d: %d bytes were allocated for a file of %d: %q", i, allocated, len(b), problems)
				}
				if records > 64 {
					t.Errorf("change %d: %d records of a file with three rows", i, records)
				}
				if strings.Contains(strings.Join(problems, " "), "fetch the file again") {
					refused++
				}
			}
			if refused < kind.changes/10 {
				t.Errorf("only %d of %d damaged files were refused", refused, kind.changes)
			}
		})
	}
}

// damaged changes a file at one to four places, the same for the same numbers.
func damaged(b []byte, kind, n uint64) []byte {
	r := rand.New(rand.NewPCG(kind, n))
	b = bytes.Clone(b)
	for range 1 + r.IntN(4) {
		at := r.IntN(len(b))
		switch r.IntN(4) {
		case 0:
			b[at] = byte(r.IntN(256))
		case 1:
			b[at] ^= 1 << r.IntN(8)
		case 2: // a number that goes on, and is huge
			copy(b[at:], "\xff\xff\xff\xff\x0f")
		case 3:
			b[at] = []byte{0, 0x7f, 0x80, 0xff, 0xf9, 0xfc}[r.IntN(6)]
		}
	}
	return b
}

// crafted is a file of one column named instance_id. It is whole unless it is
// edited.
type crafted struct {
	column format.SchemaElement
	codec  format.CompressionCodec
	pages  []craftedPage
	rows   int64
	edit   func(*format.FileMetaData)
	footer func([]byte) []byte // of the encoded footer
}

type craftedPage struct {
	header format.PageHeader // with zero sizes filled in
	raw    []byte            // instead of the header
	body   []byte
	size   int // unpacked, if it is not the size of body
}

var required = format.SchemaElement{Name: "instance_id", Type: thrift.New(format.ByteArray), RepetitionType: thrift.New(format.Required)}
var optional = format.SchemaElement{Name: "instance_id", Type: thrift.New(format.ByteArray), RepetitionType: thrift.New(format.Optional)}
var integer = format.SchemaElement{Name: "instance_id", Type: thrift.New(format.Int64), RepetitionType: thrift.New(format.Required)}

func (c crafted) bytes(t testing.TB) []byte {
	t.Helper()
	out := []byte("PAR1")
	m := format.ColumnMetaData{Type: c.column.Type.V, Encoding: []format.Encoding{format.Plain}, PathInSchema: []string{c.column.Name}, Codec: c.codec, NumValues: c.rows, DataPageOffset: 4}
	for _, p := range c.pages {
		raw := p.raw
		if raw == nil {
			h := p.header
			if h.CompressedPageSize == 0 {
				h.CompressedPageSize = int32(len(p.body))
			}
			if h.UncompressedPageSize == 0 {
				h.UncompressedPageSize = int32(len(p.body))
				if p.size > 0 {
					h.UncompressedPageSize = int32(p.size)
				}
			}
			raw = encoded(t, &h)
		}
		if p.header.Type == format.DictionaryPage {
			m.DictionaryPageOffset = int64(len(out))
			m.DataPageOffset = int64(len(out) + len(raw) + len(p.body))
		}
		out = append(append(out, raw...), p.body...)
	}
	m.TotalCompressedSize = int64(len(out) - 4)
	m.TotalUncompressedSize = m.TotalCompressedSize
	meta := format.FileMetaData{
		Version: 1, NumRows: c.rows,
		Schema:    []format.SchemaElement{{Name: "root", NumChildren: thrift.New(int32(1))}, c.column},
		RowGroups: []format.RowGroup{{Columns: []format.ColumnChunk{{MetaData: m}}, NumRows: c.rows, TotalByteSize: m.TotalCompressedSize}},
	}
	if c.edit != nil {
		c.edit(&meta)
	}
	f := encoded(t, &meta)
	if c.footer != nil {
		f = c.footer(f)
	}
	out = append(out, f...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(f)))
	return append(out, "PAR1"...)
}

func encoded(t testing.TB, v any) []byte {
	t.Helper()
	b, err := thrift.Marshal(new(thrift.CompactProtocol), v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func dataPage(n int32, e format.Encoding, body []byte) craftedPage {
	return craftedPage{body: body, header: format.PageHeader{Type: format.DataPage, DataPageHeader: thrift.New(format.DataPageHeader{
		NumValues: n, Encoding: e, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE})}}
}

func dictionaryPage(n int32, body []byte) craftedPage {
	return craftedPage{body: body, header: format.PageHeader{Type: format.DictionaryPage, DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: n, Encoding: format.Plain})}}
}

func plainText(s string) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(s))), s...)
}

// run is n times the same byte, as a run of the hybrid encoding.
func run(n uint64, value byte) []byte { return append(binary.AppendUvarint(nil, n<<1), value) }

func levels(b []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
}

// deltas are a first number and more as differences: the first step, and then zeros.
func deltas(first, step int64, zeros int) []byte {
	n := 2 + zeros
	b := join([]byte{0x80, 1, 4}, binary.AppendUvarint(nil, uint64(n)), binary.AppendVarint(nil, first))
	for done := 1; done < n; done += 128 {
		if done > 1 {
			step = 0
		}
		// The step is that of the first difference alone: the rest of its block
		// stands lower by as much.
		b = binary.AppendVarint(b, min(step, 0))
		b = append(b, 32, 32, 32, 32)
		for i := range min(128, (n-done+31)/32*32) { // whole miniblocks
			v := -min(step, 0)
			if i == 0 {
				v += step
			}
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
	}
	return b
}

func deltaOf(first, step int64) []byte { return deltas(first, step, 0) }

func gzipped(t testing.TB, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(make([]byte, n)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func brotlied(t testing.TB, n int) []byte {
	t.Helper()
	b, err := parquet.Brotli.Encode(nil, make([]byte, n))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// deltaFile has columns in each of the encodings by differences.
func deltaFile(t testing.TB) []byte {
	t.Helper()
	type row struct {
		ID     string `parquet:"instance_id,delta"`
		Repo   string `parquet:"repo,delta"`
		Number int64  `parquet:"number,delta"`
		Short  int32  `parquet:"short,delta"`
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b)
	if _, err := w.Write([]row{{"acme__shop-7", "acme/shop", 7, 1}, {"acme__shop-8", "acme/shop", 9, 2}, {"acme__shop-12", "acme/shop", 4, 9}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func zstandard(t testing.TB, n int) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(make([]byte, n), nil)
}

// Each of these claims more than it has. Together they pin what made the reader
// busy, or took memory, that the size of the file did not explain.
func TestParquetClaims(t *testing.T) {
	one := plainText("acme__shop-7")
	long := strings.Repeat("x", 64<<10)
	packed := func(p craftedPage, size int) craftedPage { p.size = size; return p }
	claim := func(p craftedPage, edit func(*format.PageHeader)) craftedPage { edit(&p.header); return p }
	for name, c := range map[string]struct {
		file crafted
		want string // of the problem; "" when the file is whole
	}{
		"whole text":       {crafted{column: required, rows: 1, pages: []craftedPage{dataPage(1, format.Plain, one)}}, ""},
		"whole optional":   {crafted{column: optional, rows: 1, pages: []craftedPage{dataPage(1, format.Plain, join(levels(run(1, 1)), one))}}, ""},
		"whole dictionary": {crafted{column: required, rows: 3, pages: []craftedPage{dictionaryPage(1, one), dataPage(3, format.RLEDictionary, join([]byte{1}, run(3, 0)))}}, ""},
		"whole Snappy":     {crafted{column: required, rows: 1, codec: format.Snappy, pages: []craftedPage{packed(dataPage(1, format.Plain, snappy.Encode(nil, one)), len(one))}}, ""},

		"levels that repeat":           {crafted{column: optional, rows: 1, pages: []craftedPage{dataPage(1, format.Plain, join(levels(run(1<<30, 1)), one))}}, "page 1: it repeats values"},
		"levels that repeat often":     {crafted{column: optional, rows: 1, pages: []craftedPage{dataPage(1, format.Plain, join(levels(bytes.Repeat(run(1<<25, 1), 40)), one))}}, "page 1: it repeats values"},
		"indexes that repeat":          {crafted{column: required, rows: 3, pages: []craftedPage{dictionaryPage(1, one), dataPage(3, format.RLEDictionary, join([]byte{1}, run(1<<28, 0)))}}, "page 2: it repeats values"},
		"packed without a width":       {crafted{column: required, rows: 3, pages: []craftedPage{dictionaryPage(1, one), dataPage(3, format.RLEDictionary, join([]byte{0}, binary.AppendUvarint(nil, 1<<26|1)))}}, "page 2: it repeats values"},
		"differences":                  {crafted{column: integer, rows: 1, pages: []craftedPage{dataPage(1, format.DeltaBinaryPacked, join(binary.AppendUvarint(nil, 128), []byte{4}, binary.AppendUvarint(nil, 1<<28), []byte{2}))}}, "claims 268435456 differences for 1 values"},
		"texts that share":             {crafted{column: required, rows: 2, pages: []craftedPage{dataPage(2, format.DeltaByteArray, join(deltaOf(0, 65535), deltaOf(65536, -65536), make([]byte, 65536)))}}, ""},
		"texts that share without end": {crafted{column: required, rows: 4000, pages: []craftedPage{dataPage(4000, format.DeltaByteArray, join(deltas(0, 65535, 3998), deltas(65536, -65536, 3998), make([]byte, 65536)))}}, "refused: it grows too much when unpacked"},
		"texts longer than the page":   {crafted{column: required, rows: 2, pages: []craftedPage{dataPage(2, format.DeltaLengthByteArray, join(deltaOf(1<<28, 1<<28), []byte("x")))}}, "bytes of text and has 1"},
		"a text of negative length":    {crafted{column: required, rows: 2, pages: []craftedPage{dataPage(2, format.DeltaLengthByteArray, join(deltaOf(4, -8), []byte("xxxx")))}}, "its differences are damaged"},
		"a dictionary of differences":  {crafted{column: required, rows: 1, pages: []craftedPage{claim(dictionaryPage(1, join(deltaOf(1<<28, 1<<28), one)), func(h *format.PageHeader) { h.DictionaryPageHeader.V.Encoding = format.DeltaByteArray }), dataPage(1, format.RLEDictionary, join([]byte{1}, run(1, 0)))}}, "its dictionary is in the encoding DELTA_BYTE_ARRAY"},
		"Brotli that grows":            {crafted{column: required, rows: 1, codec: format.Brotli, pages: []craftedPage{packed(dataPage(1, format.Plain, brotlied(t, 64<<20)), 16)}}, "does not unpack to the 16 bytes"},
		"Gzip that grows":              {crafted{column: required, rows: 1, codec: format.Gzip, pages: []craftedPage{packed(dataPage(1, format.Plain, gzipped(t, 64<<20)), 16)}}, "does not unpack to the 16 bytes"},
		"a page larger than stored":    {crafted{column: required, rows: 1, pages: []craftedPage{claim(dataPage(1, format.Plain, one), func(h *format.PageHeader) { h.CompressedPageSize = 1 << 30 })}}, "claims 1073741824 bytes where its column has"},
		"a page larger unpacked": {crafted{column: required, rows: 1, codec: format.Snappy, pages: []craftedPage{claim(dataPage(1, format.Plain, snappy.Encode(nil, one)), func(h *format.PageHeader) { h.UncompressedPageSize = 1 << 30 })}},
			"refused: it grows too much when unpacked"},
		"Snappy of another size":       {crafted{column: required, rows: 1, codec: format.Snappy, pages: []craftedPage{packed(dataPage(1, format.Plain, binary.AppendUvarint(nil, 1<<31)), 16)}}, "unpacks to 2147483648 bytes and claims 16"},
		"Zstandard that grows":         {crafted{column: required, rows: 1, codec: format.Zstd, pages: []craftedPage{packed(dataPage(1, format.Plain, zstandard(t, 200<<20)), 16)}}, "unpacks to more than the 16 bytes"},
		"a codec that has no end":      {crafted{column: required, rows: 1, codec: format.Lz4Raw, pages: []craftedPage{packed(dataPage(1, format.Plain, []byte{0xf0}), 16)}}, "page 1: lz4"},
		"more values than rows":        {crafted{column: required, rows: 1, pages: []craftedPage{dataPage(1<<30, format.Plain, one)}}, "claims 1073741824 values where its column has 1 left"},
		"fewer values than rows":       {crafted{column: required, rows: 2, pages: []craftedPage{dataPage(1, format.Plain, one)}}, "its pages lack 1 of 2 values"},
		"rows without end":             {crafted{column: required, rows: 1 << 40, pages: []craftedPage{dataPage(1, format.Plain, one)}}, "row group 1: it claims 1099511627776 rows"},
		"rows of nothing":              {crafted{column: optional, rows: 100_000, pages: []craftedPage{dataPage(100_000, format.Plain, levels(run(100_000, 0)))}}, "row group 1: it claims 100000 rows, too many for a file of"},
		"a dictionary of many":         {crafted{column: required, rows: 1, pages: []craftedPage{dictionaryPage(1<<30, one), dataPage(1, format.RLEDictionary, join([]byte{1}, run(1, 0)))}}, "claims 1073741824 values in"},
		"a long text repeated":         {crafted{column: required, rows: 20_000, pages: []craftedPage{dictionaryPage(1, plainText(long)), dataPage(20_000, format.RLEDictionary, join([]byte{1}, run(20_000, 0)))}}, "refused: it grows too much when unpacked"},
		"statistics of a page":         {crafted{column: required, rows: 1, pages: []craftedPage{{raw: join([]byte{0x15, 0, 0x15, 2, 0x15, 2, 0x2c, 0x5c, 0x18}, binary.AppendUvarint(nil, 1<<30)), body: one}}}, "page 1: its header ends early"},
		"rows that differ":             {crafted{column: required, rows: 1, pages: []craftedPage{dataPage(1, format.Plain, one)}, edit: func(m *format.FileMetaData) { m.NumRows = 9 }}, "claims 9 rows and its row groups have 1"},
		"a column outside of the file": {crafted{column: required, rows: 1, pages: []craftedPage{dataPage(1, format.Plain, one)}, edit: func(m *format.FileMetaData) { m.RowGroups[0].Columns[0].MetaData.TotalCompressedSize = 1 << 40 }}, "outside of the file"},
		"columns on each other": {crafted{column: required, rows: 1, pages: []craftedPage{dataPage(1, format.Plain, bytes.Repeat(one, 64))}, edit: func(m *format.FileMetaData) {
			m.RowGroups = append(m.RowGroups, m.RowGroups[0], m.RowGroups[0], m.RowGroups[0])
		}}, "it overlaps others"},
		"data before the dictionary": {crafted{column: required, rows: 1, pages: []craftedPage{dataPage(1, format.Plain, one)}, edit: func(m *format.FileMetaData) {
			m.RowGroups[0].Columns[0].MetaData.DataPageOffset = 7
			m.RowGroups[0].Columns[0].MetaData.DictionaryPageOffset = 4
		}}, "its first page is not where the footer says"},
		"no columns": {crafted{column: required, rows: 1, edit: func(m *format.FileMetaData) {
			m.Schema = m.Schema[:1]
			m.Schema[0].NumChildren = thrift.New(int32(0))
			m.RowGroups[0].Columns = nil
		}}, "element 1 of its schema is damaged"},
		"a fixed text of a gigabyte": {crafted{column: required, rows: 1, edit: func(m *format.FileMetaData) {
			m.Schema[1].Type = thrift.New(format.FixedLenByteArray)
			m.Schema[1].TypeLength = thrift.New(int32(1 << 30))
		}}, "has the length 1073741824"},
		"a schema that only descends": {crafted{column: required, rows: 1, edit: func(m *format.FileMetaData) { m.Schema = descending(10_000) }}, "its schema is deeper than 64"},
		"a list longer than the footer": {crafted{column: required, rows: 1, footer: func([]byte) []byte {
			return join([]byte{0x15, 2, 0x19, 0xfc}, binary.AppendUvarint(nil, 1<<22), []byte{0})
		}}, "the footer: its header ends early"},
		"a list of nothing":     {crafted{column: required, rows: 1, footer: func(f []byte) []byte { return join([]byte{0x09, 0x40, 0xf0}, binary.AppendUvarint(nil, 1<<30), f) }}, "the footer: its header"},
		"lists inside of lists": {crafted{column: required, rows: 1, footer: func([]byte) []byte { return join([]byte{0x19}, bytes.Repeat([]byte{0x19}, 100_000), []byte{0, 0}) }}, "the footer: its header is damaged"},
		"column chunks that are nothing": {crafted{column: required, rows: 1, footer: func([]byte) []byte {
			return join([]byte{0x49, 0x1c, 0x19, 0xfc}, binary.AppendUvarint(nil, 100_000), make([]byte, 100_010))
		}}, "the footer: its header"},
	} {
		t.Run(name, func(t *testing.T) {
			b := c.file.bytes(t)
			problems, records, allocated := parquetWork(t, b)
			if limit := uint64(parquetAllowance + 300*len(b)); allocated > limit {
				t.Errorf("%d bytes were allocated for a file of %d", allocated, len(b))
			}
			all := strings.Join(problems, "\n")
			if c.want == "" {
				if strings.Contains(all, "fetch the file") || records == 0 {
					t.Errorf("%d records, %q", records, problems)
				}
				return
			}
			if !strings.Contains(all, c.want) || !strings.Contains(all, "fetch the file again or write it anew") {
				t.Errorf("it says %q, not %q", problems, c.want)
			}
		})
	}
}

func descending(n int) []format.SchemaElement {
	s := make([]format.SchemaElement, n)
	for i := range s {
		s[i] = format.SchemaElement{Name: "g", NumChildren: thrift.New(int32(2)), RepetitionType: thrift.New(format.Required)}
	}
	return s
}

// A footer that claims to be larger than the file.
func TestParquetFooterLength(t *testing.T) {
	b := parquetFile(t)
	binary.LittleEndian.PutUint32(b[len(b)-8:], 1<<31)
	problems, _, allocated := parquetWork(t, b)
	if allocated > 1<<20 || len(problems) != 1 || !strings.Contains(problems[0], "the footer: it claims 2147483648 bytes of a file of") {
		t.Errorf("%d bytes were allocated, %q", allocated, problems)
	}
}
