package handlers_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"plumbline/experiments/cascade"
	"plumbline/experiments/findings"
	"plumbline/experiments/vote"
	"plumbline/handlers/handlertest"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/reviewer"
)

// hostileReview is a review in which every text is a stranger's.
func hostileReview(verdict string, stage cascade.Stage, why string) runner.ReviewDocument {
	doc := runner.ReviewDocument{
		Format: runner.ReviewFormat, Title: "a patch " + evil, Repo: evil, Base: evil, Head: evil, Version: "test", Verdict: verdict, Stage: stage.Key(), StageName: stage.Name(), Why: why,
		Policy: runner.DefaultPolicy(), Issue: "# " + evil + "\n\n" + evil, Patch: "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+" + evil + "\n",
		Static: &runner.ReviewStatic{
			Static: cascade.Static{Ran: true, Decisive: 1, Caused: 1}, Tools: []runner.ReviewTool{{Name: "pyflakes", Version: evil, Why: evil}},
			Found: []findings.Finding{{Tool: "pyflakes", File: "x.py", Line: 1, Class: findings.Unbound, Message: evil, Context: evil}},
		},
		Tests: []runner.ReviewTest{{
			Attempt: 1, Kept: true, Path: evil, Asserts: evil, Limits: evil, Source: evil, Prompt: evil, Reply: evil,
			Base: runner.ReviewRun{Result: cascade.FailedTest, Headline: evil, Output: evil}, Patched: runner.ReviewRun{Result: cascade.Passed, Headline: evil, Output: evil},
		}},
		Votes:    []runner.ReviewVote{{Vote: vote.Reject, Rationale: evil, Problem: evil}},
		Evidence: &runner.ReviewEvidence{Form: "checked", Text: evil}, CostWhy: "the price of some calls is unknown", Sandbox: "none", Unsafe: true, Simulated: true,
	}
	doc.Policy.ReviewerName, doc.Policy.Reviewer = evil, &reviewer.Spec{Key: "env:REVIEW_KEY"}
	doc.Spent[cascade.StageResidual] = cascade.Spend{Calls: 2, Unpriced: 1, Uncounted: 1}
	return doc
}

// The list and the page of reviews, empty, with every verdict, and with hostile
// texts; nobody else's review is there.
func TestReviewPages(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, s *models.Store) {
		site := handlertest.New(t, s, nil)
		c := site.Client(t)
		if a := c.Get(t, "/reviews"); a.Code != http.StatusOK || !strings.Contains(a.Body, "No patch was reviewed alone yet") {
			t.Errorf("the empty list answers %d", a.Code)
		}
		save := func(doc runner.ReviewDocument) string {
			t.Helper()
			if err := site.Runner.SaveReview(context.Background(), models.LocalAdmin(), site.Project.ID, &doc); err != nil {
				t.Fatal(err)
			}
			return "/reviews/" + doc.ID
		}
		reject := save(hostileReview("reject", cascade.StageStatic, string(cascade.WhyStatic)))
		failed := hostileReview("error", cascade.StageNoChange, string(cascade.PatchNotApplied))
		failed.Trouble, failed.Static, failed.Tests, failed.Votes, failed.Evidence, failed.Patch = &cascade.Failed{Trouble: cascade.PatchNotApplied, Detail: evil}, nil, nil, nil, nil, ""
		stopped := save(failed)
		big := hostileReview("uncertain", cascade.StageResidual, string(cascade.WhyTie))
		big.Simulated, big.Unsafe = false, false
		big.Patch = "--- a/big.txt\n+++ b/big.txt\n@@ -0,0 +1,60000 @@\n" + strings.Repeat("+line\n", 60000)
		large := save(big)

		list := c.Get(t, "/reviews")
		inspect(t, "/reviews", list.Body)
		for _, want := range []string{reject, stopped, large, "stopped before a verdict", "static check", "residual reviewer"} {
			if !strings.Contains(list.Body, want) {
				t.Errorf("the list lacks %q", want)
			}
		}
		for path, wants := range map[string][]string{
			reject:  {"Decided at the stage static check: the patch causes a static error.", "simulated", "unsandboxed", "1 finding is caused by the patch, 1 of them of a decisive class", "1 vote on the evidence form checked", "the price of some calls is unknown"},
			stopped: {"No verdict: patch does not apply.", "The patch is an empty text"},
			large:   {"Decided at the stage residual reviewer: the votes of the residual reviewer are tied.", "Show more"},
		} {
			a := c.Get(t, path)
			if a.Code != http.StatusOK {
				t.Fatalf("GET %s answers %d", path, a.Code)
			}
			inspect(t, path, a.Body)
			for _, want := range wants {
				if !strings.Contains(a.Body, want) {
					t.Errorf("%s lacks %q", path, want)
				}
			}
			if len(a.Body) > 1<<20 {
				t.Errorf("%s has %d bytes", path, len(a.Body))
			}
		}
		a := c.Get(t, reject+"/review.json")
		var doc runner.ReviewDocument
		if err := json.Unmarshal([]byte(a.Body), &doc); err != nil || doc.Verdict != "reject" || doc.ID == "" {
			t.Errorf("the document: %v %.200s", err, a.Body)
		}
		if a := c.Get(t, reject+"/patch.txt"); !strings.HasPrefix(a.Header.Get("Content-Type"), "text/plain") || !strings.HasPrefix(a.Body, "--- a/x.py") {
			t.Errorf("the patch answers %q", a.Header)
		}
		if a := c.Get(t, "/reviews/sr_nobody"); a.Code != http.StatusNotFound {
			t.Errorf("a review that is not there answers %d", a.Code)
		}
		if _, _, err := s.SingleReview(context.Background(), models.Viewer{}, doc.ID); err == nil {
			t.Error("nobody reads the review")
		}
	})
}
