package formats

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go/format"
)

// A Parquet file says at its end, and at the head of every page, how much there is
// to read, and the library makes room for what it is told. So everything it will be
// told is checked against the file first: the footer here, pages in parquetpage.go.

const (
	// Rows and values of a file. A column with the same value throughout takes
	// next to nothing, so they may outnumber bytes, within reason: a row has an
	// id of its own.
	parquetRows        = 1 << 15
	parquetRowsRatio   = 16 // for each byte of the file
	parquetValues      = 1 << 18
	parquetValuesRatio = 128

	maxSchema      = 20_000
	maxSchemaDepth = 64
	maxFixedLen    = 1 << 20
)

// parquetCheck holds what a file may still claim.
type parquetCheck struct {
	at     io.ReaderAt
	size   int64
	rows   int64 // left
	values int64 // left
	bytes  int64 // left, unpacked
	stored int64 // left, as they are in the file
	text   int64 // left, handed on as rows
	unpack unpacker
}

// checkParquet reads the footer and the pages of a file and says what is wrong with
// them, before the library sees any. It holds the footer and one page at a time.
func checkParquet(at io.ReaderAt, size int64) (*parquetCheck, error) {
	grown := max(ratioFrom, size*maxRatio) // as for other archives
	c := &parquetCheck{at: at, size: size, rows: parquetRows + size*parquetRowsRatio, values: parquetValues + size*parquetValuesRatio, bytes: grown, stored: size, text: grown}
	defer c.unpack.close()
	meta, start, err := c.footer()
	if err != nil {
		return nil, fmt.Errorf("the footer: %w", err)
	}
	leaves, err := parquetLeaves(meta.Schema)
	if err != nil {
		return nil, fmt.Errorf("the footer: %w", err)
	}
	rows := int64(0)
	for i := range meta.RowGroups {
		g := &meta.RowGroups[i]
		if len(g.Columns) != len(leaves) {
			return nil, fmt.Errorf("row group %d: it has %d columns and the schema %d", i+1, len(g.Columns), len(leaves))
		}
		if g.NumRows < 0 || g.NumRows > c.rows {
			return nil, fmt.Errorf("row group %d: it claims %d rows, too many for a file of %d bytes", i+1, g.NumRows, size)
		}
		rows, c.rows = rows+g.NumRows, c.rows-g.NumRows
		for j := range g.Columns {
			// The library unpacks a column as its first row group says.
			codec := meta.RowGroups[0].Columns[j].MetaData.Codec
			if err := c.chunk(&g.Columns[j].MetaData, codec, leaves[j], g.NumRows, start); err != nil {
				return nil, fmt.Errorf("row group %d, column %s: %w", i+1, leaves[j].name, err)
			}
		}
	}
	if rows != meta.NumRows && meta.NumRows != 0 { // some writers leave it out
		return nil, fmt.Errorf("the footer: it claims %d rows and its row groups have %d", meta.NumRows, rows)
	}
	return c, nil
}

// footer reads the footer, and tells where it starts.
func (c *parquetCheck) footer() (*format.FileMetaData, int64, error) {
	var tail [8]byte
	if c.size < 12 {
		return nil, 0, errors.New("the file is too short to have one")
	}
	if _, err := readFull(c.at, tail[:], c.size-8); err != nil {
		return nil, 0, err
	}
	if string(tail[4:]) != "PAR1" {
		return nil, 0, errors.New("the file does not end with one, as if it were cut off")
	}
	n := int64(binary.LittleEndian.Uint32(tail[:4]))
	if n > c.size-12 {
		return nil, 0, fmt.Errorf("it claims %d bytes of a file of %d", n, c.size)
	}
	b := make([]byte, n)
	start := c.size - 8 - n
	if _, err := readFull(c.at, b, start); err != nil {
		return nil, 0, err
	}
	walked, err := thriftLen(b)
	if err != nil {
		return nil, 0, err
	}
	if walked != len(b) {
		return nil, 0, errThrift
	}
	meta, _, err := new(format.FooterDecoder).Decode(b)
	return meta, start, err
}

// parquetLeaf is a column with values.
type parquetLeaf struct {
	name                   string
	kind                   format.Type
	repetition, definition int // greatest levels
}

// parquetLeaves walks the schema, which lists a tree depth first.
func parquetLeaves(schema []format.SchemaElement) ([]parquetLeaf, error) {
	type group struct {
		left                   int32
		repetition, definition int
	}
	if len(schema) > maxSchema {
		return nil, fmt.Errorf("its schema has %d elements, more than %d", len(schema), maxSchema)
	}
	var leaves []parquetLeaf
	var open []group
	var path []string
	for i := range schema {
		e := &schema[i]
		at := group{}
		if i > 0 {
			if len(open) == 0 {
				return nil, errors.New("its schema has elements outside of the tree")
			}
			top := &open[len(open)-1]
			top.left--
			at.repetition, at.definition = top.repetition, top.definition
			if e.RepetitionType.Valid {
				switch e.RepetitionType.V {
				case format.Optional:
					at.definition++
				case format.Repeated:
					at.definition++
					at.repetition++
				}
			}
		}
		at.left = e.NumChildren.V
		if e.Type.Valid != (at.left == 0) || at.left < 0 || int(at.left) > len(schema) {
			return nil, fmt.Errorf("element %d of its schema is damaged", i+1)
		}
		if e.Type.Valid {
			if e.Type.V == format.FixedLenByteArray && (e.TypeLength.V <= 0 || e.TypeLength.V > maxFixedLen) {
				return nil, fmt.Errorf("a text of its schema has the length %d", e.TypeLength.V)
			}
			name := strings.Join(append(path[min(1, len(path)):len(path):len(path)], e.Name), ".")
			leaves = append(leaves, parquetLeaf{name, e.Type.V, at.repetition, at.definition})
		} else {
			open, path = append(open, at), append(path, e.Name)
		}
		if len(open) > maxSchemaDepth {
			return nil, fmt.Errorf("its schema is deeper than %d", maxSchemaDepth)
		}
		for len(open) > 0 && open[len(open)-1].left == 0 {
			open, path = open[:len(open)-1], path[:len(path)-1]
		}
	}
	if len(open) > 0 || len(leaves) == 0 {
		return nil, errors.New("its schema is incomplete")
	}
	return leaves, nil
}

// chunk checks a column of a row group: it lies in the file, and its pages hold what
// it claims.
func (c *parquetCheck) chunk(m *format.ColumnMetaData, codec format.CompressionCodec, leaf parquetLeaf, rows, end int64) error {
	if m.TotalCompressedSize == 0 && m.NumValues == 0 && rows == 0 {
		return nil
	}
	from := m.DataPageOffset
	if m.DictionaryPageOffset != 0 {
		from = m.DictionaryPageOffset
	}
	if from < 4 || m.TotalCompressedSize < 0 || from > end || m.TotalCompressedSize > end-from {
		return fmt.Errorf("it claims %d bytes at %d, outside of the file", m.TotalCompressedSize, from)
	}
	if m.Codec != codec {
		return errors.New("its compression changes between row groups")
	}
	if c.stored -= m.TotalCompressedSize; c.stored < 0 {
		return errors.New("it overlaps others")
	}
	if leaf.repetition == 0 && m.NumValues != rows {
		return fmt.Errorf("it claims %d values for %d rows", m.NumValues, rows)
	}
	if m.NumValues < 0 || m.NumValues > c.values {
		return fmt.Errorf("it claims %d values, too many for a file of %d bytes", m.NumValues, c.size)
	}
	c.values -= m.NumValues
	p := &parquetPages{c: c, leaf: leaf, codec: codec, at: from, end: from + m.TotalCompressedSize, left: m.NumValues}
	reached := false
	for p.at < p.end {
		reached = reached || p.at == m.DataPageOffset
		if err := p.next(); err != nil {
			return fmt.Errorf("page %d: %w", p.n, err)
		}
	}
	if !reached {
		return errors.New("its first page is not where the footer says")
	}
	if p.left != 0 {
		return fmt.Errorf("its pages lack %d of %d values", p.left, m.NumValues)
	}
	return nil
}

func readFull(at io.ReaderAt, b []byte, off int64) (int, error) {
	n, err := at.ReadAt(b, off)
	if n == len(b) {
		return n, nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
