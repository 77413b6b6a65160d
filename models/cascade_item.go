package models

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"plumbline/experiments/cascade"
	"plumbline/experiments/vote"
)

// SaveCascadeItem keeps how far a cascade came with an item; the latest word
// counts.
func (s *Store) SaveCascadeItem(ctx context.Context, c CascadeItem) (err error) {
	defer wrap(&err, "save the stage of item %s", c.ItemID)
	return s.tx(ctx, func(tx *gorm.DB) error { return s.saveCascadeItem(tx, c) })
}

func (s *Store) saveCascadeItem(tx *gorm.DB, c CascadeItem) error {
	c.Detail, c.UpdatedAt = Clean(c.Detail), s.Now()
	return tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(&c).Error
}

// DecideByCheck gives an item the verdict of a check, which asks no reviewer: it
// stands as the one vote of a rule.
func (s *Store) DecideByCheck(ctx context.Context, c CascadeItem, d vote.Decision) (err error) {
	defer wrap(&err, "decide item %s by a check", c.ItemID)
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := lockItem(tx, c.ItemID); err != nil {
			return err
		}
		if err := s.saveCascadeItem(tx, c); err != nil {
			return err
		}
		var t TraceRow
		if err := tx.Select("id", "label").Take(&t, "id = ?", c.TraceID).Error; err != nil {
			return err
		}
		counts := vote.CountOf(d)
		row := Decision{
			ItemID: c.ItemID, ExperimentID: c.ExperimentID, ArmID: c.ArmID, TraceID: c.TraceID, Label: t.Label, Decision: string(d),
			NAccept: counts.Accept, NReject: counts.Reject, NUncertain: counts.Uncertain, NUnparseable: counts.Unparseable, CreatedAt: s.Now(),
		}
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error; err != nil {
			return err
		}
		return tx.Model(&Item{}).Where("id = ?", c.ItemID).Updates(map[string]any{
			"state": ItemDone, "error_class": "", "error_message": "", "updated_at": s.Now(),
		}).Error
	})
}

// StopByTrouble ends an item without a verdict: it is in error under a name, and
// resuming the experiment tries again.
func (s *Store) StopByTrouble(ctx context.Context, c CascadeItem, class string) (err error) {
	defer wrap(&err, "end item %s without a verdict", c.ItemID)
	return s.tx(ctx, func(tx *gorm.DB) error {
		if err := s.saveCascadeItem(tx, c); err != nil {
			return err
		}
		return s.mark(tx, c.ItemID, map[string]any{"state": ItemError, "error_class": class, "error_message": Clean(c.Trouble + detail(c.Detail))})
	})
}

func detail(s string) string {
	if s == "" {
		return ""
	}
	return ": " + s
}

// CascadeRow is an item of a cascade with everything a replay needs but the
// attempts and votes.
type CascadeRow struct {
	CascadeItem
	InstanceID     string
	Label          string
	State          string
	Decision       string // empty: none
	PatchNone      *bool
	PatchWhy       string
	StaticRan      *bool
	StaticWhy      string
	StaticDecisive int
	StaticCaused   int
	StaticStanding int
}

// CascadeRows lists the items of a cascade experiment that were begun, by arm and
// trace.
func (s *Store) CascadeRows(ctx context.Context, v Viewer, experimentID string) (out []CascadeRow, err error) {
	defer wrap(&err, "list the cascade of experiment %s", experimentID)
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Table("cascade_items c").Select(`c.*, t.instance_id, t.label, i.state, coalesce(d.decision, '') AS decision,
			k.patch_none, k.patch_why, k.static_ran, k.static_why, k.static_decisive, k.static_caused, k.static_standing`).
		Joins("JOIN items i ON i.id = c.item_id").Joins("JOIN traces t ON t.id = c.trace_id").
		Joins("JOIN check_sets k ON k.id = c.set_id").Joins("LEFT JOIN decisions d ON d.item_id = c.item_id").
		Where("c.experiment_id = ?", experimentID).Order("c.arm_id, c.trace_id").Scan(&out).Error
	return out, err
}

// CascadeTests lists the attempts at tests of every set that an experiment uses,
// by set and attempt, without texts. What the reference patch did is for editors.
func (s *Store) CascadeTests(ctx context.Context, v Viewer, experimentID string) (out []GeneratedTest, err error) {
	defer wrap(&err, "list generated tests of experiment %s", experimentID)
	e, err := s.Experiment(ctx, v, experimentID)
	if err != nil {
		return nil, err
	}
	err = s.read(ctx).Where("set_id IN (SELECT set_id FROM cascade_items WHERE experiment_id = ?)", experimentID).
		Order("set_id, attempt").Find(&out).Error
	if !v.CanEdit(e.ProjectID) {
		for i := range out {
			out[i].GoldResult, out[i].GoldHeadline = "", ""
		}
	}
	return out, err
}

// SetStaticCost is what the static tools of a set used.
type SetStaticCost struct {
	SetID  string
	Runs   int
	WallMS int64 `gorm:"column:wall_ms"`
}

// CascadeStaticCosts sums what static tools used, by set.
func (s *Store) CascadeStaticCosts(ctx context.Context, v Viewer, experimentID string) (out []SetStaticCost, err error) {
	defer wrap(&err, "sum static checks of experiment %s", experimentID)
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Table("static_runs").Select("set_id, sum(runs) AS runs, sum(wall_ms) AS wall_ms").
		Where("set_id IN (SELECT set_id FROM cascade_items WHERE experiment_id = ?)", experimentID).
		Group("set_id").Order("set_id").Scan(&out).Error
	return out, err
}

// CascadeVote is a vote of a cascade's residual reviewer, or of another arm of the
// same experiment.
type CascadeVote struct {
	ArmID        string
	TraceID      string
	Idx          int
	Vote         string
	InputTokens  *int64
	OutputTokens *int64
	CostUSD      *float64 `gorm:"column:cost_usd"`
	Cached       bool
}

// CascadeVotes lists every vote of an experiment by arm, trace and index.
func (s *Store) CascadeVotes(ctx context.Context, v Viewer, experimentID string) (out []CascadeVote, err error) {
	defer wrap(&err, "list votes of experiment %s", experimentID)
	if _, err := s.Experiment(ctx, v, experimentID); err != nil {
		return nil, err
	}
	err = s.read(ctx).Table("votes v").Select("v.arm_id, i.trace_id, v.idx, v.vote, v.input_tokens, v.output_tokens, v.cost_usd, v.cached").
		Joins("JOIN items i ON i.id = v.item_id").Where("v.experiment_id = ?", experimentID).
		Order("v.arm_id, i.trace_id, v.idx").Scan(&out).Error
	return out, err
}

// TraceChecks lists the check sets of a trace, newest first. Runs on the reference
// patch and their output are for editors only, and so are the texts of a test that
// was discarded because it repeats hidden material.
func (s *Store) TraceChecks(ctx context.Context, v Viewer, traceID string) (out []SetChecks, err error) {
	defer wrap(&err, "list checks of trace %s", traceID)
	t, err := s.Trace(ctx, v, traceID)
	if err != nil {
		return nil, err
	}
	d, err := s.Dataset(ctx, v, t.DatasetID)
	if err != nil {
		return nil, err
	}
	db := s.read(ctx)
	var ids []string
	if err := db.Model(&CheckSet{}).Where("trace_id = ?", traceID).Order("id DESC").Limit(20).Pluck("id", &ids).Error; err != nil {
		return nil, err
	}
	for _, id := range ids {
		c, err := s.checkSet(db, id)
		if err != nil {
			return nil, err
		}
		if !v.CanEdit(d.ProjectID) {
			for i := range c.Tests {
				c.Tests[i].GoldResult, c.Tests[i].GoldHeadline, c.Texts[i].GoldOutput = "", "", ""
				if c.Tests[i].Flaw == string(cascade.Leaks) {
					c.Tests[i].Asserts, c.Tests[i].Limits = "", ""
					c.Texts[i] = GeneratedTestText{SetID: c.Texts[i].SetID, Attempt: c.Texts[i].Attempt}
				}
			}
		}
		out = append(out, c)
	}
	return out, nil
}
