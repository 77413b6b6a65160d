package models

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// The methods here are called by workers, which act for the system: what they may
// touch was decided when the experiment was made.

// OpenCheckSet returns the set of a trace under a configuration, making an empty
// one where there is none.
func (s *Store) OpenCheckSet(ctx context.Context, traceID, configSHA256, config string) (set CheckSet, err error) {
	defer wrap(&err, "open the checks of trace %s", traceID)
	err = s.tx(ctx, func(tx *gorm.DB) error {
		fresh := CheckSet{ID: s.newID("cs"), TraceID: traceID, ConfigSHA256: configSHA256, Config: Clean(config), CreatedAt: s.Now()}
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&fresh).Error; err != nil {
			return err
		}
		return tx.Take(&set, "trace_id = ? AND config_sha256 = ?", traceID, configSHA256).Error
	})
	return set, err
}

// SavePatchCheck keeps whether a patch changes code, unless that is known.
func (s *Store) SavePatchCheck(ctx context.Context, setID string, none bool, why string) (err error) {
	defer wrap(&err, "save a look at the patch in %s", setID)
	return s.tx(ctx, func(tx *gorm.DB) error {
		return tx.Model(&CheckSet{}).Where("id = ? AND patch_none IS NULL", setID).
			Updates(map[string]any{"patch_none": none, "patch_why": Clean(why)}).Error
	})
}

// StaticCheck is the outcome of the static tools on a patch.
type StaticCheck struct {
	Ran                        bool
	Why                        string
	Decisive, Caused, Standing int
	Runs                       []StaticRun
	Findings                   []StaticFinding
}

// SaveStaticCheck keeps the outcome of the static tools, unless one is known.
func (s *Store) SaveStaticCheck(ctx context.Context, setID string, c StaticCheck) (err error) {
	defer wrap(&err, "save static checks in %s", setID)
	return s.tx(ctx, func(tx *gorm.DB) error {
		up := tx.Model(&CheckSet{}).Where("id = ? AND static_ran IS NULL", setID).Updates(map[string]any{
			"static_ran": c.Ran, "static_why": Clean(c.Why), "static_decisive": c.Decisive, "static_caused": c.Caused, "static_standing": c.Standing,
		})
		if up.Error != nil || up.RowsAffected == 0 {
			return up.Error
		}
		for i := range c.Runs {
			c.Runs[i].SetID, c.Runs[i].Idx, c.Runs[i].Why = setID, i, Clean(c.Runs[i].Why)
		}
		for i := range c.Findings {
			f := &c.Findings[i]
			f.SetID, f.Idx, f.File, f.Message, f.Context, f.Rule = setID, i, Clean(f.File), Clean(f.Message), Clean(f.Context), Clean(f.Rule)
		}
		if len(c.Runs) > 0 {
			if err := tx.Create(&c.Runs).Error; err != nil {
				return err
			}
		}
		if len(c.Findings) == 0 {
			return nil
		}
		return tx.CreateInBatches(&c.Findings, 500).Error
	})
}

// AddGeneratedTest keeps an attempt; kept is false when the attempt is stored
// already, by another worker, and the first one counts.
func (s *Store) AddGeneratedTest(ctx context.Context, g GeneratedTest, text GeneratedTestText) (kept bool, err error) {
	defer wrap(&err, "save attempt %d at a test in %s", g.Attempt, g.SetID)
	g.Path, g.Asserts, g.Limits, g.CreatedAt = Clean(g.Path), Clean(g.Asserts), Clean(g.Limits), s.Now()
	text.SetID, text.Attempt = g.SetID, g.Attempt
	text.Prompt, text.Reply, text.Source = Clean(text.Prompt), Clean(text.Reply), Clean(text.Source)
	err = s.tx(ctx, func(tx *gorm.DB) error {
		ins := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&g)
		if ins.Error != nil {
			return ins.Error
		}
		if kept = ins.RowsAffected == 1; !kept {
			return nil
		}
		return tx.Create(&text).Error
	})
	return kept, err
}

// TestSide names a tree that a generated test ran on.
type TestSide string

// Sides of a run.
const (
	OnBase    TestSide = "base"
	OnPatched TestSide = "patched"
	OnGold    TestSide = "gold"
)

// TestRun is one side of an attempt.
type TestRun struct {
	Result      string
	Headline    string
	Output      string
	Feedback    string // of the base alone
	Runs        int
	WallMS      int64
	Backend     string
	Unsandboxed bool
}

// SaveTestRun keeps a run of an attempt on one tree, unless one is known.
func (s *Store) SaveTestRun(ctx context.Context, setID string, attempt int, side TestSide, r TestRun) (err error) {
	defer wrap(&err, "save a run on %s of attempt %d in %s", side, attempt, setID)
	prefix := string(side)
	return s.tx(ctx, func(tx *gorm.DB) error {
		up := tx.Model(&GeneratedTest{}).Where("set_id = ? AND attempt = ? AND "+prefix+"_result = ''", setID, attempt).Updates(map[string]any{
			prefix + "_result": r.Result, prefix + "_headline": Clean(r.Headline), "backend": r.Backend, "unsandboxed": r.Unsandboxed,
			"runs": gorm.Expr("runs + ?", r.Runs), "wall_ms": gorm.Expr("wall_ms + ?", r.WallMS),
		})
		if up.Error != nil || up.RowsAffected == 0 {
			return up.Error
		}
		set := map[string]any{prefix + "_output": Clean(r.Output)}
		if side == OnBase {
			set["feedback"] = Clean(r.Feedback)
		}
		return tx.Model(&GeneratedTestText{}).Where("set_id = ? AND attempt = ?", setID, attempt).Updates(set).Error
	})
}

// SetChecks is everything stored of a set.
type SetChecks struct {
	Set      CheckSet
	Runs     []StaticRun
	Findings []StaticFinding
	Tests    []GeneratedTest
	Texts    []GeneratedTestText // in the order of Tests
}

// LoadCheckSet reads a set for a worker.
func (s *Store) LoadCheckSet(ctx context.Context, setID string) (c SetChecks, err error) {
	defer wrap(&err, "load checks %s", setID)
	return s.checkSet(s.read(ctx), setID)
}

func (s *Store) checkSet(db *gorm.DB, setID string) (c SetChecks, err error) {
	if err := db.Take(&c.Set, "id = ?", setID).Error; err != nil {
		return c, err
	}
	for _, q := range []struct {
		order string
		into  any
	}{{"idx", &c.Runs}, {"idx", &c.Findings}, {"attempt", &c.Tests}, {"attempt", &c.Texts}} {
		if err := db.Where("set_id = ?", setID).Order(q.order).Find(q.into).Error; err != nil {
			return c, err
		}
	}
	return c, nil
}

// LatestCheckSet reads the newest set of a trace for a worker; ErrNotFound when
// nothing was ever checked.
func (s *Store) LatestCheckSet(ctx context.Context, traceID string) (c SetChecks, err error) {
	defer wrap(&err, "load the newest checks of trace %s", traceID)
	db := s.read(ctx)
	var set CheckSet
	if err := db.Where("trace_id = ?", traceID).Order("id DESC").Take(&set).Error; err != nil {
		return c, err
	}
	return s.checkSet(db, set.ID)
}

// ItemCheckSet reads the set that an item's cascade uses; ErrNotFound for an item
// without one.
func (s *Store) ItemCheckSet(ctx context.Context, itemID string) (c SetChecks, err error) {
	defer wrap(&err, "load the checks of item %s", itemID)
	db := s.read(ctx)
	var it CascadeItem
	if err := db.Take(&it, "item_id = ?", itemID).Error; err != nil {
		return c, err
	}
	return s.checkSet(db, it.SetID)
}
