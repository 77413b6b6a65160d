package tooltest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"plumbline/experiments/evidence"
	"plumbline/experiments/toolreview"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/runner"
	"plumbline/runner/reviewer/reviewertest"
	"plumbline/runner/runnertest"
)

// What an endpoint may do instead of reviewing, and what becomes of it: a vote that
// says why it is unparseable, or an error that is no vote. Nothing of it accepts or
// rejects.
func TestEndsAreNamed(t *testing.T) {
	ctx := context.Background()
	b := bench(t)
	datasetID, splitID, rows := split(t, b, 1)
	accept := reviewertest.Decide("accept")
	look := reviewertest.Use("read_file", `{"path":"retrykit/policy.py"}`)
	for i, tt := range []struct {
		name   string
		policy toolreview.Policy
		play   func(reviewertest.Call) reviewertest.Fault
		// A vote with these, or an error of the class.
		end      toolreview.EndKind
		turns    int
		problem  string
		class    string
		contains string // in the transcript, or the message of the error
	}{
		{"a refusal", toolreview.Policy{}, reviewertest.Script(look, reviewertest.Step{Refusal: "I will not."}), toolreview.Refused, 2, "refused", "", "RETRY_STATUSES"},
		{"tools for ever", toolreview.Policy{Turns: 3}, reviewertest.Script(look), toolreview.OutOfTurns, 3, "all its 3 turns", "", ""},
		{"broken JSON for ever", toolreview.Policy{}, reviewertest.Script(reviewertest.Step{Text: `{"tool": "read_file", "args": {"path": "x`}), toolreview.Unreadable, 3, "3 replies in a row", "", ""},
		{"prose in place of a verdict", toolreview.Policy{Turns: 2}, reviewertest.Script(look, reviewertest.Step{Text: "I accept this patch."}), toolreview.Unreadable, 2, "no verdict", "", ""},
		{"a verdict beside a call", toolreview.Policy{Turns: 1}, reviewertest.Script(reviewertest.Step{Calls: []reviewertest.ToolCall{{ID: "a", Name: "run", Args: `{"command":"true"}`}, {ID: "b", Name: "decide", Args: accept}}}), toolreview.OutOfTurns, 1, "gave no verdict", "", ""},
		{"cut off at the token limit", toolreview.Policy{}, reviewertest.Script(reviewertest.Step{Text: accept, Finish: "length"}), toolreview.CutOff, 1, "token limit", "", ""},
		{"a command that hangs, then a verdict", toolreview.Policy{CommandS: 1}, reviewertest.Script(reviewertest.Use("run", `{"command":"echo begun; sleep 60"}`), reviewertest.Step{Text: reviewertest.Decide("uncertain")}), toolreview.Decided, 2, "", "", "it ran longer than 1s"},
		{"endless output, then a verdict", toolreview.Policy{ResultBytes: 1000}, reviewertest.Script(reviewertest.Use("run", `{"command":"yes"}`), reviewertest.Step{Text: reviewertest.Decide("uncertain")}), toolreview.Decided, 2, "", "", "are left out"},
		{"an endpoint that fails at once", toolreview.Policy{}, reviewertest.Always(reviewertest.Status(401, "who are you")), "", 0, "", "auth", "who are you"},
		{"an endpoint that fails in the middle", toolreview.Policy{}, reviewertest.Script(look, reviewertest.Step{Fault: reviewertest.Status(500, "boom")}), "", 0, "", "server", "after 1 turns and 1 commands"},
		{"an endpoint that fails once in the middle", toolreview.Policy{}, reviewertest.Script(look, reviewertest.Step{Text: reviewertest.Decide("uncertain"), Fault: reviewertest.Status(500, "boom"), Tries: 1}), toolreview.Decided, 2, "", "", ""},
		{"a server without tools", toolreview.Policy{}, reviewertest.Plain(reviewertest.Step{Text: `I look. {"tool":"read_file","args":{"path":"retrykit/policy.py"}}`}, reviewertest.Step{Text: reviewertest.Decide("uncertain")}), toolreview.Decided, 2, "", "", "RETRY_STATUSES"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			srv := reviewertest.New(t, reviewertest.Options{Fault: tt.play})
			e, err := b.Runner.Launch(ctx, admin, runner.LaunchSpec{
				DatasetID: datasetID, SplitID: splitID, Name: tt.name, Votes: 1, Seed: 1,
				Arms: []runner.ArmSpec{{ReviewerVersionID: withTools(t, b, fmt.Sprint("tools ", i), srv, tt.policy), Form: evidence.Patch}},
			})
			if err != nil {
				t.Fatal(err)
			}
			stop := b.Work(t, 1)
			defer stop()
			p := b.Wait(t, e.ID, runnertest.Ended)
			items, err := b.Store.TraceItems(ctx, admin, rows[0].ID, 20)
			if err != nil || items[0].ExperimentID != e.ID {
				t.Fatalf("%v %+v", err, items)
			}
			if tt.class != "" {
				if p.Error != 1 || p.Done != 0 || items[0].ErrorClass != tt.class || !strings.Contains(items[0].ErrorMessage, tt.contains) || items[0].Decision != "" {
					t.Errorf("%+v, item %+v", p, items[0])
				}
				return
			}
			d, rec := reviewOf(t, b, e.ID, rows[0].ID)
			want := "unparseable"
			if tt.end == toolreview.Decided {
				want = "uncertain"
			}
			if rec.End != tt.end || rec.Counts.Turns != tt.turns || d.Vote != want || !strings.Contains(d.Problem, tt.problem) || !strings.Contains(d.Raw, tt.contains) || items[0].Decision != want {
				t.Errorf("ended by %s after %d turns: vote %s, problem %q\n%s", rec.End, rec.Counts.Turns, d.Vote, d.Problem, d.Raw)
			}
		})
	}
}

// A patch that the base refuses, an instance without a base and a worker that runs no
// commands: no vote, and a class that says why.
func TestNoTree(t *testing.T) {
	ctx := context.Background()
	b := bench(t)
	datasetID, _, rows := split(t, b, 1)
	srv := reviewertest.New(t, reviewertest.Options{Fault: reviewertest.Always(reviewertest.Status(500, "nobody should ask"))})
	reviewerID := withTools(t, b, "tools", srv, toolreview.Policy{})
	d, err := b.Store.TraceDetail(ctx, admin, rows[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	known := trace.Instance{ID: instance, Repo: d.Instance.Repo, BaseCommit: d.Instance.BaseCommit, Issue: d.Issue}
	elsewhere := trace.Instance{ID: "nobody__nowhere-1", Repo: "nobody/nowhere", BaseCommit: "0123456789012345678901234567890123456789", Issue: "Do it."}
	for class, x := range map[string]struct {
		in    trace.Instance
		state trace.PatchState
		patch string
	}{
		"patch_does_not_apply": {known, trace.PatchText, "diff --git a/retrykit/policy.py b/retrykit/policy.py\n--- a/retrykit/policy.py\n+++ b/retrykit/policy.py\n@@ -1,1 +1,1 @@\n-never was here\n+x\n"},
		"no_base_tree":         {elsewhere, trace.PatchText, "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n+b\n"},
	} {
		res, err := b.Store.ImportTraces(ctx, admin, datasetID, []trace.Instance{x.in}, []models.TraceInput{{Trace: trace.Trace{
			InstanceID: x.in.ID, Agent: "bad " + class, Model: "m", PatchState: x.state, Patch: x.patch, Outcome: trace.Outcome{Label: trace.Defective, From: trace.Manual},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		s, err := b.Store.AddToSplit(ctx, admin, datasetID, class, []string{res[0].TraceID})
		if err != nil {
			t.Fatal(err)
		}
		e, err := b.Runner.Launch(ctx, admin, runner.LaunchSpec{
			DatasetID: datasetID, SplitID: s.ID, Name: class, Votes: 1, Arms: []runner.ArmSpec{{ReviewerVersionID: reviewerID, Form: evidence.Patch}},
		})
		if err != nil {
			t.Fatal(err)
		}
		stop := b.Work(t, 1)
		b.Wait(t, e.ID, runnertest.Ended)
		stop()
		items, err := b.Store.TraceItems(ctx, admin, res[0].TraceID, 5)
		if err != nil || len(items) != 1 || items[0].ErrorClass != class || items[0].Decision != "" {
			t.Errorf("%s: %v %+v", class, err, items)
		}
	}
	if n := srv.Stats().Requests; n != 0 {
		t.Errorf("the endpoint was asked %d times", n)
	}
}
