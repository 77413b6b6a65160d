package formats

import (
	"errors"
	"fmt"
	"io"
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

const parquetBatch = 32

const parquetMend = "; fetch the file again or write it anew"

func readParquet(x *reading) (err error) {
	at, size, err := x.readerAt()
	if err != nil {
		return err
	}
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
	columns := f.Schema().Columns()
	x.parquetFormat(columns)
	n := 0
	defer func() { x.count(n) }()
	for _, g := range f.RowGroups() {
		if err := x.rowGroup(g, columns, check, &n); err != nil {
			return err
		}
	}
	return nil
}

func (x *reading) rowGroup(g parquet.RowGroup, columns [][]string, check *parquetCheck, n *int) error {
	rows := g.Rows()
	defer rows.Close() // only reading
	buf := make([]parquet.Row, parquetBatch)
	for {
		k, err := rows.ReadRows(buf)
		for _, row := range buf[:k] {
			*n++
			if err := check.row(row); err != nil {
				return fmt.Errorf("row %d: %w"+parquetMend, *n, err)
			}
			if rerr := x.parquetRecord(x.at(*n, ""), parquetRow(row, columns)); rerr != nil {
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
