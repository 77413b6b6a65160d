package models

import (
	"context"
	"strings"

	"gorm.io/gorm"
)

// SaveSingleReview keeps a patch that was judged alone, and returns its row.
func (s *Store) SaveSingleReview(ctx context.Context, v Viewer, r SingleReview, document string) (_ SingleReview, err error) {
	defer wrap(&err, "save a review")
	if err := v.mayEdit(r.ProjectID); err != nil {
		return r, err
	}
	if strings.TrimSpace(r.Title) == "" {
		return r, Invalid("title", "give the review a title")
	}
	r.ID, r.Title, r.Author, r.CreatedAt = s.newID("sr"), Clean(r.Title), v.Name, s.Now()
	err = s.tx(ctx, func(tx *gorm.DB) error {
		if err := tx.Create(&r).Error; err != nil {
			return err
		}
		return tx.Create(&SingleReviewDocument{ReviewID: r.ID, Document: Clean(document)}).Error
	})
	return r, err
}

// SingleReview reads a review with its document.
func (s *Store) SingleReview(ctx context.Context, v Viewer, id string) (r SingleReview, document string, err error) {
	defer wrap(&err, "read review %s", id)
	db := s.read(ctx)
	if err := db.Take(&r, "id = ?", id).Error; err != nil {
		return r, "", err
	}
	if err := v.mayRead(r.ProjectID); err != nil {
		return SingleReview{}, "", err
	}
	var d SingleReviewDocument
	err = db.Take(&d, "review_id = ?", id).Error
	return r, d.Document, err
}

// SingleReviews lists the reviews of a project, newest first, at most limit before
// the id cursor before, with the next cursor, empty at the end.
func (s *Store) SingleReviews(ctx context.Context, v Viewer, projectID, before string, limit int) (out []SingleReview, next string, err error) {
	defer wrap(&err, "list reviews of project %s", projectID)
	if err := v.mayRead(projectID); err != nil {
		return nil, "", err
	}
	if limit <= 0 || limit > 500 {
		limit = 100
	}
	q := s.read(ctx).Where("project_id = ?", projectID)
	if before != "" {
		q = q.Where("id < ?", before)
	}
	if err := q.Order("id DESC").Limit(limit + 1).Find(&out).Error; err != nil {
		return nil, "", err
	}
	if len(out) > limit {
		out, next = out[:limit], out[limit-1].ID
	}
	return out, next, nil
}
