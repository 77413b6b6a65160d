package formats

import (
	"strings"

	"github.com/parquet-go/parquet-go"

	"plumbline/experiments/formats/jsonpull"
)

// Parquet: dataset rows in the form of the Hugging Face Hub (one column a key, text
// columns, lists of texts where a set keeps FAIL_TO_PASS as a list), and recorded
// votes and decisions. What a file holds is told by its columns, whose names stand
// at its end, so it is decided when the file is read. Rows are read in small
// batches.

func matchParquet(l *look) Confidence {
	if strings.HasPrefix(l.text, "PAR1") {
		return Certain
	}
	return None
}

func readParquet(x *reading) error {
	at, size, err := x.readerAt()
	if err != nil {
		return err
	}
	var columns [][]string
	read := 0
	defer func() { x.count(read) }()
	return EachParquetRow(at, size, func(c [][]string) {
		columns = c
		x.parquetFormat(columns)
	}, func(n int, row parquet.Row) error {
		read = n
		if err := x.parquetRecord(x.at(n, ""), parquetRow(row, columns)); err != nil {
			if x.stop != nil {
				return x.stop
			}
			x.fault(n, "", err)
		}
		return nil
	})
}

// parquetFormat tells votes and decisions from dataset rows.
func (x *reading) parquetFormat(columns [][]string) {
	var names []string
	for _, c := range columns {
		if len(c) > 0 {
			names = append(names, c[0])
		}
	}
	switch {
	case hasColumns(names, "instance_id", "reviewer", "decision"):
		x.format = DecisionsParquet
	case hasColumns(names, "instance_id", "reviewer", "verdict"):
		x.format = VotesParquet
	default:
		x.format = ParquetRows
	}
	x.report.Format = x.format
}

func (x *reading) parquetRecord(at Pos, m object) error {
	switch x.format {
	case VotesParquet:
		return x.vote(at, m)
	case DecisionsParquet:
		return x.decision(at, m)
	}
	return x.row(at, m)
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
