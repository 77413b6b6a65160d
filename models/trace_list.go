package models

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"
)

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
	"model": "t.model", "outcome": "t.outcome_reason",
	"steps": "t.step_count", "size": "coalesce(t.patch_added + t.patch_removed, -1)", "cost": "coalesce(t.cost_usd, -1)",
}

// traceSort gives the expression of a sort and whether it descends.
func traceSort(sort string) (expr string, desc bool, err error) {
	name, desc := strings.CutPrefix(sort, "-")
	expr, ok := traceSorts[name]
	if !ok {
		return "", false, Invalid("sort", fmt.Sprintf("there is no column %q to sort by", name))
	}
	return expr, desc, nil
}

// listed is where a list under this filter and sort is read from.
func (s *Store) listed(f TraceFilter, sort string) string {
	if name := strings.TrimPrefix(sort, "-"); !f.Narrows() && (name == "" || name == "id" || name == "instance") {
		return "traces t" // an index has them in this order
	}
	return s.tracesBy("traces_by_filter")
}

// Traces lists traces without any large text, and the cursor of the next page,
// empty at the end. An unknown cost or size sorts below every known one.
func (s *Store) Traces(ctx context.Context, v Viewer, f TraceFilter, p Page) (rows []TraceRow, next string, err error) {
	defer wrap(&err, "list traces of dataset %s", f.DatasetID)
	if _, err := s.Dataset(ctx, v, f.DatasetID); err != nil {
		return nil, "", err
	}
	expr, desc, err := traceSort(p.Sort)
	if err != nil {
		return nil, "", err
	}
	if err := f.check(); err != nil {
		return nil, "", err
	}
	if p.Limit <= 0 || p.Limit > 500 {
		p.Limit = 50
	}
	dir, cmp := "ASC", ">"
	if desc {
		dir, cmp = "DESC", "<"
	}
	q := f.apply(s.read(ctx).Table(s.listed(f, p.Sort)))
	if p.After != "" {
		// The cursor is a trace id; its sort key is looked up, so that the URL
		// stays short and cannot carry a forged key.
		q = q.Where(fmt.Sprintf("(%s, t.id) %s (SELECT %s, t.id FROM traces t WHERE t.id = ?)", expr, cmp, expr), p.After)
	}
	// First the ids, from an index alone; then the rows that are shown.
	var ids []string
	if err := q.Order(expr+" "+dir+", t.id "+dir).Limit(p.Limit+1).Pluck("t.id", &ids).Error; err != nil {
		return nil, "", err
	}
	if len(ids) > p.Limit {
		ids = ids[:p.Limit]
		next = ids[p.Limit-1]
	}
	rows, err = traceRows(s.read(ctx), ids)
	return rows, next, err
}

// traceRows loads traces in the order of their ids.
func traceRows(db *gorm.DB, ids []string) ([]TraceRow, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []TraceRow
	if err := db.Where("id IN ?", ids).Find(&rows).Error; err != nil {
		return nil, err
	}
	place := make(map[string]int, len(ids))
	for i, id := range ids {
		place[id] = i
	}
	slices.SortFunc(rows, func(a, b TraceRow) int { return place[a.ID] - place[b.ID] })
	return rows, nil
}

// CountTraces counts what a filter selects.
func (s *Store) CountTraces(ctx context.Context, v Viewer, f TraceFilter) (n int64, err error) {
	defer wrap(&err, "count traces of dataset %s", f.DatasetID)
	if _, err := s.Dataset(ctx, v, f.DatasetID); err != nil {
		return 0, err
	}
	if err := f.check(); err != nil {
		return 0, err
	}
	err = f.apply(s.read(ctx).Table(s.tracesBy("traces_by_filter"))).Count(&n).Error
	return n, err
}

// TraceDim is what traces are counted by.
type TraceDim string

// Dimensions that a list offers with counts.
const (
	ByLabel TraceDim = "label" // and bucket
	ByAgent TraceDim = "agent"
	ByRepo  TraceDim = "repo"
)

// TraceCount is how many traces have a value; with ByLabel, a label and a bucket.
type TraceCount struct {
	Value  string
	Bucket string
	N      int
}

// ByLabelAlone reports whether the filter asks for nothing but what CountTracesBy
// counts by label under, so that those counts tell how many traces it selects.
func (f TraceFilter) ByLabelAlone() bool {
	return f.Model == "" && f.PatchState == "" && f.Reason == "" && f.LabelSource == "" && f.Text == "" &&
		!slices.ContainsFunc(f.Without, func(name string) bool { return name == "model" || name == "reason" || name == "source" })
}

// WholeByLabel reports whether CountTracesBy by label counts the whole dataset under
// this filter.
func (f TraceFilter) WholeByLabel() bool {
	return f.SplitID == "" && f.Agent == "" && f.Repo == "" &&
		!slices.ContainsFunc(f.Without, func(name string) bool { return name == "split" || name == "agent" || name == "repo" })
}

// WholeByAgent reports the same of CountTracesBy by agent.
func (f TraceFilter) WholeByAgent() bool {
	return f.Label == "" && f.Bucket == "" && f.Repo == "" &&
		!slices.ContainsFunc(f.Without, func(name string) bool { return name == "bucket" || name == "repo" })
}

// CountTracesBy counts the traces of a dataset by a dimension, under what the
// filter says of label, bucket, agent and repository, by label of the split too,
// except for the dimension itself: the counts that each value would leave. The rest
// of the filter does not count. Values come in their order, without those that no
// trace has.
func (s *Store) CountTracesBy(ctx context.Context, v Viewer, f TraceFilter, by TraceDim) (out []TraceCount, err error) {
	defer wrap(&err, "count traces of dataset %s by %s", f.DatasetID, by)
	if _, err := s.Dataset(ctx, v, f.DatasetID); err != nil {
		return nil, err
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	under := TraceFilter{DatasetID: f.DatasetID, Label: f.Label, Bucket: f.Bucket, Agent: f.Agent, Repo: f.Repo}
	for _, name := range f.Without {
		if name != string(by) && (name == "agent" || name == "repo" || name == "split" && by == ByLabel || name == "bucket" && by != ByLabel) {
			under.Without = append(under.Without, name)
		}
	}
	index, columns := "traces_by_filter", "t.label AS value, t.bucket"
	switch by {
	case ByLabel:
		under.Label, under.Bucket, under.SplitID = "", "", f.SplitID
	case ByAgent:
		under.Agent, index, columns = "", "traces_by_agent", "t.agent AS value"
	case ByRepo:
		under.Repo, index, columns = "", "traces_by_repo", "t.repo AS value"
	default:
		return nil, Invalid("by", fmt.Sprintf("traces are not counted by %q", by))
	}
	group := strings.ReplaceAll(columns, " AS value", "")
	err = under.apply(s.read(ctx).Table(s.tracesBy(index)).Select(columns + ", count(*) AS n")).Group(group).Order(group).Scan(&out).Error
	return out, err
}
