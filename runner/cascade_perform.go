package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"plumbline/experiments/cascade"
	"plumbline/experiments/cascade/gentest"
	"plumbline/models"
	"plumbline/runner/checks"
	"plumbline/runner/reviewer"
	"plumbline/runner/sandbox"
	"plumbline/runner/workspace"
)

// cascadeItem takes one item through its cascade: it does what cascade.Next says,
// keeps what comes of it, and begins with what is kept already. The votes of the
// residual reviewer are asked for as those of any item. The error is the store's.
func (run *shardRun) cascadeItem(it models.Item, host *CheckHost) error {
	arm := run.work.Arms[it.ArmID]
	config, err := CascadeConfigOf(run.work.Experiment)
	if err != nil {
		return err
	}
	if arm.Idx >= len(config.Arms) {
		return fmt.Errorf("the configuration of experiment %s has no arm %d", run.work.Experiment.ID, arm.Idx)
	}
	spec := config.Arms[arm.Idx]
	if !spec.checked() {
		return run.item(it)
	}
	c := &cascadeRun{shardRun: run, host: host, config: config, policy: spec.Policy, item: it}
	return c.play(reviewer.WithGate(context.Background(), run.gate))
}

// cascadeRun is one item on its way.
type cascadeRun struct {
	*shardRun
	host   *CheckHost
	config CascadeConfig
	policy cascade.Policy
	item   models.Item

	in    models.EvidenceInput
	set   models.CheckSet
	bench *checks.Bench
	kept  models.SetChecks
}

func (c *cascadeRun) play(ctx context.Context) error {
	if err := c.load(ctx); err != nil {
		return err
	}
	state := cascade.Start(c.policy)
	for {
		a := cascade.Next(state)
		switch {
		case a.Kind == cascade.Stop:
			return c.end(ctx, a)
		case a.Kind == cascade.AskVotes:
			if err := c.store.SaveCascadeItem(ctx, c.row(a.Stage, "")); err != nil {
				return err
			}
			return c.shardRun.item(c.item)
		case c.over():
			return nil // the item stays open for whoever goes on
		}
		answers := recordOf(c.kept).Answer(a, "")
		if len(answers) == 0 {
			f, err := c.perform(ctx, a)
			if err != nil {
				return err
			}
			if f != nil {
				answers = []cascade.Outcome{*f}
			} else if answers, err = c.stored(ctx, a); err != nil {
				return err
			}
		}
		for _, o := range answers {
			next, err := state.Observe(o)
			if err != nil {
				return fmt.Errorf("item %s: %w", c.item.ID, err)
			}
			state = next
		}
	}
}

func (c *cascadeRun) load(ctx context.Context) (err error) {
	if c.in, err = c.store.LoadEvidenceInput(ctx, c.item.TraceID, false); err != nil {
		return err
	}
	if c.set, err = c.store.OpenCheckSet(ctx, c.item.TraceID, c.config.ChecksSHA256, settingsJSON(c.config.Checks)); err != nil {
		return err
	}
	c.kept, err = c.store.LoadCheckSet(ctx, c.set.ID)
	return err
}

// stored reads back what was just kept: of two workers that observe the same, the
// first counts for both.
func (c *cascadeRun) stored(ctx context.Context, a cascade.Action) ([]cascade.Outcome, error) {
	var err error
	if c.kept, err = c.store.LoadCheckSet(ctx, c.set.ID); err != nil {
		return nil, err
	}
	out := recordOf(c.kept).Answer(a, "")
	if len(out) == 0 {
		return nil, fmt.Errorf("item %s: to %s left nothing behind", c.item.ID, a.Kind)
	}
	return out, nil
}

// perform does what an action says and keeps it. It answers trouble where the
// action could not be performed.
func (c *cascadeRun) perform(ctx context.Context, a cascade.Action) (*cascade.Failed, error) {
	if c.bench == nil {
		if f, err := c.open(ctx); f != nil || err != nil {
			return f, err
		}
	}
	if a.Kind == cascade.LookAtPatch {
		switch o := c.bench.Look().(type) {
		case cascade.Failed:
			return &o, nil
		case cascade.Change:
			return nil, c.store.SavePatchCheck(ctx, c.set.ID, o.None, o.Why)
		}
	}
	if f := c.onBase(ctx); f != nil {
		return f, nil
	}
	switch a.Kind {
	case cascade.RunStatic:
		return c.static(ctx)
	case cascade.Generate:
		return c.generate(ctx, a)
	case cascade.RunOnBase:
		r, _, err := c.bench.OnBase(ctx, a.Attempt)
		return c.ran(ctx, a.Attempt, models.OnBase, r, err)
	case cascade.RunOnPatch:
		r, _, err := c.bench.OnPatch(ctx, a.Attempt)
		if f, err := c.ran(ctx, a.Attempt, models.OnPatched, r, err); f != nil || err != nil || !c.config.Checks.Audit {
			return f, err
		}
		return c.audit(ctx, a.Attempt)
	}
	return nil, fmt.Errorf("item %s: nobody knows how to %s", c.item.ID, a.Kind)
}

// open makes the bench without touching a tree.
func (c *cascadeRun) open(ctx context.Context) (*cascade.Failed, error) {
	spec := c.config.Checks
	d := checks.Driver{
		Image: spec.Image, Settings: c.host.Settings(), Repeats: spec.Repeats, Seed: c.work.Experiment.Seed,
		Limits: sandbox.Limits{Wall: time.Duration(spec.TestWallS * float64(time.Second)), Output: 1 << 20},
	}
	visible, err := visible(c.in)
	if err != nil {
		return nil, err
	}
	if d.Generator, err = c.Runner.generator(c.config); err != nil {
		return &cascade.Failed{Trouble: cascade.GeneratorDown, Detail: err.Error()}, nil
	}
	c.bench = d.NewBench(c.in.Trace.InstanceID+"/"+c.item.TraceID, c.in.Trace, c.in.Instance, visible)
	for i, g := range c.kept.Tests {
		c.bench.Remember(g.Attempt, gentest.Test{Path: g.Path, Source: c.kept.Texts[i].Source, Asserts: g.Asserts, Limits: g.Limits})
	}
	return nil, nil
}

// onBase puts the patch on its base, in a sandbox with its tools.
func (c *cascadeRun) onBase(ctx context.Context) *cascade.Failed {
	if c.host == nil {
		return &cascade.Failed{Trouble: cascade.NoSandbox, Detail: "this worker is not set up to run checks"}
	}
	opened, err := c.host.open(ctx, c.config.Checks.Sandbox, c.config.Checks.Image)
	if err != nil {
		return &cascade.Failed{Trouble: cascade.NoSandbox, Detail: err.Error()}
	}
	c.bench.Box, c.bench.Tools = opened.box, opened.tools
	for _, t := range c.config.Checks.Tools {
		if tool, err := t.Tool(); err == nil { // checked at launch
			c.bench.Tools = append(c.bench.Tools[:len(opened.tools):len(opened.tools)], tool)
		}
	}
	base, err := c.host.Base(ctx, c.in.Instance)
	if err != nil {
		return &cascade.Failed{Trouble: cascade.BaseMissing, Detail: err.Error()}
	}
	return c.bench.Open(base)
}

func (c *cascadeRun) static(ctx context.Context) (*cascade.Failed, error) {
	rep, o, err := c.bench.Static(ctx)
	if err != nil {
		return sandboxTrouble(err), nil
	}
	if f, ok := o.(cascade.Failed); ok {
		return &f, nil
	}
	return nil, c.store.SaveStaticCheck(ctx, c.set.ID, staticRows(rep))
}

func (c *cascadeRun) generate(ctx context.Context, a cascade.Action) (*cascade.Failed, error) {
	at, err := c.bench.Generate(ctx, a.Attempt, a.Feedback)
	var failed *reviewer.Error
	switch {
	case errors.As(err, &failed) || errors.Is(err, checks.ErrNotRecorded):
		return &cascade.Failed{Trouble: cascade.GeneratorDown, Detail: err.Error()}, nil
	case err != nil:
		return nil, err
	}
	row, text := testRows(c.set.ID, a.Attempt, c.config.GeneratorName, at)
	if _, err := c.store.AddGeneratedTest(ctx, row, text); err != nil {
		return nil, err
	}
	return nil, nil
}

// ran keeps a run of a test.
func (c *cascadeRun) ran(ctx context.Context, attempt int, side models.TestSide, r checks.GeneratedRun, err error) (*cascade.Failed, error) {
	if err != nil {
		return sandboxTrouble(err), nil
	}
	row := models.TestRun{
		Result: string(r.Result), Headline: r.Headline, Output: r.Output, Runs: r.Runs, WallMS: r.Wall.Milliseconds(), Backend: r.Backend, Unsandboxed: r.Unsafe,
	}
	if side == models.OnBase {
		row.Feedback = r.Feedback()
	}
	return nil, c.store.SaveTestRun(ctx, c.set.ID, attempt, side, row)
}

// audit runs a kept test on the reference patch. What comes of it answers no action.
func (c *cascadeRun) audit(ctx context.Context, attempt int) (*cascade.Failed, error) {
	r, ok, err := c.bench.OnGold(ctx, attempt)
	if err != nil || !ok {
		return nil, nil // an audit that cannot be made is missing, and stops nothing
	}
	return c.ran(ctx, attempt, models.OnGold, r, nil)
}

func sandboxTrouble(err error) *cascade.Failed {
	if errors.Is(err, workspace.ErrPath) {
		return &cascade.Failed{Trouble: cascade.CheckFailed, Detail: err.Error()}
	}
	return &cascade.Failed{Trouble: cascade.NoSandbox, Detail: err.Error()}
}

// end writes the verdict of a check, or the trouble.
func (c *cascadeRun) end(ctx context.Context, a cascade.Action) error {
	if a.Trouble != nil {
		row := c.row(a.Stage, "")
		row.Trouble, row.Detail, row.TroubleAt = string(a.Trouble.Trouble), a.Trouble.Detail, a.Stage.Key()
		return c.store.StopByTrouble(ctx, row, className(a.Trouble.Trouble))
	}
	return c.store.DecideByCheck(ctx, c.row(a.Verdict.Stage, a.Verdict.Why), a.Verdict.Decision)
}

func (c *cascadeRun) row(s cascade.Stage, why cascade.Why) models.CascadeItem {
	return models.CascadeItem{
		ItemID: c.item.ID, ExperimentID: c.item.ExperimentID, ArmID: c.item.ArmID, TraceID: c.item.TraceID, SetID: c.set.ID, Stage: s.Key(), Why: string(why),
	}
}

// className is a trouble as the class of an item's error.
func className(t cascade.Trouble) string { return strings.ReplaceAll(string(t), " ", "_") }
