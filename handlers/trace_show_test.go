package handlers_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"plumbline/experiments/trace"
	"plumbline/models"
)

func TestTracePages(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	e := s.experiment(t)
	outcomes, _, err := s.Store.Outcomes(context.Background(), admin, models.OutcomeFilter{ExperimentID: e.ID}, "", 1)
	if err != nil || len(outcomes) != 1 {
		t.Fatal(outcomes, err)
	}
	o := outcomes[0]
	code, _, where := s.ask(t, http.MethodGet, "/items/"+o.ItemID, "", nil)
	if code != http.StatusSeeOther || !strings.HasPrefix(where, "/traces/"+o.TraceID) || !strings.Contains(where, "item="+o.ItemID) {
		t.Fatalf("an item leads to %d %q", code, where)
	}
	for _, tab := range []string{"issue", "diff", "evidence", "checks", "steps", "summary", "oracle", "nonsense"} {
		path := "/traces/" + o.TraceID + "?item=" + o.ItemID + "&tab=" + tab
		page := s.get(t, path)
		clean(t, path, page)
		for _, want := range []string{o.InstanceID, "first look", `data-badge="simulated"`, `id="vote-1"`, `id="vote-3"`} {
			if !strings.Contains(page, want) {
				t.Errorf("%s lacks %q", path, want)
			}
		}
	}
	page := s.get(t, "/traces/"+o.TraceID+"?layout=split")
	clean(t, "split", page)
	if !strings.Contains(page, `data-layout="split"`) {
		t.Error("the layout of the address is not taken")
	}

	// The evidence on the page and the one to download are the stored text.
	ev, err := s.Store.Evidence(context.Background(), admin, o.ItemID)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.get(t, "/items/"+o.ItemID+"?part=evidence"); got != ev.Text {
		t.Error("the evidence text differs from the stored one")
	}
	votes, err := s.Store.VoteDetails(context.Background(), admin, o.ItemID)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.get(t, "/items/"+o.ItemID+"?part=reply&vote=2"); got != votes[1].Raw {
		t.Errorf("reply %q, want %q", got, votes[1].Raw)
	}
	d, err := s.Store.TraceDetail(context.Background(), admin, o.TraceID)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.get(t, "/traces/"+o.TraceID+"/patch.txt"); got != d.Patch {
		t.Error("the raw patch differs from the stored one")
	}
	texts, err := s.Store.StepTexts(context.Background(), admin, o.TraceID, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) > 0 {
		if got := s.get(t, "/traces/"+o.TraceID+"/steps?step=1&part=observation"); got != texts[0].Observation {
			t.Error("the raw observation differs from the stored one")
		}
	}
	for _, path := range []string{"/traces/none", "/items/none", "/items/" + o.ItemID + "?part=reply&vote=99", "/items/" + o.ItemID + "?part=x",
		"/traces/" + o.TraceID + "/patch.txt?row=f99", "/traces/" + o.TraceID + "/steps?step=999&part=action", "/traces/" + o.TraceID + "/steps?step=0&part=action"} {
		if code, _, _ := s.ask(t, http.MethodGet, path, "", nil); code != http.StatusNotFound {
			t.Errorf("GET %s: %d", path, code)
		}
	}
}

// The keys j and k go through a list in its order and come back.
func TestWalkThroughAList(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	list := "/datasets/" + s.dataset.ID + "/traces?label=defective&sort=-size"
	page := s.get(t, list)
	clean(t, list, page)
	rows := links(t, page, "/traces/")
	if len(rows) < 3 {
		t.Fatalf("%d defective traces", len(rows))
	}
	at := rows[0] + "&tab=issue"
	for i := 1; i < len(rows); i++ {
		page := s.get(t, at)
		if want := fmt.Sprintf("%d of ", i); !strings.Contains(page, want) {
			t.Errorf("step %d lacks its place", i)
		}
		next := ""
		for _, l := range links(t, page, strings.SplitN(rows[i], "?", 2)[0]) {
			next = l
		}
		if !strings.Contains(next, "tab=issue") || !strings.Contains(next, "sort=-size") {
			t.Fatalf("step %d leads to %q, want %q on the same tab", i, next, rows[i])
		}
		at = next
	}
}

func TestTracesListFiltersAndRefusesUnknownSorts(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	base := "/datasets/" + s.dataset.ID + "/traces"
	all, good := s.get(t, base), s.get(t, base+"?label=acceptable")
	if len(links(t, good, "/traces/")) >= len(links(t, all, "/traces/")) && !strings.Contains(all, "Next page") {
		t.Error("the filter leaves as many traces as without it")
	}
	if code, _, _ := s.ask(t, http.MethodGet, base+"?sort=password", "", nil); code != http.StatusUnprocessableEntity {
		t.Errorf("an unknown sort answers %d", code)
	}
	if page := s.get(t, base+"?q=%3Cscript%3E"); strings.Contains(page, "<script>") || !strings.Contains(page, "No trace matches") {
		t.Error("a search without a hit has no empty state, or became markup")
	}
}

func TestLabelByHand(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	rows, _, err := s.Store.Traces(context.Background(), admin, models.TraceFilter{DatasetID: s.dataset.ID, Label: "acceptable"}, models.Page{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	id := rows[0].ID
	code, page, _ := s.post(t, "/traces/"+id+"/label", url.Values{"label": {"defective"}, "bucket": {"omission"}})
	if code != http.StatusUnprocessableEntity || !strings.Contains(page, "say why") {
		t.Errorf("a label without a reason: %d", code)
	}
	clean(t, "label form", page)
	code, _, where := s.post(t, "/traces/"+id+"/label", url.Values{"label": {"defective"}, "bucket": {"omission"}, "reason": {"<script>x</script> seen"}, "back": {"/traces/" + id + "?tab=issue"}})
	if code != http.StatusSeeOther || where != "/traces/"+id+"?tab=issue" {
		t.Errorf("saved: %d to %q", code, where)
	}
	if code, _, where := s.post(t, "/traces/"+id+"/label", url.Values{"label": {"acceptable"}, "reason": {"y"}, "back": {"//evil.test/x"}}); code != http.StatusSeeOther || where != "/" {
		t.Errorf("a foreign way back: %d to %q", code, where)
	}
	page = s.get(t, "/traces/"+id)
	if !strings.Contains(page, "&lt;script&gt;x&lt;/script&gt; seen") || strings.Contains(page, "<script>x") {
		t.Error("the reason is not shown as text")
	}
}

// A trace as large and as hostile as they come is still shown.
func TestHostileTrace(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	evil := "<script>alert(1)</script>\x00\u202e"
	in := trace.Trace{
		InstanceID: "evil__" + evil, Agent: evil, Model: evil, PatchState: trace.PatchText, Summary: evil, Status: evil,
		Patch: "--- a/" + evil + "\n+++ b/x\n@@ -1 +1 @@\n-" + evil + "\n+" + strings.Repeat("x", 5<<20) + "\n",
	}
	for i := range 1000 {
		in.Steps = append(in.Steps, trace.Step{Index: i, Kind: trace.StepAction, Tool: evil, Thought: evil, Action: evil, Observation: strings.Repeat(evil+"\n", 3)})
	}
	in.Steps[500].Observation = strings.Repeat("y", 2<<20)
	res, err := s.Store.ImportTraces(context.Background(), admin, s.dataset.ID, []trace.Instance{{ID: in.InstanceID, Repo: evil, Issue: "# " + evil + "\n\n<img src=x onerror=alert(1)>"}}, []models.TraceInput{{Trace: in, Patch: models.PatchFacts{SHA256: "x", Files: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"tab=issue", "tab=diff", "tab=diff&layout=split", "tab=steps", "tab=steps&step=501", "tab=steps&step=1000", "tab=evidence", "tab=checks", "tab=summary", "tab=oracle", "tab=diff&at=f1R99", "tab=steps&step=99999"} {
		path := "/traces/" + res[0].TraceID + "?" + q
		page := s.get(t, path)
		clean(t, path, page)
		if strings.Contains(page, "<script>alert") || strings.ContainsAny(page, "\x00\u202e") {
			t.Errorf("%s: the text became markup, or an invisible character got through", q)
		}
		if len(page) > 600<<10 {
			t.Errorf("%s: page of %d bytes", q, len(page))
		}
	}
}
