package handlers_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var ratePattern = regexp.MustCompile(`class="rate-count">\s*([\d,]+/[\d,]+)`)

// rates are the k/n of a page in order.
func rates(page string) string {
	var out []string
	for _, m := range ratePattern.FindAllStringSubmatch(page, -1) {
		out = append(out, m[1])
	}
	return strings.Join(out, " ")
}

// Labels that change in bulk change the results, and a page that was shared before
// follows: it shows what the experiment's own page shows.
func TestResultsFollowLabels(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	e := s.experiment(t)
	code, body, _ := s.post(t, "/experiments/"+e.ID+"/share", url.Values{"days": {"30"}})
	m := regexp.MustCompile(`/s/([A-Za-z0-9_-]{43})`).FindStringSubmatch(body)
	if code != http.StatusOK || m == nil {
		t.Fatalf("share: %d", code)
	}
	own, shared := "/experiments/"+e.ID, "/s/"+m[1]
	before := rates(s.get(t, own))
	if before == "" || rates(s.get(t, shared)) != before {
		t.Fatalf("before: own %q, shared %q", before, rates(s.get(t, shared)))
	}
	base := "/datasets/" + s.dataset.ID
	n := totalOf(t, s.get(t, base+"/traces?label=defective"))
	code, page, where := s.post(t, base+"/label", url.Values{
		"filter.label": {"defective"}, "label": {"acceptable"}, "reason": {"a second look"}, "expect": {strconv.Itoa(n)},
	})
	if code != http.StatusSeeOther {
		t.Fatalf("label %d traces: %d %s\n%.500s", n, code, where, page)
	}
	after := rates(s.get(t, own))
	if after == before {
		t.Error("the result did not change with the labels")
	}
	if got := rates(s.get(t, shared)); got != after {
		t.Errorf("the shared page shows %q, the experiment %q", got, after)
	}
	if got := totalOf(t, s.get(t, base+"/traces?label=acceptable&source=manual")); got != n {
		t.Errorf("%d traces were labelled by hand, want %d", got, n)
	}
}
