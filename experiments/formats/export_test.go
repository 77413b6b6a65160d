package formats_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/export"
	"plumbline/experiments/formats"
	"plumbline/experiments/trace"
)

// exported writes rows in a form.
func exported[T any](t testing.TB, form export.Form, rows []T) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := export.NewTable[T](form, &b)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if err := w.Put(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func of[T any](v T) *T { return &v }

func sampleVotes() []export.Vote {
	return []export.Vote{
		{
			ExperimentID: "ex_1", TraceID: "tr_1", ItemID: "it_1", ArmID: "ar_1", InstanceID: "acme__shop-7", Agent: "bot", Model: "m", Attempt: 1,
			Label: "defective", Reviewer: "r", ReviewerModel: "m-1", Evidence: "official", Index: 0, Verdict: "reject", Confidence: of(0.8),
			Rationale: "Line 3 adds, it should subtract.", Citations: export.ToJSON(`[{"line": 3, "quote": "a + b"}]`), Raw: `{"decision": "REJECT"}`,
			Seed: -7, RequestAttempts: 2, LatencyMS: 900, InputTokens: of(int64(1200)), OutputTokens: of(int64(40)), CachedTokens: of(int64(0)),
			CostUSD: of(0.0012), PriceVersion: "p1", Cached: true, Simulated: true, NotDeployable: true, EvidenceSHA256: "ab", RequestSHA256: "cd",
			VotedAt: "2026-05-01T10:00:00.000001Z",
		},
		{InstanceID: "acme__shop-7", Agent: "bot", Attempt: 2, Reviewer: "r", Evidence: "patch", Index: 1, Verdict: "unparseable", Problem: "no object", Raw: "=1+1"},
	}
}

func sampleDecisions() []export.Decision {
	return []export.Decision{
		{
			ExperimentID: "ex_1", TraceID: "tr_1", ItemID: "it_1", ArmID: "ar_1", InstanceID: "acme__shop-7", Agent: "bot", Model: "m", Attempt: 1,
			Label: "defective", Bucket: "omission", LabelSource: "imported", Reviewer: "r", ReviewerModel: "m-1", Evidence: "patch", State: "done",
			Decision: "reject", Accept: 1, Reject: 3, Unparseable: 1, CachedVotes: 2, CostUSD: of(0.01), Simulated: true,
		},
		{InstanceID: "acme__shop-8", Agent: "bot", Attempt: 1, Reviewer: "r", Evidence: "patch", State: "error", Error: "timeout: no answer"},
	}
}

// voteRow is a vote that was read as the row that it was written from.
func voteRow(v *formats.Vote) export.Vote {
	out := export.Vote{
		ExperimentID: v.Names.Experiment, TraceID: v.Names.Trace, ItemID: v.Names.Item, ArmID: v.Names.Arm, InstanceID: v.InstanceID,
		Agent: v.Agent, Model: v.Names.Model, Attempt: int64(v.Attempt), Label: v.Names.Label, Reviewer: v.Reviewer, ReviewerModel: v.Names.ReviewerModel,
		Evidence: v.Evidence, Index: int64(v.Index), Verdict: v.Verdict, Confidence: v.Confidence, Rationale: v.Rationale,
		Citations: export.JSON(v.Citations), Problem: v.Problem, Raw: v.Raw, RequestAttempts: int64(v.RequestAttempts),
		InputTokens: v.Input, OutputTokens: v.Output, CachedTokens: v.CachedTokens, CostUSD: v.CostUSD, PriceVersion: v.PriceVersion,
		Cached: v.Cached, Simulated: v.Names.Simulated, NotDeployable: v.Names.NotDeployable, EvidenceSHA256: v.EvidenceSHA256, RequestSHA256: v.RequestSHA256,
	}
	if v.Seed != nil {
		out.Seed = *v.Seed
	}
	if v.LatencyMS != nil {
		out.LatencyMS = *v.LatencyMS
	}
	if !v.VotedAt.IsZero() {
		out.VotedAt = v.VotedAt.Format(time.RFC3339Nano)
	}
	return out
}

func decisionRow(d *formats.Decision) export.Decision {
	n := d.Names
	return export.Decision{
		ExperimentID: n.Experiment, TraceID: n.Trace, ItemID: n.Item, ArmID: n.Arm, InstanceID: d.InstanceID, Agent: d.Agent, Model: n.Model,
		Attempt: int64(d.Attempt), Label: n.Label, Bucket: n.Bucket, LabelSource: n.LabelSource, Reviewer: d.Reviewer, ReviewerModel: n.ReviewerModel,
		Evidence: d.Evidence, State: d.State, Decision: d.Decision, Accept: int64(d.Accept), Reject: int64(d.Reject), Uncertain: int64(d.Uncertain),
		Unparseable: int64(d.Unparseable), CachedVotes: int64(d.CachedVotes), CostUSD: d.CostUSD, Simulated: n.Simulated, NotDeployable: n.NotDeployable, Error: d.Error,
	}
}

// readExport sniffs and reads an export; problems fail the test.
func readExport(t *testing.T, name string, b []byte, want formats.Format) []formats.Record {
	t.Helper()
	f, _ := formats.Sniff(name, b[:min(len(b), formats.SniffLen)])
	rep, recs := readSeed(t, f, seed{format: f, path: name, bytes: b})
	if rep.Format != want {
		t.Errorf("%s is taken for %s, want %s", name, rep.Format, want)
	}
	for _, p := range rep.Problems {
		t.Errorf("%s: %v", name, p)
	}
	return recs
}

// hostile texts, each of which some store, file or viewer has fallen over.
var hostile = []string{
	"", "plain", "two\nlines", "windows\r\nlines\r\n", "\r", "\n", "a\rb", "tab\there", `"quoted", with comma`, `""`, `"`, "'", "''=", "=1+1", "+1", "-1", "@cmd", "\t=1", "\r=1",
	"'=1", " lead and trail ", "a\x00b", "\x00", "\ufeffmark", "\u202eback\u202c", "a\u0301\u0327", "\u2028 \u2029", "\\u0000", `\`, "\x1b[31mred\x1b[0m", "<script>alert(1)</script>",
	"日本語", "😀👩‍👩‍👧", "שלום", "NaN", "null", "true", "1e400", "0123", "9223372036854775808", ";", "a;b;c", "{}", "[1", "\x7f\x01\x02", strings.Repeat("x", 70_000), "\ufffd",
	"diff --git a/x b/x\r\n--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b", `\.`, "#", "\v\f",
}

func hostileVotes(n int) []export.Vote {
	rng := rand.New(rand.NewPCG(7, 7))
	text := func() string { return hostile[rng.IntN(len(hostile))] }
	id := func() string {
		for {
			if s := text(); s != "" {
				return s
			}
		}
	}
	number := func() *float64 {
		switch rng.IntN(6) {
		case 0:
			return nil
		case 1:
			return of(math.SmallestNonzeroFloat64)
		case 2:
			return of(1e-320)
		case 3:
			return of(math.MaxFloat64)
		case 4:
			return of(0.0)
		}
		return of(rng.Float64())
	}
	whole := func() *int64 {
		if rng.IntN(3) == 0 {
			return nil
		}
		return of(rng.Int64())
	}
	verdicts := []string{"accept", "reject", "uncertain", "unparseable"}
	out := make([]export.Vote, n)
	for i := range out {
		raw, err := json.Marshal([]map[string]any{{"quote": text(), "line": i}})
		if err != nil {
			panic(err)
		}
		out[i] = export.Vote{
			ExperimentID: text(), TraceID: text(), ItemID: text(), ArmID: text(), InstanceID: id(), Agent: text(), Model: text(), Attempt: rng.Int64N(9),
			Label: text(), Reviewer: id(), ReviewerModel: text(), Evidence: text(), Index: rng.Int64N(100), Verdict: verdicts[i%4], Confidence: number(),
			Rationale: text(), Citations: export.ToJSON(string(raw)), Problem: text(), Raw: text(), Seed: int64(rng.Uint64()), RequestAttempts: rng.Int64N(5),
			LatencyMS: rng.Int64(), InputTokens: whole(), OutputTokens: whole(), CachedTokens: whole(), CostUSD: number(), PriceVersion: text(),
			Cached: rng.IntN(2) == 0, Simulated: rng.IntN(2) == 0, NotDeployable: rng.IntN(2) == 0, EvidenceSHA256: text(), RequestSHA256: text(),
			VotedAt: time.Unix(rng.Int64N(4e9), 0).UTC().Format(time.RFC3339Nano),
		}
	}
	return out
}

// Votes of any content read back the same from every form.
func TestVotesReadBack(t *testing.T) {
	t.Parallel()
	want := append(sampleVotes(), hostileVotes(600)...)
	for _, tt := range []struct {
		form   export.Form
		format formats.Format
	}{{export.CSV, formats.VotesCSV}, {export.JSONL, formats.VotesJSONL}, {export.Parquet, formats.VotesParquet}} {
		t.Run(string(tt.form), func(t *testing.T) {
			t.Parallel()
			var got []export.Vote
			for _, r := range readExport(t, "votes."+string(tt.form), exported(t, tt.form, want), tt.format) {
				got = append(got, voteRow(r.(*formats.Vote)))
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%.3000s", d)
			}
		})
	}
}

func TestDecisionsReadBack(t *testing.T) {
	t.Parallel()
	want := sampleDecisions()
	for i, s := range hostile {
		if s != "" {
			want = append(want, export.Decision{
				TraceID: s, InstanceID: s, Agent: s, Model: s, Attempt: int64(i), Label: s, Bucket: s, LabelSource: s, Reviewer: s, ReviewerModel: s, Evidence: s,
				State: "missing", CostUSD: of(float64(i)), Error: s,
			})
		}
	}
	for _, tt := range []struct {
		form   export.Form
		format formats.Format
	}{{export.CSV, formats.DecisionsCSV}, {export.JSONL, formats.DecisionsJSONL}, {export.Parquet, formats.DecisionsParquet}} {
		var got []export.Decision
		for _, r := range readExport(t, "decisions."+string(tt.form), exported(t, tt.form, want), tt.format) {
			got = append(got, decisionRow(r.(*formats.Decision)))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %.3000s", tt.form, d)
		}
	}
}

// A number that is none is unknown in every form, and text that is no UTF-8 is
// marked as such.
func TestNoNumbersAreUnknown(t *testing.T) {
	t.Parallel()
	for _, form := range []export.Form{export.CSV, export.JSONL, export.Parquet} {
		for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			in := []export.Vote{{InstanceID: "acme__shop-7", Reviewer: "r", Verdict: "accept", Confidence: of(x), CostUSD: of(x), Rationale: "a\xffb"}}
			v := readExport(t, "votes."+string(form), exported(t, form, in), formats.Format("votes-"+string(form)))[0].(*formats.Vote)
			if v.Confidence != nil || v.CostUSD != nil || v.Rationale != "a\ufffdb" {
				t.Errorf("%s: %v comes back as %v, %v, %q", form, x, v.Confidence, v.CostUSD, v.Rationale)
			}
		}
	}
}

// The first character of no cell makes a formula.
func TestNoFormulas(t *testing.T) {
	t.Parallel()
	var votes []export.Vote
	for _, s := range hostile {
		votes = append(votes, export.Vote{InstanceID: "i", Reviewer: s, Rationale: s, Raw: s, Verdict: "accept"})
	}
	text := string(exported(t, export.CSV, votes))
	for _, bad := range []string{"=1", "+1", "@cmd", "\t=1", "\r=1"} {
		for _, before := range []string{",", `,"`} {
			if strings.Contains(text, before+bad) {
				t.Errorf("a cell begins with %q", bad)
			}
		}
	}
}

// The three forms have the same columns.
func TestColumnsAgree(t *testing.T) {
	t.Parallel()
	names := export.Columns[export.Vote]()
	head, _, _ := strings.Cut(string(exported[export.Vote](t, export.CSV, nil)), "\n")
	if head != strings.Join(names, ",") {
		t.Errorf("CSV has %s", head)
	}
	line := string(exported(t, export.JSONL, []export.Vote{{}}))
	at := -1
	for _, n := range names {
		i := strings.Index(line, `"`+n+`":`)
		if i <= at {
			t.Errorf("%s is missing in JSON lines, or stands elsewhere", n)
		}
		at = i
	}
}

// Traces of any content read back the same, with steps, labels and splits.
func TestTracesReadBack(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := export.NewTraces(&b)
	type line struct {
		export.Trace
		Steps []export.Step
	}
	var want []line
	for i, s := range hostile {
		l := line{Trace: export.Trace{
			TraceID: fmt.Sprint("tr_", i), Dataset: s, InstanceID: fmt.Sprintf("acme__shop-%d", i), Repo: "acme/shop", BaseCommit: "abc", Language: s, Version: s, Issue: s, Hints: s,
			Agent: s, Model: s, Attempt: i + 1, PatchState: "text", Patch: s + "\n", Summary: s, Status: s, CostUSD: of(1e-320), InputTokens: of(int64(math.MaxInt64)),
			DurationMS: of(int64(i)), Label: "defective", Bucket: "regression", LabelSource: "execution", OutcomeReason: s, OutcomeSource: "report.json" + s,
			Tests: &export.Tests{Applied: true, FailToPass: 1, FailToPassTotal: 2, PassToPass: 3, PassToPassTotal: 5}, Splits: []string{"design", "my own"},
			Trajectory: "run/x.traj" + s, AgentSteps: of(1),
		}}
		l.PatchSHA256 = formats.Facts("text", l.Patch).SHA256
		switch i % 3 {
		case 0:
			l.Label, l.Bucket, l.LabelSource, l.Tests, l.AgentSteps, l.Splits = "unknown", "", "", nil, nil, []string{}
		case 1:
			l.Label, l.Bucket, l.LabelSource = "acceptable", "", "manual"
		}
		at := time.Date(2026, 5, 1, 10, 0, i, 1000, time.UTC)
		for k := range i % 4 {
			l.Steps = append(l.Steps, export.Step{
				Index: k, Kind: "action", Tool: s, Thought: s, Action: s, Observation: s, Failed: k == 1, ExitCode: of(-k), StartedAt: &at, DurationMS: of(int64(k)),
				CostUSD: of(0.1), OutputTokens: of(int64(9)),
			})
		}
		want = append(want, l)
		if err := w.Begin(l.Trace); err != nil {
			t.Fatal(err)
		}
		for _, st := range l.Steps {
			if err := w.Step(st); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.End(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	j := formats.NewJoiner(formats.Options{KeepPatches: true, KeepSummaries: true, KeepSteps: true, KeepRows: true})
	rows := map[string]trace.Instance{}
	for _, r := range readExport(t, "traces.jsonl", b.Bytes(), formats.OwnTraces) {
		if row, ok := r.(*formats.Row); ok {
			rows[row.Instance.ID] = row.Instance
		}
		if err := j.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]line{}
	for _, a := range j.Finish().Attempts {
		x, in := a.Trace, rows[a.Trace.InstanceID]
		l := line{Trace: export.Trace{
			InstanceID: x.InstanceID, Repo: a.Repo, BaseCommit: a.Base, Language: in.Language, Version: in.Version, Issue: in.Issue, Hints: in.Hints, Agent: x.Agent,
			Model: x.Model, Attempt: x.Attempt, PatchState: string(x.PatchState), Patch: x.Patch, PatchSHA256: a.Patch.SHA256, Summary: x.Summary, Status: x.Status,
			CostUSD: x.Usage.CostUSD, InputTokens: x.Usage.InputTokens, OutputTokens: x.Usage.OutputTokens, DurationMS: of(x.Usage.Duration.Milliseconds()),
			Label: string(x.Outcome.Label), Bucket: string(x.Outcome.Bucket), LabelSource: string(x.Outcome.From), OutcomeReason: x.Outcome.Reason,
			OutcomeSource: x.Outcome.Source, Splits: a.Splits(), Trajectory: x.Trajectory, AgentSteps: a.Steps,
		}}
		if l.Splits == nil {
			l.Splits = []string{}
		}
		if c := x.Outcome.Tests; c != nil {
			l.Tests = &export.Tests{Applied: c.Applied, FailToPass: c.FailToPassOK, FailToPassTotal: c.FailToPassAll, PassToPass: c.PassToPassOK, PassToPassTotal: c.PassToPassAll}
		}
		for _, st := range x.Steps {
			l.Steps = append(l.Steps, export.StepOf(&st))
		}
		got[x.InstanceID] = l
	}
	for _, w := range want {
		g := got[w.InstanceID]
		w.TraceID, w.Dataset = "", "" // names of the place it was stored in
		if d := cmp.Diff(w, g); d != "" {
			t.Errorf("%q: %.2000s", w.Issue, d)
		}
	}
}

// The hash of a patch with bytes that cannot be stored is that of the patch as it
// was submitted; a hash that the text belies does not count.
func TestStatedPatchHash(t *testing.T) {
	t.Parallel()
	submitted, stored := "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+\x00\n", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+\ufffd\n"
	right := formats.Facts("text", submitted).SHA256
	for _, tt := range []struct {
		name, patch, stated, want string
		problems                  int
	}{
		{"as submitted", stored, right, right, 0},
		{"of the text", stored, formats.Facts("text", stored).SHA256, formats.Facts("text", stored).SHA256, 0},
		{"not stated", stored, "", formats.Facts("text", stored).SHA256, 0},
		{"belied by a whole text", "--- a/x\n+++ b/x\n", right, formats.Facts("text", "--- a/x\n+++ b/x\n").SHA256, 1},
		{"no hash", stored, "<b>", formats.Facts("text", stored).SHA256, 1},
	} {
		var b bytes.Buffer
		w := export.NewTraces(&b)
		if err := w.Begin(export.Trace{InstanceID: "acme__shop-7", PatchState: "text", Patch: tt.patch, PatchSHA256: tt.stated}); err != nil {
			t.Fatal(err)
		}
		if err := w.End(); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		rep, recs := readSeed(t, formats.OwnTraces, seed{path: "traces.jsonl", bytes: b.Bytes()})
		j := formats.NewJoiner(formats.Options{})
		for _, r := range recs {
			if err := j.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		got := j.Finish().Attempts[0].Patch.SHA256
		if got != tt.want || len(rep.Problems) != tt.problems {
			t.Errorf("%s: hash %s, want %s; problems %v", tt.name, got, tt.want, rep.Problems)
		}
	}
}

// Predictions of any content and every state of a patch read back the same.
func TestPredictionsReadBack(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := export.NewPredictions(&b)
	var want []export.Prediction
	for i, state := range []trace.PatchState{trace.PatchEmpty, trace.PatchNull, trace.PatchAbsent, trace.PatchNone} {
		want = append(want, export.Prediction{InstanceID: fmt.Sprint("acme__shop-", i), Model: "m", Agent: "bot", Attempt: 1, State: state})
	}
	for i, s := range hostile {
		f := "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+" + s + "\n"
		want = append(want, export.Prediction{InstanceID: fmt.Sprint("acme__cart-", i), Model: s, Agent: s, Attempt: i + 1, Status: s, State: trace.PatchText, Patch: f})
	}
	for _, p := range want {
		if err := w.Put(p); err != nil {
			t.Fatal(err)
		}
	}
	var got []export.Prediction
	for _, r := range readExport(t, "preds.jsonl", b.Bytes(), formats.PredictionsJSONL) {
		p := r.(*formats.Prediction)
		got = append(got, export.Prediction{InstanceID: p.InstanceID, Model: p.Model, Agent: p.Agent, Attempt: p.Attempt, Status: p.Status, State: p.State, Patch: p.Patch})
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%.3000s", d)
	}
}

// An Inspect log of our own reads back as the same votes and as no attempt.
func TestInspectReadsBack(t *testing.T) {
	t.Parallel()
	want := append(sampleVotes(), hostileVotes(200)...)
	var b bytes.Buffer
	w, err := export.NewInspect(&b, export.InspectHead{
		Task: "first try", RunID: "ex_1", Created: time.Unix(1e9, 0), Epochs: 2, Dataset: "mine", Samples: len(want), Version: "test",
		Scorers: []export.InspectScorer{{Name: "r · patch", Scored: 2, Metrics: []export.InspectMetric{{Name: "catch", Value: 0.5, K: 1, N: 2, Lo: of(0.1), Hi: of(0.9)}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range want {
		s := export.InspectSample{ID: fmt.Sprint("acme__shop-7 / bot / ", i), Epoch: int(v.Index) + 1, Input: "a\xff", Target: v.Label, Votes: []export.Vote{v}, Names: []string{v.Reviewer}}
		if err := w.Put(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b.Bytes()) {
		t.Error("the log is not strict JSON")
	}
	var got []export.Vote
	for _, r := range readExport(t, "log.json", b.Bytes(), formats.InspectJSON) {
		got = append(got, voteRow(r.(*formats.Vote)))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%.3000s", d)
	}
}
