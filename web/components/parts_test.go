package components

import (
	"bytes"
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"plumbline/experiments/stats"
	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
)

func show(t *testing.T, c templ.Component) (page, text string) {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	var words strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			words.WriteString(n.Data)
		}
	}
	var out bytes.Buffer
	if err := html.Render(&out, root); err != nil {
		t.Fatal(err)
	}
	return out.String(), words.String()
}

func TestRateCell(t *testing.T) {
	t.Parallel()
	page, text := show(t, RateCell(Rate{Metric: "catch", K: 68, N: 89, Value: ptr(68.0 / 89), Lo: ptr(0.67), Hi: ptr(0.84), Method: "Wilson", Href: "/list", Warnings: []string{"few traces"}}))
	for _, want := range []string{"0.76", "68/89", "95% interval 0.67 to 0.84"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
	for _, want := range []string{`href="/list"`, "Defective traces decided reject", "few traces", "(Wilson)"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in %s", want, page)
		}
	}
	page, text = show(t, RateCell(Rate{Metric: "catch", Why: "no defects", Href: "/list"}))
	if !strings.Contains(text, Unknown) || !strings.Contains(text, "no defects") || strings.Contains(text, "0.00") || strings.Contains(page, "<a") {
		t.Errorf("an undefined rate shows %q", text)
	}
	// An interval outside of the rule never draws outside of its box.
	page, _ = show(t, Whisker(ptr(1.4), ptr(-0.5), ptr(7.0)))
	if !strings.Contains(page, `x="1.0"`) || !strings.Contains(page, `width="58.0"`) || !strings.Contains(page, `x="59.0"`) {
		t.Errorf("whisker leaves its box: %s", page)
	}
}

func TestEveryMetricIsDefined(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, d := range Definitions {
		if seen[d.Key] {
			t.Errorf("%s is defined twice", d.Key)
		}
		seen[d.Key] = true
		if d.Name == "" || d.Formula == "" || d.Denominator == "" || d.Missing == "" && d.Ties == "" && d.Group != groupTest {
			t.Errorf("%s: the definition is not whole: %+v", d.Key, d)
		}
	}
	for _, d := range stats.Definitions() {
		if rateWords[d.Metric] == "" || !seen[string(d.Metric)] {
			t.Errorf("%s is computed and not explained", d.Metric)
		}
	}
}

func TestWrong(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		decision Mark
		truth    trace.Label
		want     bool
	}{
		{Accept, trace.Acceptable, false}, {Reject, trace.Acceptable, true}, {Unparseable, trace.Acceptable, true}, {Uncertain, trace.Acceptable, false},
		{Accept, trace.Defective, true}, {Reject, trace.Defective, false}, {Unparseable, trace.Defective, true}, {Uncertain, trace.Defective, false},
		{Reject, trace.Unknown, false}, {Unparseable, trace.Unknown, false}, {Errored, trace.Defective, false}, {Missing, trace.Defective, false}, {Blocked, trace.Acceptable, false},
	} {
		if got := Wrong(tt.decision, tt.truth); got != tt.want {
			t.Errorf("Wrong(%s, %s) = %t", tt.decision, tt.truth, got)
		}
	}
}

func TestMarksAreToldApartWithoutColour(t *testing.T) {
	t.Parallel()
	symbols := map[string]Mark{}
	for _, m := range []Mark{Accept, Reject, Uncertain, Unparseable, Errored, Missing, Blocked} {
		if other, ok := symbols[m.Symbol()]; ok {
			t.Errorf("%s and %s share the sign %s", m, other, m.Symbol())
		}
		symbols[m.Symbol()] = m
	}
	if MarkOf(vote.Vote("approve")) != Unparseable {
		t.Error("an unknown class is not unparseable")
	}
	page, _ := show(t, VoteStrip([]Square{{Mark: Mark(`x" onclick="alert(1)`), Says: "first\nsecond"}}))
	if strings.Contains(page, "onclick") || !strings.Contains(page, "square-missing") || strings.Contains(page, "second") {
		t.Errorf("a strange mark is rendered as %s", page)
	}
	page, text := show(t, DecisionChip(Reject, true))
	if !strings.Contains(page, "chip-wrong") || !strings.Contains(text, "wrong") {
		t.Error("a wrong decision is not marked in text and look")
	}
}

func TestProgressLine(t *testing.T) {
	t.Parallel()
	p := Progress{Total: 200, Done: 100, Running: 20, Errors: 10, Blocked: 5}
	if p.Missing() != 65 || p.Finished() {
		t.Errorf("missing %d, finished %t", p.Missing(), p.Finished())
	}
	page, text := show(t, ProgressLine(p))
	for _, want := range []string{"100 of 200 items", "20 running", "10 error", "5 blocked", "65 missing"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
	if !strings.Contains(page, `x="50.000%"`) || !strings.Contains(page, `width="10.000%"`) {
		t.Errorf("the running part is not where it belongs: %s", page)
	}
	if page, _ := show(t, ProgressLine(Progress{})); strings.Contains(page, "NaN") || strings.Contains(page, "Inf") {
		t.Error("nothing at all divides by zero")
	}
	if got := (Progress{Total: 3, Done: 2, Errors: 1}).Missing(); got != 0 {
		t.Errorf("missing %d of a finished experiment", got)
	}
}

func TestBeliefBarAndStages(t *testing.T) {
	t.Parallel()
	page, text := show(t, BeliefBar(Belief{Value: ptr(0.8), Prior: ptr(0.5), Accept: ptr(0.9), Reject: ptr(0.1)}))
	if !strings.Contains(page, "prior 0.50") || !strings.Contains(page, "accept at or above 0.90") || !strings.Contains(text, "0.80") {
		t.Errorf("belief bar %s", page)
	}
	if _, text := show(t, BeliefBar(Belief{Why: "no critic answered"})); !strings.Contains(text, Unknown) {
		t.Errorf("an unknown belief shows %q", text)
	}
	page, _ = show(t, StageDots([]Stage{{Name: "empty diff"}, {Name: "static"}, {Name: "probe", Says: "fails on the patch"}}, 2))
	if !strings.Contains(page, "decided at stage 2, probe: fails on the patch") || strings.Count(page, "stage-passed") != 2 {
		t.Errorf("stage dots %s", page)
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	q := url.Values{"sort": {"-risk"}, "after": {"x"}, "agent": {"a&b"}}
	c := SortBy(Column{Key: "risk", Head: "Risk", Numeric: true, Metric: "risk"}, "/e", q)
	if c.Sorted != Descending || c.SortHref != "/e?agent=a%26b&sort=risk" {
		t.Errorf("sorted column %+v", c)
	}
	if c := SortBy(Column{Key: "name"}, "/e", q); c.SortHref != "/e?agent=a%26b&sort=name" || c.Sorted != Unsorted {
		t.Errorf("other column %+v", c)
	}
	if got := With("/e", url.Values{"a": {"1"}}, "a", ""); got != "/e" {
		t.Errorf("With dropped to %q", got)
	}
	table := Table{ID: "t", Columns: []Column{{Head: "Name", Primary: true}, c}, Rows: []Row{{Arm: "a", Current: true, Cells: []templ.Component{Text("x")}}},
		Pager: Pager{Shown: "1 of 1", Next: "/n"}, Chooser: Chooser{Action: "/e", Options: []Choice{{Value: "risk", Text: "Risk", Selected: true}}}}
	page, _ := show(t, DataTable(table))
	for _, want := range []string{`aria-sort="descending"`, `data-head="Risk"`, "data-current", `data-arm="a"`, `rel="next"`, `href="/definitions#risk"`, "checked"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in the table", want)
		}
	}
	page, text := show(t, DataTable(Table{Empty: Empty{Why: "Nothing yet.", Text: "Fill it", Href: "/fill"}}))
	if strings.Contains(page, "<table") || !strings.Contains(text, "Nothing yet.") || !strings.Contains(page, `href="/fill"`) {
		t.Errorf("empty table %s", page)
	}
}

func TestFormField(t *testing.T) {
	t.Parallel()
	page, text := show(t, FormField(Input{Name: "votes", Label: "Votes", Kind: "number", Value: "0", Error: "choose 1 to 99 votes", Hint: "K", Min: "1", Required: true}))
	for _, want := range []string{`aria-invalid="true"`, `aria-describedby="f-votes-error f-votes-hint"`, `min="1"`, "required", `for="f-votes"`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in %s", want, page)
		}
	}
	if !strings.Contains(text, "choose 1 to 99 votes") {
		t.Error("no message")
	}
	page, _ = show(t, FormField(Input{Name: "form", Kind: "select", Value: "b", Options: []Choice{{Value: "a", Text: "A"}, {Value: "b", Text: "B"}}}))
	if strings.Count(page, "selected") != 1 || !strings.Contains(page, `value="b" selected`) {
		t.Errorf("select %s", page)
	}
	page, _ = show(t, FormField(Input{Name: "x", Kind: "textarea", Value: "</textarea><script>"}))
	if strings.Contains(page, "<script>") {
		t.Errorf("textarea %s", page)
	}
}

func TestFilterChips(t *testing.T) {
	t.Parallel()
	page, text := show(t, FilterChips([]Filter{
		{Name: "agent", Clear: "/c", Options: []FilterOption{{Text: "javascript:alert(1)", Href: "javascript:alert(1)", Count: ptr(1200), Selected: true}}}, {Name: "repository"},
	}))
	if strings.Contains(page, `href="javascript`) || !strings.Contains(text, "1,200") || !strings.Contains(text, "any") || !strings.Contains(page, "remove the filter agent") {
		t.Errorf("filters %s", page)
	}
}

func TestBadges(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, b := range []Badge{Simulated, Recorded, NotDeployable, DesignSplit, EvaluatedTimes(0), Unsandboxed, Cached, UnknownPrice} {
		if b.Why == "" || strings.Count(b.Why, ".") != 1 || !strings.HasSuffix(b.Why, ".") {
			t.Errorf("%s is not explained in one sentence: %q", b.Key, b.Why)
		}
		if seen[b.Key] {
			t.Errorf("two badges share the key %s", b.Key)
		}
		seen[b.Key] = true
	}
	if _, text := show(t, BadgeMark(EvaluatedTimes(3))); !strings.Contains(text, "evaluated 3 times") {
		t.Errorf("evaluated three times shows %q", text)
	}
}
