package pages

import (
	"strconv"
	"time"

	"plumbline/web/components"
	"plumbline/web/components/diffview"
	"plumbline/web/layout"
)

// Verdict is the page of one patch that was judged alone.
type Verdict struct {
	Frame    layout.Frame
	Now      time.Time
	Mark     components.Mark
	Says     string // the verdict in words
	Why      string // detail of what kept it from a verdict; empty otherwise
	Stages   []components.Stage
	Decided  int
	Facts    []Fact
	Static   string
	Tools    []StaticTool
	Findings []StaticFinding
	Tests    []GeneratedTest
	Form     string // evidence form of the votes
	Votes    []VerdictVote
	Evidence string // text that the reviewer read; empty: none was asked
	Diff     diffview.View
	NoDiff   string // why there is no diff
	Issue    string // Markdown
	Spent    []VerdictSpend
	Total    VerdictSpend
}

// VerdictVote is one vote of the residual reviewer.
type VerdictVote struct {
	Mark      components.Mark
	Rationale string
	Problem   string
}

// VerdictSpend is what one stage cost. An unknown cost has its reason.
type VerdictSpend struct {
	Stage       string
	Calls, Runs int
	In, Out     int64 // tokens
	Uncounted   int   // calls whose tokens are unknown
	Sandbox     time.Duration
	Cost        *float64
	CostWhy     string
}

// Verdicts is the list of patches that were judged alone.
type Verdicts struct {
	Frame layout.Frame
	Now   time.Time
	Rows  []VerdictRow
	Pager components.Pager
}

// VerdictRow is one of them. Stage is where it was decided, or where it stopped.
type VerdictRow struct {
	Title, Href, Stage, Author string
	Mark                       components.Mark
	When                       time.Time
}

func verdictTable(v Verdicts) components.Table {
	t := components.Table{ID: "reviews", Caption: "Reviewed patches", Middle: true, Pager: v.Pager, Columns: []components.Column{
		{Head: "Patch", Primary: true}, {Head: "Verdict"}, {Head: "Stage"}, {Head: "When"}, {Head: "By"},
	}, Empty: components.Empty{Why: "No patch was reviewed alone yet: plumbline review does that, for example in a pipeline."}}
	for _, r := range v.Rows {
		t.Rows = append(t.Rows, components.Row{Cells: cells(
			components.TextLink(r.Title, r.Href), components.DecisionChip(r.Mark, false), components.Text(r.Stage), components.When(r.When, v.Now), components.Text(r.Author),
		)})
	}
	return t
}

func verdictCosts(v Verdict) components.Table {
	t := components.Table{ID: "cost", Caption: "Cost by stage", Plain: true, Compact: true, Columns: []components.Column{
		{Head: "Stage", Primary: true}, {Head: "Calls", Numeric: true}, {Head: "Tokens in", Numeric: true}, {Head: "Tokens out", Numeric: true},
		{Head: "Programs", Numeric: true, Title: "Runs in the sandbox"}, {Head: "Time", Numeric: true, Title: "Wall time of those runs"}, {Head: "Cost", Numeric: true},
	}}
	add := func(s VerdictSpend) {
		cost := components.Undefined(s.CostWhy)
		if s.Cost != nil {
			cost = components.Text(components.Money(s.Cost))
		}
		in, out := components.Text(components.Count(s.In)), components.Text(components.Count(s.Out))
		if s.Uncounted > 0 {
			in = components.Undefined("the tokens of " + strconv.Itoa(s.Uncounted) + " calls are unknown")
			out = in
		}
		t.Rows = append(t.Rows, components.Row{Faint: s.Calls == 0 && s.Runs == 0, Cells: cells(
			components.Text(s.Stage), components.Text(components.Count(s.Calls)), in, out, components.Text(components.Count(s.Runs)), components.Text(components.Span(s.Sandbox)), cost,
		)})
	}
	for _, s := range v.Spent {
		add(s)
	}
	add(v.Total)
	return t
}
