package models

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// NewSession makes a login session and returns its token; only the hash is kept.
func (s *Store) NewSession(ctx context.Context, life time.Duration) (token string, err error) {
	defer wrap(&err, "open a session")
	token, hash := newToken()
	row := map[string]any{"token_sha256": hash, "created_at": s.Now(), "expires_at": s.Now().Add(life)}
	return token, s.tx(ctx, func(tx *gorm.DB) error {
		if err := tx.Exec("DELETE FROM sessions WHERE expires_at < ?", s.Now()).Error; err != nil {
			return err
		}
		return tx.Table("sessions").Create(row).Error
	})
}

// SessionValid reports whether a session token is known and not expired.
func (s *Store) SessionValid(ctx context.Context, token string) (ok bool, err error) {
	defer wrap(&err, "check a session")
	var n int64
	err = s.read(ctx).Table("sessions").Where("token_sha256 = ? AND expires_at > ?", hashToken(token), s.Now()).Count(&n).Error
	return n == 1, err
}

// EndSession forgets a session.
func (s *Store) EndSession(ctx context.Context, token string) (err error) {
	defer wrap(&err, "end a session")
	return s.tx(ctx, func(tx *gorm.DB) error {
		return tx.Exec("DELETE FROM sessions WHERE token_sha256 = ?", hashToken(token)).Error
	})
}

// EndSessions forgets all sessions, as a changed password must.
func (s *Store) EndSessions(ctx context.Context) (err error) {
	defer wrap(&err, "end all sessions")
	return s.tx(ctx, func(tx *gorm.DB) error { return tx.Exec("DELETE FROM sessions").Error })
}

// LoginWait reports how long an address must wait before it may try to log in.
func (s *Store) LoginWait(ctx context.Context, address string) (wait time.Duration, err error) {
	defer wrap(&err, "read the login throttle")
	var row struct{ BlockedUntil time.Time }
	if err := s.read(ctx).Table("login_throttles").Where("address = ?", address).Limit(1).Scan(&row).Error; err != nil {
		return 0, err
	}
	return max(0, row.BlockedUntil.Sub(s.Now())), nil
}

// LoginFailed counts a failed try: from the fifth on each doubles the wait, from
// 2 seconds up to 15 minutes.
func (s *Store) LoginFailed(ctx context.Context, address string) (err error) {
	defer wrap(&err, "throttle logins")
	return s.tx(ctx, func(tx *gorm.DB) error {
		var row struct{ Failures int }
		if err := tx.Table("login_throttles").Where("address = ?", address).Limit(1).Scan(&row).Error; err != nil {
			return err
		}
		row.Failures++
		wait := time.Duration(0)
		if over := row.Failures - 5; over >= 0 {
			wait = min(15*time.Minute, 2*time.Second<<min(over, 10))
		}
		return tx.Table("login_throttles").Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "address"}},
			DoUpdates: clause.AssignmentColumns([]string{"failures", "blocked_until"}),
		}).Create(map[string]any{"address": address, "failures": row.Failures, "blocked_until": s.Now().Add(wait)}).Error
	})
}

// LoginSucceeded forgets an address's failures.
func (s *Store) LoginSucceeded(ctx context.Context, address string) (err error) {
	defer wrap(&err, "clear the login throttle")
	return s.tx(ctx, func(tx *gorm.DB) error {
		return tx.Exec("DELETE FROM login_throttles WHERE address = ?", address).Error
	})
}

// Setting reads a setting, empty when unset.
func (s *Store) Setting(ctx context.Context, name string) (value string, err error) {
	defer wrap(&err, "read setting %s", name)
	var row struct{ Value string }
	err = s.read(ctx).Table("settings").Where("name = ?", name).Limit(1).Scan(&row).Error
	return row.Value, err
}

// SetSetting writes a setting.
func (s *Store) SetSetting(ctx context.Context, name, value string) (err error) {
	defer wrap(&err, "write setting %s", name)
	return s.tx(ctx, func(tx *gorm.DB) error {
		return tx.Table("settings").Clauses(clause.OnConflict{
			Columns: []clause.Column{{Name: "name"}}, DoUpdates: clause.AssignmentColumns([]string{"value"}),
		}).Create(map[string]any{"name": name, "value": value}).Error
	})
}
