package pages

import (
	"reflect"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"plumbline/experiments/stats"
	"plumbline/web/charts"
	"plumbline/web/components"
	"plumbline/web/layout"
)

// resultPages renders the pages of results with every text set to s.
func resultPages(s string) map[string]templ.Component {
	figure := func(a []charts.Arm) charts.Figure {
		return charts.Scaling("catch", []charts.Scale{{Arm: a[0], Points: []charts.ScalePoint{{K: 1, Value: new(0.5)}}}})
	}
	result := func(r *Result) {
		f := figure([]charts.Arm{{ID: s, Name: s}})
		r.RiskCoverage, r.Tradeoff, r.Composition, r.Agreement = f, f, f, f
		r.Scaling, r.ErrorsBy = []charts.Figure{f}, []charts.Figure{f}
		r.Columns, r.Sort, r.Public = nil, "", false
		r.SortURL = func(string) string { return s }
		for i := range r.Arms {
			r.Arms[i].Rates = map[string]components.Rate{"catch": {Metric: "catch", Value: new(0.5), Href: s, Method: s, Warnings: []string{s}}, "risk": {Why: s}}
		}
	}
	e := filled(s, func(v *Experiment) *layout.Frame { return &v.Frame })
	result(&e.Result)
	share := filled(s, func(v *struct {
		Share Share
		Frame layout.Frame
	}) *layout.Frame {
		return &v.Frame
	}).Share
	result(&share.Result)
	home := filled(s, func(v *Home) *layout.Frame { return &v.Frame })
	home.SortURL = func(string) string { return s }
	list := filled(s, func(v *Errors) *layout.Frame { return &v.Frame })
	list.SortURL = func(string) string { return s }
	for i := range list.Rows {
		list.Rows[i].Truth = components.Truth{}
	}
	errorList := list
	errorList.Kind = KindErrors
	return map[string]templ.Component{
		"experiment": ExperimentPage(e), "share": SharePage(share), "home": HomePage(home), "errors": ErrorsPage(list), "error list": ErrorsPage(errorList),
		"compare": ComparePage(filled(s, func(v *Compare) *layout.Frame { return &v.Frame })), "state": StatePage(filled(s, func(v *State) *layout.Frame { return &v.Frame })),
		"share made": ShareMade(filled(s, func(v *Shared) *layout.Frame { return &v.Frame })),
	}
}

// exact fails when a text that people read could reorder what stands beside it.
// The data block of a chart is drawn on a canvas and addresses are no text.
func exact(t *testing.T, page string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.TextNode && strings.Contains(n.Data, "\u202e") && n.Parent.Data != "script" {
			t.Errorf("<%s> holds %.60q", n.Parent.Data, n.Data)
		}
		for _, a := range n.Attr {
			if (a.Key == "title" || a.Key == "aria-label") && strings.Contains(a.Val, "\u202e") {
				t.Errorf("<%s %s> is %.60q", n.Data, a.Key, a.Val)
			}
		}
	}
}

// strange puts a stranger's text wherever a page shows one.
func strange(s string) map[string]templ.Component {
	e := sampleExperiment(3, components.Done)
	e.Frame.Title, e.Frame.Crumbs, e.Frame.Account.Name, e.Frame.Project.Text = s, []layout.Link{{Text: s, Href: "/"}, {Text: s}}, s, s
	e.Frame.Flash = []components.Flash{{Text: s, Detail: s}}
	for i := range e.Result.Arms {
		a := &e.Result.Arms[i]
		a.Reviewer, a.Model, a.CostWhy, a.Cost = s, s+"model", s, nil
	}
	e.Result.Outcome = Outcome(e.Result.Arms, true)
	e.Result.Warnings = []string{s}
	e.Result.Composition = charts.Errors("repository", []charts.Group{{Name: s, Misses: 1}})
	e.Result.Problems = []Problem{{Arm: s, Class: s, Count: 1, Example: s}}
	e.Facts = []Fact{{Name: "split", Value: s}, {Name: "dataset", Value: s, Href: "/"}}
	e.Share.Links[0].By = s
	share := sampleShare()
	share.Title, share.Result, share.Facts = s, e.Result, e.Facts
	h := sampleHome()
	for i := range h.Experiments {
		x := &h.Experiments[i]
		x.Name, x.Dataset, x.Split = s, s, s
	}
	for i := range h.Datasets {
		h.Datasets[i].Name, h.Datasets[i].Note = s, s
	}
	l := sampleErrors()
	l.Kind = KindErrors
	for i := range l.Rows {
		r := &l.Rows[i]
		r.Instance, r.Repo, r.Agent, r.Arm, r.Error = s, s, s, s, s
		for j := range r.Votes {
			r.Votes[j].Says = s
		}
	}
	for i := range l.Groups {
		l.Groups[i].Name = s
	}
	for i := range l.Filters {
		l.Filters[i].Options = []components.FilterOption{{Text: s, Selected: true}, {Text: s, Href: "/", Count: new(3)}}
	}
	c := sampleCompare()
	for i := range c.Arms {
		c.Arms[i].Name, c.Arms[i].Experiment = s, s
	}
	c.Warnings = []string{s}
	for i := range c.Pairs {
		p := &c.Pairs[i]
		p.Other.Name, p.Sentence, p.Warnings, p.Flips[0].Instance = s, s, []string{s}, s
	}
	for i := range c.Picker.Options {
		c.Picker.Options[i].Name, c.Picker.Options[i].Group = s, s
	}
	state := State{Frame: sampleFrame(s), Code: 404, What: s, Todo: s}
	return map[string]templ.Component{"experiment": ExperimentPage(e), "share": SharePage(share), "home": HomePage(h), "errors": ErrorsPage(l), "compare": ComparePage(c), "state": StatePage(state)}
}

// Texts of strangers cannot reorder or hide what stands beside them.
func TestStrangersTextsAreShownExactly(t *testing.T) {
	t.Parallel()
	for name, c := range strange("cute\u202ename\x00" + strings.Repeat("long ", 60)) {
		t.Run(name, func(t *testing.T) {
			page := renderPage(t, c)
			safe(t, page)
			exact(t, page)
			if !strings.Contains(page, "U+202E") {
				t.Error("the text is not on the page: the test shows nothing")
			}
		})
	}
}

func TestHostileResultsNeverBecomeMarkup(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("<b>"+evil, 6)
	for _, s := range []string{evil, long, ""} {
		for name, c := range resultPages(s) {
			t.Run(name, func(t *testing.T) {
				page := renderPage(t, c)
				safe(t, page)
				if s != "" && !strings.Contains(page, "&lt;script&gt;") {
					t.Error("the text is not on the page: the test shows nothing")
				}
			})
		}
	}
}

func TestSamplePagesRender(t *testing.T) {
	t.Parallel()
	for name, c := range samplePages() {
		t.Run(name, func(t *testing.T) {
			page := renderPage(t, c)
			safe(t, page)
			root, err := html.Parse(strings.NewReader(page))
			if err != nil {
				t.Fatal(err)
			}
			ids := map[string]bool{}
			for n := range root.Descendants() {
				if n.Type != html.ElementNode {
					continue
				}
				if id := attr(n, "id"); id != "" {
					if ids[id] {
						t.Errorf("two elements share the id %s", id)
					}
					ids[id] = true
				}
				if n.Data == "img" && attr(n, "alt") == "" {
					t.Error("an image without a text")
				}
			}
			if strings.Contains(page, "NaN") || strings.Contains(page, "%!") {
				t.Error("a number or a text was not formatted")
			}
		})
	}
	for name, c := range map[string]templ.Component{
		"experiment": ExperimentPage(Experiment{}), "share": SharePage(Share{}), "home": HomePage(Home{}), "errors": ErrorsPage(Errors{}),
		"compare": ComparePage(Compare{}), "definitions": DefinitionsPage(DefinitionsView{}), "state": StatePage(State{}),
	} {
		t.Run("zero/"+name, func(t *testing.T) { safe(t, renderPage(t, c)) })
	}
}

// A share page shows no price, leads nowhere and sends nothing.
func TestSharePageIsClosed(t *testing.T) {
	t.Parallel()
	s := sampleShare()
	s.Result.Problems = []Problem{{Arm: "a", Class: "auth", Count: 1, Example: "key refused"}}
	page := renderPage(t, SharePage(s))
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		for _, key := range []string{"href", "action", "hx-get", "sse-connect"} {
			value := attr(n, key)
			if value != "" && !strings.HasPrefix(value, "#") && !strings.HasPrefix(value, "/static/") {
				t.Errorf("<%s %s=%q> leads away", n.Data, key, value)
			}
		}
		if n.Data == "form" {
			t.Error("a form on a share page")
		}
	}
	for _, private := range []string{"$0.42", "$2.42", "Cost", `"href"`, "/datasets/", "key refused"} {
		if strings.Contains(page, private) {
			t.Errorf("the share page holds %q", private)
		}
	}
	for _, want := range []string{"noindex", "simulated", "38/89", "def-catch"} {
		if !strings.Contains(page, want) {
			t.Errorf("the share page lacks %q", want)
		}
	}
}

func TestAtMostThreeActions(t *testing.T) {
	t.Parallel()
	for _, e := range []Experiment{sampleExperiment(6, components.Done), sampleExperiment(4, components.Running)} {
		if n := len(e.Frame.Actions); n > 3 {
			t.Errorf("%d actions in the title line", n)
		}
	}
}

func arm(reviewer, form string, upper bool, catch, over [2]int) ArmRow {
	c := stats.ReviewCounts{
		Defect:     stats.Class{Reject: catch[0], Accept: catch[1] - catch[0]},
		Acceptable: stats.Class{Reject: over[0], Accept: over[1] - over[0]},
	}
	return ArmRow{Reviewer: reviewer, Form: form, UpperBound: upper, Rates: sampleRates(c, "")}
}

func TestOutcome(t *testing.T) {
	t.Parallel()
	patch, structured := arm("gpt", "patch", false, [2]int{68, 89}, [2]int{21, 32}), arm("gpt", "structured", false, [2]int{72, 89}, [2]int{15, 32})
	official, none := arm("gpt", "official", true, [2]int{89, 89}, [2]int{0, 32}), arm("gpt", "patch", false, [2]int{0, 0}, [2]int{0, 0})
	tied := arm("mini", "patch", false, [2]int{80, 89}, [2]int{15, 32})
	for _, tt := range []struct {
		name     string
		arms     []ArmRow
		finished bool
		want     string
	}{
		{"nothing", nil, true, "There is no arm to report on."},
		{"not begun", []ArmRow{none}, false, "No trace with a known label has been decided yet."},
		{"no labels", []ArmRow{none}, true, "No arm decided a trace with a known label, so there is no rate to report."},
		{"one arm", []ArmRow{patch}, true, "gpt with patch evidence: catches 68 of 89 defects, rejects 21 of 32 good patches; decides all."},
		{"running", []ArmRow{patch}, false, "So far – gpt with patch evidence: catches 68 of 89 defects, rejects 21 of 32 good patches; decides all."},
		{"an upper bound never wins", []ArmRow{official, patch, structured}, true, "Lowest over-rejection: gpt with structured evidence: catches 72 of 89 defects, rejects 15 of 32 good patches; decides all. " +
			"Upper bound, knowing the official tests: gpt with official evidence catches 89 of 89 defects, rejects 0 of 32 good patches; decides all."},
		{"equal over-rejection, higher catch", []ArmRow{structured, tied}, true, "Lowest over-rejection: mini with patch evidence: catches 80 of 89 defects, rejects 15 of 32 good patches; decides all."},
		{"undefined loses", []ArmRow{arm("a", "patch", false, [2]int{1, 1}, [2]int{0, 0}), patch}, true, "Lowest over-rejection: gpt with patch evidence: catches 68 of 89 defects, rejects 21 of 32 good patches; decides all."},
	} {
		if diff := cmp.Diff(tt.want, Outcome(tt.arms, tt.finished)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// Unknown values come last in either direction, and equal ones keep their order.
func TestArmsSort(t *testing.T) {
	t.Parallel()
	r := Result{Arms: []ArmRow{
		{Reviewer: "b", Rates: map[string]components.Rate{"risk": {Value: new(0.2)}}}, {Reviewer: "a", Rates: map[string]components.Rate{"risk": {Why: "nothing was decided"}}},
		{Reviewer: "c", Rates: map[string]components.Rate{"risk": {Value: new(0.1)}}}, {Reviewer: "d", Rates: map[string]components.Rate{"risk": {Value: new(0.2)}}},
	}}
	for sort, want := range map[string]string{"": "bacd", "risk": "cbda", "-risk": "bdca", "arm": "abcd", "-arm": "dcba", "no such column": "bacd"} {
		r.Sort = sort
		var got strings.Builder
		for _, a := range r.sortedArms() {
			got.WriteString(a.Reviewer)
		}
		if got.String() != want {
			t.Errorf("sorted by %q: %s, want %s", sort, got.String(), want)
		}
	}
}

// Columns that report trouble show themselves; a reader's choice is kept.
func TestArmColumns(t *testing.T) {
	t.Parallel()
	keys := func(r Result) (out []string) {
		for _, c := range r.columns() {
			out = append(out, c.Key)
		}
		return out
	}
	if diff := cmp.Diff(append([]string{"arm"}, DefaultColumns...), keys(Result{Arms: []ArmRow{{}}})); diff != "" {
		t.Error(diff)
	}
	if got := strings.Join(keys(Result{Arms: []ArmRow{{Blocked: ArmCount{N: 1}}}}), " "); !strings.Contains(got, "blocked") {
		t.Errorf("blocked items are hidden: %s", got)
	}
	if diff := cmp.Diff([]string{"arm", "catch", "cost"}, keys(Result{Columns: []string{"cost", "catch", "no such"}})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"arm", "catch"}, keys(Result{Public: true, Columns: []string{"cost", "catch", "tokens"}})); diff != "" {
		t.Error(diff)
	}
	for _, c := range armColumns {
		if _, ok := components.Define(c.Metric); !ok {
			t.Errorf("column %s has no definition", c.Key)
		}
	}
}

func TestOutcomeKinds(t *testing.T) {
	t.Parallel()
	for _, k := range OutcomeKinds {
		if ParseOutcomeKind(string(k.Kind)) != k.Kind || k.Title == "" || k.Says == "" {
			t.Errorf("kind %s is not whole", k.Kind)
		}
	}
	if ParseOutcomeKind("' OR 1=1") != KindFalseRejections {
		t.Error("an unknown kind is not the default")
	}
	for _, want := range []OutcomeKind{KindFalseRejections, KindMisses, KindAbstentions, KindUnparseable, KindMisread, KindErrors, KindMissing, KindBlocked} {
		if page := renderPage(t, ErrorsPage(Errors{Kind: want})); !strings.Contains(page, reflect.ValueOf(want.says()).String()) {
			t.Errorf("the empty list of %s does not say what it would hold", want)
		}
	}
}
