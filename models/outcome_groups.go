package models

import (
	"context"
	"fmt"
)

// OutcomeCount counts items with the same state, truth and decision. The numbers
// of all lists of a page are sums of these.
type OutcomeCount struct {
	State    string
	Label    string
	Decision string // empty while undecided
	N        int
}

// CountOutcomeCells counts the selected items by state, truth and decision.
// Cells, States and Misread of the query are not applied: they are what is counted.
func (s *Store) CountOutcomeCells(ctx context.Context, v Viewer, q OutcomeQuery) (out []OutcomeCount, err error) {
	defer wrap(&err, "count items of experiment %s", q.ExperimentID)
	if _, err := s.Experiment(ctx, v, q.ExperimentID); err != nil {
		return nil, err
	}
	q.Cells, q.States, q.Misread = nil, nil, false
	if q.plain() {
		return s.countAllCells(ctx, q)
	}
	err = q.apply(s.outcomeTables(ctx)).Select("i.state, t.label, coalesce(d.decision, '') AS decision, count(*) AS n").
		Group("i.state, t.label, coalesce(d.decision, '')").Order("i.state, t.label, coalesce(d.decision, '')").Scan(&out).Error
	return out, err
}

// plain reports whether nothing but the arm narrows a query, so that the index of
// decisions and that of states answer it without looking at a trace.
func (q OutcomeQuery) plain() bool {
	return q.Repo == "" && q.Agent == "" && q.Bucket == "" && q.Label == "" && q.Size == "" && q.Flagged == "" && q.Stage == "" && len(q.Patterns) == 0 && q.Against == ""
}

// countAllCells is CountOutcomeCells of a plain query.
func (s *Store) countAllCells(ctx context.Context, q OutcomeQuery) (out []OutcomeCount, err error) {
	decided := s.read(ctx).Table("decisions").Select("'done' AS state, label, decision, count(*) AS n").Where("experiment_id = ?", q.ExperimentID)
	open := s.read(ctx).Table("items i").Select("i.state, t.label, '' AS decision, count(*) AS n").Joins("JOIN traces t ON t.id = i.trace_id").
		Where("i.experiment_id = ? AND i.state IN ?", q.ExperimentID, []string{ItemPending, ItemRunning, ItemError, ItemBlocked})
	if q.ArmID != "" {
		decided, open = decided.Where("arm_id = ?", q.ArmID), open.Where("i.arm_id = ?", q.ArmID)
	}
	if err := decided.Group("label, decision").Order("label, decision").Scan(&out).Error; err != nil {
		return nil, err
	}
	var rest []OutcomeCount
	if err := open.Group("i.state, t.label").Order("i.state, t.label").Scan(&rest).Error; err != nil {
		return nil, err
	}
	return append(out, rest...), nil
}

// CountMisread counts the items of a query with a vote that contradicts its
// evidence or itself, whatever their state and decision.
func (s *Store) CountMisread(ctx context.Context, v Viewer, q OutcomeQuery) (n int64, err error) {
	defer wrap(&err, "count misread items of experiment %s", q.ExperimentID)
	if _, err := s.Experiment(ctx, v, q.ExperimentID); err != nil {
		return 0, err
	}
	q.Cells, q.States, q.Misread = nil, nil, true
	err = q.apply(s.outcomeTables(ctx)).Count(&n).Error
	return n, err
}

// kindCascade is the kind of an experiment whose items go through stages.
const kindCascade = "cascade"

// OutcomeFacet counts the selected items by what a list can be narrowed by.
type OutcomeFacet struct {
	ArmID, Repo, Agent, Bucket, Label, Size, Stage string
	N                                              int
}

// OutcomeFacets counts the selected items by arm and by the facts of their traces
// together, at most limit combinations, the largest first.
func (s *Store) OutcomeFacets(ctx context.Context, v Viewer, q OutcomeQuery, limit int) (out []OutcomeFacet, err error) {
	defer wrap(&err, "count facets of experiment %s", q.ExperimentID)
	e, err := s.Experiment(ctx, v, q.ExperimentID)
	if err != nil {
		return nil, err
	}
	keys, stage := "i.arm_id, t.repo, t.agent, t.bucket, t.label, "+patchSizeExpr, "'"+NoStage+"'"
	if e.Kind == kindCascade { // only there a stage costs a look-up
		keys, stage = keys+", "+stageExpr, stageExpr
	}
	err = q.apply(s.outcomeTables(ctx)).Select("i.arm_id, t.repo, t.agent, t.bucket, t.label, " + patchSizeExpr + " AS size, " + stage + " AS stage, count(*) AS n").
		Group(keys).Order("count(*) DESC, " + keys).Limit(limit).Scan(&out).Error
	return out, err
}

// OutcomeGroup counts the items of a query in one group of traces.
type OutcomeGroup struct {
	Name    string
	Pattern VotePattern // for groups by votes
	N       int         // selected by the query
	Of      int         // decided items of the group, whatever the query selects
}

// Groupings of outcomes.
const (
	GroupRepo   = "repository"
	GroupAgent  = "agent"
	GroupBucket = "bucket"
	GroupSize   = "patch size"
	GroupVotes  = "votes"
	GroupArm    = "arm"
	GroupStage  = "stage"
	// GroupMisread groups by what the audit flagged on an item's votes.
	GroupMisread = "misread"
)

var groupExprs = map[string]string{
	GroupRepo: "t.repo", GroupAgent: "t.agent", GroupBucket: "t.bucket", GroupSize: patchSizeExpr, GroupArm: "i.arm_id", GroupMisread: misreadExpr, GroupStage: stageExpr,
}

// GroupOutcomes counts the selected items by group, and beside them all decided
// items of the group under the same filters, so that a large group does not look
// bad for its size. GroupVotes groups by how the votes fell and leaves out what
// is undecided.
func (s *Store) GroupOutcomes(ctx context.Context, v Viewer, q OutcomeQuery, by string) (out []OutcomeGroup, err error) {
	defer wrap(&err, "group items of experiment %s", q.ExperimentID)
	if _, err := s.Experiment(ctx, v, q.ExperimentID); err != nil {
		return nil, err
	}
	keys, columns := "d.n_accept, d.n_reject, d.n_uncertain, d.n_unparseable",
		"d.n_accept AS accept, d.n_reject AS reject, d.n_uncertain AS uncertain, d.n_unparseable AS unparseable"
	if by != GroupVotes {
		expr, ok := groupExprs[by]
		if !ok {
			return nil, Invalid("group", fmt.Sprintf("there is no grouping by %q", by))
		}
		keys, columns = expr, expr+" AS name"
	}
	type row struct {
		Name                                   string
		Accept, Reject, Uncertain, Unparseable int
		N                                      int
	}
	load := func(q OutcomeQuery, decided bool) (rows []row, err error) {
		db := q.apply(s.outcomeTables(ctx)).Select(columns + ", count(*) AS n").Group(keys).Order(keys)
		if decided || by == GroupVotes {
			db = db.Where("d.item_id IS NOT NULL")
		}
		err = db.Scan(&rows).Error
		return rows, err
	}
	selected, err := load(q, false)
	if err != nil {
		return nil, err
	}
	base := q
	base.Cells, base.States, base.Misread = nil, nil, false
	all, err := load(base, true)
	if err != nil {
		return nil, err
	}
	of := make(map[row]int, len(all))
	for _, r := range all {
		n := r.N
		r.N = 0
		of[r] = n
	}
	for _, r := range selected {
		g := OutcomeGroup{Name: r.Name, Pattern: VotePattern{r.Accept, r.Reject, r.Uncertain, r.Unparseable}, N: r.N}
		r.N = 0
		g.Of = of[r]
		out = append(out, g)
	}
	return out, nil
}
