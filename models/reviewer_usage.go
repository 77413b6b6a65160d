package models

import "context"

// ReviewerUse is an experiment that asked a version of a reviewer.
type ReviewerUse struct {
	ExperimentID   string
	ExperimentName string
	Version        int
}

// ReviewerUses lists the newest limit experiments that asked a reviewer.
func (s *Store) ReviewerUses(ctx context.Context, v Viewer, reviewerID string, limit int) (out []ReviewerUse, err error) {
	defer wrap(&err, "list the uses of reviewer %s", reviewerID)
	if _, _, err := s.Reviewer(ctx, v, reviewerID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Table("arms a").Distinct("e.id AS experiment_id, e.name AS experiment_name, rn.version").
		Joins("JOIN reviewer_versions rn ON rn.id = a.reviewer_version_id").Joins("JOIN experiments e ON e.id = a.experiment_id").
		Where("rn.reviewer_id = ?", reviewerID).Order("experiment_id DESC, rn.version DESC").Limit(limit).Scan(&out).Error
	return out, err
}
