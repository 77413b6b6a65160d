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
	release := func() {}
	if c.host != nil {
		held, ok := c.host.hold(c.gate, c.set.ID)
		if !ok {
			return nil // the item stays open for whoever goes on
		}
		release = held
	}
	defer release()
	if err := c.reload(ctx); err != nil {
		return err
	}
	last, err := c.check(ctx)
	if errors.Is(err, errGate) {
		return nil
	}
	if err != nil {
		return err
	}
	if last.Trouble == nil && c.config.Checks.Audit {
		if err := c.audit(ctx); errors.Is(err, errGate) {
			return nil
		} else if err != nil {
			return err
		}
	}
	if last.Kind == cascade.Stop {
		return c.end(ctx, last)
	}
	release()
	if err := c.store.SaveCascadeItem(ctx, c.row(last.Stage, "")); err != nil {
		return err
	}
	return c.shardRun.item(c.item)
}

// check performs what is missing until the cascade stops or asks for votes, and
// gives that action. The error is errGate or the store's.
func (c *cascadeRun) check(ctx context.Context) (cascade.Action, error) {
	state := cascade.Start(c.policy)
	for {
		a := cascade.Next(state)
		if a.Kind == cascade.Stop || a.Kind == cascade.AskVotes {
			return a, nil
		}
		if c.over() {
			return a, errGate
		}
		answers := recordOf(c.kept).Answer(a, "")
		if len(answers) == 0 {
			f, err := c.perform(ctx, a)
			if err != nil {
				return a, err
			}
			if f != nil && c.over() {
				return a, errGate // work ends, which says nothing about the item
			}
			if f != nil {
				answers = []cascade.Outcome{*f}
			} else if answers, err = c.stored(ctx, a); err != nil {
				return a, err
			}
		}
		for _, o := range answers {
			next, err := state.Observe(o)
			if err != nil {
				return a, fmt.Errorf("item %s: %w", c.item.ID, err)
			}
			state = next
		}
	}
}

// errGate says that an action was not begun, because no new work may start.
var errGate = errors.New("no new work may start")

func (c *cascadeRun) load(ctx context.Context) (err error) {
	if c.in, err = c.store.LoadEvidenceInput(ctx, c.item.TraceID, false); err != nil {
		return err
	}
	c.set, err = c.store.OpenCheckSet(ctx, c.item.TraceID, c.config.ChecksSHA256, settingsJSON(c.config.Checks))
	return err
}

// reload reads what is stored of the set, and gives the bench the tests in it: an
// attempt may be another worker's.
func (c *cascadeRun) reload(ctx context.Context) (err error) {
	if c.kept, err = c.store.LoadCheckSet(ctx, c.set.ID); err != nil || c.bench == nil {
		return err
	}
	for i, g := range c.kept.Tests {
		c.bench.Remember(g.Attempt, gentest.Test{Path: g.Path, Source: c.kept.Texts[i].Source, Asserts: g.Asserts, Limits: g.Limits})
	}
	return nil
}

// stored reads back what was just kept: of two workers that observe the same, the
// first counts for both.
func (c *cascadeRun) stored(ctx context.Context, a cascade.Action) ([]cascade.Outcome, error) {
	if err := c.reload(ctx); err != nil {
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
	if a.Kind == cascade.Generate {
		return c.generate(ctx, a) // an endpoint's work, which needs no place here
	}
	leave, ok := c.host.enter(c.gate)
	if !ok {
		return nil, errGate
	}
	defer leave()
	switch a.Kind {
	case cascade.RunStatic:
		return c.static(ctx)
	case cascade.RunOnBase:
		r, _, err := c.bench.OnBase(ctx, a.Attempt)
		return c.ran(ctx, a.Attempt, models.OnBase, r, err)
	case cascade.RunOnPatch:
		r, _, err := c.bench.OnPatch(ctx, a.Attempt)
		return c.ran(ctx, a.Attempt, models.OnPatched, r, err)
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
	return nil, c.reload(ctx)
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

// audit runs kept tests on the reference patch, those of a run that was broken off
// too. What comes of it answers no action, and an audit that cannot be made is
// missing and stops nothing. The error is errGate or the store's.
func (c *cascadeRun) audit(ctx context.Context) error {
	if c.host == nil || c.in.Instance.Oracle.GoldPatch == "" {
		return nil
	}
	for _, g := range c.kept.Tests {
		if g.PatchedResult == "" || g.GoldResult != "" {
			continue
		}
		if c.bench == nil {
			if f, err := c.open(ctx); f != nil || err != nil {
				return err
			}
		}
		if f := c.onBase(ctx); f != nil {
			return nil
		}
		leave, ok := c.host.enter(c.gate)
		if !ok {
			return errGate
		}
		r, ran, err := c.bench.OnGold(ctx, g.Attempt)
		leave()
		if err != nil || !ran {
			c.log.Warn("test not audited", "trace", c.item.TraceID, "attempt", g.Attempt, "err", err)
			continue
		}
		if _, err := c.ran(ctx, g.Attempt, models.OnGold, r, nil); err != nil {
			return err
		}
	}
	return nil
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
