package models

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// CachedCall returns the stored answer to a request, and whether there is one.
func (s *Store) CachedCall(ctx context.Context, requestSHA256 string) (answer string, ok bool, err error) {
	defer wrap(&err, "look up a cached call")
	var row struct{ Answer string }
	res := s.read(ctx).Table("call_cache").Where("request_sha256 = ?", requestSHA256).Limit(1).Scan(&row)
	return row.Answer, res.RowsAffected == 1, res.Error
}

// CacheCall stores an answer; the first one stays.
func (s *Store) CacheCall(ctx context.Context, requestSHA256, answer string) (err error) {
	defer wrap(&err, "cache a call")
	return s.tx(ctx, func(tx *gorm.DB) error {
		return tx.Table("call_cache").Clauses(clause.OnConflict{DoNothing: true}).
			Create(map[string]any{"request_sha256": requestSHA256, "answer": Clean(answer), "created_at": s.Now()}).Error
	})
}
