package formats

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"

	"plumbline/experiments/formats/jsonpull"
)

// Dataset rows as Parquet, the form of the Hugging Face Hub: one column a key,
// text columns, lists of texts where a set keeps FAIL_TO_PASS as a list. Rows are
// read in small batches.

func matchParquet(l *look) Confidence {
	if strings.HasPrefix(l.text, "PAR1") {
		return Certain
	}
	return None
}

const parquetBatch = 32

func readParquet(x *reading) (err error) {
	at, size, err := x.readerAt()
	if err != nil {
		return err
	}
	// The library panics on some damaged files; that is a fault of the file.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("not readable as Parquet: %v", p)
		}
	}()
	f, err := parquet.OpenFile(at, size)
	if err != nil {
		return fmt.Errorf("not readable as Parquet: %w", err)
	}
	columns := f.Schema().Columns()
	n := 0
	defer func() { x.count(n) }()
	for _, g := range f.RowGroups() {
		if err := x.rowGroup(g, columns, &n); err != nil {
			return err
		}
	}
	return nil
}

func (x *reading) rowGroup(g parquet.RowGroup, columns [][]string, n *int) error {
	rows := g.Rows()
	defer rows.Close() // only reading
	buf := make([]parquet.Row, parquetBatch)
	for {
		k, err := rows.ReadRows(buf)
		for _, row := range buf[:k] {
			*n++
			if rerr := x.row(x.at(*n, ""), parquetRow(row, columns)); rerr != nil {
				if x.stop != nil {
					return x.stop
				}
				x.fault(*n, "", rerr)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", *n+1, err)
		}
	}
}

// parquetRow turns a row into an object. A column below a list gives a list.
func parquetRow(row parquet.Row, columns [][]string) object {
	m := object{}
	for _, v := range row {
		c := v.Column()
		if c < 0 || c >= len(columns) || len(columns[c]) == 0 {
			continue
		}
		name := columns[c][0]
		val := parquetValue(v)
		if len(columns[c]) > 1 {
			a, _ := m[name].([]any)
			if a == nil {
				a = []any{}
			}
			if val != nil {
				a = append(a, val)
			}
			m[name] = a
			continue
		}
		m[name] = val
	}
	return m
}

func parquetValue(v parquet.Value) any {
	if v.IsNull() {
		return nil
	}
	switch v.Kind() {
	case parquet.Boolean:
		return v.Boolean()
	case parquet.Int32, parquet.Int64, parquet.Float, parquet.Double:
		return jsonpull.Number(v.String())
	}
	return strings.ToValidUTF8(string(v.ByteArray()), "\uFFFD")
}
