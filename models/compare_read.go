package models

import "context"

// ArmDecision is the decision of an arm on a trace of known truth, with the hash of
// the text its reviewer was shown.
type ArmDecision struct {
	ArmID          string
	TraceID        string
	Label          string
	Decision       string
	EvidenceSHA256 string `gorm:"column:evidence_sha256"` // empty: no text was stored
}

// ArmDecisions lists the decisions of arms on traces of known truth in the order of
// the traces. Every arm must be visible to the viewer.
func (s *Store) ArmDecisions(ctx context.Context, v Viewer, armIDs []string) (out []ArmDecision, err error) {
	defer wrap(&err, "list decisions of %d arms", len(armIDs))
	for _, id := range armIDs {
		if _, _, err := s.Arm(ctx, v, id); err != nil {
			return nil, err
		}
	}
	err = s.read(ctx).Table("decisions d").Select("d.arm_id, d.trace_id, d.label, d.decision, i.evidence_sha256").
		Joins("JOIN items i ON i.id = d.item_id").Where("d.arm_id IN ? AND d.label <> 'unknown'", armIDs).
		Order("d.trace_id, d.arm_id").Scan(&out).Error
	return out, err
}
