package models

import (
	"context"
	"time"

	"gorm.io/gorm"
)

// OutcomeFilter narrows the items of an experiment; zero fields do not.
type OutcomeFilter struct {
	ExperimentID string
	ArmID        string
	State        string   // an item state; ItemPending means missing once the experiment has ended
	Label        string   // of the trace
	Decisions    []string // any of
	Repo         string
	Agent        string
	Bucket       string
	TraceID      string
}

// OutcomeRow is an item with its trace's short facts and, when done, its
// decision and counts.
type OutcomeRow struct {
	ItemID         string
	ArmID          string
	TraceID        string
	State          string
	ErrorClass     string
	ErrorMessage   string
	EvidenceSHA256 string `gorm:"column:evidence_sha256"`
	UpdatedAt      time.Time
	InstanceID     string
	Repo           string
	Agent          string
	Model          string
	Label          string
	Bucket         string
	PatchAdded     *int
	PatchRemoved   *int
	Decision       string // empty while undecided
	NAccept        int
	NReject        int
	NUncertain     int
	NUnparseable   int
}

// Outcomes lists items in a stable order (trace, then arm), at most limit after
// the item id cursor after, with the next cursor, empty at the end.
func (s *Store) Outcomes(ctx context.Context, v Viewer, f OutcomeFilter, after string, limit int) (out []OutcomeRow, next string, err error) {
	defer wrap(&err, "list items of experiment %s", f.ExperimentID)
	if _, err := s.Experiment(ctx, v, f.ExperimentID); err != nil {
		return nil, "", err
	}
	if limit <= 0 || limit > 5000 {
		limit = 100
	}
	q := f.apply(s.outcomes(ctx))
	if after != "" {
		q = q.Where("(i.trace_id, i.id) > (SELECT x.trace_id, x.id FROM items x WHERE x.id = ?)", after)
	}
	if err := q.Order("i.trace_id, i.id").Limit(limit + 1).Scan(&out).Error; err != nil {
		return nil, "", err
	}
	if len(out) > limit {
		out = out[:limit]
		next = out[limit-1].ItemID
	}
	return out, next, nil
}

// CountOutcomes counts what a filter selects.
func (s *Store) CountOutcomes(ctx context.Context, v Viewer, f OutcomeFilter) (n int64, err error) {
	defer wrap(&err, "count items of experiment %s", f.ExperimentID)
	if _, err := s.Experiment(ctx, v, f.ExperimentID); err != nil {
		return 0, err
	}
	err = f.apply(s.read(ctx).Table("items i").Joins("JOIN traces t ON t.id = i.trace_id").
		Joins("LEFT JOIN decisions d ON d.item_id = i.id")).Count(&n).Error
	return n, err
}

// Outcome returns one item.
func (s *Store) Outcome(ctx context.Context, v Viewer, itemID string) (out OutcomeRow, e Experiment, err error) {
	defer wrap(&err, "load item %s", itemID)
	var it Item
	if err := s.read(ctx).Take(&it, "id = ?", itemID).Error; err != nil {
		return out, e, err
	}
	if e, err = s.Experiment(ctx, v, it.ExperimentID); err != nil {
		return out, e, err
	}
	err = s.outcomes(ctx).Where("i.id = ?", itemID).Scan(&out).Error
	return out, e, err
}

func (s *Store) outcomes(ctx context.Context) *gorm.DB {
	return s.read(ctx).Table("items i").Select(`i.id AS item_id, i.arm_id, i.trace_id, i.state, i.error_class, i.error_message,
		i.evidence_sha256, i.updated_at, t.instance_id, t.repo, t.agent, t.model, t.label, t.bucket, t.patch_added, t.patch_removed,
		coalesce(d.decision, '') AS decision, coalesce(d.n_accept, 0) AS n_accept, coalesce(d.n_reject, 0) AS n_reject,
		coalesce(d.n_uncertain, 0) AS n_uncertain, coalesce(d.n_unparseable, 0) AS n_unparseable`).
		Joins("JOIN traces t ON t.id = i.trace_id").
		Joins("LEFT JOIN decisions d ON d.item_id = i.id")
}

func (f OutcomeFilter) apply(q *gorm.DB) *gorm.DB {
	q = q.Where("i.experiment_id = ?", f.ExperimentID)
	for _, c := range []struct{ column, value string }{
		{"i.arm_id", f.ArmID}, {"i.state", f.State}, {"t.label", f.Label}, {"t.repo", f.Repo},
		{"t.agent", f.Agent}, {"t.bucket", f.Bucket}, {"i.trace_id", f.TraceID},
	} {
		if c.value != "" {
			q = q.Where(c.column+" = ?", c.value)
		}
	}
	if len(f.Decisions) > 0 {
		q = q.Where("d.decision IN ?", f.Decisions)
	}
	return q
}
