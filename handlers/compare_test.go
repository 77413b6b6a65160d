package handlers

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"plumbline/experiments/evidence"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
	"plumbline/runner/runnertest"
)

// relaunch performs the arms of the site's experiment again with other settings.
func (s *judgedSite) relaunch(t *testing.T, change func(*runner.LaunchSpec)) models.Experiment {
	t.Helper()
	ctx, v := context.Background(), models.LocalAdmin()
	spec := runner.LaunchSpec{DatasetID: s.experiment.DatasetID, SplitID: *s.experiment.SplitID, Name: "second", Votes: 3, Seed: 7, Budget: 8000}
	for _, a := range s.arms {
		if a.Form != string(evidence.Official) {
			spec.Arms = append(spec.Arms, runner.ArmSpec{ReviewerVersionID: a.ReviewerVersionID, Form: evidence.Form(a.Form)})
		}
	}
	change(&spec)
	e, err := s.bench.Runner.Launch(ctx, v, spec)
	if err != nil {
		t.Fatal(err)
	}
	stop := s.bench.Work(t, 4)
	s.bench.Wait(t, e.ID, runnertest.Ended)
	stop()
	return e
}

// idText is the text of the element with this id.
func idText(t *testing.T, page, id string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		for _, a := range n.Attr {
			if a.Key == "id" && a.Val == id {
				for x := range n.Descendants() {
					if x.Type == html.TextNode {
						b.WriteString(x.Data + " ")
					}
				}
				return strings.Join(strings.Fields(b.String()), " ")
			}
		}
	}
	t.Fatalf("nothing has the id %s", id)
	return ""
}

func TestCompareExperiments(t *testing.T) {
	t.Parallel()
	s := newJudgedSite(t, modelstest.SQLite(t))
	same := s.relaunch(t, func(*runner.LaunchSpec) {})
	other := s.relaunch(t, func(l *runner.LaunchSpec) { l.Name, l.Votes, l.Seed, l.Budget, l.SplitID = "third", 5, 8, 700, "" })

	// The same experiment again: nothing differs but its name, and every pair is
	// the same arm twice.
	page := s.get(t, "/compare?experiment="+s.experiment.ID+"&experiment="+same.ID, 200)
	has(t, page, "The same arm of two experiments (4)", "q is adjusted over these 4 pairs", "mends 0 and breaks 0", "No trace differs between the two")
	set := idText(t, page, "settings")
	for _, gone := range []string{"votes K", "evidence budget", "split"} {
		if strings.Contains(set, gone) {
			t.Errorf("a setting that does not differ is shown: %s", gone)
		}
	}
	all := s.get(t, "/compare?rows=all&experiment="+s.experiment.ID+"&experiment="+same.ID, 200)
	for _, want := range []string{"votes K", "evidence budget", "split", "prompt", "simulated preset"} {
		if !strings.Contains(idText(t, all, "settings"), want) {
			t.Errorf("all rows lack %q", want)
		}
	}

	// Another design: each mismatch is named with both values, and both
	// denominators stand beside each other.
	page = s.get(t, "/compare?experiment="+s.experiment.ID+"&experiment="+other.ID, 200)
	notes := idText(t, page, "mismatches")
	for _, want := range []string{
		"split (design; all traces)", "number of votes K (3; 5)", "evidence budget (8,000 tokens; 700 tokens)",
		"do not have the same traces", "upper bounds, not rivals",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("no warning of %q in: %s", want, notes)
		}
	}
	has(t, page, "decided by both", "traces of both", "only of one arm", "right of these", "covered", "shown different texts in the same form")

	// The address is the state: what it opens stays when something else changes.
	arms, err := s.bench.Store.Arms(context.Background(), models.LocalAdmin(), other.ID)
	if err != nil {
		t.Fatal(err)
	}
	q := url.Values{"arm": {s.arms[0].ID, s.arms[1].ID, arms[0].ID, arms[1].ID}, "pairs": {"all"}, "rows": {"all"}, "pair": {s.arms[1].ID + "~" + arms[1].ID}}
	page = s.get(t, "/compare?"+q.Encode(), 200)
	has(t, page, "All pairs (6)", "q is adjusted over these 6 pairs", "All are shown.")
	if n := strings.Count(page, `class="two"`); n != 1 {
		t.Errorf("%d pairs are opened of six, want the one of the address", n)
	}
	for _, at := range links(t, page, "/compare?") {
		u, err := url.Parse(html.UnescapeString(at))
		if err != nil {
			t.Fatal(err)
		}
		if got := u.Query()["arm"]; len(got) < 3 {
			t.Errorf("a link forgets arms: %s", at)
		}
		if u.Query().Get("pairs") == "" && !strings.Contains(at, "pairs=") && u.Query().Get("rows") != "all" {
			t.Errorf("a link forgets rows and pairs: %s", at)
		}
	}
	// Making another arm the baseline turns every difference round.
	turned := url.Values{"arm": {s.arms[1].ID, s.arms[0].ID}}
	first := s.get(t, "/compare?"+url.Values{"arm": {s.arms[0].ID, s.arms[1].ID}}.Encode(), 200)
	second := s.get(t, "/compare?"+turned.Encode(), 200)
	if a, b := idText(t, first, "compared"), idText(t, second, "compared"); a == b || strings.Index(a, "baseline") > strings.Index(a, "make baseline") {
		t.Error("the first arm of the address is not the baseline")
	}

	if body := s.get(t, "/compare?experiment="+s.experiment.ID+"&experiment=ex_unknown", 404); strings.Contains(body, "baseline") {
		t.Error("compared with an experiment that is not there")
	}
	if nav := s.get(t, "/", 200); !strings.Contains(nav, `href="/compare"`) {
		t.Error("nothing leads to the comparison")
	}
}

// The page says of every pair what the statistics say, flips before tests.
func TestComparePairSaysWhatIsStored(t *testing.T) {
	t.Parallel()
	s := newJudgedSite(t, modelstest.SQLite(t))
	a, b := s.arms[0], s.arms[1]
	page := s.get(t, "/compare?arm="+a.ID+"&arm="+b.ID, 200)
	if strings.Index(page, ">Flips<") > strings.Index(page, ">Tests<") || !strings.Contains(page, ">Flips<") {
		t.Error("the tests come before the flips")
	}
	rows, err := s.bench.Store.ArmDecisions(context.Background(), models.LocalAdmin(), []string{a.ID, b.ID})
	if err != nil {
		t.Fatal(err)
	}
	type both struct{ first, second, label string }
	traces := map[string]*both{}
	for _, r := range rows {
		if traces[r.TraceID] == nil {
			traces[r.TraceID] = &both{label: r.Label}
		}
		if r.ArmID == a.ID {
			traces[r.TraceID].first = r.Decision
		} else {
			traces[r.TraceID].second = r.Decision
		}
	}
	right := func(d, label string) bool {
		return d == "reject" && label == string(trace.Defective) || d == "accept" && label == string(trace.Acceptable)
	}
	mended, broken, decided := 0, 0, 0
	for _, x := range traces {
		if x.first == "uncertain" || x.second == "uncertain" {
			continue
		}
		decided++
		if f, s := right(x.first, x.label), right(x.second, x.label); f && !s {
			broken++
		} else if s && !f {
			mended++
		}
	}
	has(t, page, "On the "+strconv.Itoa(decided)+" traces both decided", "mends "+strconv.Itoa(mended)+" and breaks "+strconv.Itoa(broken),
		"McNemar, exact", "McNemar, mid-p", "permutation", "smallest detectable", "never part of the difference", "10,000 resamples, seed 7")
}
