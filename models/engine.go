package models

import (
	"context"

	"plumbline/models/migrate"
)

// Engine names the database engine and its version.
func (s *Store) Engine(ctx context.Context) (name, version string, err error) {
	defer wrap(&err, "ask the database for its version")
	name, query := "SQLite", "SELECT sqlite_version()"
	if s.dialect == migrate.Postgres {
		name, query = "PostgreSQL", "SHOW server_version"
	}
	err = s.read(ctx).Raw(query).Scan(&version).Error
	return name, version, err
}
