package models

import (
	"context"
	"fmt"
)

// TracePlace is where a trace stands in a list: its neighbours and its place,
// counted from 1; 0 when the trace is not in the list.
type TracePlace struct {
	Prev, Next   string // trace ids, empty at the ends
	Place, Total int
}

// PlaceTrace finds a trace's place in the list that Traces would give.
func (s *Store) PlaceTrace(ctx context.Context, v Viewer, f TraceFilter, sort, id string) (out TracePlace, err error) {
	defer wrap(&err, "place trace %s in a list", id)
	if _, err := s.Dataset(ctx, v, f.DatasetID); err != nil {
		return out, err
	}
	expr, desc, err := traceSort(sort)
	if err != nil {
		return out, err
	}
	if err := f.check(); err != nil {
		return out, err
	}
	from := s.listed(f, sort)
	dir, cmp, back, backCmp := "ASC", ">", "DESC", "<"
	if desc {
		dir, cmp, back, backCmp = back, backCmp, dir, cmp
	}
	beside := func(cmp string) string {
		return fmt.Sprintf("(%s, t.id) %s (SELECT %s, t.id FROM traces t WHERE t.id = ?)", expr, cmp, expr)
	}
	neighbour := func(cmp, dir string, to *string) error {
		return f.apply(s.read(ctx).Table(from).Select("t.id")).Where(beside(cmp), id).
			Order(expr + " " + dir + ", t.id " + dir).Limit(1).Scan(to).Error
	}
	if err := neighbour(cmp, dir, &out.Next); err != nil {
		return out, err
	}
	if err := neighbour(backCmp, back, &out.Prev); err != nil {
		return out, err
	}
	var total, before, self int64
	if err := f.apply(s.read(ctx).Table(s.tracesBy("traces_by_filter"))).Count(&total).Error; err != nil {
		return out, err
	}
	if err := f.apply(s.read(ctx).Table("traces t")).Where("t.id = ?", id).Count(&self).Error; err != nil {
		return out, err
	}
	if err := f.apply(s.read(ctx).Table(s.tracesBy("traces_by_filter"))).Where(beside(backCmp), id).Count(&before).Error; err != nil {
		return out, err
	}
	out.Total = int(total)
	if self == 1 {
		out.Place = int(before) + 1
	}
	return out, nil
}
