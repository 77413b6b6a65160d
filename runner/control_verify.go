package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"plumbline/experiments/belief"
	"plumbline/experiments/control"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/runner/checks"
	"plumbline/runner/sandbox"
)

// suiteRuns keeps what suites said in this shard, so that policies which verify the
// same candidate run its tests once.
type suiteRuns struct {
	mu        sync.Mutex
	instances map[string]checks.InstanceCheck // by instance row
	traces    map[string]checks.TraceCheck    // by suite and trace
}

// verify finds out whether the candidate is correct.
func (c *controlRun) verify(ctx context.Context, w *models.EpisodeWork, out *performed) error {
	row := w.Candidates[out.candidate]
	if m := c.config.Verify; m == VerifyRecords || m == "" {
		out.source = SourceRecorded
		switch labelOf(row.Label) {
		case belief.Correct:
			out.outcome = belief.Pass
		case belief.Defective:
			out.outcome = belief.Fail
		default:
			out.end, out.why = control.Unreplayable, fmt.Sprintf("candidate %d has no known official outcome", out.candidate+1)
		}
		return nil
	}
	out.source = SourceLive
	got, err := c.suite(ctx, row, c.config.Verify == VerifyExisting)
	if err != nil {
		return c.suiteTrouble(ctx, err, out)
	}
	switch got.Outcome {
	case checks.Labelled, checks.Unchanged:
		out.outcome = passes(got.Label == trace.Acceptable)
		out.note = got.Reason
	case checks.DoesNotApply:
		out.outcome, out.note = belief.Fail, "the patch does not apply: "+got.Reason
		got.Label, got.Bucket = trace.Defective, trace.NoChange
	case checks.NotUsable, checks.PatchUnknown:
		out.end, out.why = control.Unreplayable, got.Reason
		return nil
	default:
		out.trouble(string(got.Outcome)+": "+got.Reason, true)
		return nil
	}
	if y := labelOf(row.Label); y != belief.Unknown && (y == belief.Correct) != (out.outcome == belief.Pass) {
		out.note = joinNotes(out.note, "the recorded label says "+row.Label)
	}
	if c.config.Verify != VerifyOfficial || labelOf(row.Label) != belief.Unknown {
		return nil
	}
	w.Candidates[out.candidate].Label = string(got.Label)
	return c.store.SetLabel(ctx, system(), models.LabelChange{
		TraceID: row.ID, Label: got.Label, Bucket: got.Bucket, Source: trace.Execution, Reason: "verified in control experiment " + c.work.Experiment.ID + ": " + got.Reason,
	})
}

// suiteTrouble tells what stopped a run of tests: the end of this worker leaves the
// episode open, anything else is an error that resuming may mend.
func (c *controlRun) suiteTrouble(ctx context.Context, err error, out *performed) error {
	switch {
	case c.over() || ctx.Err() != nil:
		out.open = true
	case errors.Is(err, ErrNoBase):
		out.trouble(err.Error(), false)
	default:
		out.trouble(err.Error(), true)
	}
	return nil
}

// suite runs the official tests on a candidate, or with existing those of them that
// pass before the change.
func (c *controlRun) suite(ctx context.Context, row models.TraceRow, existing bool) (checks.TraceCheck, error) {
	c.suites.mu.Lock()
	defer c.suites.mu.Unlock()
	if c.suites.traces == nil {
		c.suites.traces, c.suites.instances = map[string]checks.TraceCheck{}, map[string]checks.InstanceCheck{}
	}
	key := fmt.Sprintf("%t %s", existing, row.ID)
	if got, ok := c.suites.traces[key]; ok {
		return got, nil
	}
	in, err := c.store.LoadEvidenceInput(ctx, row.ID, false)
	if err != nil {
		return checks.TraceCheck{}, err
	}
	if _, decided := checks.Strip(in.Trace); decided.Outcome != "" {
		return decided, nil // nothing is left to run
	}
	sub, check, err := c.subject(ctx, in)
	if err != nil {
		return checks.TraceCheck{}, err
	}
	leave, ok := c.checks.enter(c.gate)
	if !ok {
		return checks.TraceCheck{}, errGate
	}
	defer leave()
	switch {
	case check.State != checks.Usable:
	case existing: // these need no reference: they pass before the change
		sub.Instance.Oracle.FailToPass = nil
		if len(sub.Instance.Oracle.PassToPass) == 0 {
			check = checks.InstanceCheck{State: checks.NoOracle, Reason: "no test is known that passes before the change"}
		}
	default:
		known, ok := c.suites.instances[row.InstanceRow]
		if !ok {
			if known, err = sub.CheckInstance(ctx, checks.InstanceOptions{Repeat: 1}); err != nil {
				return checks.TraceCheck{}, err
			}
			c.suites.instances[row.InstanceRow] = known
		}
		check = known
	}
	got, err := sub.CheckTrace(ctx, in.Trace, check, 1)
	if err == nil {
		c.suites.traces[key] = got
	}
	return got, err
}

// Limits of a run of a suite.
const (
	suiteWall   = 5 * time.Minute
	suiteMemory = 2 << 30
)

// subject makes an instance ready to run its tests in the sandbox.
func (c *controlRun) subject(ctx context.Context, in models.EvidenceInput) (checks.Subject, checks.InstanceCheck, error) {
	none := checks.Subject{Instance: in.Instance}
	if c.checks == nil {
		return none, checks.InstanceCheck{}, errors.New("this worker is not set up to run tests")
	}
	name := checks.ChooseRunner(in.Instance)
	if name == "" {
		return none, checks.InstanceCheck{State: checks.NoRunner, Reason: "nothing tells how its tests are run"}, nil
	}
	run, err := checks.NewRunner(name, c.checks.Settings())
	if err != nil {
		return none, checks.InstanceCheck{}, err
	}
	box, err := c.checks.open(ctx, c.config.Sandbox, "")
	if err != nil {
		return none, checks.InstanceCheck{}, err
	}
	x := checks.Exec{Box: box.box, Limits: sandbox.Limits{Wall: suiteWall, Memory: suiteMemory}}
	if box.box.Images() {
		if names := sandbox.InstanceImages(in.Instance.ID); len(names) > 0 {
			x.Image = names[0]
		}
	}
	base, err := c.checks.Base(ctx, in.Instance)
	if err != nil {
		return none, checks.InstanceCheck{}, err
	}
	sub, check := checks.NewSubject(in.Instance, base, run, x, 0)
	return sub, check, nil
}
