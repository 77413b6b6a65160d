package models

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"plumbline/experiments/freeze"
)

// HeldOutRun is one evaluation of a frozen experiment on a split. Number counts
// the runs of the same design experiment on the same traces, from 1; every run
// after the first has a reason.
type HeldOutRun struct {
	DesignID     string
	SplitID      string
	Number       int
	FreezeID     string
	ExperimentID string
	Reason       string
	Author       string
	CreatedAt    time.Time
}

// TableName names the table.
func (HeldOutRun) TableName() string { return "heldout_runs" }

// HeldOutDraft is what is needed to start a held-out run. Scope names what is
// fingerprinted in the transaction that starts the run, and Verify is called with
// the fingerprints there: a change between the check and the start cannot slip
// through. An error of Verify stops the run and is returned.
type HeldOutDraft struct {
	FreezeID   string
	SplitID    string
	Number     int // of the run that is meant; 0 takes the next
	Reason     string
	Experiment ExperimentDraft
	Scope      FreezeScope
	Verify     func(freeze.State) error
}

// MaxReason is the longest reason, in bytes.
const MaxReason = 4000

// StartHeldOut starts a held-out run of a freeze. The first run on a split needs no
// reason and every other does. Of callers that mean the same number one wins and
// the others get ErrConflict.
func (s *Store) StartHeldOut(ctx context.Context, v Viewer, d HeldOutDraft, enqueue Enqueue) (e Experiment, run HeldOutRun, err error) {
	defer wrap(&err, "start a held-out run of freeze %s", d.FreezeID)
	f, err := s.Freeze(ctx, v, d.FreezeID)
	if err != nil {
		return e, run, err
	}
	if err := v.mayEdit(f.ProjectID); err != nil {
		return e, run, err
	}
	design, err := s.Experiment(ctx, v, f.ExperimentID)
	if err != nil {
		return e, run, err
	}
	ds, err := s.Dataset(ctx, v, design.DatasetID)
	if err != nil {
		return e, run, err
	}
	reason := strings.TrimSpace(Clean(d.Reason))
	if len(reason) > MaxReason {
		return e, run, Invalid("reason", fmt.Sprintf("say it in at most %d bytes", MaxReason))
	}
	d.Experiment.DatasetID, d.Experiment.SplitID = design.DatasetID, d.SplitID
	err = s.tx(ctx, func(tx *gorm.DB) error {
		if err := lockExperiment(tx, design.ID); err != nil {
			return err
		}
		done, err := heldOutRuns(tx, design.ID, d.SplitID)
		if err != nil {
			return err
		}
		next := len(done) + 1
		switch {
		case d.Number != 0 && d.Number != next:
			return fmt.Errorf("%w: run %d was meant and run %d is the next", ErrConflict, d.Number, next)
		case next > 1 && reason == "":
			return Invalid("reason", "these traces were evaluated already: say why they are evaluated again")
		}
		now, err := freezeState(tx, design, d.Scope)
		if err != nil {
			return err
		}
		if err := d.Verify(now); err != nil {
			return err
		}
		if e, err = s.createExperiment(ctx, tx, ds, d.Experiment, enqueue); err != nil {
			return err
		}
		run = HeldOutRun{
			DesignID: design.ID, SplitID: d.SplitID, Number: next, FreezeID: f.ID, ExperimentID: e.ID,
			Reason: reason, Author: v.Name, CreatedAt: s.Now(),
		}
		return tx.Create(&run).Error
	})
	return e, run, err
}

// heldOutRuns lists the runs of a design experiment on a split or on one that
// shares a trace with it, oldest first.
func heldOutRuns(db *gorm.DB, designID, splitID string) (out []HeldOutRun, err error) {
	err = db.Where(`design_id = ? AND split_id IN (SELECT b.split_id FROM split_traces a JOIN split_traces b ON b.trace_id = a.trace_id WHERE a.split_id = ?)`,
		designID, splitID).Order("created_at, experiment_id").Find(&out).Error
	return out, err
}
