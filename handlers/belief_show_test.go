package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

var beliefViews = []string{"", "scores", "policies", "plan", "regimes", "robust", "tasks"}

// Every view of a finished experiment is a whole page, and its paths lead on.
func TestBeliefViews(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	e := s.experiment(t)
	path := "/experiments/" + e.ID + "/belief"
	for _, view := range beliefViews {
		at := path + "?costs=draft&view=" + view
		clean(t, at, s.get(t, at))
	}
	tasks := s.get(t, path+"?view=tasks&costs=draft")
	paths := links(t, tasks, "/traces/")
	seen := 0
	for _, p := range paths {
		if strings.Contains(p, "/belief?") && seen < 3 {
			seen++
			page := s.get(t, p)
			clean(t, p, page)
			if !strings.Contains(page, "The belief starts at") {
				t.Errorf("%s does not say where the belief starts", p)
			}
		}
	}
	if seen == 0 {
		t.Error("no candidate leads to its path")
	}
}

// What the address says wrongly is named on a page of 422, and never stops the
// server.
func TestBeliefRefusesInWords(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	e := s.experiment(t)
	for query, says := range map[string]string{
		"costs=own&c_ver=NaN":         "not a finite number",
		"costs=own&c_ver=-1":          "must not be negative",
		"costs=own&r=1e999":           "number",
		"kernel=given&p01=2":          "between 0 and 1",
		"critic=9-nothing":            "there is no critic",
		"fold=sideways":               "there is no choice",
		"g=many":                      "whole number",
		"critic=cut-1-confidence":     "there is no critic",
		"ship=%3Cscript%3Ealert(1)":   "write a number",
		"costs=money&worth=x":         "write a number",
		"costs=own&c_1-decision=-0.5": "must not be negative",
	} {
		for _, view := range beliefViews {
			code, page, _ := s.ask(t, http.MethodGet, "/experiments/"+e.ID+"/belief?view="+view+"&"+query, "", nil)
			if code != http.StatusUnprocessableEntity || !strings.Contains(page, says) {
				t.Errorf("%s, view %q: %d, without %q", query, view, code, says)
			}
		}
	}
	for _, query := range []string{"costs=own&c_ver=500", "costs=own&r=0", "costs=money&worth=10", "chosen=1", "g=0", "fold=loo", "joint=1", "temper=1", "kernel=given&p01=0&p10=1"} {
		for _, view := range beliefViews {
			at := "/experiments/" + e.ID + "/belief?view=" + view + "&" + query
			clean(t, at, s.get(t, at))
		}
	}
}

// A control experiment started from the page ends, and its log can be read.
func TestControlFromThePage(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	e := s.experiment(t)
	code, text, where := s.post(t, "/experiments/"+e.ID+"/control", url.Values{
		"costs": {"draft"}, "name": {"live <b>look</b>"}, "ask": {"live"}, "seed": {"7"}, "policy": {"always_verify", "dp"},
	})
	if code != http.StatusSeeOther || !strings.HasSuffix(where, "/control") {
		t.Fatalf("%d %s\n%.400s", code, where, text)
	}
	clean(t, where, s.get(t, where))
}
