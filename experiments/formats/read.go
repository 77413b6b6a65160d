package formats

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"plumbline/experiments/formats/jsonpull"
)

// SniffLen is the number of leading bytes a caller should give to Sniff. Fewer
// are fine; a key behind them is not seen.
const SniffLen = 256 << 10

// maxProblems bounds the problems kept for one file; the rest is counted.
const maxProblems = 200

// Source names a file of an import. Path uses slashes and is relative to the
// root of the import, because folder names carry meaning (instance ids, runs).
type Source struct {
	Path string
	Size int64 // bytes, 0 when unknown; needed only for zip files read at random
}

// Report of one file: what Read found.
type FileReport struct {
	Path     string     `json:"path"`
	Format   Format     `json:"format"`
	Records  *int       `json:"records"` // nil for formats that have no records
	Problems []*Problem `json:"problems"`
	// Dropped counts problems beyond the ones kept.
	Dropped int `json:"-"`
	// Empty counts blank lines and records that say nothing.
	Empty int `json:"-"`
}

// ErrUnknown is returned by Read for a format it has no reader for.
var ErrUnknown = errors.New("unknown format")

// Read reads r as format f and calls emit for each record in the order of the
// file. What cannot be read becomes a *Problem, in the report and through emit,
// and reading goes on where the format allows. The error is not about content:
// it is a failing r, an error of emit, or ErrUnknown.
func Read(f Format, r io.Reader, src Source, emit func(Record) error) (FileReport, error) {
	sp, ok := registry[f]
	if !ok {
		return FileReport{Path: src.Path, Format: f}, fmt.Errorf("read %s as %q: %w", src.Path, f, ErrUnknown)
	}
	x := &reading{src: src, format: f, emit: emit, in: &plainReader{r: r}, raw: r}
	x.report = FileReport{Path: src.Path, Format: f, Problems: []*Problem{}}
	err := sp.read(x)
	if x.invalid {
		x.report.Format = JSONInvalid
		x.count(0)
	}
	var se *jsonpull.SyntaxError
	switch {
	case x.stop != nil:
		return x.report, x.stop
	case x.in.err != nil:
		return x.report, fmt.Errorf("read %s: %w", src.Path, x.in.err)
	case errors.As(err, &se):
		x.problem(se.Line, "", fmt.Sprintf("not valid JSON at column %d: %s", se.Column, se.Msg))
	case err != nil:
		x.problem(0, "", err.Error())
	}
	return x.report, x.stop
}

// reading is the state of one file being read.
type reading struct {
	src    Source
	format Format
	in     *plainReader
	emit   func(Record) error
	report FileReport
	n      int // records emitted, for Ref
	raw    io.Reader
	// malformed says that the number of records cannot be told.
	malformed bool
	// invalid says that the file is no strict JSON.
	invalid bool
	stop    error // first error of emit
}

// plainReader remembers an error of the source, which is not a fault of the text.
type plainReader struct {
	r   io.Reader
	err error
}

func (p *plainReader) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		p.err = err
	}
	return n, err
}

// ref is the Ref of the record that will be emitted next.
func (x *reading) ref() Ref { return Ref{Path: x.src.Path, N: x.n} }

// at is the position of the next record.
func (x *reading) at(line int, key string) Pos { return Pos{Ref: x.ref(), Line: line, Key: key} }

// put emits a record; the error of emit ends the file.
func (x *reading) put(rec Record) error {
	if x.stop != nil {
		return x.stop
	}
	if _, isStep := rec.(*Step); !isStep {
		x.n++
	}
	x.stop = x.emit(rec)
	return x.stop
}

// problem notes something unreadable.
func (x *reading) problem(line int, field, msg string) {
	p := &Problem{Path: x.src.Path, Line: line, Field: field, Message: msg}
	if len(x.report.Problems) < maxProblems {
		x.report.Problems = append(x.report.Problems, p)
	} else {
		x.report.Dropped++
	}
	if x.stop == nil {
		x.stop = x.emit(p)
	}
}

// fieldError is a fault of one field of a record.
type fieldError struct{ field, msg string }

func (e *fieldError) Error() string { return e.field + " " + e.msg }

// fault notes a record that parses and cannot be used. at is its key, if any.
func (x *reading) fault(line int, at string, err error) {
	var fe *fieldError
	if !errors.As(err, &fe) {
		x.problem(line, at, err.Error())
		return
	}
	if at != "" {
		at += "."
	}
	x.problem(line, at+fe.field, fe.msg)
}

// count sets the number of records of the file.
func (x *reading) count(n int) { x.report.Records = &n }

// tree reads the whole file as one JSON value.
func (x *reading) tree() (any, error) {
	r := jsonpull.New(x.in)
	v, err := r.Value()
	if err != nil {
		return nil, err
	}
	x.relaxed(r)
	if more, err := r.More(); err != nil || more {
		if err != nil {
			return v, err
		}
		x.problem(r.Line(), "", "text after the end of the document")
	}
	return v, nil
}

// relaxed notes a trailing comma. The file is not JSON, so the report calls it
// json-invalid with no records, although what it says is used.
func (x *reading) relaxed(r *jsonpull.Reader) {
	if r.Relaxed != nil {
		x.invalid = x.format != SARIF
		x.problem(r.Relaxed.Line, "", fmt.Sprintf("not strict JSON at column %d: %s; read as "+string(x.format)+" nevertheless", r.Relaxed.Column, r.Relaxed.Msg))
	}
}

// lines reads JSON lines: fn gets each value that parses. Blank lines are
// skipped; a line that does not parse, or fn refuses, is a problem.
func (x *reading) lines(fn func(line int, v any) error) error {
	return x.eachLine(func(r *jsonpull.Reader, line int) error {
		v, err := r.Value()
		if err != nil {
			return err
		}
		if more, err := r.More(); err != nil {
			return err
		} else if more {
			return &jsonpull.SyntaxError{Line: line, Column: 1, Msg: "text after the end of the value"}
		}
		return fn(line, v)
	})
}

// eachLine calls fn for each line that is not blank, and counts those that parse.
func (x *reading) eachLine(fn func(r *jsonpull.Reader, line int) error) error {
	r := jsonpull.NewLines(x.in)
	good := 0
	defer func() { x.count(good) }()
	for {
		k, err := r.Kind()
		if err != nil {
			return err
		}
		if k != jsonpull.End {
			line := r.Line()
			err := fn(r, line)
			var se *jsonpull.SyntaxError
			switch {
			case x.stop != nil || x.in.err != nil:
				return x.stop
			case err == nil:
				good++
			case errors.As(err, &se):
				x.problem(line, "", fmt.Sprintf("not valid JSON at column %d: %s", se.Column, se.Msg))
			default:
				good++ // it is a line of JSON, with a fault in what it says
				x.fault(line, "", err)
			}
		} else {
			x.report.Empty++
		}
		more, err := r.NextLine()
		if err != nil || !more {
			return err
		}
	}
}

// text reads the whole file, at most limit bytes.
func (x *reading) text(limit int64) (string, error) {
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(x.in, limit+1))
	if err != nil {
		return "", err
	}
	if n > limit {
		return "", fmt.Errorf("larger than %d MB, not read", limit>>20)
	}
	return strings.ToValidUTF8(strings.TrimPrefix(b.String(), "\ufeff"), "\uFFFD"), nil
}

// base is the file name of the source; dir the name of its folder.
func (x *reading) base() string { return path.Base(x.src.Path) }
func (x *reading) dir() string  { return path.Base(path.Dir(x.src.Path)) }
