package pages

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"plumbline/web/charts"
	"plumbline/web/components"
	"plumbline/web/layout"
)

// sideSamples are the pages that look at results from the side: n arms whose names
// hold s.
func sideSamples(n int, s string) map[string]templ.Component {
	r := sampleResult(n, true)
	l := Ladder{Frame: sampleFrame("Ladder"), Outcome: s, Trends: []string{s}, Warnings: []string{s}, Metric: "catch", Axis: "parameters (billions)", Action: "/x",
		Metrics: []layout.Link{{Text: "catch"}, {Text: "risk", Href: "/y"}}, Axes: []layout.Link{{Text: s, Href: "/z"}}, Badges: []components.Badge{components.Simulated},
		Experiments: []LadderExperiment{{Name: s, Href: "/e"}, {Name: s, Href: "/e", RemoveURL: "/r"}}, Add: []components.Choice{{Value: "ex_2", Text: s}},
		Keep: []components.Pair{{Name: "with", Value: s}}, Overlays: r.Overlays}
	a := AgreementView{Frame: sampleFrame("Agreement")}
	var rungs []charts.Rung
	var changes []charts.Change
	for i, arm := range r.Arms {
		arm.Reviewer = s + arm.Reviewer
		row := LadderRow{Arm: arm, Name: arm.Name(), Traces: 121}
		if i%2 == 0 {
			row.Size, row.SizeFrom = new(float64(8*(i+1))), "given"
		}
		l.Rows = append(l.Rows, row)
		l.Sizes = append(l.Sizes, SizeField{Name: fmt.Sprintf("size_rv_%d", i), Label: arm.Reviewer, Value: s, Hint: s})
		rungs = append(rungs, charts.Rung{Arm: arm.arm(), Form: arm.Form, Size: row.Size, Value: sampleEstimate(arm.Rates["catch"])})
		changes = append(changes, charts.Change{Kind: "more votes", Name: arm.Name(), Value: new(0.1), Lo: new(-0.1), Hi: new(0.3), N: 121})
		a.Arms = append(a.Arms, arm)
		for j := range i {
			p := ArmPair{First: j, Second: i, Kappa: Quantity{Value: new(0.5)}, Observed: new(0.8), N: 121, Href: "/compare"}
			if j%3 == 2 {
				p = ArmPair{First: j, Second: i, Kappa: Quantity{Why: s}}
			}
			a.Pairs = append(a.Pairs, p)
		}
	}
	over := []charts.Published{{Key: "k", Name: s, Source: "paper G, Table 2", Catch: charts.Estimate{Value: new(0.7)}, Over: charts.Estimate{Value: new(0.4)}, Size: new(8.0)}}
	l.BySize = charts.LadderFigure("catch", l.Axis, rungs, over, func(p charts.Published) charts.Estimate { return p.Catch })
	l.Changes, l.Tradeoff, l.Votes = charts.Interventions("catch", changes), charts.Tradeoff(nil, over...), charts.Scaling("catch", nil)
	p := Published{Frame: sampleFrame("Published results"), Papers: []PublishedPaper{{Letter: "G", Authors: s, Title: s, Link: s, Tables: []PublishedTable{{
		Key: "g-table-3", Cite: "paper G, Table 3", Title: s, Source: s, Columns: []string{"set", "risk", "catch"}, Heads: 1, Rows: [][]string{{s, "0.33", ""}}, Notes: []string{s}, Overlay: true,
		Counts: []PublishedCounts{{Name: s, DefectReject: 68, Risk: r.Arms[0].Rates["risk"]}},
	}}}}}
	return map[string]templ.Component{"ladder": LadderPage(l), "agreement": AgreementPage(a), "published": PublishedPage(p)}
}

func TestSidePagesRender(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 6, 18} {
		for name, c := range sideSamples(n, "plain") {
			page := renderPage(t, c)
			safe(t, page)
			if strings.Contains(page, "NaN") || strings.Contains(page, "%!") {
				t.Errorf("%s of %d arms: a number or a text was not formatted", name, n)
			}
		}
	}
	for name, c := range map[string]templ.Component{"ladder": LadderPage(Ladder{}), "agreement": AgreementPage(AgreementView{}), "published": PublishedPage(Published{})} {
		page := renderPage(t, c)
		safe(t, page)
		if !strings.Contains(page, "empty") && !strings.Contains(page, "There is no") {
			t.Errorf("the empty page of %s does not say that it is empty", name)
		}
	}
}

// A stranger's text stays text and is shown exactly.
func TestSidePagesAreSafe(t *testing.T) {
	t.Parallel()
	for name, c := range sideSamples(4, evil) {
		page := renderPage(t, c)
		safe(t, page)
		if !strings.Contains(page, "&lt;script&gt;") {
			t.Errorf("%s: the text is not on the page, the test shows nothing", name)
		}
	}
	for name, c := range sideSamples(4, "cute\u202ename\x00"+strings.Repeat("long ", 60)) {
		page := renderPage(t, c)
		safe(t, page)
		exact(t, page)
		if !strings.Contains(page, "U+202E") {
			t.Errorf("%s: the text is not on the page, the test shows nothing", name)
		}
	}
}

// Every rate has a column; the areas of arms with different coverage are marked;
// published results are offered to readers of the project and not to strangers.
func TestEveryRateHasAColumn(t *testing.T) {
	t.Parallel()
	r := sampleResult(3, true)
	r.Columns = []string{AllColumns}
	page := renderPage(t, ExperimentResults(r))
	for key := range r.Arms[0].Rates {
		if !strings.Contains(page, `/definitions#`+key+`"`) {
			t.Errorf("the rate %s has no column", key)
		}
	}
	for _, want := range []string{"must not be compared", "Rules alone are not drawn", "?published=g-table-2", "Show the first K votes instead", "3/121"} {
		if !strings.Contains(page, want) {
			t.Errorf("the results lack %q", want)
		}
	}
	r.Public = true
	if page := renderPage(t, ExperimentResults(r)); strings.Contains(page, "?published=") || strings.Contains(page, "/definitions#") || strings.Contains(page, "?scaling=") {
		t.Error("the results for strangers lead to other pages")
	}
}
