package formats_test

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"plumbline/experiments/formats"
)

// where is the path that an expected attempt starts from.
func (e *expectedTrace) where() string {
	for _, p := range []*string{e.Trajectory, e.Prediction, e.PatchFile, e.ResolvedSource} {
		if p != nil {
			return strings.SplitN(*p, " line ", 2)[0]
		}
	}
	return ""
}

// compareFile lists the differences between a file's reading and the expected one.
func compareFile(e expectedFile, got readFile) []string {
	var out []string
	diff := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if string(got.report.Format) != e.Format {
		diff("format %q, want %q", got.report.Format, e.Format)
		return out
	}
	switch {
	case (e.Records == nil) != (got.report.Records == nil):
		diff("records %v, want %v", deref(got.report.Records), deref(e.Records))
	case e.Records != nil && *e.Records != *got.report.Records:
		diff("%d records, want %d", *got.report.Records, *e.Records)
	}
	if len(e.BadLines) > 0 {
		if len(got.report.Problems) != len(e.BadLines) {
			diff("%d problems, want %d bad lines", len(got.report.Problems), len(e.BadLines))
		}
	}
	out = append(out, compareRecords(e, got)...)
	return append(out, compareFacts(e, got)...)
}

// compareRecords compares the records that carry a patch, in order.
func compareRecords(e expectedFile, got readFile) []string {
	var out []string
	if len(e.Per) == 0 || e.Format == "dataset-rows" || e.Format == "patch-candidates" {
		return nil
	}
	var preds []*formats.Prediction
	for _, r := range got.records {
		switch p := r.(type) {
		case *formats.Prediction:
			preds = append(preds, p)
		case *formats.Trajectory:
			preds = append(preds, &formats.Prediction{InstanceID: p.Trace.InstanceID, Model: p.Trace.Model, State: p.Trace.PatchState, Patch: p.Trace.Patch, Keyless: p.Trace.InstanceID == "" || p.Derived})
		}
	}
	if len(preds) != len(e.Per) {
		return append(out, fmt.Sprintf("%d records with a patch, want %d", len(preds), len(e.Per)))
	}
	for i, w := range e.Per {
		p := preds[i]
		at := fmt.Sprintf("record %v", w.At)
		if w.InstanceID != nil && p.InstanceID != *w.InstanceID || w.InstanceID == nil && !p.Keyless {
			out = append(out, fmt.Sprintf("%s: instance %q, want %v", at, p.InstanceID, deref(w.InstanceID)))
		}
		if w.Model != nil && p.Model != *w.Model {
			out = append(out, fmt.Sprintf("%s: model %q, want %q", at, p.Model, *w.Model))
		}
		if strings.HasPrefix(*w.State, "not_text:") {
			if p.Note != *w.State {
				out = append(out, fmt.Sprintf("%s: note %q, want %q", at, p.Note, *w.State))
			}
			continue
		}
		out = append(out, comparePatch(at, w.expectedPatch, formats.Facts(p.State, p.Patch))...)
	}
	return out
}

func comparePatch(at string, w expectedPatch, got formats.PatchFacts) []string {
	var out []string
	diff := func(format string, args ...any) { out = append(out, at+": "+fmt.Sprintf(format, args...)) }
	if w.State == nil {
		return nil
	}
	if string(got.State) != *w.State {
		diff("patch state %q, want %q", got.State, *w.State)
	}
	if w.SHA256 == "" {
		return out
	}
	if got.SHA256 != w.SHA256 {
		diff("patch hash differs")
	}
	if w.Chars != 0 && got.Chars != w.Chars {
		diff("%d characters, want %d", got.Chars, w.Chars)
	}
	g, x := slices.Clone(got.Files), slices.Clone(w.Files)
	sort.Strings(g)
	sort.Strings(x)
	if !slices.Equal(g, x) {
		diff("files %q, want %q", g, x)
	}
	if !same(got.Added, w.Added) || !same(got.Removed, w.Removed) {
		diff("+%v -%v, want +%v -%v", deref(got.Added), deref(got.Removed), deref(w.Added), deref(w.Removed))
	}
	gk, wk := slices.Clone(got.Kinds), slices.Clone(w.Kinds)
	sort.Strings(gk)
	sort.Strings(wk)
	if !slices.Equal(gk, wk) {
		diff("kinds %q, want %q", gk, wk)
	}
	return out
}

// findAttempt finds the joined attempt of an expected one by where it stands.
func findAttempt(e expectedTrace, attempts []*formats.Attempt) *formats.Attempt {
	where := []*string{e.Trajectory, e.Prediction, e.PatchFile}
	if e.Trajectory == nil && e.Prediction == nil && e.PatchFile == nil {
		where = append(where, e.ResolvedSource)
	}
	for _, w := range where {
		if w == nil {
			continue
		}
		for _, a := range attempts {
			if a.Trace.InstanceID != e.InstanceID {
				continue
			}
			if a.Trace.Trajectory == *w {
				return a
			}
			for _, s := range a.Sources() {
				if s.Pos.String() == *w || s.Path == *w {
					return a
				}
			}
		}
	}
	if e.Trajectory == nil && e.ResolvedSource == nil {
		for _, a := range attempts {
			if a.Trace.InstanceID == e.InstanceID && strings.Contains(a.Main.Path, strings.SplitN(e.Agent, "-", 2)[0]) {
				return a
			}
		}
	}
	return nil
}

func compareTrace(e expectedTrace, a *formats.Attempt) []string {
	if a == nil {
		return []string{"not found"}
	}
	var out []string
	d := formats.DryRun(formats.Joined{Attempts: []*formats.Attempt{a}}).Traces[0]
	check := func(field string, equal bool, got, want any) {
		if !equal {
			out = append(out, fmt.Sprintf("%s %v, want %v", field, got, want))
		}
	}
	check("repo", same(d.Repo, e.Repo), deref(d.Repo), deref(e.Repo))
	check("base_commit", same(d.BaseCommit, e.Base), deref(d.BaseCommit), deref(e.Base))
	check("trajectory", same(d.Trajectory, e.Trajectory), deref(d.Trajectory), deref(e.Trajectory))
	check("resolved", same(d.Resolved, e.Resolved), deref(d.Resolved), deref(e.Resolved))
	check("resolved_source", sourceAgrees(d.ResolvedSource, e.ResolvedSource), deref(d.ResolvedSource), deref(e.ResolvedSource))
	check("steps", e.Steps == nil || same(d.Steps, e.Steps), deref(d.Steps), deref(e.Steps))
	check("cost_usd", e.Cost == nil || same(d.CostUSD, e.Cost), deref(d.CostUSD), deref(e.Cost))
	check("input_tokens", e.InputTokens == nil || same(d.InputTokens, e.InputTokens), deref(d.InputTokens), deref(e.InputTokens))
	check("output_tokens", e.OutputTokens == nil || same(d.OutputTokens, e.OutputTokens), deref(d.OutputTokens), deref(e.OutputTokens))
	status := e.Status
	if status == nil {
		status = e.ExitStatus
	}
	check("status", status == nil || same(d.Status, status), deref(d.Status), deref(status))
	return append(out, comparePatch("trace", e.expectedPatch, a.Patch)...)
}

// sourceAgrees compares the file that an outcome came from; the remarks after it
// are free text.
func sourceAgrees(got, want *string) bool {
	if got == nil || want == nil {
		return got == want
	}
	cut := func(s string) string { return strings.SplitN(s, " (", 2)[0] }
	return cut(*got) == cut(*want)
}

func same[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func deref[T any](p *T) any {
	if p == nil {
		return "null"
	}
	return *p
}
