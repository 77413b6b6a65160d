package models

import (
	"context"

	"gorm.io/gorm"

	"plumbline/experiments/review"
)

// VoteFlag is one way in which a vote misreads its evidence: what it says beside
// the line it says it about.
type VoteFlag struct {
	ItemID        string `gorm:"primaryKey"`
	Idx           int    `gorm:"primaryKey;autoIncrement:false"` // of the vote
	N             int    `gorm:"primaryKey;autoIncrement:false"` // place among the vote's flags
	ExperimentID  string
	ArmID         string
	Vote          string
	Kind          string
	Said          string
	Line          int // of the evidence; 0: none
	Evidence      string
	Contradiction bool
}

// VoteAudit is what the rules of a version found in one vote; no flags is a finding
// too.
type VoteAudit struct {
	Rules int // at least 1
	Flags []review.Flag
}

// columns are what a vote's own row keeps of its audit.
func (a *VoteAudit) columns() (rules, contradictions int) {
	if a == nil {
		return 0, 0
	}
	for _, f := range a.Flags {
		if f.Kind.Contradiction() {
			contradictions++
		}
	}
	return a.Rules, contradictions
}

// Limits of what a flag quotes; a vote keeps its texts in full.
const (
	maxFlagText = 2000 // bytes
	maxFlags    = 50   // of one vote
)

func saveFlags(tx *gorm.DB, v VoteRow, a *VoteAudit) error {
	if a == nil || len(a.Flags) == 0 {
		return nil
	}
	rows := make([]VoteFlag, 0, len(a.Flags))
	for i, f := range a.Flags[:min(len(a.Flags), maxFlags)] {
		rows = append(rows, VoteFlag{
			ItemID: v.ItemID, Idx: v.Idx, N: i, ExperimentID: v.ExperimentID, ArmID: v.ArmID, Vote: v.Vote, Kind: string(f.Kind),
			Said: cutText(f.Said), Line: f.Line, Evidence: cutText(f.Evidence), Contradiction: f.Kind.Contradiction(),
		})
	}
	return tx.Create(&rows).Error
}

func cutText(s string) string {
	if len(s) > maxFlagText {
		s = s[:maxFlagText]
	}
	return Clean(s)
}

// AuditedVote is the audit of a vote that is stored.
type AuditedVote struct {
	ItemID string
	Idx    int
	Audit  VoteAudit
}

// SaveAudits replaces what is kept of the audits of stored votes of one experiment,
// in one transaction.
func (s *Store) SaveAudits(ctx context.Context, v Viewer, experimentID string, audits []AuditedVote) (err error) {
	defer wrap(&err, "keep the audits of %d votes", len(audits))
	if err := s.editExperiment(ctx, v, experimentID); err != nil {
		return err
	}
	return s.tx(ctx, func(tx *gorm.DB) error {
		for _, a := range audits {
			var row VoteRow
			if err := tx.Take(&row, "item_id = ? AND idx = ? AND experiment_id = ?", a.ItemID, a.Idx, experimentID).Error; err != nil {
				return err
			}
			if err := tx.Where("item_id = ? AND idx = ?", a.ItemID, a.Idx).Delete(&VoteFlag{}).Error; err != nil {
				return err
			}
			if err := saveFlags(tx, row, &a.Audit); err != nil {
				return err
			}
			rules, contradictions := a.Audit.columns()
			if err := tx.Model(&VoteRow{}).Where("item_id = ? AND idx = ?", a.ItemID, a.Idx).
				Updates(map[string]any{"audit_rules": rules, "contradictions": contradictions}).Error; err != nil {
				return err
			}
		}
		return nil
	})
}
