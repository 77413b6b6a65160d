package models

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// EnsureProject returns the project with the slug, making it if there is none.
func (s *Store) EnsureProject(ctx context.Context, slug, name string) (p Project, err error) {
	defer wrap(&err, "ensure project %q", slug)
	err = s.tx(ctx, func(tx *gorm.DB) error {
		p = Project{ID: s.newID("pr"), Slug: slug, Name: Clean(name), CreatedAt: s.Now()}
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&p).Error; err != nil {
			return err
		}
		p = Project{}
		return tx.Take(&p, "slug = ?", slug).Error
	})
	return p, err
}

// Projects lists what the viewer may see, by name.
func (s *Store) Projects(ctx context.Context, v Viewer) (ps []Project, err error) {
	defer wrap(&err, "list projects")
	q := s.read(ctx).Order("name, id")
	if ids, all := v.projects(); !all {
		q = q.Where("id IN ?", ids)
	}
	err = q.Find(&ps).Error
	return ps, err
}

// Project returns one project.
func (s *Store) Project(ctx context.Context, v Viewer, id string) (p Project, err error) {
	defer wrap(&err, "load project %s", id)
	if err := v.mayRead(id); err != nil {
		return p, err
	}
	err = s.read(ctx).Take(&p, "id = ?", id).Error
	return p, err
}
