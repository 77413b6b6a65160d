package labelcolumn

import (
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"

	"plumbline/experiments/formats"
	"plumbline/experiments/formats/jsonpull"
)

// ReadParquet is Read for a Parquet file of a size. Line is the number of the row.
func ReadParquet(at io.ReaderAt, size int64, column string, emit func(Row) error, fault func(line int, message string)) error {
	t := &table{column: column, emit: emit, fault: fault}
	wanted := map[int]string{}
	read := 0
	var stop error
	err := formats.EachParquetRow(at, size, func(columns [][]string) {
		for i, path := range columns {
			name := strings.Join(path, ".")
			switch name {
			case column, "instance_id", "model_name_or_path", "model_name", "model", "agent", "attempt", "model_patch":
				wanted[i] = name
			}
		}
	}, func(n int, row parquet.Row) error {
		read = n
		m := map[string]any{}
		for _, v := range row {
			if name := wanted[v.Column()]; name != "" {
				m[name] = cellOf(v)
			}
		}
		stop = t.object(n, "", m)
		return stop
	})
	if stop == nil && err != nil {
		fault(read+1, err.Error())
	}
	return stop
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
