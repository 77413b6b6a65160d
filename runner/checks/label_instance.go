package checks

import (
	"context"
	"fmt"
	"slices"

	"plumbline/experiments/trace"
	"plumbline/runner/workspace"
)

// Usability says whether an instance can give labels here, or why not.
type Usability string

// What a check of an instance ends in.
const (
	Usable           Usability = "usable"
	NoOracle         Usability = "no_oracle"          // fail-to-pass tests or the gold patch are not known
	NoBase           Usability = "no_base"            // the base tree is not at hand
	NoRunner         Usability = "no_runner"          // nothing tells how its tests are run
	TestsDoNotApply  Usability = "tests_do_not_apply" // the test patch is refused by the base
	GoldDoesNotApply Usability = "gold_does_not_apply"
	GoldFails        Usability = "gold_fails" // the official tests fail on the gold patch
	BasePasses       Usability = "base_passes"
	BaseDoesNotBuild Usability = "base_does_not_build"
	TooFlaky         Usability = "flaky"       // no fail-to-pass test is left that always ends alike
	EnvironmentFails Usability = "environment" // a limit was hit, or the test runner cannot run
)

// InstanceCheck is what became of checking an instance. Reason never names a test.
type InstanceCheck struct {
	State  Usability
	Reason string
	Base   *trace.TestCounts // nil: not run
	Gold   *trace.TestCounts
	// Flaky are tests that ended differently in repeated runs on one tree; Broken
	// are pass-to-pass tests that fail on the gold patch here. Both are left out.
	Flaky  []string
	Broken []string
	Notes  []string

	Executions []Execution
}

// Left are the tests that are not looked at.
func (c InstanceCheck) Left() []string { return slices.Concat(c.Flaky, c.Broken) }

func unusable(s Usability, reason string) InstanceCheck {
	return InstanceCheck{State: s, Reason: reason}
}

// InstanceOptions of CheckInstance.
type InstanceOptions struct {
	Repeat int // runs on each tree; at least 1
	// DropBroken leaves out pass-to-pass tests that fail on the gold patch, where
	// otherwise one of them makes the instance unusable.
	DropBroken bool
}

// CheckInstance runs the official tests on the gold patch and on the base. The
// instance is usable if all of them pass on gold and every fail-to-pass test fails
// on base, in each run. The error says that nothing could be run.
func (s Subject) CheckInstance(ctx context.Context, o InstanceOptions) (InstanceCheck, error) {
	gold := s.Base.Tree()
	if rep := gold.Apply(s.Instance.Oracle.GoldPatch, workspace.ApplyOptions{}); !rep.Applied {
		return unusable(GoldDoesNotApply, "the gold patch does not apply to the base: "+reasons(rep)), nil
	}
	c := InstanceCheck{State: Usable}
	for _, on := range []struct {
		name string
		tree *workspace.Tree
	}{{OnGold, gold}, {OnBase, s.Base.Tree()}} {
		for round := 1; round <= max(1, o.Repeat); round++ {
			e, err := s.run(ctx, on.tree, on.name, round, nil)
			if err != nil {
				return c, err
			}
			c.Executions = append(c.Executions, e)
			if e.Run.Fault.Environmental() {
				c.State, c.Reason = EnvironmentFails, fmt.Sprintf("on %s: %s: %s", on.name, e.Run.Fault, e.Run.Detail)
				return c, nil
			}
		}
	}
	c.Flaky = flaky(c.Executions)
	c.judge(s.Instance.Oracle, o)
	return c, nil
}

// flaky lists the tests that did not end alike in all runs on one tree.
func flaky(all []Execution) []string {
	first := map[string]bool{}
	var out []string
	for _, e := range all {
		for _, c := range slices.Concat(e.F2P, e.P2P) {
			key := e.Tree + " " + c.ID
			ok, seen := first[key]
			if !seen {
				first[key] = c.OK
				continue
			}
			if ok != c.OK && !slices.Contains(out, c.ID) {
				out = append(out, c.ID)
			}
		}
	}
	return out
}

// judge decides from the executions.
func (c *InstanceCheck) judge(o trace.Oracle, opt InstanceOptions) {
	var gold, base Execution
	for _, e := range slices.Backward(c.Executions) {
		if e.Tree == OnGold {
			gold = e
		} else {
			base = e
		}
	}
	goldF2P, goldP2P := c.kept(gold.F2P), c.kept(gold.P2P)
	if opt.DropBroken {
		for _, x := range goldP2P {
			if !x.OK {
				c.Broken = append(c.Broken, x.ID)
			}
		}
		goldP2P = c.kept(gold.P2P)
	}
	baseF2P, baseP2P := c.kept(base.F2P), c.kept(base.P2P)
	g, b := Counts(goldF2P, goldP2P), Counts(baseF2P, baseP2P)
	c.Gold, c.Base = &g, &b
	if n := len(c.Flaky); n > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("%d tests that do not always end alike are left out", n))
	}
	if n := len(c.Broken); n > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("%d of %d pass-to-pass tests fail on the gold patch here and are left out", n, len(o.PassToPass)))
	}
	switch {
	case len(goldF2P) == 0:
		c.State, c.Reason = TooFlaky, "no fail-to-pass test ends alike in all runs"
	case g.FailToPassOK < g.FailToPassAll || g.PassToPassOK < g.PassToPassAll:
		c.State = GoldFails
		c.Reason = fmt.Sprintf("on the gold patch %d of %d fail-to-pass and %d of %d pass-to-pass tests pass%s",
			g.FailToPassOK, g.FailToPassAll, g.PassToPassOK, g.PassToPassAll, because(gold))
	case len(baseP2P) > 0 && b.PassToPassOK == 0 && base.Run.Fault != "":
		c.State, c.Reason = BaseDoesNotBuild, "no pass-to-pass test runs on the base"+because(base)
	case b.FailToPassOK > 0:
		c.State, c.Reason = BasePasses, fmt.Sprintf("%d of %d fail-to-pass tests pass on the base", b.FailToPassOK, b.FailToPassAll)
	}
	if n := b.PassToPassAll - b.PassToPassOK; n > 0 && c.State == Usable {
		c.Notes = append(c.Notes, fmt.Sprintf("%d pass-to-pass tests fail on the base and pass on the gold patch", n))
	}
}

func (c *InstanceCheck) kept(list []Checked) []Checked {
	left := c.Left()
	return slices.DeleteFunc(slices.Clone(list), func(x Checked) bool { return slices.Contains(left, x.ID) })
}

// because adds what the run's fault and what its text looks like. Neither names a
// test: a fault's detail may, so that only its kind is told.
func because(e Execution) string {
	var words []string
	if e.Run.Fault != "" {
		words = append(words, string(e.Run.Fault))
	}
	text := string(e.Run.Report.Stdout) + string(e.Run.Report.Stderr)
	for _, t := range e.Run.Tests {
		if !holds(t.Status, true) {
			text += t.Message
		}
	}
	for _, h := range Hints(text) {
		if !slices.Contains(words, h) {
			words = append(words, h)
		}
	}
	if len(words) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%v)", words)
}
