package handlers

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"html"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"plumbline/experiments/freeze"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner/runnertest"
	"plumbline/web/components"
)

func TestFreezeAndHeldOut(t *testing.T) {
	t.Parallel()
	s := newJudgedSite(t, modelstest.SQLite(t))
	ctx, v := context.Background(), models.LocalAdmin()
	page := experimentURL(s.experiment.ID) + "/freeze"
	heldOut, size := "", ""
	splits, err := s.bench.Store.Splits(ctx, v, s.experiment.DatasetID)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range splits {
		if x.Name == trace.SplitHeldOut {
			heldOut, size = x.ID, components.Plural(x.Traces, "trace", "traces")
		}
	}
	if err := s.bench.Runner.SetScreenThreshold(ctx, v, 0.0001); err != nil { // any contradiction is too many
		t.Fatal(err)
	}
	choose := s.get(t, page, 200)
	has(t, choose, "✓ chosen", "no candidate: not deployable", "the choice is made on it", "Freeze the choice", "First &lt;b&gt;look")
	if all := s.get(t, page+"?candidates=all", 200); strings.Contains(all, "no candidate") {
		t.Error("a form is left out where all are candidates")
	}
	if code, body := s.post(t, page, page, url.Values{}); code != 422 || !strings.Contains(body, "choose at least one split") {
		t.Errorf("froze over no split: %d", code)
	}
	code, body := s.post(t, page, page, url.Values{"split": {heldOut}, "candidates": {"deployable"}})
	if code != 200 {
		t.Fatalf("status %d", code)
	}
	has(t, body, "Nothing that was frozen has changed", "not evaluated", "Evaluate once", size, "misreads evidence")
	freezes, err := s.bench.Store.Freezes(ctx, v, s.experiment.ID)
	if err != nil || len(freezes) != 1 {
		t.Fatalf("%d freezes, %v", len(freezes), err)
	}
	at := freezeURL(freezes[0].ID)
	document := s.get(t, at+"/manifest.json", 200)
	m, sha, err := freeze.Open([]byte(document))
	if err != nil || sha != freezes[0].ManifestSHA256 || len(m.Arms) != 2 {
		t.Errorf("downloaded manifest %s of %d arms, %v", sha, len(m.Arms), err)
	}
	has(t, body, sha)

	stop := s.bench.Work(t, 4)
	run := func(number, reason string) (int, string) {
		return s.post(t, at, at+"/runs", url.Values{"split": {heldOut}, "number": {number}, "reason": {reason}})
	}
	code, body = run("1", "")
	if code != 200 {
		t.Fatalf("first run: status %d", code)
	}
	has(t, body, "evaluated once", "Held-out evaluation", "the first needs none", sha)
	if code, _ := run("1", ""); code != 409 {
		t.Errorf("the first run twice: status %d", code)
	}
	if code, body := run("2", " "); code != 422 || !strings.Contains(body, "say why they are evaluated again") {
		t.Errorf("a second run without a reason: status %d", code)
	}
	if code, _ := run("0", "x"); code != 422 {
		t.Errorf("a run of no number: status %d", code)
	}
	code, body = run("2", "the <i>endpoint</i> was down")
	if code != 200 {
		t.Fatalf("second run: status %d", code)
	}
	has(t, body, "evaluated 2 times", "the &lt;i&gt;endpoint&lt;/i&gt; was down")
	list, err := s.bench.Store.Experiments(ctx, v, models.ExperimentFilter{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	s.bench.Wait(t, list[0].ID, runnertest.Ended)
	stop()
	has(t, s.get(t, "/", 200), "evaluated 2 times")

	// A stranger with a link sees how often, and none of the reasons.
	_, token, err := s.bench.Store.ShareExperiment(ctx, v, list[0].ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	shared := s.get(t, "/s/"+token, 200)
	has(t, shared, "evaluated 2 times")
	if strings.Contains(shared, "endpoint") || strings.Contains(shared, at) {
		t.Error("a shared page shows reasons or leads to the freeze")
	}

	// A change after the freeze is named, and stops what follows.
	if _, err := s.bench.Store.AddToSplit(ctx, v, s.experiment.DatasetID, trace.SplitHeldOut, []string{s.designTrace(t)}); err != nil {
		t.Fatal(err)
	}
	has(t, s.get(t, at, 200), "was added after the freeze", "stops a run", "1 change after the freeze")
	has(t, s.get(t, experimentURL(list[0].ID), 200), "1 change after the freeze", "was added after the freeze")
	if code, body := run("3", "again"); code != 409 || !strings.Contains(body, "was added after the freeze") || !strings.Contains(body, "No run was started") {
		t.Errorf("ran over a change: status %d", code)
	}
	if code, body := s.post(t, at, experimentURL(list[0].ID)+"/resume", url.Values{}); code != 409 || !strings.Contains(body, "was added after the freeze") {
		t.Errorf("resumed over a change: status %d", code)
	}
}

func (s *judgedSite) designTrace(t *testing.T) string {
	t.Helper()
	rows, _, err := s.bench.Store.Outcomes(context.Background(), models.LocalAdmin(), models.OutcomeFilter{ExperimentID: s.experiment.ID}, "", 1)
	if err != nil || len(rows) == 0 {
		t.Fatalf("no item: %v", err)
	}
	return rows[0].TraceID
}

func has(t *testing.T, page string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(page, w) {
			t.Errorf("the page does not say %q", w)
		}
	}
}

func TestMisreadNotesAndScreening(t *testing.T) {
	t.Parallel()
	s := newJudgedSite(t, modelstest.SQLite(t))
	ctx, v := context.Background(), models.LocalAdmin()
	list := experimentURL(s.experiment.ID) + "/errors?kind=misread"
	body := s.get(t, list, 200)
	has(t, body, " execution: ", "Reject votes")
	audits, err := s.bench.Store.ArmAudits(ctx, v, s.experiment.ID)
	if err != nil {
		t.Fatal(err)
	}
	items := 0
	for _, a := range audits {
		items += a.Items
		for _, k := range a.ByKind {
			if k.Contradiction {
				has(t, body, strconv.Itoa(k.Votes)+" × "+k.Kind)
			}
		}
	}
	if n := listed(t, body); n == 0 || n != min(items, outcomePage) {
		t.Errorf("%d traces listed, %d are misread", n, items)
	}
	grouped := s.get(t, experimentURL(s.experiment.ID)+"/errors?kind=all&group=misread", 200)
	has(t, grouped, models.MisreadContradiction, models.MisreadNone)
	flagged := s.get(t, experimentURL(s.experiment.ID)+"/errors?kind=all&flagged="+url.QueryEscape(models.MisreadContradiction), 200)
	if n := listed(t, flagged); n != min(items, outcomePage) {
		t.Errorf("the filter lists %d of %d misread traces", n, items)
	}

	// On the trace, the vote shows what it says beside the line.
	at := html.UnescapeString(links(t, body, "/traces/")[0])
	one := s.get(t, at, 200)
	has(t, one, "Misread: ", "flag-pair", "No note on this arm")

	// A note, written there, shows there, on the list and in the file.
	item := itemOf(t, at)
	if code, _ := s.post(t, at, noteURL(item), url.Values{"note": {"=look <b>again</b>"}, "back": {at}}); code != 200 {
		t.Fatalf("status %d", code)
	}
	has(t, s.get(t, at, 200), "=look &lt;b&gt;again&lt;/b&gt;")
	has(t, s.get(t, list, 200), "=look &lt;b&gt;again&lt;/b&gt;")
	if code, body := s.post(t, at, noteURL(item), url.Values{"note": {strings.Repeat("x", models.MaxNote+1)}, "back": {"//evil.test"}}); code != 422 || !strings.Contains(body, "at most 8000 bytes") || strings.Contains(body, "evil.test") {
		t.Errorf("an endless note: status %d", code)
	}
	records, err := csv.NewReader(strings.NewReader(s.get(t, experimentURL(s.experiment.ID)+"/errors.csv?kind=misread", 200))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != items+1 {
		t.Errorf("%d lines in the file, want %d", len(records)-1, items)
	}
	column := map[string]int{}
	for i, name := range records[0] {
		column[name] = i
	}
	noted := 0
	for _, r := range records[1:] {
		if r[column["misread"]] == "" {
			t.Errorf("no contradiction in the file for %s", r[column["item"]])
		}
		if r[column["item"]] != item {
			continue
		}
		noted++
		if _, err := time.Parse(time.RFC3339, r[column["note_at"]]); err != nil || r[column["note"]] != "'=look <b>again</b>" || r[column["note_author"]] != "admin" {
			t.Errorf("note in the file: %v", r)
		}
	}
	if noted != 1 {
		t.Errorf("the item is %d times in the file", noted)
	}

	// Votes from before the audit are unknown, not fine, until they are audited.
	var old []models.AuditedVote
	if err := s.bench.Store.EachVote(ctx, v, s.experiment.ID, func(x models.VoteDetail) error {
		old = append(old, models.AuditedVote{ItemID: x.ItemID, Idx: x.Idx})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.bench.Store.SaveAudits(ctx, v, s.experiment.ID, old); err != nil {
		t.Fatal(err)
	}
	has(t, s.get(t, list, 200), "votes were given before there was an audit", "Audit them")
	has(t, s.get(t, experimentURL(s.experiment.ID)+"?col=misread", 200), "were not audited")
	if code, body := s.post(t, list, experimentURL(s.experiment.ID)+"/audit", url.Values{"back": {list}}); code != 200 || strings.Contains(body, "before there was an audit") {
		t.Errorf("after the audit: status %d", code)
	}
	if after, err := s.bench.Store.ArmAudits(ctx, v, s.experiment.ID); err != nil || jsonOf(t, after) != jsonOf(t, audits) {
		t.Errorf("audited to %s, was %s (%v)", jsonOf(t, after), jsonOf(t, audits), err)
	}

	// The reviewer's page holds its rate against a threshold that an admin sets.
	rs, err := s.bench.Store.Reviewers(ctx, v, s.bench.Project.ID)
	if err != nil {
		t.Fatal(err)
	}
	reviewer := reviewerURL(rs[0].Reviewer.ID)
	has(t, s.get(t, reviewer, 200), "Screening", "grounded", "Against 5%", "95% interval")
	code, body := s.post(t, reviewer, "/settings/screening", url.Values{"threshold": {"0,9"}, "back": {reviewer}})
	if code != 200 {
		t.Fatalf("status %d", code)
	}
	has(t, body, "Against 90%", "screened")
	for _, bad := range []string{"2", "x", ""} {
		if code, _ := s.post(t, reviewer, "/settings/screening", url.Values{"threshold": {bad}}); code != 422 {
			t.Errorf("a threshold of %q: status %d", bad, code)
		}
	}
}

// listed counts the different items that a list leads to.
func listed(t *testing.T, page string) int {
	t.Helper()
	items := map[string]bool{}
	for _, href := range links(t, page, "/traces/") {
		items[itemOf(t, html.UnescapeString(href))] = true
	}
	return len(items)
}

func itemOf(t *testing.T, href string) string {
	t.Helper()
	u, err := url.Parse(href)
	if err != nil || u.Query().Get("item") == "" {
		t.Fatalf("no item in %s: %v", href, err)
	}
	return u.Query().Get("item")
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
