package models

import "context"

// ReviewerLatest is a reviewer with its newest version.
type ReviewerLatest struct {
	Reviewer Reviewer
	Version  ReviewerVersion
}

// Reviewers lists a project's reviewers by name, each with its newest version.
func (s *Store) Reviewers(ctx context.Context, v Viewer, projectID string) (out []ReviewerLatest, err error) {
	defer wrap(&err, "list reviewers of project %s", projectID)
	if err := v.mayRead(projectID); err != nil {
		return nil, err
	}
	var rs []Reviewer
	if err := s.read(ctx).Where("project_id = ?", projectID).Order("name, id").Find(&rs).Error; err != nil {
		return nil, err
	}
	var vs []ReviewerVersion
	err = s.read(ctx).Table("reviewer_versions rn").Select("rn.*").
		Joins("JOIN reviewers r ON r.id = rn.reviewer_id").
		Where("r.project_id = ? AND rn.version = (SELECT max(x.version) FROM reviewer_versions x WHERE x.reviewer_id = rn.reviewer_id)", projectID).
		Scan(&vs).Error
	if err != nil {
		return nil, err
	}
	byReviewer := make(map[string]ReviewerVersion, len(vs))
	for _, x := range vs {
		byReviewer[x.ReviewerID] = x
	}
	for _, r := range rs {
		out = append(out, ReviewerLatest{r, byReviewer[r.ID]})
	}
	return out, nil
}

// Reviewer returns a reviewer and its versions, newest first.
func (s *Store) Reviewer(ctx context.Context, v Viewer, id string) (r Reviewer, vs []ReviewerVersion, err error) {
	defer wrap(&err, "load reviewer %s", id)
	if err := s.read(ctx).Take(&r, "id = ?", id).Error; err != nil {
		return r, nil, err
	}
	if err := v.mayRead(r.ProjectID); err != nil {
		return r, nil, err
	}
	err = s.read(ctx).Where("reviewer_id = ?", id).Order("version DESC").Find(&vs).Error
	return r, vs, err
}

// ReviewerVersions returns the named versions with their reviewers, in any order.
func (s *Store) ReviewerVersions(ctx context.Context, v Viewer, projectID string, ids []string) (out []ReviewerLatest, err error) {
	defer wrap(&err, "load %d reviewer versions", len(ids))
	if err := v.mayRead(projectID); err != nil {
		return nil, err
	}
	for _, id := range ids {
		var x ReviewerLatest
		if err := s.read(ctx).Take(&x.Version, "id = ?", id).Error; err != nil {
			return nil, err
		}
		if err := s.read(ctx).Take(&x.Reviewer, "id = ? AND project_id = ?", x.Version.ReviewerID, projectID).Error; err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}
