package checks

import (
	"context"
	"fmt"
	"slices"

	"plumbline/experiments/bundled"
	"plumbline/experiments/patch"
	"plumbline/experiments/trace"
	"plumbline/runner/workspace"
)

// Outcome is what a check of a trace ends in. Only Labelled and Unchanged give a
// label; every other outcome leaves the trace as it was.
type Outcome string

// Outcomes.
const (
	Labelled     Outcome = "labelled"
	Unchanged    Outcome = "no_change"      // nothing but tests is changed, if anything
	DoesNotApply Outcome = "does_not_apply" // the patch is refused by the base, or is none
	PatchUnknown Outcome = "patch_unknown"  // the record does not say what the patch is
	Hangs        Outcome = "hangs"          // an expected test ran into the time limit
	Environment  Outcome = "environment"    // another limit was hit, or nothing could be run
	Unsteady     Outcome = "flaky"          // repeated runs give different labels
	NotUsable    Outcome = "unusable"       // the instance gives no labels here
)

// TraceCheck is what became of checking a trace. Reason never names a test.
type TraceCheck struct {
	Outcome Outcome
	Reason  string
	Label   trace.Label // unknown unless Outcome gives a label
	Bucket  trace.Bucket
	Counts  *trace.TestCounts // nil: the tests did not run
	// Stripped are files of tests that the agent changed; they are not applied.
	Stripped []string
	Apply    *workspace.ApplyReport // nil: nothing was applied

	Executions []Execution
}

// CheckTrace strips the agent's changes of tests, applies the rest, runs the
// official tests repeat times and decides label and bucket. An empty patch is
// decided without running anything.
func (s Subject) CheckTrace(ctx context.Context, t trace.Trace, c InstanceCheck, repeat int) (TraceCheck, error) {
	kept, out := Strip(t)
	if out.Outcome != "" {
		if out.Outcome == Unchanged {
			out.Counts = c.Base // what nothing was changed in is the base
		}
		return out, nil
	}
	if c.State != Usable {
		out.Outcome, out.Reason = NotUsable, fmt.Sprintf("the instance gives no labels here: %s: %s", c.State, c.Reason)
		return out, nil
	}
	tree := s.Base.Tree()
	rep := tree.Apply(kept, workspace.ApplyOptions{Fuzz: s.Fuzz})
	out.Apply = &rep
	if !rep.Applied {
		out.Outcome, out.Reason = DoesNotApply, rep.Rejected()[0]
		return out, nil
	}
	for round := 1; round <= max(1, repeat); round++ {
		e, err := s.run(ctx, tree, OnPatch, round, c.Left())
		if err != nil {
			return out, err
		}
		out.Executions = append(out.Executions, e)
		if out.stopped(e) {
			return out, nil
		}
	}
	out.decide()
	return out, nil
}

// Strip takes the agent's changes of tests out of a trace's patch. If that leaves
// nothing to run, the check that comes with it says what is the case.
func Strip(t trace.Trace) (kept string, out TraceCheck) {
	out = TraceCheck{Label: trace.Unknown}
	nothing := func(reason string) (string, TraceCheck) {
		out.Outcome, out.Reason, out.Label, out.Bucket = Unchanged, reason, trace.Defective, trace.NoChange
		return "", out
	}
	switch t.PatchState {
	case trace.PatchAbsent:
		out.Outcome, out.Reason = PatchUnknown, "the record has no field for the patch"
		return "", out
	case trace.PatchEmpty, trace.PatchBlank, trace.PatchNull, trace.PatchNone:
		return nothing("there is no patch")
	case trace.PatchNoDiffFound:
		out.Outcome, out.Reason = DoesNotApply, "there is no diff in the text"
		return "", out
	}
	kept, out.Stripped = patch.StripTests(t.Patch)
	d := patch.Parse(kept)
	if d.IsEmpty() {
		if len(out.Stripped) > 0 && !unreadable(d) {
			return nothing(fmt.Sprintf("the patch changes nothing but tests, in %d files", len(out.Stripped)))
		}
		if len(d.Files) == 0 || unreadable(d) {
			out.Outcome, out.Reason = DoesNotApply, "there is no diff in the text, or one that cannot be read"
			return "", out
		}
		return nothing("the patch changes no content")
	}
	return kept, out
}

// unreadable reports a diff whose text does not hold what its headers say: that no
// change was read from it does not mean that there is none.
func unreadable(d patch.Diff) bool {
	lies := func(f patch.File) bool {
		headerOnly := f.Kind == patch.Modified && len(f.Hunks) == 0 && !f.Binary
		return headerOnly || slices.ContainsFunc(f.Hunks, func(h patch.Hunk) bool { return h.Lied })
	}
	return d.Stray || d.Truncated || slices.ContainsFunc(d.Files, lies)
}

// stopped ends a check that a run says nothing about.
func (c *TraceCheck) stopped(e Execution) bool {
	hung := 0
	for _, x := range slices.Concat(e.F2P, e.P2P) {
		if x.Test.Status == TimedOut {
			hung++
		}
	}
	switch {
	case hung > 0 || e.Run.Fault == FaultTime:
		c.Outcome, c.Reason = Hangs, fmt.Sprintf("%d expected tests ran into the time limit", hung)
		if hung == 0 {
			c.Reason = "the tests ran into the time limit: " + e.Run.Detail
		}
	case e.Run.Fault.Environmental():
		c.Outcome, c.Reason = Environment, fmt.Sprintf("%s: %s", e.Run.Fault, e.Run.Detail)
	default:
		return false
	}
	return true
}

// decide labels by the runs, if they agree.
func (c *TraceCheck) decide() {
	first := c.Executions[0]
	counts := Counts(first.F2P, first.P2P)
	c.Counts = &counts
	for i, e := range c.Executions {
		f2p, p2p := e.Holds()
		label, bucket := bundled.Classify(f2p, p2p, false)
		if i == 0 {
			c.Label, c.Bucket = label, bucket
			continue
		}
		if label != c.Label || bucket != c.Bucket {
			c.Outcome = Unsteady
			c.Reason = fmt.Sprintf("the runs disagree: %s, then %s", named(c.Label, c.Bucket), named(label, bucket))
			c.Label, c.Bucket = trace.Unknown, trace.NoBucket
			return
		}
	}
	c.Outcome = Labelled
	c.Reason = fmt.Sprintf("%d of %d fail-to-pass and %d of %d pass-to-pass tests pass", counts.FailToPassOK, counts.FailToPassAll, counts.PassToPassOK, counts.PassToPassAll)
	if n := len(flaky(c.Executions)); n > 0 {
		c.Reason += fmt.Sprintf(", and %d of them not in every run", n)
	}
	if n := len(c.Executions); n > 1 {
		c.Reason += fmt.Sprintf("; %d runs agree", n)
	}
}

func named(l trace.Label, b trace.Bucket) string {
	if b == trace.NoBucket {
		return string(l)
	}
	return string(l) + " (" + string(b) + ")"
}
