package export

import (
	"io"
	"reflect"

	"github.com/parquet-go/parquet-go"
)

// Parquet with one column a field, compressed with Snappy, which every reader of
// the format knows. A row group is held in memory, so its size is bounded.

const (
	groupRows  = 20_000
	groupBytes = 16 << 20 // of texts
	batchRows  = 64
)

type parquetTable[T any] struct {
	out   *parquet.GenericWriter[T]
	batch []T
	bytes int // of texts in the row group
	rows  int
}

func newParquet[T any](w io.Writer) *parquetTable[T] {
	return &parquetTable[T]{out: parquet.NewGenericWriter[T](w, parquet.Compression(&parquet.Snappy), parquet.CreatedBy("plumbline", "", ""))}
}

func (t *parquetTable[T]) Put(row T) error {
	v := reflect.ValueOf(&row).Elem()
	scrub(v)
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.String {
			t.bytes += f.Len()
		}
	}
	t.batch = append(t.batch, row)
	t.rows++
	if len(t.batch) < batchRows && t.bytes < groupBytes {
		return nil
	}
	if err := t.write(); err != nil {
		return err
	}
	if t.rows < groupRows && t.bytes < groupBytes {
		return nil
	}
	t.rows, t.bytes = 0, 0
	return failed(t.out.Flush())
}

func (t *parquetTable[T]) write() error {
	_, err := t.out.Write(t.batch)
	clear(t.batch)
	t.batch = t.batch[:0]
	return failed(err)
}

func (t *parquetTable[T]) Close() error {
	if err := t.write(); err != nil {
		return err
	}
	return failed(t.out.Close())
}
