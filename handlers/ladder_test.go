package handlers

import (
	"encoding/csv"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"plumbline/experiments/stats"
	"plumbline/experiments/vote"
	"plumbline/models"
	"plumbline/models/modelstest"
)

// TestResultPages opens the pages that look at results from the side, on both
// engines.
func TestResultPages(t *testing.T) {
	t.Parallel()
	modelstest.Each(t, func(t *testing.T, store *models.Store) {
		s := newJudgedSite(t, store)
		for name, f := range map[string]func(*testing.T, *judgedSite){
			"published": publishedResults, "ladder": ladderOfOne, "agreement": agreementOfArms, "prefix": firstVotes, "points": pointsLeadToTheirTraces, "baseline": baselinesAreNamed,
		} {
			t.Run(name, func(t *testing.T) { f(t, s) })
		}
	})
}

// Published points stand on the charts only when they are asked for, with their
// source, and change no count of one's own.
func publishedResults(t *testing.T, s *judgedSite) {
	page := s.get(t, "/published", 200)
	for _, want := range []string{`id="g-table-3"`, `id="t-table-2"`, `id="b-policies"`, "0.89 [0.84, 0.94]", "83.5"} {
		if has := strings.Contains(page, want); has == (want == "83.5") {
			t.Errorf("the page of published results: %q found %t", want, has)
		}
	}
	for _, want := range []string{"68", "15", "36/108", "Derived, not printed"} {
		if !strings.Contains(page, want) {
			t.Errorf("the derived counts lack %q", want)
		}
	}
	path := "/experiments/" + s.experiment.ID
	plain, over := s.get(t, path, 200), s.get(t, path+"?published=g-table-3&published=g-table-2&published=no-such", 200)
	if strings.Contains(plain, "Hollow marks") || !strings.Contains(plain, "published=g-table-3") {
		t.Error("published points are drawn without being asked for, or cannot be asked for")
	}
	for _, want := range []string{"Hollow marks", "published: paper G, Table 3", "cascade, held-out", "published, paper G, Table 2 (Fig. 2): GPT-4.1 · official"} {
		if !strings.Contains(over, want) {
			t.Errorf("the overlay lacks %q", want)
		}
	}
	if a, b := rateTitles(t, plain), rateTitles(t, over); len(a) == 0 || strings.Join(a, "\n") != strings.Join(b, "\n") {
		t.Error("published points changed a rate of the page")
	}
}

// rateTitles are the rates of a page as they read on hover.
func rateTitles(t *testing.T, page string) (out []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			if a.Key == "title" && rateText.MatchString(a.Val) {
				out = append(out, a.Val)
			}
		}
	}
	return out
}

func ladderOfOne(t *testing.T, s *judgedSite) {
	path := "/experiments/" + s.experiment.ID + "/ladder"
	page := s.get(t, path, 200)
	for _, want := range []string{"Size against", "another reviewer", "more votes", "other evidence", "/compare?arm=", "not deployable"} {
		if !strings.Contains(page, want) {
			t.Errorf("the ladder lacks %q", want)
		}
	}
	if !strings.Contains(page, "No arm has both a size") {
		t.Error("reviewers without a size are drawn")
	}
	q := url.Values{"metric": {"catch"}, "published": {"g-table-2"}}
	seen := map[string]bool{}
	for _, a := range s.arms {
		if !seen[a.ReviewerVersionID] {
			seen[a.ReviewerVersionID] = true
			q.Set("size_"+a.ReviewerVersionID, fmt.Sprint(8*len(seen)))
		}
	}
	page = s.get(t, path+"?"+q.Encode(), 200)
	for _, want := range []string{"ladder-catch", "given", "published: paper G, Table 2 (Fig. 2)", "Qwen3 235B · structured", "no size is published"} {
		if !strings.Contains(page, want) {
			t.Errorf("the ladder with sizes lacks %q", want)
		}
	}
	// Arrows lead from structured to official evidence, one for each reviewer.
	if n := strings.Count(page, "published-arrow:ar_"); n != 2 {
		t.Errorf("%d arrows of one’s own, want 2", n)
	}
	for _, bad := range []string{"?size_x=-1", "?size_x=many", "?size_x=1e99"} {
		s.get(t, path+bad, 422)
	}
	s.get(t, path+"?with=ex_unknown", 404)
	s.get(t, path+"?by=price&metric=nothing", 200)
	s.get(t, path+"?with="+s.experiment.ID, 200)
}

// The coefficients of the page are those of the stored votes.
func agreementOfArms(t *testing.T, s *judgedSite) {
	page := s.get(t, "/experiments/"+s.experiment.ID+"/agreement", 200)
	pairs := regexp.MustCompile(`(?s)class="qty" href="/compare\?.*?</a>`).FindAllString(page, -1)
	if len(pairs) != 15 {
		t.Errorf("%d pairs of 6 arms", len(pairs))
	}
	for _, p := range pairs {
		if !regexp.MustCompile(`−?\d\.\d+ – −?\d\.\d+, n \d+`).MatchString(p) {
			t.Errorf("a pair without interval or n: %s", p)
		}
	}
	for _, want := range []string{"/definitions#fleiss_kappa", "/definitions#krippendorff_alpha", "/definitions#cohen_kappa", "kind=ties", "share=1"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of agreement lacks %q", want)
		}
	}
}

// The last step of the prefix version is the decision itself, so both ways end in
// the same values, and they differ before.
func firstVotes(t *testing.T, s *judgedSite) {
	h := newHandlers(Config{Store: s.bench.Store, Runner: s.bench.Runner})
	defer h.hub.close()
	v := models.LocalAdmin()
	m, err := h.results.get(t.Context(), v, s.experiment, false)
	if err != nil {
		t.Fatal(err)
	}
	prefix, err := h.results.prefixes(t.Context(), v, m)
	if err != nil {
		t.Fatal(err)
	}
	differ := false
	for i := range m.Arms {
		for step := range m.steps {
			for k := range scalingMetrics {
				a, b := m.scaling[i][step][k].Value, prefix[i][step][k].Value
				last := step == len(m.steps)-1
				if last && ((a == nil) != (b == nil) || a != nil && *a-*b > 1e-12 || a != nil && *b-*a > 1e-12) {
					t.Errorf("arm %d, %s at all votes: %v by subsets, %v by the first", i, scalingMetrics[k], a, b)
				}
				differ = differ || !last && a != nil && b != nil && *a != *b
			}
		}
	}
	if !differ {
		t.Error("the two versions are the same at every K")
	}
	page := s.get(t, "/experiments/"+s.experiment.ID+"?scaling=prefix", 200)
	if !strings.Contains(page, saysPrefix) || !strings.Contains(page, "Show all subsets instead") {
		t.Error("the page does not say that it shows the first votes")
	}
}

func TestPrefixDecisions(t *testing.T) {
	t.Parallel()
	got := prefixDecisions("rarx", []int{1, 2, 3, 4, 9})
	want := []vote.Vote{vote.Reject, vote.Uncertain, vote.Reject, vote.Reject, vote.Reject}
	for i, w := range want {
		if got[i][w.Index()] != 1 || got[i][0]+got[i][1]+got[i][2]+got[i][3] != 1 {
			t.Errorf("step %d decides %v, want %s", i, got[i], w)
		}
	}
}

// A click on a working point of the curve lists as many traces as it covers.
func pointsLeadToTheirTraces(t *testing.T, s *judgedSite) {
	h := newHandlers(Config{Store: s.bench.Store, Runner: s.bench.Runner})
	defer h.hub.close()
	m, err := h.results.get(t.Context(), models.LocalAdmin(), s.experiment, false)
	if err != nil {
		t.Fatal(err)
	}
	r := resultView(m, optionsOf("/", nil))
	checked := 0
	for i, c := range m.curves(r.Arms) {
		for _, p := range c.Points {
			rows, err := csv.NewReader(strings.NewReader(s.get(t, strings.Replace(p.Href, "/errors?", "/errors.csv?", 1), 200))).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			if len(rows)-1 != p.Decided {
				t.Errorf("arm %d: %s lists %d traces, the point covers %d", i, p.Href, len(rows)-1, p.Decided)
			}
			checked++
		}
	}
	if checked < 6 {
		t.Errorf("only %d points", checked)
	}
	ties := 0
	for _, a := range m.Arms {
		ties += a.Ties
		list := s.get(t, outcomesURL(s.experiment.ID, "ties", "arm", a.Arm.ID), 200)
		if a.Ties > 0 && !strings.Contains(list, fmt.Sprintf(" of %d item", a.Ties)) {
			t.Errorf("the ties of %s are not %d", a.Arm.Form, a.Ties)
		}
	}
	if ties == 0 {
		t.Error("no tie to list")
	}
	s.get(t, "/experiments/"+s.experiment.ID+"/errors?share=2", 422)
}

// Where a baseline is not there the page says why, and an arm with the patch alone
// is drawn as one.
func baselinesAreNamed(t *testing.T, s *judgedSite) {
	page := s.get(t, "/experiments/"+s.experiment.ID, 200)
	if !strings.Contains(page, "Rules alone are not drawn: no check of these traces is stored") || !strings.Contains(page, "operating point, patch only") {
		t.Error("a baseline is missing without a reason")
	}
	if strings.Contains(page, "Patch-only review is not drawn") {
		t.Error("an arm with the patch alone is overlooked")
	}
	// As soon as every trace was looked at, the rules stand on the curve.
	ctx, store := t.Context(), s.bench.Store
	lines, _, err := store.SearchOutcomes(ctx, models.LocalAdmin(), models.OutcomeQuery{ExperimentID: s.experiment.ID, ArmID: s.arms[0].ID}, models.Page{Limit: 5000})
	if err != nil {
		t.Fatal(err)
	}
	want := stats.ReviewCounts{}
	for i, l := range lines {
		set, err := store.OpenCheckSet(ctx, l.TraceID, "config", "{}")
		if err != nil {
			t.Fatal(err)
		}
		if err := store.SavePatchCheck(ctx, set.ID, i%3 == 0, "no code"); err != nil {
			t.Fatal(err)
		}
		decisive := 0
		if i%3 == 1 {
			decisive = 1
		}
		if err := store.SaveStaticCheck(ctx, set.ID, models.StaticCheck{Ran: true, Decisive: decisive, Caused: decisive}); err != nil {
			t.Fatal(err)
		}
		switch {
		case l.Label == "unknown":
		case i%3 == 2:
			want.Add(l.Label == "defective", stats.Abstained)
		default:
			want.Add(l.Label == "defective", stats.Rejected)
		}
	}
	page = s.get(t, "/experiments/"+s.experiment.ID, 200)
	risk := want.Rate(stats.Risk)
	if strings.Contains(page, "Rules alone are not drawn") || !strings.Contains(page, "baseline, no reviewer") || !strings.Contains(page, fmt.Sprintf("%d/%d", risk.K, risk.N)) {
		t.Errorf("the rules do not stand on the curve with risk %d/%d", risk.K, risk.N)
	}
}
