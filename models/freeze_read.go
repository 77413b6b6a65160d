package models

import "context"

// Freeze returns a freeze without its manifest.
func (s *Store) Freeze(ctx context.Context, v Viewer, id string) (f Freeze, err error) {
	defer wrap(&err, "load freeze %s", id)
	if err := s.read(ctx).Take(&f, "id = ?", id).Error; err != nil {
		return f, err
	}
	return f, v.mayRead(f.ProjectID)
}

// FreezeDocument returns the manifest of a freeze as it was written.
func (s *Store) FreezeDocument(ctx context.Context, v Viewer, id string) (document []byte, err error) {
	defer wrap(&err, "load the manifest of freeze %s", id)
	if _, err := s.Freeze(ctx, v, id); err != nil {
		return nil, err
	}
	var m FreezeManifest
	err = s.read(ctx).Take(&m, "freeze_id = ?", id).Error
	return []byte(m.Document), err
}

// FreezeCount is a freeze with the number of held-out runs made from it.
type FreezeCount struct {
	Freeze
	Runs int
}

// Freezes lists the freezes of a design experiment, newest first.
func (s *Store) Freezes(ctx context.Context, v Viewer, experimentID string) (out []FreezeCount, err error) {
	defer wrap(&err, "list freezes of experiment %s", experimentID)
	e, err := s.Experiment(ctx, v, experimentID)
	if err != nil {
		return nil, err
	}
	if err := v.mayRead(e.ProjectID); err != nil {
		return nil, err // a share link shows results and nothing of the project
	}
	err = s.read(ctx).Table("freezes f").Select("f.*, (SELECT count(*) FROM heldout_runs h WHERE h.freeze_id = f.id) AS runs").
		Where("f.experiment_id = ?", experimentID).Order("f.id DESC").Scan(&out).Error
	return out, err
}
