package models

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"time"

	"gorm.io/gorm"
)

// ShareExperiment makes a secret link to an experiment's result page and returns
// its token: 256 random bits that are stored nowhere, only their hash is. A nil
// expiry never ends.
func (s *Store) ShareExperiment(ctx context.Context, v Viewer, experimentID string, expires *time.Time) (link ShareLink, token string, err error) {
	defer wrap(&err, "share experiment %s", experimentID)
	if err := s.editExperiment(ctx, v, experimentID); err != nil {
		return link, "", err
	}
	token, hash := newToken()
	link = ShareLink{ID: s.newID("sl"), ExperimentID: experimentID, TokenSHA256: hash, CreatedBy: v.Name, CreatedAt: s.Now()}
	if expires != nil {
		at := stamp(*expires)
		if !at.After(s.Now()) {
			return link, "", Invalid("expires", "choose a time to come")
		}
		link.ExpiresAt = &at
	}
	err = s.tx(ctx, func(tx *gorm.DB) error { return tx.Create(&link).Error })
	return link, token, err
}

// OpenShare turns a token into a viewer that sees the one experiment it was made
// for. Unknown, expired and revoked tokens are all not found.
func (s *Store) OpenShare(ctx context.Context, token string) (v Viewer, link ShareLink, err error) {
	defer wrap(&err, "open a share link")
	var l ShareLink
	if err := s.read(ctx).Take(&l, "token_sha256 = ?", hashToken(token)).Error; err != nil {
		return v, l, err
	}
	if l.RevokedAt != nil || (l.ExpiresAt != nil && !s.Now().Before(*l.ExpiresAt)) {
		return v, ShareLink{}, ErrNotFound
	}
	return Viewer{Name: "share link", Share: l.ExperimentID}, l, nil
}

// ShareLinks lists an experiment's links, newest first; it needs an editor.
func (s *Store) ShareLinks(ctx context.Context, v Viewer, experimentID string) (out []ShareLink, err error) {
	defer wrap(&err, "list share links of experiment %s", experimentID)
	if err := s.editExperiment(ctx, v, experimentID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Where("experiment_id = ?", experimentID).Order("created_at DESC, id DESC").Find(&out).Error
	return out, err
}

// RevokeShare ends a link at once.
func (s *Store) RevokeShare(ctx context.Context, v Viewer, linkID string) (err error) {
	defer wrap(&err, "revoke share link %s", linkID)
	var l ShareLink
	if err := s.read(ctx).Take(&l, "id = ?", linkID).Error; err != nil {
		return err
	}
	if err := s.editExperiment(ctx, v, l.ExperimentID); err != nil {
		return err
	}
	now := s.Now()
	return s.tx(ctx, func(tx *gorm.DB) error {
		return tx.Model(&ShareLink{}).Where("id = ? AND revoked_at IS NULL", linkID).Update("revoked_at", &now).Error
	})
}

func newToken() (token, hash string) {
	var raw [32]byte
	if _, err := rand.Read(raw[:]); err != nil {
		panic("no system randomness: " + err.Error()) // nothing can be made safely without it
	}
	token = base64.RawURLEncoding.EncodeToString(raw[:])
	return token, hashToken(token)
}

func hashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
