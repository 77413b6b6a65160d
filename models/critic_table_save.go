package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"gorm.io/gorm"
)

// CriticTableDraft is a file that was read, with what was found in it.
type CriticTableDraft struct {
	ProjectID  string
	Name       string
	Origin     string
	Declared   string
	Content    []byte
	RowCount   int
	TaskCount  int
	Candidates int
	Dropped    int
	Errors     []CriticTableError // in the order of the file; the first ones are kept
}

// MaxCriticErrors is the number of errors of a table that are kept with it.
const MaxCriticErrors = 500

// SaveCriticTable stores a table. The same file under the same name with the same
// columns is the table that is there already; another one is refused, since a name
// must not change its meaning.
func (s *Store) SaveCriticTable(ctx context.Context, v Viewer, d CriticTableDraft) (t CriticTable, err error) {
	defer wrap(&err, "save critic table %q", d.Name)
	if err := v.mayEdit(d.ProjectID); err != nil {
		return t, err
	}
	name := strings.TrimSpace(Clean(d.Name))
	if name == "" || len(name) > 200 {
		return t, Invalid("name", "give it a name of 1 to 200 bytes")
	}
	sum := sha256.Sum256(d.Content)
	t = CriticTable{
		ID: s.newID("ct"), ProjectID: d.ProjectID, Name: name, Origin: Clean(d.Origin), SHA256: hex.EncodeToString(sum[:]),
		Bytes: int64(len(d.Content)), Declared: Clean(d.Declared), RowCount: d.RowCount, TaskCount: d.TaskCount, Candidates: d.Candidates,
		ErrorCount: len(d.Errors), Dropped: d.Dropped, Author: v.Name, CreatedAt: s.Now(),
	}
	err = s.tx(ctx, func(tx *gorm.DB) error {
		var old CriticTable
		if err := tx.Limit(1).Find(&old, "project_id = ? AND name = ?", d.ProjectID, name).Error; err != nil {
			return err
		}
		if old.ID != "" {
			if old.SHA256 != t.SHA256 || old.Declared != t.Declared {
				return Invalid("name", "there is a table of that name with another file or other columns")
			}
			t = old
			return nil
		}
		if err := tx.Create(&t).Error; err != nil {
			return err
		}
		if err := tx.Create(&CriticTableFile{TableID: t.ID, Content: d.Content}).Error; err != nil {
			return err
		}
		rows := make([]CriticTableError, min(len(d.Errors), MaxCriticErrors))
		for i := range rows {
			e := d.Errors[i]
			rows[i] = CriticTableError{TableID: t.ID, Idx: i, Line: e.Line, Field: cutText(e.Field), Value: cutText(e.Value), Why: cutText(e.Why)}
		}
		if len(rows) == 0 {
			return nil
		}
		return tx.CreateInBatches(rows, 100).Error
	})
	return t, err
}

// DeleteCriticTable forgets a table and its file.
func (s *Store) DeleteCriticTable(ctx context.Context, v Viewer, id string) (err error) {
	defer wrap(&err, "delete critic table %s", id)
	t, err := s.CriticTable(ctx, v, id)
	if err != nil {
		return err
	}
	if err := v.mayEdit(t.ProjectID); err != nil {
		return err
	}
	return s.tx(ctx, func(tx *gorm.DB) error {
		for _, part := range []any{&CriticTableError{}, &CriticTableFile{}} {
			if err := tx.Where("table_id = ?", id).Delete(part).Error; err != nil {
				return err
			}
		}
		return tx.Where("id = ?", id).Delete(&CriticTable{}).Error
	})
}
