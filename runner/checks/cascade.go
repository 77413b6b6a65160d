package checks

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"plumbline/experiments/cascade"
	"plumbline/experiments/cascade/gentest"
	"plumbline/experiments/patch"
	"plumbline/experiments/trace"
	"plumbline/runner/reviewer"
	"plumbline/runner/sandbox"
	"plumbline/runner/workspace"
)

// Driver performs the checks of a cascade: it does what an action of
// cascade.Next says and gives the outcome with all that is worth keeping. It
// decides nothing.
type Driver struct {
	Box       sandbox.Backend
	Image     string // for backends that run images
	Tools     []StaticTool
	Generator Generator // nil: no test can be generated
	Settings  Settings
	Limits    sandbox.Limits // of one run of a generated test
	Repeats   int            // runs of a generated test on the base; at least 1
	Seed      int64
}

// Bench is one patch made ready to be checked. It is not safe for concurrent use.
type Bench struct {
	Driver
	Trace    trace.Trace
	TraceID  string
	Instance trace.Instance // the oracle is used by the leakage audit and by OnGold alone
	// Visible is what anybody may read, for the leakage audit.
	Visible string

	stripped string
	change   cascade.Change
	base     *workspace.Tree
	patched  *workspace.Tree
	language string
	tests    map[int]gentest.Test // by attempt
}

// NewBench takes a trace without touching any tree.
func (d Driver) NewBench(id string, t trace.Trace, in trace.Instance, visible string) *Bench {
	b := &Bench{Driver: d, Trace: t, TraceID: id, Instance: in, Visible: visible, tests: map[int]gentest.Test{}}
	kept, c := Strip(t)
	b.stripped = kept
	if kept == "" {
		b.change = cascade.Change{None: c.Outcome == Unchanged, Why: c.Reason}
	}
	b.language = languageOfPatch(in.Language, kept)
	return b
}

func languageOfPatch(stated, diff string) string {
	if stated != "" {
		if stated == "typescript" {
			return "javascript"
		}
		return stated
	}
	d := patch.Parse(diff)
	for i := range d.Files {
		switch p := d.Files[i].Path(); {
		case strings.HasSuffix(p, ".py"):
			return "python"
		case strings.HasSuffix(p, ".go"):
			return "go"
		case strings.HasSuffix(p, ".js"), strings.HasSuffix(p, ".ts"), strings.HasSuffix(p, ".mjs"):
			return "javascript"
		}
	}
	return ""
}

// Look answers LookAtPatch. A text that is no diff is trouble, not a patch without
// change.
func (b *Bench) Look() cascade.Outcome {
	if b.stripped == "" && !b.change.None {
		return cascade.Failed{Trouble: cascade.PatchNotApplied, Detail: b.change.Why}
	}
	return b.change
}

// Open puts the patch on its base. It answers trouble, or nil when checks can run.
func (b *Bench) Open(base *workspace.Base) *cascade.Failed {
	if b.patched != nil {
		return nil
	}
	b.base = base.Tree()
	tree := base.Tree()
	if rep := tree.Apply(b.stripped, workspace.ApplyOptions{}); !rep.Applied {
		why := "it is refused"
		if all := rep.Rejected(); len(all) > 0 {
			why = all[0]
		}
		return &cascade.Failed{Trouble: cascade.PatchNotApplied, Detail: why}
	}
	b.patched = tree
	return nil
}

// Static answers RunStatic.
func (b *Bench) Static(ctx context.Context) (StaticReport, cascade.Outcome, error) {
	rep, err := Static(ctx, b.Box, b.Tools, b.base, b.patched, patch.Parse(b.stripped))
	switch {
	case errors.Is(err, ErrBaseBroken):
		return rep, cascade.Failed{Trouble: cascade.BaseBroken, Detail: strings.TrimPrefix(err.Error(), ErrBaseBroken.Error()+": ")}, nil
	case err != nil:
		return rep, nil, err
	}
	return rep, rep.Outcome, nil
}

// Attempt is what became of one request for a test.
type Attempt struct {
	Generation Generation
	Test       gentest.Test
	Outcome    cascade.Generated
	Framework  gentest.Framework
}

// Generate answers Generate for attempt n with the feedback of the one before. The
// error is that of the generator: it gave no reply.
func (b *Bench) Generate(ctx context.Context, n int, feedback string) (Attempt, error) {
	framework, ok := FrameworkFor(b.language, b.base)
	if b.Generator == nil || !ok {
		// Nothing was asked for, so this costs nothing.
		return Attempt{Outcome: cascade.Generated{Flaw: b.unable(ok)}}, nil
	}
	in := gentest.Input{Language: b.language, Framework: framework, Issue: b.Instance.Issue, Patch: b.Trace.Patch, Feedback: feedback}
	if n > 1 {
		in.Last = b.tests[n-1].Source
	}
	g, err := b.Generator.Generate(ctx, GenerateRequest{Trace: b.TraceID, Instance: b.Instance.ID, Attempt: n, Seed: b.Seed, Input: in})
	if err != nil {
		return Attempt{}, err
	}
	a := Attempt{Generation: g, Framework: framework}
	a.Test, a.Outcome.Flaw = gentest.Parse(g.Reply, in)
	if a.Outcome.Flaw == cascade.NoTest {
		a.Outcome.Flaw = stopped(g.Answer)
	}
	if a.Outcome.Flaw == cascade.NoFlaw && gentest.Recalled(a.Test.Source, b.Visible+"\n"+b.Instance.Issue, b.Instance.Oracle, b.Trace.Patch) {
		a.Outcome.Flaw = cascade.Leaks
	}
	if a.Outcome.Flaw == cascade.NoFlaw {
		a.Outcome.TestID = fmt.Sprintf("%s/%d", b.TraceID, n)
	}
	b.tests[n] = a.Test
	return a, nil
}

func (b *Bench) unable(framework bool) cascade.Flaw {
	if !framework {
		return cascade.NoFramework
	}
	return cascade.NoGenerator
}

// stopped tells why a reply without a test ended as it did.
func stopped(a reviewer.Answer) cascade.Flaw {
	switch a.Stop {
	case "refusal":
		return cascade.Refused
	case "length":
		return cascade.CutOff
	}
	return cascade.NoTest
}

// Remember gives the bench an attempt that was made before, so that a resumed
// cascade goes on with it.
func (b *Bench) Remember(n int, t gentest.Test) { b.tests[n] = t }

// OnBase answers RunOnBase for attempt n.
func (b *Bench) OnBase(ctx context.Context, n int) (GeneratedRun, cascade.Outcome, error) {
	r, err := b.runOn(ctx, b.base, n, b.Repeats)
	return r, cascade.BaseRan{Result: r.Result, Feedback: r.Feedback()}, err
}

// OnPatch answers RunOnPatch for attempt n.
func (b *Bench) OnPatch(ctx context.Context, n int) (GeneratedRun, cascade.Outcome, error) {
	r, err := b.runOn(ctx, b.patched, n, 1)
	return r, cascade.PatchRan{Result: r.Result}, err
}

// OnGold runs attempt n on the reference patch, for the audit. It is no outcome of
// any action. False when the instance has no reference that applies.
func (b *Bench) OnGold(ctx context.Context, n int) (GeneratedRun, bool, error) {
	if strings.TrimSpace(b.Instance.Oracle.GoldPatch) == "" {
		return GeneratedRun{}, false, nil
	}
	gold := b.base.Clone()
	if rep := gold.Apply(b.Instance.Oracle.GoldPatch, workspace.ApplyOptions{}); !rep.Applied {
		return GeneratedRun{}, false, nil
	}
	r, err := b.runOn(ctx, gold, n, 1)
	return r, err == nil, err
}

func (b *Bench) runOn(ctx context.Context, tree *workspace.Tree, n, repeats int) (GeneratedRun, error) {
	framework, _ := FrameworkFor(b.language, b.base)
	r, err := RunnerFor(framework, b.Settings)
	if err != nil {
		return GeneratedRun{}, err
	}
	x := Exec{Box: b.Box, Tree: tree, Limits: b.Limits, Image: b.Image}
	return RunGenerated(ctx, x, r, b.tests[n], repeats)
}
