package models

import (
	"context"
	"fmt"
	"strings"

	"gorm.io/gorm"
)

// TraceFilter narrows a list of traces; zero fields do not.
type TraceFilter struct {
	DatasetID  string
	SplitID    string
	Label      string
	Bucket     string
	Agent      string
	Repo       string
	PatchState string
	Reason     string // outcome reason
	Text       string // part of the instance id
}

// Page asks for part of a list: at most Limit rows after the cursor.
type Page struct {
	Sort  string // a column of the list; a leading "-" for descending
	After string // cursor of the last row of the page before; empty for the first page
	Limit int
}

// traceSorts are the columns a list of traces may be sorted by. Each is NOT NULL
// or made so, and the id breaks ties, so that pages are stable.
var traceSorts = map[string]string{
	"": "t.id", "id": "t.id", "instance": "t.instance_id", "agent": "t.agent", "repo": "t.repo", "label": "t.label",
	"steps": "t.step_count", "size": "coalesce(t.patch_added + t.patch_removed, -1)", "cost": "coalesce(t.cost_usd, -1)",
}

// Traces lists traces without any large text, and the cursor of the next page,
// empty at the end. An unknown cost or size sorts below every known one.
func (s *Store) Traces(ctx context.Context, v Viewer, f TraceFilter, p Page) (rows []TraceRow, next string, err error) {
	defer wrap(&err, "list traces of dataset %s", f.DatasetID)
	if _, err := s.Dataset(ctx, v, f.DatasetID); err != nil {
		return nil, "", err
	}
	name, desc := strings.CutPrefix(p.Sort, "-")
	expr, ok := traceSorts[name]
	if !ok {
		return nil, "", Invalid("sort", fmt.Sprintf("there is no column %q to sort by", name))
	}
	if p.Limit <= 0 || p.Limit > 500 {
		p.Limit = 50
	}
	q := f.apply(s.read(ctx).Table("traces t").Select("t.*"))
	dir, cmp := "ASC", ">"
	if desc {
		dir, cmp = "DESC", "<"
	}
	if p.After != "" {
		// The cursor is a trace id; its sort key is looked up, so that the URL
		// stays short and cannot carry a forged key.
		q = q.Where(fmt.Sprintf("(%s, t.id) %s (SELECT %s, t.id FROM traces t WHERE t.id = ?)", expr, cmp, expr), p.After)
	}
	if err := q.Order(expr + " " + dir + ", t.id " + dir).Limit(p.Limit + 1).Scan(&rows).Error; err != nil {
		return nil, "", err
	}
	if len(rows) > p.Limit {
		rows = rows[:p.Limit]
		next = rows[p.Limit-1].ID
	}
	return rows, next, nil
}

// CountTraces counts what a filter selects.
func (s *Store) CountTraces(ctx context.Context, v Viewer, f TraceFilter) (n int64, err error) {
	defer wrap(&err, "count traces of dataset %s", f.DatasetID)
	if _, err := s.Dataset(ctx, v, f.DatasetID); err != nil {
		return 0, err
	}
	err = f.apply(s.read(ctx).Table("traces t")).Count(&n).Error
	return n, err
}

func (f TraceFilter) apply(q *gorm.DB) *gorm.DB {
	q = q.Where("t.dataset_id = ?", f.DatasetID)
	if f.SplitID != "" {
		q = q.Where("EXISTS (SELECT 1 FROM split_traces st WHERE st.trace_id = t.id AND st.split_id = ?)", f.SplitID)
	}
	for _, c := range []struct{ column, value string }{
		{"t.label", f.Label}, {"t.bucket", f.Bucket}, {"t.agent", f.Agent}, {"t.repo", f.Repo},
		{"t.patch_state", f.PatchState}, {"t.outcome_reason", f.Reason},
	} {
		if c.value != "" {
			q = q.Where(c.column+" = ?", c.value)
		}
	}
	if f.Text != "" {
		q = q.Where(`lower(t.instance_id) LIKE ? ESCAPE '\'`, "%"+likeEscape(strings.ToLower(f.Text))+"%")
	}
	return q
}

func likeEscape(s string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s)
}
