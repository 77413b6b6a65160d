package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"plumbline/experiments/cascade"
	"plumbline/experiments/cascade/gentest"
	"plumbline/experiments/evidence"
	"plumbline/experiments/findings"
	"plumbline/models"
	"plumbline/runner/checks"
	"plumbline/runner/reviewer"
)

// recordOf is a stored set as the core reads it, without votes.
func recordOf(c models.SetChecks) cascade.Record {
	r := cascade.Record{Trace: c.Set.TraceID}
	if c.Set.PatchNone != nil {
		r.Change = &cascade.Change{None: *c.Set.PatchNone, Why: c.Set.PatchWhy}
	}
	if c.Set.StaticRan != nil {
		r.Static = &cascade.Static{
			Ran: *c.Set.StaticRan, Why: c.Set.StaticWhy, Decisive: c.Set.StaticDecisive, Caused: c.Set.StaticCaused, Standing: c.Set.StaticStanding,
		}
	}
	for i, g := range c.Tests {
		a := attemptOf(g)
		if i < len(c.Texts) {
			a.Feedback = c.Texts[i].Feedback
		}
		r.Attempts = append(r.Attempts, a)
	}
	return r
}

func attemptOf(g models.GeneratedTest) cascade.Attempt {
	a := cascade.Attempt{Base: cascade.Result(g.BaseResult), Patched: cascade.Result(g.PatchedResult)}
	a.Flaw = cascade.Flaw(g.Flaw)
	if a.Flaw == cascade.NoFlaw {
		a.TestID = fmt.Sprintf("%s/%d", g.SetID, g.Attempt)
	}
	return a
}

// staticRows is a report of static tools as it is kept.
func staticRows(rep checks.StaticReport) models.StaticCheck {
	c := models.StaticCheck{
		Ran: rep.Outcome.Ran, Why: rep.Outcome.Why, Decisive: rep.Outcome.Decisive, Caused: rep.Outcome.Caused, Standing: rep.Outcome.Standing,
	}
	for _, t := range rep.Tools {
		c.Runs = append(c.Runs, models.StaticRun{
			Tool: t.Tool, Version: t.Version, Why: t.Why, Backend: t.Backend, Unsandboxed: t.Unsandboxed, Runs: 2, WallMS: t.Wall.Milliseconds(),
		})
		for _, side := range []struct {
			name string
			list []findings.Finding
		}{
			{models.FindingCaused, t.Attribution.Caused}, {models.FindingUnclear, t.Attribution.Unclear},
			{models.FindingStanding, t.Attribution.Standing}, {models.FindingGone, t.Attribution.Gone},
		} {
			for _, f := range side.list {
				c.Findings = append(c.Findings, models.StaticFinding{
					Tool: f.Tool, Side: side.name, Rule: f.Rule, File: f.File, Line: f.Line, Class: string(f.Class),
					Decides: side.name == models.FindingCaused && findings.Decides(f), Message: f.Message, Context: f.Context,
				})
			}
		}
	}
	if len(c.Findings) > maxFindings {
		c.Findings = c.Findings[:maxFindings]
	}
	return c
}

// maxFindings bounds what is kept of one patch; the counts are of all.
const maxFindings = 2000

// testRows is an attempt at a test as it is kept.
func testRows(setID string, n int, generator string, a checks.Attempt) (models.GeneratedTest, models.GeneratedTestText) {
	ans := a.Generation.Answer
	row := models.GeneratedTest{
		SetID: setID, Attempt: n, Generator: generator, Model: ans.Model, Recorded: a.Generation.Recorded, Path: a.Test.Path, Flaw: string(a.Outcome.Flaw),
		Asserts: a.Test.Asserts, Limits: a.Test.Limits, InputTokens: ans.Usage.PromptTokens, OutputTokens: ans.Usage.CompletionTokens,
		CostUSD: ans.Billed(), PriceVersion: ans.PriceVersion, Cached: ans.Cached, RequestSHA256: ans.RequestHash, LatencyMS: ans.Latency.Milliseconds(),
	}
	if row.Recorded || a.Generation.Prompt == "" {
		free := 0.0
		row.CostUSD = &free // nothing was asked
	}
	return row, models.GeneratedTestText{Prompt: a.Generation.Prompt, Reply: a.Generation.Reply, Source: a.Test.Source}
}

// checkEvidence is a stored set as the checked form shows it. Runs on the reference
// patch have no place in it, and hide takes hidden material out of what tests and
// tools wrote.
func checkEvidence(c models.SetChecks, hide func(string) string) []evidence.Check {
	var out []evidence.Check
	for _, f := range c.Findings {
		if f.Side == models.FindingGone {
			continue
		}
		out = append(out, evidence.Check{
			Kind: evidence.StaticFinding, Counts: f.Side == models.FindingCaused, Tool: f.Tool, Rule: f.Rule, File: f.File, Line: f.Line, Message: hide(f.Message),
		})
	}
	for i, g := range c.Tests {
		e := evidence.Check{Kind: evidence.GeneratedTest, Message: hide(g.Asserts)}
		if a := attemptOf(g); a.Kept() {
			e.Counts, e.Base = true, evidence.Failed
			switch a.Patched {
			case cascade.Passed:
				e.Patched = evidence.Passed
			case cascade.FailedTest, cascade.SetUp:
				e.Patched = evidence.Failed
			}
			e.Source, e.Output = hide(c.Texts[i].Source), hide(c.Texts[i].PatchedOutput)
		}
		out = append(out, e)
	}
	return out
}

// completeInput adds to the input of an evidence text what the store keeps apart:
// the checks of the checked form, those of the item's own cascade before any other,
// and the missing item of a controlled case.
func (r *Runner) completeInput(ctx context.Context, traceID, itemID string, form evidence.Form, from models.EvidenceInput, in *evidence.Input) error {
	switch form {
	case evidence.Checked:
		set, err := r.checksFor(ctx, traceID, itemID)
		if errors.Is(err, models.ErrNotFound) {
			return nil // nothing was checked, and the text says so
		}
		if err != nil {
			return err
		}
		public, err := visible(from)
		if err != nil {
			return err
		}
		in.Checks = checkEvidence(set, func(text string) string {
			return strings.TrimRight(gentest.Withheld(text, public, from.Instance.Oracle, in.Patch), "\n")
		})
	case evidence.StructuredMissing:
		c, err := r.store.ControlledCase(ctx, traceID)
		if errors.Is(err, models.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		in.Missing = c.Missing
	}
	return nil
}

func (r *Runner) checksFor(ctx context.Context, traceID, itemID string) (models.SetChecks, error) {
	if itemID != "" {
		set, err := r.store.ItemCheckSet(ctx, itemID)
		if err == nil || !errors.Is(err, models.ErrNotFound) {
			return set, err
		}
	}
	return r.store.LatestCheckSet(ctx, traceID)
}

// generator builds the generator of a configuration; nil when there is none.
func (r *Runner) generator(c CascadeConfig) (checks.Generator, error) {
	switch c.Checks.Generator {
	case "":
		return nil, nil
	case RecordedGenerator:
		return checks.RecordedGenerator{}, nil
	}
	var spec reviewer.Spec
	if err := json.Unmarshal(c.GeneratorSpec, &spec); err != nil {
		return nil, fmt.Errorf("read the settings of the generator: %w", err)
	}
	w, err := reviewer.NewCompleter(spec, checks.MinTestTokens, r.deps)
	if err != nil {
		return nil, err
	}
	return checks.EndpointGenerator{Label: c.GeneratorName, Writer: w, Prompt: c.Checks.Prompt}, nil
}

// settingsJSON writes plain settings, which always encode.
func settingsJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("runner: write settings: " + err.Error())
	}
	return string(raw)
}
