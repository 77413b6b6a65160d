package formats

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

const parquetBatch = 32

const parquetMend = "; fetch the file again or write it anew"

// EachParquetRow reads a Parquet file of a size in small batches. It calls head once
// with the paths of the columns, by their indexes, then each with every row and its
// number from 1; a row is valid during the call. What each returns ends the reading
// and is returned as it is. Any other error is a fault of the file, in words for its
// owner: claims of headers that the file cannot hold, and more unpacked data than an
// archive may hold, are refused before anything is reserved for them.
func EachParquetRow(at io.ReaderAt, size int64, head func(columns [][]string), each func(n int, row parquet.Row) error) (err error) {
	// The library panics on some damaged files; that is a fault of the file.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("not readable as Parquet: %v"+parquetMend, p)
		}
	}()
	check, err := checkParquet(at, size)
	if err != nil {
		return fmt.Errorf("not readable as Parquet: %w"+parquetMend, err)
	}
	// Indexes and filters are not needed, and are not checked.
	f, err := parquet.OpenFile(at, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return fmt.Errorf("not readable as Parquet: %w"+parquetMend, err)
	}
	head(f.Schema().Columns())
	n := 0
	for _, g := range f.RowGroups() {
		if err := check.group(g, &n, each); err != nil {
			return err
		}
	}
	return nil
}

func (c *parquetCheck) group(g parquet.RowGroup, n *int, each func(int, parquet.Row) error) error {
	rows := g.Rows()
	defer rows.Close() // only reading
	buf := make([]parquet.Row, parquetBatch)
	for {
		k, err := rows.ReadRows(buf)
		for _, row := range buf[:k] {
			*n++
			if err := c.row(row); err != nil {
				return fmt.Errorf("row %d: %w"+parquetMend, *n, err)
			}
			if err := each(*n, row); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("row %d: %w"+parquetMend, *n+1, err)
		}
		if k == 0 {
			return fmt.Errorf("row %d: missing"+parquetMend, *n+1)
		}
	}
}

// row counts the texts of a row: a dictionary lets a long one be repeated by a byte.
func (c *parquetCheck) row(row parquet.Row) error {
	for _, v := range row {
		if k := v.Kind(); k == parquet.ByteArray || k == parquet.FixedLenByteArray {
			c.text -= int64(len(v.ByteArray()))
		}
	}
	if c.text < 0 {
		return errBomb
	}
	return nil
}
