package models

import "context"

// ImportSources lists the files an import read, by path.
func (s *Store) ImportSources(ctx context.Context, v Viewer, reportID string) (out []ImportSource, err error) {
	defer wrap(&err, "list the files of import %s", reportID)
	if _, err := s.ImportReport(ctx, v, reportID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Where("report_id = ?", reportID).Order("path, sha256").Find(&out).Error
	return out, err
}
