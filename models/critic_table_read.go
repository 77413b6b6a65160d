package models

import "context"

// CriticTable returns one imported table without its file.
func (s *Store) CriticTable(ctx context.Context, v Viewer, id string) (t CriticTable, err error) {
	defer wrap(&err, "load critic table %s", id)
	if err := s.read(ctx).Take(&t, "id = ?", id).Error; err != nil {
		return t, err
	}
	return t, v.mayRead(t.ProjectID)
}

// CriticTables lists the viewer's tables, newest first.
func (s *Store) CriticTables(ctx context.Context, v Viewer) (out []CriticTable, err error) {
	defer wrap(&err, "list critic tables")
	q := s.read(ctx).Order("id DESC")
	if ids, all := v.projects(); !all {
		q = q.Where("project_id IN ?", ids)
	}
	err = q.Find(&out).Error
	return out, err
}

// CriticTableContent returns the file of a table as it came.
func (s *Store) CriticTableContent(ctx context.Context, v Viewer, id string) (content []byte, err error) {
	defer wrap(&err, "load the file of critic table %s", id)
	if _, err := s.CriticTable(ctx, v, id); err != nil {
		return nil, err
	}
	var f CriticTableFile
	err = s.read(ctx).Take(&f, "table_id = ?", id).Error
	return f.Content, err
}

// CriticTableErrors lists the kept errors of a table in the order of the file.
func (s *Store) CriticTableErrors(ctx context.Context, v Viewer, id string) (out []CriticTableError, err error) {
	defer wrap(&err, "list errors of critic table %s", id)
	if _, err := s.CriticTable(ctx, v, id); err != nil {
		return nil, err
	}
	err = s.read(ctx).Where("table_id = ?", id).Order("idx").Find(&out).Error
	return out, err
}
