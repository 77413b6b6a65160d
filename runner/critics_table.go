package runner

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"plumbline/experiments/belief"
	"plumbline/models"
)

// MaxCriticBytes is the largest critic table that is taken.
const MaxCriticBytes = 32 << 20

// CriticDeclaration says which column of a CSV file holds what, as belief.Columns
// does, and how its candidates came about.
type CriticDeclaration struct {
	Task      string         `json:"task"`
	Label     string         `json:"label"`
	Candidate string         `json:"candidate,omitempty"`
	Group     []string       `json:"group,omitempty"`
	Critics   []CriticSource `json:"critics"`
	Scores    []string       `json:"scores,omitempty"`
	Comma     string         `json:"comma,omitempty"` // one character; empty: a comma
	// Chains: each candidate was made with feedback on the one before; otherwise
	// they are independent samples.
	Chains bool `json:"chains,omitempty"`
}

// CriticSource is one declared critic: a column, the name it goes by (empty: the
// column's) and its number of outcomes (0 or 2: pass and fail).
type CriticSource struct {
	Column   string `json:"column"`
	Name     string `json:"name,omitempty"`
	Outcomes int    `json:"outcomes,omitempty"`
}

// ParseCriticSource reads "column", "name=column" and "column:6", the number being
// that of outcomes.
func ParseCriticSource(s string) CriticSource {
	var out CriticSource
	s = strings.TrimSpace(s)
	if i := strings.LastIndexByte(s, ':'); i > 0 {
		if n, err := strconv.Atoi(strings.TrimSpace(s[i+1:])); err == nil {
			out.Outcomes, s = n, strings.TrimSpace(s[:i])
		}
	}
	if name, column, ok := strings.Cut(s, "="); ok {
		out.Name, s = strings.TrimSpace(name), strings.TrimSpace(column)
	}
	out.Column = s
	return out
}

func (d CriticDeclaration) columns() (belief.Columns, error) {
	bad := map[string]string{}
	out := belief.Columns{Task: d.Task, Group: d.Group, Candidate: d.Candidate, Label: d.Label, Scores: d.Scores}
	if d.Comma != "" {
		r, n := utf8.DecodeRuneInString(d.Comma)
		if n != len(d.Comma) || r == '"' || r == '\r' || r == '\n' || r == utf8.RuneError {
			bad["comma"] = "give one character that separates cells"
		}
		out.Comma = r
	}
	if d.Task == "" {
		bad["task"] = "name the column that holds the id of the task"
	}
	if d.Label == "" {
		bad["label"] = "name the column that holds the truth"
	}
	if len(d.Critics) == 0 && len(d.Scores) == 0 {
		bad["critics"] = "name at least one column with verdicts, or one with scores"
	}
	for _, c := range d.Critics {
		if c.Outcomes < 0 || c.Outcomes == 1 || c.Outcomes > 1000 {
			bad["critics"] = fmt.Sprintf("%q has 2 to 1000 outcomes, not %d", c.Column, c.Outcomes)
		}
		if len(cmp.Or(c.Name, c.Column)) > maxCriticName {
			bad["critics"] = fmt.Sprintf("a critic has a name of at most %d bytes; give a long column another one with name=column", maxCriticName)
		}
		out.Critics = append(out.Critics, belief.CriticColumn{Column: c.Column, Name: c.Name, Outcomes: c.Outcomes})
	}
	if len(bad) > 0 {
		return out, &models.InvalidError{Fields: bad}
	}
	return out, nil
}

// ImportCritics reads a CSV file with declared columns and stores it. Rows that
// cannot be used are kept as errors and take their task out; a file without a
// single usable task is refused. Importing the same again changes nothing.
func (r *Runner) ImportCritics(ctx context.Context, v models.Viewer, projectID, name, origin string, content []byte, d CriticDeclaration) (models.CriticTable, belief.Reading, error) {
	columns, err := d.columns()
	if err != nil {
		return models.CriticTable{}, belief.Reading{}, err
	}
	if len(content) > MaxCriticBytes {
		return models.CriticTable{}, belief.Reading{}, models.Invalid("file", fmt.Sprintf("it is larger than %d MiB", MaxCriticBytes>>20))
	}
	read, err := belief.ReadTable(bytes.NewReader(content), columns)
	if err != nil {
		return models.CriticTable{}, read, models.Invalid("file", plainWords(err))
	}
	if len(read.Table.Tasks) == 0 {
		why := "it holds no row after the header"
		if len(read.Errors) > 0 {
			why = "no task could be read whole; the first error is: " + read.Errors[0].Error()
		}
		return models.CriticTable{}, read, models.Invalid("file", why)
	}
	declared, err := json.Marshal(d)
	if err != nil {
		return models.CriticTable{}, read, fmt.Errorf("write the declaration: %w", err)
	}
	draft := models.CriticTableDraft{
		ProjectID: projectID, Name: name, Origin: origin, Declared: string(declared), Content: content,
		RowCount: read.Rows, TaskCount: len(read.Table.Tasks), Candidates: read.Table.Candidates(), Dropped: len(read.Dropped),
	}
	for _, e := range read.Errors {
		draft.Errors = append(draft.Errors, models.CriticTableError{Line: e.Line, Field: e.Field, Value: e.Value, Why: e.Why})
	}
	t, err := r.store.SaveCriticTable(ctx, v, draft)
	return t, read, err
}

// maxCriticName bounds the names of critics, which stand all over the pages.
const maxCriticName = 120

// plainWords is an error without the part that says what the code was doing.
func plainWords(err error) string {
	text := err.Error()
	for _, doing := range []string{"read critic table: ", "header: "} {
		text = strings.TrimPrefix(text, doing)
	}
	return strings.ReplaceAll(text, "\n", "; ")
}

// RecordedTable reads an imported table again.
func (r *Runner) RecordedTable(ctx context.Context, v models.Viewer, id string) (Recorded, models.CriticTable, error) {
	t, err := r.store.CriticTable(ctx, v, id)
	if err != nil {
		return Recorded{}, t, err
	}
	content, err := r.store.CriticTableContent(ctx, v, id)
	if err != nil {
		return Recorded{}, t, err
	}
	var d CriticDeclaration
	if err := json.Unmarshal([]byte(t.Declared), &d); err != nil {
		return Recorded{}, t, fmt.Errorf("read the declaration of critic table %s: %w", id, err)
	}
	columns, err := d.columns()
	if err != nil {
		return Recorded{}, t, fmt.Errorf("read the declaration of critic table %s: %w", id, err)
	}
	read, err := belief.ReadTable(bytes.NewReader(content), columns)
	if err != nil {
		return Recorded{}, t, errors.Join(fmt.Errorf("read critic table %s again", id), err)
	}
	return recordedColumns(t, d, read), t, nil
}

// recordedColumns makes critics and scores of the columns. The ids of candidates
// are made unique over the table, so that one can be named in an address.
func recordedColumns(t models.CriticTable, d CriticDeclaration, read belief.Reading) Recorded {
	h := fnv.New64a()
	h.Write([]byte(t.SHA256)) // the same file draws the same resamples everywhere
	out := Recorded{Title: t.Name, Table: read.Table, Chains: d.Chains, Seed: h.Sum64() >> 40, Splits: make([]string, len(read.Table.Tasks))}
	groups := read.Table.Groups()
	out.Generators = len(groups)
	for i := range out.Table.Tasks {
		k := &out.Table.Tasks[i]
		for j := range k.Candidates {
			k.Candidates[j].ID = fmt.Sprintf("%d.%d", i+1, j+1)
		}
	}
	for i, c := range read.Table.Critics {
		out.Critics = append(out.Critics, RecordedCritic{Key: columnKey(c.Name, i), Name: c.Name, Kind: CriticColumn, Arm: -1, Usual: i < usualCritics})
	}
	for i, s := range read.Table.Scores {
		out.Scores = append(out.Scores, RecordedScore{Key: columnKey(s, i), Name: s, Kind: ScoreColumn})
	}
	out.countScores()
	if n := len(read.Dropped); n > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d tasks are left out because of a row that could not be read.", n))
	}
	if len(groups) > 1 {
		out.Notes = append(out.Notes, fmt.Sprintf("The tasks come from %d groups; estimates are over all of them.", len(groups)))
	}
	return out
}

// columnKey names a column in an address: by its name where that is plain.
func columnKey(name string, i int) string {
	if plainName.MatchString(name) {
		return name
	}
	return "column-" + strconv.Itoa(i+1)
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,60}$`)
