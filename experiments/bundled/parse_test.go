package bundled_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/bundled"
	"plumbline/experiments/trace"
)

const record = `{"recorded":"hand-written","agent":"a","model":"m","attempt":N,"label":"acceptable","bucket":"",
"why":"w","status":"submitted","cost_usd":0.5,"input_tokens":7,"output_tokens":3,"duration_ms":1500,
"tests":{"f2p_ok":1,"f2p_all":1,"p2p_ok":1,"p2p_all":1}}`

const patch = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-one\n+two\n"

// archive builds a small well-formed case; each replacement edits its text.
func archive(replace ...string) string {
	var b strings.Builder
	b.WriteString(`-- case.json --
{"id":"i","repo":"r","language":"python","title":"t","split":"design","created":"2025-01-02T00:00:00Z",
"runner":"unittest","fail_to_pass":["h.t.C.a"],"pass_to_pass":["h.t.C.b"]}
-- issue.md --
Issue
-- base/x.py --
one
-- gold.patch --
` + patch + `-- hidden/h/__init__.py --
-- hidden/h/t.py --
import x
pass
`)
	for i, n := range []string{"1", "2", "3", "4"} {
		dir := "-- attempts/0" + n + "-s/"
		b.WriteString(dir + "attempt.json --\n" + strings.Replace(record, "N", n, 1) + "\n" + dir + "patch.diff --\n" + patch)
		b.WriteString(dir + "steps.jsonl --\n")
		b.WriteString(`{"kind":"action","tool":"bash","action":"ls","observation":"x.py","exit_code":0,"duration_ms":20}` + "\n")
		b.WriteString(dir + "summary.md --\nDone " + strings.Repeat("!", i) + "\n")
	}
	return strings.NewReplacer(replace...).Replace(b.String())
}

func TestParse(t *testing.T) {
	t.Parallel()
	c, err := bundled.Parse("py-x.txtar", []byte(archive()))
	if err != nil {
		t.Fatal(err)
	}
	if got := len(c.Traces()); got != 4 {
		t.Fatalf("%d traces, want 4", got)
	}
	yes, zero, cost, in, out := true, 0, 0.5, int64(7), int64(3)
	took, step := 1500*time.Millisecond, 20*time.Millisecond
	want := trace.Trace{
		InstanceID: "i", Agent: "a", Model: "m", Attempt: 2, PatchState: trace.PatchText, Patch: patch,
		Summary: "Done !\n", Status: "submitted", Trajectory: "bundled/py-x.txtar/attempts/02-s",
		Steps: []trace.Step{{Kind: trace.StepAction, Tool: "bash", Action: "ls", Observation: "x.py", ExitCode: &zero, Duration: &step}},
		Usage: trace.Usage{CostUSD: &cost, InputTokens: &in, OutputTokens: &out, Duration: &took},
		Outcome: trace.Outcome{
			Resolved: &yes, Source: "bundled/py-x.txtar", Label: trace.Acceptable, From: trace.Execution,
			Tests: &trace.TestCounts{FailToPassOK: 1, FailToPassAll: 1, PassToPassOK: 1, PassToPassAll: 1, Applied: true},
		},
	}
	if diff := cmp.Diff(want, c.Attempts[1].Trace); diff != "" {
		t.Errorf("trace (-want +got):\n%s", diff)
	}
	wantTests := "diff --git a/h/__init__.py b/h/__init__.py\nnew file mode 100644\n" +
		"diff --git a/h/t.py b/h/t.py\nnew file mode 100644\n--- /dev/null\n+++ b/h/t.py\n@@ -0,0 +1,2 @@\n+import x\n+pass\n"
	if diff := cmp.Diff(wantTests, c.Instance.Oracle.TestPatch); diff != "" {
		t.Errorf("test patch (-want +got):\n%s", diff)
	}
	if len(c.Instance.BaseCommit) != 40 {
		t.Errorf("base commit %q is not 40 digits", c.Instance.BaseCommit)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		replace []string
		want    string
	}{
		{"no case record", []string{"-- case.json --", "-- base/case.json --"}, "case.json: EOF"},
		{"unknown field", []string{`"split":`, `"spilt":`}, `unknown field "spilt"`},
		{"second value", []string{`["h.t.C.b"]}`, `["h.t.C.b"]} {}`}, "more than one JSON value"},
		{"no title", []string{`"title":"t"`, `"title":""`}, "title and created are required"},
		{"wrong runner", []string{`"unittest"`, `"gotest"`}, "does not go with"},
		{"wrong split", []string{`"design"`, `"test"`}, "neither design nor held-out"},
		{"no pass-to-pass", []string{`["h.t.C.b"]`, `[]`}, "must not be empty"},
		{"test named twice", []string{"h.t.C.b", "h.t.C.a"}, "named twice"},
		{"no issue", []string{"-- issue.md --\nIssue\n", ""}, "issue.md"},
		{"gold is no diff", []string{"-- gold.patch --\n", "-- gold.patch --\nx\n"}, "gold.patch"},
		{"hidden file in base", []string{"hidden/h/t.py", "hidden/x.py"}, "exists in base"},
		{"path leads out", []string{"base/x.py", "base/../../x.py"}, "clean relative path"},
		{"file twice", []string{"-- hidden/h/t.py --", "-- base/x.py --"}, "there twice"},
		{"stray file", []string{"-- hidden/h/t.py --", "-- notes.md --"}, "no place in the format"},
		{"three attempts", []string{"attempts/04-s/", "base/"}, "3 attempts"},
		{"bad folder", []string{"attempts/04-s/", "attempts/four/"}, "not NN-slug"},
		{"missing summary", []string{"-- attempts/04-s/summary.md --", "-- base/summary.md --"}, "summary.md is missing"},
		{"not hand-written", []string{"hand-written", "live"}, "must say hand-written"},
		{"same attempt", []string{`"attempt":2`, `"attempt":1`}, "same agent, model and number"},
		{"no cost", []string{`"cost_usd":0.5,`, ""}, "are required"},
		{"counts of other tests", []string{`"p2p_all":1`, `"p2p_all":2`}, "the case has 1 and 1"},
		{"label against counts", []string{`"f2p_ok":1`, `"f2p_ok":0`}, `make it "defective" "omission"`},
		{"regression", []string{`"p2p_ok":1`, `"p2p_ok":0`}, `make it "defective" "regression"`},
		{"empty patch", []string{"02-s/patch.diff --\n" + patch, "02-s/patch.diff --\n"}, `make it "defective" "no_change"`},
		{"patch is no diff", []string{"02-s/patch.diff --\n", "02-s/patch.diff --\nx\n"}, "patch.diff is not a git diff"},
		{"unknown step", []string{`"kind":"action"`, `"kind":"dance"`}, `unknown kind "dance"`},
		{"empty step", []string{`"action":"ls","observation":"x.py",`, ""}, "an empty step"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := bundled.Parse("py-x.txtar", []byte(archive(tt.replace...)))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}
