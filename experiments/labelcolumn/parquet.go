package labelcolumn

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"

	"plumbline/experiments/formats/jsonpull"
)

// ReadParquet is Read for a Parquet file of a size. Line is the number of the row.
func ReadParquet(at io.ReaderAt, size int64, column string, emit func(Row) error, fault func(line int, message string)) (err error) {
	t := &table{column: column, emit: emit, fault: fault}
	n := 0
	// The library panics on some damaged files; that is a fault of the file.
	defer func() {
		if p := recover(); p != nil {
			fault(n+1, fmt.Sprintf("not readable as Parquet: %v", p))
		}
	}()
	f, err := parquet.OpenFile(at, size)
	if err != nil {
		fault(0, "not readable as Parquet: "+err.Error())
		return nil
	}
	wanted := map[int]string{}
	for i, path := range f.Schema().Columns() {
		name := strings.Join(path, ".")
		switch name {
		case column, "instance_id", "model_name_or_path", "model_name", "model", "agent", "attempt", "model_patch":
			wanted[i] = name
		}
	}
	for _, g := range f.RowGroups() {
		if err := t.group(g, wanted, &n); err != nil {
			return err
		}
	}
	return nil
}

func (t *table) group(g parquet.RowGroup, wanted map[int]string, n *int) error {
	rows := g.Rows()
	defer rows.Close() // only reading
	buf := make([]parquet.Row, 32)
	for {
		k, err := rows.ReadRows(buf)
		for _, row := range buf[:k] {
			*n++
			m := map[string]any{}
			for _, v := range row {
				if name := wanted[v.Column()]; name != "" {
					m[name] = cellOf(v)
				}
			}
			if err := t.object(*n, "", m); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			t.fault(*n+1, "not readable as Parquet: "+err.Error())
			return nil
		}
	}
}

func cellOf(v parquet.Value) any {
	if v.IsNull() {
		return nil
	}
	switch v.Kind() {
	case parquet.Boolean:
		return v.Boolean()
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return strings.ToValidUTF8(string(v.ByteArray()), "\ufffd")
	}
	return jsonpull.Number(v.String())
}
