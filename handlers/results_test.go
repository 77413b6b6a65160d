package handlers

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/models/modelstest"
)

// TestResults looks at one finished experiment from every side, on both engines.
func TestResults(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, store *models.Store) {
		s := newJudgedSite(t, store)
		for name, f := range map[string]func(*testing.T, *judgedSite){
			"rates": ratesLeadToTheirTraces, "lists": errorListsFilterGroupAndDownload, "walk": walkGoesThroughTheList,
			"share": shareLink, "exports": exports, "compare": compareArms,
		} {
			t.Run(name, func(t *testing.T) { f(t, s) })
		}
	})
}

var rateText = regexp.MustCompile(`(\d+)/(\d+) = `)

// Every rate of the arm table leads to a list that is as long as its numerator.
func ratesLeadToTheirTraces(t *testing.T, s *judgedSite) {
	page := s.get(t, "/experiments/"+s.experiment.ID+"?col=catch&col=miss&col=over_rejection&col=coverage&col=risk&col=correct_over_all&col=reject_precision&col=accept_precision&col=share_unparseable", 200)
	if strings.Contains(page, "<b>look</b>") || !strings.Contains(page, "simulated") || !strings.Contains(page, "not deployable") {
		t.Error("the name is markup or a badge is missing")
	}
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "a" {
			continue
		}
		var class, href, title string
		for _, a := range n.Attr {
			switch a.Key {
			case "class":
				class = a.Val
			case "href":
				href = a.Val
			case "title":
				title = a.Val
			}
		}
		m := rateText.FindStringSubmatch(title)
		if class != "rate" || m == nil {
			continue
		}
		list := s.get(t, href, 200)
		want, _ := strconv.Atoi(m[1])
		shown := strconv.Itoa(want) + " item"
		if want == 0 {
			if !strings.Contains(list, "No trace is in this list") {
				t.Errorf("%s: the list of %s is not empty", title, href)
			}
		} else if !strings.Contains(list, " of "+shown) {
			t.Errorf("%s: %s does not list %s", title, href, shown)
		}
		checked++
	}
	if checked < 6*8 {
		t.Errorf("only %d rates checked", checked)
	}
}

func errorListsFilterGroupAndDownload(t *testing.T, s *judgedSite) {
	base := "/experiments/" + s.experiment.ID + "/errors?kind=wrong"
	count := func(path string) int {
		t.Helper()
		rows, err := csv.NewReader(strings.NewReader(s.get(t, strings.Replace(path, "/errors?", "/errors.csv?", 1), 200))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return len(rows) - 1
	}
	all := count(base)
	if all == 0 {
		t.Fatal("no wrong decision to test with")
	}
	// The parts of a grouping add up to the whole.
	for _, by := range []string{"arm", "stage", "repository", "agent", "votes", "patch size", "misread"} {
		page := s.get(t, base+"&group="+url.QueryEscape(by), 200)
		sum := 0
		param := map[string]string{"arm": "arm", "repository": "repo", "agent": "agent", "votes": "votes", "patch size": "size", "stage": "stage", "misread": "flagged"}[by]
		seen := map[string]bool{}
		for _, href := range links(t, page, "group="+url.QueryEscape(by)) {
			u, err := url.Parse(href)
			if err != nil {
				t.Fatal(err)
			}
			if v := u.Query().Get(param); v != "" && u.Query().Get("kind") == "wrong" && !seen[v] {
				seen[v] = true
				sum += count(href)
			}
		}
		if sum != all {
			t.Errorf("by %s: the groups hold %d of %d", by, sum, all)
		}
	}
	// Every trace of the list opens, and its walk leads through the whole list.
	page := s.get(t, base+"&arm="+s.arms[0].ID, 200)
	opened := links(t, page, "/traces/")
	if len(opened) == 0 {
		t.Fatal("no trace to open")
	}
	s.get(t, opened[0], 200)
	for _, bad := range []string{"&sort=nothing", "&group=nothing"} {
		s.get(t, base+bad, 422)
	}
	s.get(t, base+"&against=ar_unknown", 404)
	s.get(t, "/experiments/ex_unknown/errors", 404)
	if got := count(base + "&votes=9–9"); got != 0 {
		t.Errorf("an impossible split holds %d", got)
	}
}

func walkGoesThroughTheList(t *testing.T, s *judgedSite) {
	h := newHandlers(Config{Store: s.bench.Store, Runner: s.bench.Runner, Log: slog.New(slog.DiscardHandler)})
	defer h.hub.close()
	ctx, v := context.Background(), models.LocalAdmin()
	l := parseList(s.experiment.ID, url.Values{"kind": {"misses"}, "sort": {"-instance"}})
	q, err := h.query(ctx, v, l)
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := s.bench.Store.SearchOutcomes(ctx, v, q, models.Page{Sort: "-instance", Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	item := rows[0].ItemID
	for i := range rows {
		w, err := h.walk(ctx, v, l.text(), item)
		if err != nil {
			t.Fatal(err)
		}
		if want := strconv.Itoa(i+1) + " of " + strconv.Itoa(len(rows)); w.Place != want || item != rows[i].ItemID || w.List != "misses" {
			t.Fatalf("step %d: place %q of %q, want %q", i, w.Place, w.List, want)
		}
		if i == len(rows)-1 {
			if w.Next != "" {
				t.Error("the last trace has a next one")
			}
			break
		}
		u, err := url.Parse(w.Next)
		if err != nil {
			t.Fatal(err)
		}
		item = u.Query().Get("item")
	}
	for _, bad := range []string{"", "?", "ex_unknown?kind=misses", s.experiment.ID + "?sort=nothing", s.experiment.ID + "?votes=%zz"} {
		if w, err := h.walk(ctx, v, bad, item); err != nil || w.Next != "" {
			t.Errorf("the list %q gives %+v, %v", bad, w, err)
		}
	}
}

func shareLink(t *testing.T, s *judgedSite) {
	page := "/experiments/" + s.experiment.ID
	code, body := s.post(t, page, page+"/share", url.Values{"days": {"30"}})
	if code != 200 {
		t.Fatalf("share: status %d", code)
	}
	m := regexp.MustCompile(`/s/([A-Za-z0-9_-]{43})`).FindStringSubmatch(body)
	if m == nil {
		t.Fatal("the new link is not shown")
	}
	if strings.Contains(s.get(t, page, 200), m[1]) {
		t.Error("the secret is shown a second time")
	}
	stranger := &judgedSite{Server: s.Server, client: &http.Client{}}
	shared := stranger.get(t, "/s/"+m[1], 200)
	for _, private := range []string{"/experiments/", "/datasets/", "/traces/", "Cost", "csrf", "Bundled cases"} {
		if strings.Contains(shared, private) {
			t.Errorf("the shared page holds %q", private)
		}
	}
	for _, want := range []string{"noindex", "simulated", "Risk and coverage", "38", "Definitions"} {
		if !strings.Contains(shared, want) {
			t.Errorf("the shared page lacks %q", want)
		}
	}
	if code, _ := s.post(t, page, page+"/share", url.Values{"days": {"-1"}}); code != 422 {
		t.Errorf("a link that ended yesterday: status %d", code)
	}
	list, err := s.bench.Store.ShareLinks(context.Background(), models.LocalAdmin(), s.experiment.ID)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d links, %v", len(list), err)
	}
	code, body = s.post(t, page, "/shares/"+list[0].ID+"/revoke", url.Values{"experiment": {s.experiment.ID}})
	if code != 200 || !strings.Contains(body, "revoked") {
		t.Errorf("revoke: status %d", code)
	}
	stranger.get(t, "/s/"+m[1], 404)
	stranger.get(t, "/s/nothing", 404)
}

func exports(t *testing.T, s *judgedSite) {
	rows, err := csv.NewReader(strings.NewReader(s.get(t, "/experiments/"+s.experiment.ID+"/arms.csv", 200))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1+6*20 {
		t.Errorf("%d rows, want a head and 20 metrics of 6 arms", len(rows))
	}
	for _, r := range rows[1:] {
		if !strings.Contains(r[4], "simulated") {
			t.Errorf("an exported rate without its badge: %v", r)
		}
		if (r[8] == "") == (r[9] == "") {
			t.Errorf("a rate has a value or a reason: %v", r)
		}
	}
	votes := 0
	dec := json.NewDecoder(strings.NewReader(s.get(t, "/experiments/"+s.experiment.ID+"/votes.jsonl", 200)))
	for {
		var line voteLine
		if err := dec.Decode(&line); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if line.Raw == "" || line.Vote == "" {
			t.Errorf("a vote without its text: %+v", line)
		}
		votes++
	}
	if votes != s.experiment.ItemTotal*3 {
		t.Errorf("%d votes exported of %d", votes, s.experiment.ItemTotal*3)
	}
}

func compareArms(t *testing.T, s *judgedSite) {
	page := s.get(t, "/compare?arm="+s.arms[0].ID+"&arm="+s.arms[2].ID+"&arm="+s.arms[1].ID, 200)
	for _, want := range []string{"traces both decided", "McNemar", "Benjamini", "upper bounds", "baseline"} {
		if !strings.Contains(page, want) {
			t.Errorf("the comparison lacks %q", want)
		}
	}
	// Each cell of a 2×2 table leads to a list of that many traces.
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	cells := 0
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "a" || n.FirstChild == nil {
			continue
		}
		for _, a := range n.Attr {
			if a.Key == "href" && strings.Contains(a.Val, "against_kind") && strings.Contains(a.Val, "/errors?") {
				if list := s.get(t, a.Val, 200); !strings.Contains(list, " of "+n.FirstChild.Data+" item") {
					t.Errorf("a cell of %s traces leads to another number: %s", n.FirstChild.Data, a.Val)
				}
				cells++
			}
		}
	}
	if cells < 6 {
		t.Errorf("only %d cells lead anywhere", cells)
	}
	s.get(t, "/compare", 200)
	s.get(t, "/compare?arm="+s.arms[0].ID, 200)
	s.get(t, "/compare?arm="+s.arms[0].ID+"&arm=ar_unknown", 404)
}

// A second look at the same decisions computes nothing; a changed label does.
func TestResultsFollowTheDecisions(t *testing.T) {
	t.Parallel()
	s := newJudgedSite(t, modelstest.SQLite(t))
	ctx, v := context.Background(), models.LocalAdmin()
	c := newResultCache(s.bench.Store, s.bench.Runner)
	e, err := s.bench.Store.Experiment(ctx, v, s.experiment.ID)
	if err != nil {
		t.Fatal(err)
	}
	first, err := c.get(ctx, v, e, false)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := c.get(ctx, v, e, false); err != nil || again != first {
		t.Errorf("measured twice: %v", err)
	}
	rows, _, err := s.bench.Store.SearchOutcomes(ctx, v, models.OutcomeQuery{ExperimentID: e.ID, Label: "acceptable"}, models.Page{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.bench.Store.SetLabel(ctx, v, models.LabelChange{TraceID: rows[0].TraceID, Label: trace.Defective, Bucket: trace.Omission, Source: trace.Manual, Reason: "test"}); err != nil {
		t.Fatal(err)
	}
	changed, err := c.get(ctx, v, e, false)
	if err != nil {
		t.Fatal(err)
	}
	if changed == first || changed.Arms[0].Counts.Defect.N() != first.Arms[0].Counts.Defect.N()+1 {
		t.Error("a changed label does not change the result")
	}
	if _, err := c.get(ctx, models.Viewer{}, e, false); err == nil {
		t.Error("a stranger gets what was measured for somebody else")
	}
}

func TestScalingSteps(t *testing.T) {
	t.Parallel()
	for votes, want := range map[int]int{1: 1, 5: 5, 15: 15, 16: 16, 99: 25} {
		steps := scalingSteps(votes)
		if len(steps) != want || steps[len(steps)-1] != votes {
			t.Errorf("%d votes: steps %v", votes, steps)
		}
		for i := 1; i < len(steps); i++ {
			if steps[i] <= steps[i-1] {
				t.Errorf("%d votes: steps do not rise: %v", votes, steps)
			}
		}
	}
}
