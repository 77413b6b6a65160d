package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumbline/models"
	"plumbline/runner/reviewer/reviewertest"
)

// ownData writes two predictions with their outcomes and imports them.
func ownData(t *testing.T, dir string) {
	t.Helper()
	var preds strings.Builder
	for i := range 6 {
		id := fmt.Sprintf("acme__ledger-%d", i)
		fmt.Fprintf(&preds, "{\"instance_id\": %q, \"model_name_or_path\": \"m\", \"model_patch\": \"--- a/x.py\\n+++ b/x.py\\n@@ -1 +1 @@\\n-a\\n+b%d\\n\"}\n", id, i)
		report := filepath.Join(dir, "own", "logs", id, "report.json")
		if err := os.MkdirAll(filepath.Dir(report), 0o755); err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf(`{%q: {"patch_is_None": false, "patch_exists": true, "patch_successfully_applied": true, "resolved": %t}}`, id, i%2 == 0)
		if err := os.WriteFile(report, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "own", "preds.jsonl"), []byte(preds.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := program(t, streams{nil, &out, &errs}, "import", filepath.Join(dir, "own"), "--dataset=own", "--data="+dir); code != 0 {
		t.Fatalf("import ended with %d\n%s%s", code, out.String(), errs.String())
	}
}

const ownRun = `
name: own data
dataset: own
votes: 3
seed: 4
reviewers:
  - name: endpoint
    kind: openai
    base_url: %s
    key: env:PLUMBLINE_TEST_ENDPOINT_KEY
    model: m
    max_attempts: 2
arms:
  - reviewer: endpoint
    forms: [patch]
`

// runOwn runs the experiment file against a server and returns what was printed.
func runOwn(t *testing.T, dir, url string) (code int, report runReport, errs string) {
	t.Helper()
	file := filepath.Join(dir, "run.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, ownRun, url), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, stderr bytes.Buffer
	code = program(t, streams{nil, &out, &stderr}, "run", file, "--wait", "--json", "--votes", "--data="+dir, "--log-level=error")
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatalf("no report: %v\n%s%s", err, out.String(), stderr.String())
	}
	return code, report, stderr.String()
}

// TestRunOnOwnData is the whole way of a team's own data: import, an experiment
// from a file against an endpoint over HTTP, the table with counts, every vote.
func TestRunOnOwnData(t *testing.T) {
	dir := t.TempDir()
	ownData(t, dir)
	t.Setenv("PLUMBLINE_TEST_ENDPOINT_KEY", "the-right-key")
	// An endpoint that is never wrong: it rejects exactly the odd instances.
	endpoint := reviewertest.New(t, reviewertest.Options{Key: "the-right-key", Answer: func(c reviewertest.Call) string {
		for _, odd := range []string{"+b1", "+b3", "+b5"} {
			if strings.Contains(c.Body.User(), odd) {
				return reviewertest.Decide("reject")
			}
		}
		return reviewertest.Decide("accept")
	}})
	code, rep, errs := runOwn(t, dir, endpoint.URL)
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, errs)
	}
	if e := rep.Experiment; e.State != models.StateDone || e.Votes != 18 || e.VotesAsked != 18 || e.Items.Done != 6 || e.Simulated {
		t.Errorf("experiment %+v", e)
	}
	if len(rep.Arms) != 1 || len(rep.Votes) != 18 {
		t.Fatalf("%d arms, %d votes", len(rep.Arms), len(rep.Votes))
	}
	arm := rep.Arms[0]
	if arm.Defective.Reject != 3 || arm.Acceptable.Accept != 3 {
		t.Errorf("counts: defective %+v, acceptable %+v", arm.Defective, arm.Acceptable)
	}
	if c := arm.Rates["catch"]; c.K != 3 || c.N != 3 || c.Value == nil || *c.Value != 1 || c.Wilson == nil || c.Bootstrap == nil {
		t.Errorf("catch %+v", c)
	}
	if arm.CostUSD != nil {
		t.Errorf("a reviewer without prices cost %v", *arm.CostUSD)
	}
	if got := endpoint.Stats().Requests; got != 18 {
		t.Errorf("%d requests for 18 votes", got)
	}
	for _, v := range rep.Votes {
		if want := map[string]string{"acceptable": "accept", "defective": "reject"}[v.Label]; v.Vote != want || v.Rationale == "" || v.EvidenceSHA256 == "" {
			t.Errorf("vote %+v", v)
		}
	}
}

// Rates of replies that cannot be read are no measurement of a reviewer's
// judgement; the table says so.
func TestRunWithoutDecisions(t *testing.T) {
	dir := t.TempDir()
	ownData(t, dir)
	t.Setenv("PLUMBLINE_TEST_ENDPOINT_KEY", "the-right-key")
	endpoint := reviewertest.New(t, reviewertest.Options{Key: "the-right-key", Answer: func(reviewertest.Call) string { return "Looks good to me." }})
	file := filepath.Join(dir, "run.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, ownRun, endpoint.URL), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, stderr bytes.Buffer
	if code := program(t, streams{nil, &out, &stderr}, "run", file, "--wait", "--data="+dir, "--log-level=error"); code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr.String())
	}
	if want := ": 6 of 6 decisions could not be read from the replies"; !strings.Contains(out.String(), want) {
		t.Errorf("%q is not in\n%s", want, out.String())
	}
}

// A wrong key ends the run with exit code 3, the reason in the database, and the
// key nowhere.
func TestRunWithAWrongKey(t *testing.T) {
	dir := t.TempDir()
	ownData(t, dir)
	t.Setenv("PLUMBLINE_TEST_ENDPOINT_KEY", "a-wrong-key-nobody-may-see")
	endpoint := reviewertest.New(t, reviewertest.Options{Key: "the-right-key"})
	code, rep, errs := runOwn(t, dir, endpoint.URL)
	if code != 3 || rep.Experiment.Items.Error != 6 || rep.Experiment.Votes != 0 {
		t.Errorf("exit code %d, %+v", code, rep.Experiment)
	}
	ctx, v := context.Background(), models.LocalAdmin()
	s, err := models.Open(ctx, filepath.Join(dir, "plumbline.db"), models.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows, _, err := s.Outcomes(ctx, v, models.OutcomeFilter{ExperimentID: rep.Experiment.ID}, "", 100)
	if err != nil {
		t.Fatal(err)
	}
	shown := errs
	for _, r := range rows {
		shown += r.ErrorMessage
		if r.ErrorClass != "auth" || !strings.Contains(r.ErrorMessage, "401") {
			t.Errorf("item %s: %s %q", r.ItemID, r.ErrorClass, r.ErrorMessage)
		}
	}
	if strings.Contains(shown, "a-wrong-key") {
		t.Error("the key is shown")
	}
	// The doctor sees the same, and a key that is not there.
	for _, tt := range []struct{ key, want string }{{"a-wrong-key-nobody-may-see", "HTTP 401"}, {"", "PLUMBLINE_TEST_ENDPOINT_KEY"}, {"the-right-key", "answers, with the key of env:PLUMBLINE_TEST_ENDPOINT_KEY"}} {
		t.Setenv("PLUMBLINE_TEST_ENDPOINT_KEY", tt.key)
		var out, stderr bytes.Buffer
		if code := program(t, streams{nil, &out, &stderr}, "doctor", "--data="+dir); code != 0 {
			t.Errorf("doctor ended with %d: %s", code, stderr.String())
		}
		if !strings.Contains(out.String(), tt.want) || strings.Contains(out.String(), "a-wrong-key") {
			t.Errorf("doctor with key %q says\n%s", tt.key, out.String())
		}
	}
}
