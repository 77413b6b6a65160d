package runner

import (
	"context"
	"errors"
	"fmt"

	"plumbline/experiments/belief"
	"plumbline/experiments/cascade"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/runner/checks"
	"plumbline/runner/reviewer"
)

// check runs a check as a critic, or takes what the same check observed of the same
// candidate before: by any experiment, since a check has no other outcome when it is
// repeated.
func (c *controlRun) check(ctx context.Context, critic ControlCritic, w *models.EpisodeWork, out *performed) error {
	row := w.Candidates[out.candidate]
	if critic.Kind == CriticPublic {
		return c.existing(ctx, row, out)
	}
	policy := cascade.Policy{Name: "check", Static: cascade.Decisive}
	if critic.Kind == CriticTest {
		policy = cascade.TestsOnly()
	}
	run := &cascadeRun{shardRun: c.shardRun, host: c.checks, config: *critic.Checks, policy: policy, item: models.Item{TraceID: row.ID}}
	ctx = reviewer.WithGate(ctx, c.gate)
	if err := run.load(ctx); err != nil {
		return err
	}
	if run.host != nil {
		release, ok := run.host.hold(c.gate, run.set.ID)
		if !ok {
			out.open = true
			return nil
		}
		defer release()
	}
	if err := run.reload(ctx); err != nil {
		return err
	}
	out.source = SourceRecorded
	state := cascade.Start(policy)
	for {
		a := cascade.Next(state)
		if a.Kind == cascade.Stop || a.Kind == cascade.AskVotes {
			if a.Trouble != nil {
				return c.checkTrouble(*a.Trouble, out)
			}
			break
		}
		answers := recordOf(run.kept).Answer(a, "")
		if len(answers) == 0 {
			if c.over() {
				out.open = true
				return nil
			}
			out.source = SourceLive
			var err error
			if answers, err = c.observe(ctx, run, a, out); err != nil || out.open {
				return err
			}
		}
		for _, o := range answers {
			next, err := state.Observe(o)
			if err != nil {
				return fmt.Errorf("check candidate %s: %w", row.ID, err)
			}
			state = next
		}
	}
	if out.source == SourceRecorded {
		out.note = "checked before"
	}
	if out.outcome = checkOutcome(critic.Kind, run.kept.Set, run.kept.Tests); !out.outcome.Observed() {
		out.outcome = belief.Missing
		out.note = joinNotes(out.note, "the check gave no usable outcome")
	}
	return nil
}

// observe performs one action of a check. Writing a test is a call that counts.
func (c *controlRun) observe(ctx context.Context, run *cascadeRun, a cascade.Action, out *performed) ([]cascade.Outcome, error) {
	if a.Kind == cascade.Generate && run.config.Checks.Generator != RecordedGenerator {
		spent, err := c.spend(ctx, 1)
		if err != nil {
			return nil, err
		}
		if spent {
			out.open = true
			c.stop()
			return nil, c.store.HaltExperiment(ctx, c.work.Experiment.ID)
		}
		defer c.unspend(1)
	}
	f, err := run.perform(ctx, a)
	switch {
	case errors.Is(err, errGate):
		out.open = true
		return nil, nil
	case err != nil:
		return nil, err
	case f != nil && c.over():
		out.open = true // the worker ends, which says nothing about the candidate
		return nil, nil
	case f != nil:
		return []cascade.Outcome{*f}, nil
	}
	return run.stored(ctx, a)
}

// checkTrouble tells what no repetition mends, which is a missing outcome, from what
// resuming may mend.
func (c *controlRun) checkTrouble(f cascade.Failed, out *performed) error {
	text := string(f.Trouble)
	if f.Detail != "" {
		text += ": " + f.Detail
	}
	switch f.Trouble {
	case cascade.PatchNotApplied, cascade.BaseMissing, cascade.BaseBroken:
		out.outcome, out.note = belief.Missing, text
	default:
		out.trouble(text, true)
	}
	return nil
}

// existing runs the tests that pass before the change on the candidate.
func (c *controlRun) existing(ctx context.Context, row models.TraceRow, out *performed) error {
	out.source = SourceLive
	got, err := c.suite(ctx, row, true)
	if err != nil {
		return c.suiteTrouble(ctx, err, out)
	}
	out.note = got.Reason
	switch got.Outcome {
	case checks.Labelled:
		out.outcome = passes(got.Label == trace.Acceptable)
	case checks.Unchanged: // what changes nothing breaks nothing
		out.outcome = belief.Pass
	default:
		out.outcome = belief.Missing
	}
	return nil
}
