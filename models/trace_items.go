package models

import "context"

// TraceItem is one arm's look at a trace, with what names its experiment and arm.
type TraceItem struct {
	ItemID          string
	ExperimentID    string
	ExperimentName  string
	ExperimentState string
	ArmID           string
	ArmIdx          int
	ReviewerName    string
	Model           string
	Form            string
	Simulated       bool
	Votes           int // asked for: K
	State           string
	ErrorClass      string
	ErrorMessage    string
	EvidenceSHA256  string `gorm:"column:evidence_sha256"`
	Decision        string // empty while undecided
}

// TraceItems lists the items of a trace in the newest limit experiments that
// hold it, newest experiment first, arms in their order.
func (s *Store) TraceItems(ctx context.Context, v Viewer, traceID string, limit int) (out []TraceItem, err error) {
	defer wrap(&err, "list the items of trace %s", traceID)
	if _, err := s.Trace(ctx, v, traceID); err != nil {
		return nil, err
	}
	if limit <= 0 || limit > 100 {
		limit = 20
	}
	var newest []string
	err = s.read(ctx).Table("items").Distinct("experiment_id").Where("trace_id = ?", traceID).
		Order("experiment_id DESC").Limit(limit).Pluck("experiment_id", &newest).Error
	if err != nil || len(newest) == 0 {
		return nil, err
	}
	err = s.read(ctx).Table("items i").Select(`i.id AS item_id, i.experiment_id, e.name AS experiment_name, e.state AS experiment_state,
		e.votes, i.arm_id, a.idx AS arm_idx, a.reviewer_name, a.model, a.form, a.simulated, i.state, i.error_class, i.error_message,
		i.evidence_sha256, coalesce(d.decision, '') AS decision`).
		Joins("JOIN experiments e ON e.id = i.experiment_id").Joins("JOIN arms a ON a.id = i.arm_id").
		Joins("LEFT JOIN decisions d ON d.item_id = i.id").
		Where("i.trace_id = ? AND i.experiment_id IN ?", traceID, newest).
		Order("i.experiment_id DESC, a.idx").Scan(&out).Error
	return out, err
}
