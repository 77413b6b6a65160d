package formats_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"plumbline/experiments/formats"
)

// facts are the stated facts that records can be compared with; pointers tell a
// stated zero from silence.
type facts struct {
	expectedPatch
	InstanceID  *string           `json:"instance_id"`
	Resolved    any               `json:"resolved"`
	PatchNone   *bool             `json:"patch_is_none"`
	PatchExists *bool             `json:"patch_exists"`
	Applied     *bool             `json:"patch_applied"`
	Tests       map[string][2]int `json:"tests"`
	Steps       *int              `json:"steps"`
	Cost        *float64          `json:"cost_usd"`
	Input       *int64            `json:"input_tokens"`
	Output      *int64            `json:"output_tokens"`
	Messages    *int              `json:"messages"`
	ExitStatus  *string           `json:"exit_status"`
	FinalChars  *int              `json:"final_summary_chars"`
	FinalSHA256 *string           `json:"final_summary_sha256"`
}

// compareFacts compares what a record and the stated facts both know.
func compareFacts(e expectedFile, got readFile) []string {
	if e.Format == "dataset-rows" {
		return compareRows(e, got)
	}
	var f facts
	if len(e.Facts) == 0 || json.Unmarshal(e.Facts, &f) != nil {
		return nil
	}
	out := compareChecks(e, got)
	for _, rec := range got.records {
		switch r := rec.(type) {
		case *formats.Report:
			out = append(out, compareReport(f, r)...)
		case *formats.Trajectory:
			out = append(out, compareTrajectory(f, r)...)
		case *formats.Prediction:
			if e.Format == "patch-file" {
				out = append(out, comparePatch("file", f.expectedPatch, formats.Facts(r.State, r.Patch))...)
			}
		case *formats.RunReport:
			if e.Resolved != nil && !sameSet(e.Resolved, r.Resolved) {
				out = append(out, "resolved ids differ")
			}
			out = append(out, compareCounts(e, r)...)
		}
	}
	return out
}

// sameSet compares ids without order; the reading may have another form of an id.
func sameSet(want, got []string) bool {
	a, b := slices.Clone(want), slices.Clone(got)
	for i := range a {
		a[i] = formats.PlainID(a[i])
	}
	for i := range b {
		b[i] = formats.PlainID(b[i])
	}
	sort.Strings(a)
	sort.Strings(b)
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}

func compareReport(f facts, r *formats.Report) []string {
	var out []string
	if f.InstanceID != nil && r.InstanceID != formats.PlainID(*f.InstanceID) {
		out = append(out, fmt.Sprintf("instance %q, want %q", r.InstanceID, *f.InstanceID))
	}
	if want, ok := f.Resolved.(bool); ok && !same(r.Resolved, &want) {
		out = append(out, fmt.Sprintf("resolved %v, want %v", deref(r.Resolved), want))
	}
	for _, b := range []struct {
		name      string
		got, want *bool
	}{{"patch_is_None", r.PatchNone, f.PatchNone}, {"patch_exists", r.PatchThere, f.PatchExists}, {"applied", r.Applied, f.Applied}} {
		if b.want != nil && !same(b.got, b.want) {
			out = append(out, fmt.Sprintf("%s %v, want %v", b.name, deref(b.got), *b.want))
		}
	}
	for name, w := range f.Tests {
		if g := r.Lists[name]; g.OK != w[0] || g.Failed != w[1] {
			out = append(out, fmt.Sprintf("%s %v, want %v", name, g, w))
		}
	}
	return out
}

func compareTrajectory(f facts, r *formats.Trajectory) []string {
	var out []string
	check := func(name string, equal bool, got, want any) {
		if !equal {
			out = append(out, fmt.Sprintf("%s %v, want %v", name, got, want))
		}
	}
	check("instance", f.InstanceID == nil || *f.InstanceID == r.Trace.InstanceID, r.Trace.InstanceID, deref(f.InstanceID))
	check("steps", f.Steps == nil || same(f.Steps, r.Steps), deref(r.Steps), deref(f.Steps))
	check("cost", f.Cost == nil || same(f.Cost, r.Trace.Usage.CostUSD), deref(r.Trace.Usage.CostUSD), deref(f.Cost))
	check("input tokens", f.Input == nil || zeroOr(f.Input, r.Trace.Usage.InputTokens), deref(r.Trace.Usage.InputTokens), deref(f.Input))
	check("output tokens", f.Output == nil || zeroOr(f.Output, r.Trace.Usage.OutputTokens), deref(r.Trace.Usage.OutputTokens), deref(f.Output))
	check("messages", f.Messages == nil || *f.Messages == r.Messages, r.Messages, deref(f.Messages))
	check("status", f.ExitStatus == nil || *f.ExitStatus == r.Trace.Status, r.Trace.Status, deref(f.ExitStatus))
	if f.FinalChars != nil {
		check("summary length", *f.FinalChars == utf8.RuneCountInString(r.Trace.Summary), utf8.RuneCountInString(r.Trace.Summary), *f.FinalChars)
	}
	if f.FinalSHA256 != nil {
		sum := sha256.Sum256([]byte(r.Trace.Summary))
		check("summary", *f.FinalSHA256 == hex.EncodeToString(sum[:]), "differs", *f.FinalSHA256)
	}
	if f.State != nil {
		out = append(out, comparePatch("submission", f.expectedPatch, formats.Facts(r.Trace.PatchState, r.Trace.Patch))...)
	}
	return out
}

// zeroOr accepts a stated sum of zero for an unknown one: nothing was added up.
func zeroOr(want, got *int64) bool { return same(want, got) || got == nil && *want == 0 }

func compareCounts(e expectedFile, r *formats.RunReport) []string {
	var counts map[string]any
	if json.Unmarshal(e.Facts, &counts) != nil || e.Format != "run-report" && e.Format != "run-report-2024" {
		return nil
	}
	var out []string
	for k, v := range counts {
		n, ok := v.(float64)
		if !ok || strings.HasSuffix(k, "_ids") || k == "schema_version" || strings.HasPrefix(k, "unstopped_c") || strings.HasPrefix(k, "unremoved") {
			continue
		}
		if r.Counts[k] != int(n) {
			out = append(out, fmt.Sprintf("%s %d, want %d", k, r.Counts[k], int(n)))
		}
	}
	return out
}

// expectedRow is one row of a dataset.
type expectedRow struct {
	InstanceID string         `json:"instance_id"`
	Repo       string         `json:"repo"`
	Base       *string        `json:"base_commit"`
	Version    *string        `json:"version"`
	F2P        int            `json:"fail_to_pass"`
	P2P        int            `json:"pass_to_pass"`
	Fixed      int            `json:"fixed_tests"`
	Encoding   *string        `json:"list_encoding"`
	Problem    *int           `json:"problem_chars"`
	Hints      *int           `json:"hints_chars"`
	Gold       *expectedPatch `json:"gold"`
	Test       *expectedPatch `json:"test"`
}

func compareRows(e expectedFile, got readFile) []string {
	var want []expectedRow
	if err := json.Unmarshal(e.RawPer, &want); err != nil {
		return []string{"the expectation does not parse: " + err.Error()}
	}
	var rows []*formats.Row
	for _, r := range got.records {
		if row, ok := r.(*formats.Row); ok {
			rows = append(rows, row)
		}
	}
	if len(rows) != len(want) {
		return []string{fmt.Sprintf("%d rows, want %d", len(rows), len(want))}
	}
	var out []string
	for i, w := range want {
		in := rows[i].Instance
		check := func(name string, equal bool, got, want any) {
			if !equal {
				out = append(out, fmt.Sprintf("row %s: %s %v, want %v", w.InstanceID, name, got, want))
			}
		}
		check("id", in.ID == w.InstanceID, in.ID, w.InstanceID)
		check("repo", in.Repo == w.Repo, in.Repo, w.Repo)
		check("base", w.Base == nil || in.BaseCommit == *w.Base, in.BaseCommit, deref(w.Base))
		check("version", w.Version == nil || in.Version == *w.Version, in.Version, deref(w.Version))
		check("fail to pass", len(in.Oracle.FailToPass) == w.F2P, len(in.Oracle.FailToPass), w.F2P)
		check("pass to pass", len(in.Oracle.PassToPass) == w.P2P, len(in.Oracle.PassToPass), w.P2P)
		check("fixed tests", rows[i].FixedTests == w.Fixed, rows[i].FixedTests, w.Fixed)
		check("list encoding", w.Encoding == nil || *w.Encoding == "NoneType" || rows[i].ListEncoding == *w.Encoding, rows[i].ListEncoding, deref(w.Encoding))
		check("problem", w.Problem == nil || utf8.RuneCountInString(in.Issue) == *w.Problem, utf8.RuneCountInString(in.Issue), deref(w.Problem))
		check("hints", w.Hints == nil || utf8.RuneCountInString(in.Hints) == *w.Hints, utf8.RuneCountInString(in.Hints), deref(w.Hints))
		if w.Gold != nil && w.Gold.SHA256 != "" {
			out = append(out, comparePatch(w.InstanceID+" gold", *w.Gold, formats.Facts("text", in.Oracle.GoldPatch))...)
		}
		if w.Test != nil && w.Test.SHA256 != "" {
			out = append(out, comparePatch(w.InstanceID+" tests", *w.Test, formats.Facts("text", in.Oracle.TestPatch))...)
		}
	}
	return out
}

// compareChecks compares counts by status, code and message of analyzers and
// test reports.
func compareChecks(e expectedFile, got readFile) []string {
	var f struct {
		Status     map[string]int `json:"status"`
		Cases      *int           `json:"testcases"`
		Codes      map[string]int `json:"codes"`
		Messages   map[string]int `json:"messages"`
		Undefined  *int           `json:"undefined_names"`
		Unused     *int           `json:"unused_imports"`
		Suppressed *int           `json:"suppressed"`
		Without    *int           `json:"without_location"`
		URIs       *int           `json:"distinct_uris"`
		Levels     map[string]int `json:"levels"`
	}
	if json.Unmarshal(e.Facts, &f) != nil {
		return nil
	}
	status, rules, uris := map[string]int{}, map[string]int{}, map[string]bool{}
	cases, undefined, unused, suppressed := 0, 0, 0, 0
	for _, rec := range got.records {
		switch r := rec.(type) {
		case *formats.TestCase:
			cases++
			status[map[string]string{"failed": "failure"}[r.Status]+map[string]string{"passed": "passed", "error": "error", "skipped": "skipped"}[r.Status]]++
		case *formats.Finding:
			rules[r.Rule]++
			if r.File != "" {
				uris[r.File] = true
			}
			if r.Suppressed {
				suppressed++
			}
			if strings.Contains(r.Message, "undefined name") {
				undefined++
			}
			if strings.HasSuffix(r.Message, "imported but unused") {
				unused++
			}
		}
	}
	var out []string
	check := func(name string, got int, want *int) {
		if want != nil && got != *want {
			out = append(out, fmt.Sprintf("%s %d, want %d", name, got, *want))
		}
	}
	if e.Format == "junit-xml" {
		check("cases", cases, f.Cases)
		if f.Cases != nil && fmt.Sprint(status) != fmt.Sprint(f.Status) {
			out = append(out, fmt.Sprintf("status %v, want %v", status, f.Status))
		}
		return out
	}
	for _, want := range []map[string]int{f.Codes, f.Messages} {
		if want != nil && fmt.Sprint(rules) != fmt.Sprint(want) {
			out = append(out, fmt.Sprintf("rules %v, want %v", rules, want))
		}
	}
	check("suppressed", suppressed, f.Suppressed)
	check("undefined names", undefined, f.Undefined)
	check("unused imports", unused, f.Unused)
	return out
}
