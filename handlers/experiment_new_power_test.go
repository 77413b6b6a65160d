package handlers

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"plumbline/models/modelstest"
)

var powerOf = regexp.MustCompile(`(\d+)/1,000 experiments`)

// powerSays is the number of simulated experiments that found the difference.
func powerSays(t *testing.T, page string) int {
	t.Helper()
	m := powerOf.FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("no power: %.600s", page)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestPowerBeforePaying(t *testing.T) {
	t.Parallel()
	s := newJudgedSite(t, modelstest.SQLite(t))
	base := url.Values{"dataset": {s.experiment.DatasetID}, "split": {"all"}, "votes": {"5"}, "seed": {"3"}, "name": {"next"}}
	with := func(pairs ...string) url.Values {
		q := url.Values{}
		for k, v := range base {
			q[k] = v
		}
		for i := 0; i < len(pairs); i += 2 {
			q.Set(pairs[i], pairs[i+1])
		}
		return q
	}
	estimate := func(q url.Values) string {
		code, box := s.post(t, "/experiments/new", "/experiments/estimate", q)
		if code != 200 {
			t.Fatalf("estimate of %v: status %d", q, code)
		}
		return box
	}

	// The same without a script, by the address, and with one, beside the estimate.
	plain := s.get(t, "/experiments/new?"+base.Encode(), 200)
	box := estimate(with())
	for _, page := range []string{plain, box} {
		has(t, page, `id="power"`, "rightly by one of them alone", "detectable difference", "seed 3", "simulated reviewers", "/definitions#planned_width")
	}
	if !strings.Contains(box, `hx-swap-oob="true"`) || strings.Contains(plain, "hx-swap-oob") {
		t.Error("the plan is to be replaced beside the estimate, and only there")
	}
	if powerSays(t, plain) != powerSays(t, box) {
		t.Error("the same seed gives another power")
	}

	// It follows what is believed, the votes, the split and the seed.
	seen := map[string]int{}
	for name, q := range map[string]url.Values{
		"as it is":         with(),
		"a larger effect":  with("second_over", "0.05"),
		"one vote":         with("votes", "1"),
		"unlike arms":      with("arms_alike", "0"),
		"another seed":     with("seed", "4"),
		"one vote repeats": with("votes_alike", "1"),
	} {
		seen[name] = powerSays(t, estimate(q))
	}
	if seen["a larger effect"] <= seen["as it is"] {
		t.Errorf("a larger effect is not easier to find: %v", seen)
	}
	for name, k := range seen {
		if name != "as it is" && k == seen["as it is"] && name != "another seed" {
			t.Errorf("%s changes nothing: %v", name, seen)
		}
	}

	// Measured arms of the past say what they are, and how alike they were.
	has(t, plain, "First &lt;b&gt;look", "design split", s.arms[0].ReviewerName)
	measured := estimate(with("first", s.arms[0].ID, "second", s.arms[2].ID))
	has(t, measured, "measured on", "their common traces", "/experiments/"+s.experiment.ID, "fewer than K = 5 votes were recorded a trace")
	if exact := estimate(with("first", s.arms[0].ID, "votes", "3")); strings.Contains(exact, "fewer than K") {
		t.Error("three recorded votes are called too few for K = 3")
	}

	// What cannot be is said, and does not hinder the rest of the form.
	for want, q := range map[string]url.Values{
		"Catch of the first arm must be a number":      with("first_catch", "much"),
		"Over-rejection of the second arm must be":     with("second_over", "1.5"),
		"votes of the first arm are more than all":     with("first_catch", "0.95", "first_uncertain", "0.2"),
		"The likeness of the arms must be between":     with("arms_alike", "-1"),
		"The likeness of votes must be between 0 and":  with("votes_alike", "NaN"),
		"The chosen arm of the past is not there any ": with("first", "ar_none"),
	} {
		page := estimate(q)
		has(t, page, want)
		if !strings.Contains(page, `id="estimate"`) {
			t.Errorf("%s: the estimate is gone", want)
		}
	}
	if wrong := estimate(with("votes", "0")); !strings.Contains(wrong, "cannot be read") {
		t.Error("a plan for no votes")
	}

	// Screening stands beside the reviewer before anything is asked of it.
	if marks := strings.Count(plain, "#screening"); marks < 2 {
		t.Errorf("%d reviewers have their screening in the form", marks)
	}
	if list := s.get(t, "/reviewers", 200); strings.Count(list, `data-badge="screening"`) < 2 {
		t.Error("the list of reviewers does not say how they were screened")
	}
}
