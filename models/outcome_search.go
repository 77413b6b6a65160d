package models

import (
	"context"
	"fmt"
	"strings"

	"gorm.io/gorm"
)

// OutcomeCell names decided items by the truth of their trace and their decision.
type OutcomeCell struct {
	Label     string // empty: any known truth or none
	Decisions []string
}

// VotePattern is how the votes of an item fell.
type VotePattern struct {
	Accept, Reject, Uncertain, Unparseable int
}

// OutcomeQuery selects the items behind one number of a result page. Zero fields
// do not narrow; what is set must all hold.
type OutcomeQuery struct {
	ExperimentID string
	ArmID        string
	States       []string      // any of
	Cells        []OutcomeCell // any of; the item is decided then
	Label        string        // truth of the trace
	Repo         string
	Agent        string
	Bucket       string
	Patterns     []VotePattern // any of
	Size         string        // a name of PatchSizes
	Misread      bool          // with a vote that contradicts its evidence or itself
	Flagged      string        // one of the groups Misread…
	Stage        string        // key of a cascade's stage, or NoStage

	// Against keeps the items whose trace the other arm decided in any of the
	// cells AgainstCells, for the cells of a paired comparison. The arm may belong
	// to another experiment that the viewer sees; the caller checks that.
	Against      string
	AgainstCells []OutcomeCell
}

// PatchSizes are the groups of a patch by its lines added and removed, in order.
// An uncountable patch is a group of its own.
var PatchSizes = []string{"0 lines", "1–10 lines", "11–50 lines", "51–200 lines", "over 200 lines", "not countable"}

// Groups of items by what the audit flagged on their votes.
const (
	MisreadContradiction = "contradicts its evidence"
	MisreadInexact       = "cites inexactly"
	MisreadNone          = "nothing flagged"
)

const misreadExpr = `CASE
	WHEN EXISTS (SELECT 1 FROM vote_flags f WHERE f.item_id = i.id AND f.contradiction) THEN '` + MisreadContradiction + `'
	WHEN EXISTS (SELECT 1 FROM vote_flags f WHERE f.item_id = i.id) THEN '` + MisreadInexact + `'
	ELSE '` + MisreadNone + `' END`

// NoStage is the stage of an item that no cascade judged.
const NoStage = "none"

// stageExpr is how far a cascade came with an item: the stage that decided it once
// it is decided.
const stageExpr = `coalesce((SELECT c.stage FROM cascade_items c WHERE c.item_id = i.id), '` + NoStage + `')`

const patchSizeExpr = `CASE
	WHEN t.patch_added IS NULL OR t.patch_removed IS NULL THEN 'not countable'
	WHEN t.patch_added + t.patch_removed = 0 THEN '0 lines'
	WHEN t.patch_added + t.patch_removed <= 10 THEN '1–10 lines'
	WHEN t.patch_added + t.patch_removed <= 50 THEN '11–50 lines'
	WHEN t.patch_added + t.patch_removed <= 200 THEN '51–200 lines'
	ELSE 'over 200 lines' END`

// OutcomeLine is an item with what a list shows of its trace and its decision.
type OutcomeLine struct {
	ItemID       string
	ArmID        string
	TraceID      string
	State        string
	ErrorClass   string
	ErrorMessage string
	InstanceID   string
	Repo         string
	Agent        string
	Label        string
	Bucket       string
	LabelSource  string
	PatchAdded   *int // nil: cannot be counted
	PatchRemoved *int
	Decision     string // empty while undecided
	Stage        string // as OutcomeQuery's
	NAccept      int    // votes; all 0 while undecided
	NReject      int
	NUncertain   int
	NUnparseable int
}

// outcomeSorts are the columns a list of outcomes may be sorted by; the item id
// breaks ties, so that pages are stable.
var outcomeSorts = map[string]string{
	"": "t.instance_id", "instance": "t.instance_id", "repo": "t.repo", "agent": "t.agent", "arm": "a.idx",
	"size": "coalesce(t.patch_added + t.patch_removed, -1)",
}

// SearchOutcomes lists the selected items, sorted, at most p.Limit after the item
// id p.After, with the next cursor, empty at the end.
func (s *Store) SearchOutcomes(ctx context.Context, v Viewer, q OutcomeQuery, p Page) (out []OutcomeLine, next string, err error) {
	defer wrap(&err, "search items of experiment %s", q.ExperimentID)
	if _, err := s.Experiment(ctx, v, q.ExperimentID); err != nil {
		return nil, "", err
	}
	expr, dir, cmp, err := outcomeOrder(p.Sort)
	if err != nil {
		return nil, "", err
	}
	if p.Limit <= 0 || p.Limit > 5000 {
		p.Limit = 100
	}
	db := q.apply(s.outcomeTables(ctx)).Select(`i.id AS item_id, i.arm_id, i.trace_id, i.state, i.error_class, i.error_message,
		t.instance_id, t.repo, t.agent, t.label, t.bucket, t.label_source, t.patch_added, t.patch_removed, coalesce(d.decision, '') AS decision, ` + stageExpr + ` AS stage,
		coalesce(d.n_accept, 0) AS n_accept, coalesce(d.n_reject, 0) AS n_reject, coalesce(d.n_uncertain, 0) AS n_uncertain, coalesce(d.n_unparseable, 0) AS n_unparseable`)
	if p.After != "" {
		db = db.Where(after(expr, cmp), p.After)
	}
	if err := db.Order(expr + " " + dir + ", i.id " + dir).Limit(p.Limit + 1).Scan(&out).Error; err != nil {
		return nil, "", err
	}
	if len(out) > p.Limit {
		out = out[:p.Limit]
		next = out[p.Limit-1].ItemID
	}
	return out, next, nil
}

// OutcomePlace is where an item stands in a list: its neighbours and its place,
// counted from 1; 0 when the item is not in the list.
type OutcomePlace struct {
	Prev, Next   OutcomeLine // empty at the ends
	Place, Total int
}

// PlaceOutcome finds an item's place in the list that SearchOutcomes would give.
func (s *Store) PlaceOutcome(ctx context.Context, v Viewer, q OutcomeQuery, sort, itemID string) (out OutcomePlace, err error) {
	defer wrap(&err, "place item %s in a list", itemID)
	if _, err := s.Experiment(ctx, v, q.ExperimentID); err != nil {
		return out, err
	}
	expr, dir, cmp, err := outcomeOrder(sort)
	if err != nil {
		return out, err
	}
	back, backCmp := "DESC", "<"
	if dir == "DESC" {
		back, backCmp = "ASC", ">"
	}
	neighbour := func(cmp, dir string, line *OutcomeLine) error {
		return q.apply(s.outcomeTables(ctx)).Select("i.id AS item_id, i.arm_id, i.trace_id, t.instance_id").
			Where(after(expr, cmp), itemID).Order(expr + " " + dir + ", i.id " + dir).Limit(1).Scan(line).Error
	}
	if err := neighbour(cmp, dir, &out.Next); err != nil {
		return out, err
	}
	if err := neighbour(backCmp, back, &out.Prev); err != nil {
		return out, err
	}
	var total, before, self int64
	if err := q.apply(s.outcomeTables(ctx)).Count(&total).Error; err != nil {
		return out, err
	}
	if err := q.apply(s.outcomeTables(ctx)).Where("i.id = ?", itemID).Count(&self).Error; err != nil {
		return out, err
	}
	if err := q.apply(s.outcomeTables(ctx)).Where(after(expr, backCmp), itemID).Count(&before).Error; err != nil {
		return out, err
	}
	out.Total = int(total)
	if self == 1 {
		out.Place = int(before) + 1
	}
	return out, nil
}

func outcomeOrder(sort string) (expr, dir, cmp string, err error) {
	name, desc := strings.CutPrefix(sort, "-")
	expr, ok := outcomeSorts[name]
	if !ok {
		return "", "", "", Invalid("sort", fmt.Sprintf("there is no column %q to sort by", name))
	}
	if desc {
		return expr, "DESC", "<", nil
	}
	return expr, "ASC", ">", nil
}

// after compares with the row of the cursor, whose sort key is looked up: the URL
// stays short and cannot carry a forged key.
func after(expr, cmp string) string {
	return fmt.Sprintf(`(%s, i.id) %s (SELECT %s, i.id FROM items i JOIN traces t ON t.id = i.trace_id JOIN arms a ON a.id = i.arm_id WHERE i.id = ?)`, expr, cmp, expr)
}

func (s *Store) outcomeTables(ctx context.Context) *gorm.DB {
	return s.read(ctx).Table("items i").Joins("JOIN traces t ON t.id = i.trace_id").Joins("JOIN arms a ON a.id = i.arm_id").
		Joins("LEFT JOIN decisions d ON d.item_id = i.id")
}

// apply adds the conditions; the tables are those of outcomeTables.
func (q OutcomeQuery) apply(db *gorm.DB) *gorm.DB {
	db = db.Where("i.experiment_id = ?", q.ExperimentID)
	for _, c := range []struct{ column, value string }{
		{"i.arm_id", q.ArmID}, {"t.repo", q.Repo}, {"t.agent", q.Agent}, {"t.bucket", q.Bucket}, {"t.label", q.Label}, {patchSizeExpr, q.Size}, {misreadExpr, q.Flagged}, {stageExpr, q.Stage},
	} {
		if c.value != "" {
			db = db.Where(c.column+" = ?", c.value)
		}
	}
	if len(q.States) > 0 {
		db = db.Where("i.state IN ?", q.States)
	}
	if len(q.Cells) > 0 {
		sql, args := cellsSQL("d", q.Cells)
		db = db.Where(sql, args...)
	}
	if len(q.Patterns) > 0 {
		parts, args := make([]string, len(q.Patterns)), []any{}
		for i, p := range q.Patterns {
			parts[i] = "(d.n_accept = ? AND d.n_reject = ? AND d.n_uncertain = ? AND d.n_unparseable = ?)"
			args = append(args, p.Accept, p.Reject, p.Uncertain, p.Unparseable)
		}
		db = db.Where("("+strings.Join(parts, " OR ")+")", args...)
	}
	if q.Misread {
		db = db.Where("EXISTS (SELECT 1 FROM vote_flags f WHERE f.item_id = i.id AND f.contradiction)")
	}
	if q.Against != "" {
		sql, args := "EXISTS (SELECT 1 FROM decisions o WHERE o.trace_id = i.trace_id AND o.arm_id = ?", []any{q.Against}
		if len(q.AgainstCells) > 0 {
			more, margs := cellsSQL("o", q.AgainstCells)
			sql, args = sql+" AND "+more, append(args, margs...)
		}
		db = db.Where(sql+")", args...)
	}
	return db
}

func cellsSQL(table string, cells []OutcomeCell) (string, []any) {
	var parts []string
	var args []any
	for _, c := range cells {
		part := table + ".decision IN ?"
		args = append(args, c.Decisions)
		if c.Label != "" {
			part += " AND " + table + ".label = ?"
			args = append(args, c.Label)
		}
		parts = append(parts, "("+part+")")
	}
	return "(" + strings.Join(parts, " OR ") + ")", args
}
