package belief

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Columns declares where a CSV file keeps what. The first line of the file holds
// the names.
type Columns struct {
	Task string // required: the id of the task
	// Group names columns that set runs of the same task apart, such as the
	// generator; their values, joined with "/", become Task.Group.
	Group []string
	// Candidate is an integer that orders the candidates of a task; empty means
	// the order of the rows.
	Candidate string
	Label     string // required: the truth
	Critics   []CriticColumn
	Scores    []string
	Comma     rune // 0 means ','
}

// CriticColumn declares one critic.
type CriticColumn struct {
	Column   string
	Name     string // empty: the name of the column
	Outcomes int    // 0 or 2: pass or fail; more: a whole number from 0 to Outcomes-1
}

// Reading is what ReadTable found. A row with an error takes its whole task out
// of the table, since a chain of candidates with a hole is another chain.
type Reading struct {
	Table   Table
	Rows    int // rows after the header, good or bad
	Errors  []RowError
	Dropped []string // tasks left out because of an error, as group/task, in order
}

// RowError is a value that could not be used.
type RowError struct {
	Line  int    // 1-based line of the file
	Field string // name of the column; empty if the row itself is broken
	Value string
	Why   string
}

// Error says where, what and why.
func (e RowError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Why)
	}
	return fmt.Sprintf("line %d, column %s: %q %s", e.Line, e.Field, e.Value, e.Why)
}

// Words are read without regard to case. An empty cell means that nothing was
// recorded; the words of missing mean that the critic was asked in vain.
var (
	passWords    = []string{"1", "true", "pass", "passed", "yes", "correct", "acceptable", "resolved"}
	failWords    = []string{"0", "false", "fail", "failed", "no", "wrong", "defective", "unresolved"}
	missingWords = []string{"missing", "null", "none", "na", "n/a", "nan", "error", "timeout", "unparseable"}
	unknownWords = append([]string{"", "unknown"}, missingWords...)
)

// ReadTable reads recorded candidates from CSV. Broken rows and values are
// collected, not fatal; the error is for a file that cannot be used at all: no
// header, an undeclared or doubled column, or a failing reader.
func ReadTable(r io.Reader, want Columns) (Reading, error) {
	in := csv.NewReader(r)
	in.ReuseRecord = true
	in.FieldsPerRecord = -1
	if want.Comma != 0 {
		in.Comma = want.Comma
	}
	header, err := in.Read()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("the file is empty")
		}
		return Reading{}, fmt.Errorf("read critic table: header: %w", err)
	}
	layout, err := newLayout(header, want)
	if err != nil {
		return Reading{}, fmt.Errorf("read critic table: %w", err)
	}
	b := builder{layout: layout, tasks: map[taskKey]int{}}
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		b.out.Rows++
		var broken *csv.ParseError
		if errors.As(err, &broken) {
			b.fail(RowError{Line: broken.StartLine, Why: broken.Err.Error()})
			continue
		}
		if err != nil {
			return Reading{}, fmt.Errorf("read critic table: %w", err)
		}
		line, _ := in.FieldPos(0)
		b.row(record, line)
	}
	return b.finish(), nil
}

// layout maps the declaration to positions in a row.
type layout struct {
	header                 []string
	task, candidate, label int // candidate -1: order of the rows
	group, critics, scores []int
	columns                []Column
	scoreNames             []string
}

func newLayout(header []string, want Columns) (layout, error) {
	l := layout{header: slices.Clone(header), candidate: -1, scoreNames: slices.Clone(want.Scores)}
	l.header[0] = strings.TrimPrefix(l.header[0], "\ufeff")
	for i := range l.header {
		l.header[i] = strings.TrimSpace(l.header[i])
	}
	var errs []error
	find := func(what, name string) int {
		at := slices.Index(l.header, name)
		switch {
		case name == "":
			errs = append(errs, fmt.Errorf("declare the column of the %s", what))
		case at < 0:
			errs = append(errs, fmt.Errorf("there is no column %q for the %s; the columns are %s", name, what, strings.Join(l.header, ", ")))
		case slices.Contains(l.header[at+1:], name):
			errs = append(errs, fmt.Errorf("column %q for the %s appears twice", name, what))
		}
		return at
	}
	l.task = find("task", want.Task)
	l.label = find("label", want.Label)
	if want.Candidate != "" {
		l.candidate = find("candidate", want.Candidate)
	}
	for _, g := range want.Group {
		l.group = append(l.group, find("group", g))
	}
	for _, s := range want.Scores {
		l.scores = append(l.scores, find("score", s))
	}
	for _, c := range want.Critics {
		l.critics = append(l.critics, find("critic", c.Column))
		col := Column{Name: cmp.Or(c.Name, c.Column), Outcomes: cmp.Or(c.Outcomes, 2)}
		if col.Outcomes < 2 {
			errs = append(errs, fmt.Errorf("critic %q: %d outcomes; a critic has at least two", col.Name, col.Outcomes))
		}
		if slices.ContainsFunc(l.columns, func(o Column) bool { return o.Name == col.Name }) {
			errs = append(errs, fmt.Errorf("critic %q is declared twice", col.Name))
		}
		l.columns = append(l.columns, col)
	}
	return l, errors.Join(errs...)
}

// width is the number of cells a row must have.
func (l layout) width() int {
	return 1 + max(l.task, l.label, l.candidate, slices.Max(append([]int{0}, slices.Concat(l.group, l.critics, l.scores)...)))
}

type taskKey struct{ group, id string }

func (k taskKey) String() string {
	if k.group == "" {
		return k.id
	}
	return k.group + "/" + k.id
}

type ordered struct {
	order int
	Candidate
}

type building struct {
	key        taskKey
	candidates []ordered
	seen       map[int]bool // values of the candidate column
	bad        bool
}

type builder struct {
	layout
	out   Reading
	tasks map[taskKey]int
	list  []building
}

func (b *builder) fail(e RowError) { b.out.Errors = append(b.out.Errors, e) }

func (b *builder) row(record []string, line int) {
	if len(record) < b.width() {
		b.fail(RowError{Line: line, Why: fmt.Sprintf("%d cells, %d needed", len(record), b.width())})
		if b.task < len(record) { // the task may still be named, and is then incomplete
			b.find(b.key(record)).bad = true
		}
		return
	}
	key := b.key(record)
	if key.id == "" {
		b.fail(RowError{Line: line, Field: b.header[b.task], Why: "names no task"})
		return
	}
	t := b.find(key)
	wrong := func(at int, why string) {
		b.fail(RowError{Line: line, Field: b.header[at], Value: strings.Clone(record[at]), Why: why})
		t.bad = true
	}
	c := ordered{order: len(t.candidates)}
	c.ID = strconv.Itoa(c.order)
	if b.candidate >= 0 {
		n, err := strconv.Atoi(strings.TrimSpace(record[b.candidate]))
		if err != nil {
			wrong(b.candidate, "is not a whole number")
		} else if t.seen[n] {
			wrong(b.candidate, "was already read for task "+key.String())
		}
		c.order, c.ID = n, strconv.Itoa(n)
		t.seen[n] = true
	}
	var why string
	if c.Y, why = parseLabel(record[b.label]); why != "" {
		wrong(b.label, why)
	}
	for i, at := range b.critics {
		z, why := parseOutcome(record[at], b.columns[i].Outcomes)
		if why != "" {
			wrong(at, why)
		}
		c.Outcomes = append(c.Outcomes, z)
	}
	for _, at := range b.scores {
		s, why := parseScore(record[at])
		if why != "" {
			wrong(at, why)
		}
		c.Scores = append(c.Scores, s)
	}
	t.candidates = append(t.candidates, c)
}

func (b *builder) key(record []string) taskKey {
	parts := make([]string, len(b.group))
	for i, at := range b.group {
		if at < len(record) {
			parts[i] = strings.TrimSpace(record[at])
		}
	}
	return taskKey{strings.Join(parts, "/"), strings.Clone(strings.TrimSpace(record[b.task]))}
}

func (b *builder) find(key taskKey) *building {
	i, ok := b.tasks[key]
	if !ok {
		i = len(b.list)
		b.tasks[key] = i
		b.list = append(b.list, building{key: key, seen: map[int]bool{}})
	}
	return &b.list[i]
}

func (b *builder) finish() Reading {
	b.out.Table.Critics, b.out.Table.Scores = b.columns, b.scoreNames
	for _, t := range b.list {
		if t.bad {
			b.out.Dropped = append(b.out.Dropped, t.key.String())
			continue
		}
		slices.SortStableFunc(t.candidates, func(x, y ordered) int { return cmp.Compare(x.order, y.order) })
		task := Task{ID: t.key.id, Group: t.key.group}
		for _, c := range t.candidates {
			task.Candidates = append(task.Candidates, c.Candidate)
		}
		b.out.Table.Tasks = append(b.out.Table.Tasks, task)
	}
	return b.out
}

func parseLabel(s string) (Label, string) {
	w := strings.ToLower(strings.TrimSpace(s))
	switch {
	case slices.Contains(passWords, w):
		return Correct, ""
	case slices.Contains(failWords, w):
		return Defective, ""
	case slices.Contains(unknownWords, w):
		return Unknown, ""
	}
	return Unknown, "is no label; use 1, 0 or nothing"
}

func parseOutcome(s string, outcomes int) (Outcome, string) {
	w := strings.ToLower(strings.TrimSpace(s))
	switch {
	case w == "" || w == "unrecorded":
		return Unrecorded, ""
	case slices.Contains(missingWords, w):
		return Missing, ""
	case outcomes == 2 && slices.Contains(passWords, w):
		return Pass, ""
	case outcomes == 2 && slices.Contains(failWords, w):
		return Fail, ""
	case outcomes == 2:
		return Missing, "is no outcome; use 1, 0, missing or nothing"
	}
	n, err := strconv.Atoi(w)
	if err != nil || n < 0 || n >= outcomes {
		return Missing, fmt.Sprintf("is no outcome; use a whole number from 0 to %d", outcomes-1)
	}
	return Outcome(n), ""
}

func parseScore(s string) (float64, string) {
	w := strings.ToLower(strings.TrimSpace(s))
	if slices.Contains(unknownWords, w) {
		return math.NaN(), ""
	}
	x, err := strconv.ParseFloat(w, 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		return math.NaN(), "is not a finite number"
	}
	return x, ""
}
