package pages

import (
	"time"

	"github.com/a-h/templ"

	"plumbline/web/charts"
	"plumbline/web/components"
	"plumbline/web/layout"
)

// Funnel is the page of a cascade: which stage decided what, what its tests are
// worth, and what other policies would have decided.
type Funnel struct {
	Frame    layout.Frame
	Now      time.Time
	Outcome  string // one sentence in words
	Warnings []string
	Facts    []Fact
	Choices  []TabLink // the policies that were run
	Policies []FunnelPolicy
	Others   []FunnelPolicy // baselines and variants
	Chart    charts.Figure
	Stages   []StageRow
	Tests    TestFigures
	Audit    *AuditMatrix // nil: the reader may not see it, or nothing was audited
	AuditWhy string       // why there is none
	Troubles []TroubleRow
	Traces   []FunnelTrace
	More     string // URL of all traces when only some are listed
}

// FunnelPolicy is one policy on the traces of the experiment.
type FunnelPolicy struct {
	Name     string
	Explain  string
	Href     string // its own view; empty: it has none
	Current  bool
	Badges   []components.Badge
	Rates    map[string]components.Rate // coverage, risk, catch, over_rejection
	Verdicts int
	Missing  int // traces that need what was never observed
	Saved    int // votes that were not asked
	Asked    int
	Compared string // against the first policy, in words; empty for the first
}

// StageRow is one stage of the chosen policy.
type StageRow struct {
	Name, Explain                      string
	Entered, Decided, Abstained, Stuck int
	FalseRejections, Misses            ArmCount
	Why                                []string // reasons with their counts
	Calls, Runs                        int
	Tokens                             *int64
	Cost                               *float64
	CostWhy                            string
	Sandbox                            time.Duration
}

// TestFigures says what generated tests are worth.
type TestFigures struct {
	Generator string
	Badges    []components.Badge
	Traces    int
	Attempts  int
	Kept      int
	Discards  []Named // reasons
	Patched   []Named // outcomes of kept tests on the patch
	Reject    components.Rate
	Accept    components.Rate
}

// Named is a name with a count.
type Named struct {
	Name string
	N    int
}

// AuditMatrix counts kept tests by their outcome on the patch and on the reference
// patch and by the truth. Only editors get it.
type AuditMatrix struct {
	Cells   []AuditCell // in the order of the core
	Unknown int
}

// AuditCell is one of the eight.
type AuditCell struct {
	Patch, Gold, Truth string
	Names              []string
	N                  int
	Wrong              bool // the test speaks against the truth
}

// TroubleRow is a named end without a verdict.
type TroubleRow struct {
	Name string
	N    int
	Href string
}

// FunnelTrace is one trace with the stage that decided it.
type FunnelTrace struct {
	Instance string
	Agent    string
	Href     string // its checks
	Stages   []components.Stage
	Decided  int // -1: no stage did
	Decision components.Mark
	Truth    components.Truth
	Why      string
}

func policyTable(id, caption string, rows []FunnelPolicy) components.Table {
	t := components.Table{ID: id, Caption: caption, Columns: []components.Column{
		{Head: "Policy", Primary: true},
		{Head: "Coverage", Metric: "coverage", Numeric: true}, {Head: "Risk", Metric: "risk", Numeric: true},
		{Head: "Catch", Metric: "catch", Numeric: true}, {Head: "Over-rejection", Metric: "over_rejection", Numeric: true},
		{Head: "Verdicts", Numeric: true}, {Head: "Missing", Numeric: true, Title: "Traces that need an outcome which was never observed"},
		{Head: "Votes asked", Numeric: true}, {Head: "Votes saved", Numeric: true, Title: "Votes not asked because a check decided"},
	}}
	for _, r := range rows {
		row := components.Row{Current: r.Current, Cells: nil}
		row.Cells = append(row.Cells, funnelPolicy(r))
		for _, m := range []string{"coverage", "risk", "catch", "over_rejection"} {
			row.Cells = append(row.Cells, components.RateCell(r.Rates[m]))
		}
		row.Cells = append(row.Cells, components.Text(components.Count(r.Verdicts)), components.Text(components.Count(r.Missing)),
			components.Text(components.Count(r.Asked)), components.Text(components.Count(r.Saved)))
		t.Rows = append(t.Rows, row)
	}
	return t
}

func stageTable(rows []StageRow) components.Table {
	t := components.Table{ID: "stages", Caption: "Stages", Plain: true, Columns: []components.Column{
		{Head: "Stage", Primary: true}, {Head: "Came to it", Numeric: true}, {Head: "Decided", Numeric: true}, {Head: "Abstained", Numeric: true},
		{Head: "No verdict", Numeric: true}, {Head: "False rejections", Numeric: true}, {Head: "Misses", Numeric: true}, {Head: "Reasons"},
		{Head: "Calls", Numeric: true}, {Head: "Tokens", Numeric: true}, {Head: "Programs", Numeric: true, Title: "Runs in the sandbox"},
		{Head: "Time", Numeric: true, Title: "Wall time of those runs"}, {Head: "Cost", Numeric: true},
	}}
	for _, r := range rows {
		cost := components.Undefined(r.CostWhy)
		if r.Cost != nil {
			cost = components.Text(components.Money(r.Cost))
		}
		t.Rows = append(t.Rows, components.Row{Cells: cells(
			stageName(r), countCell(r.Entered), countCell(r.Decided), countCell(r.Abstained), countCell(r.Stuck),
			components.CountLink(r.FalseRejections.N, r.FalseRejections.Href), components.CountLink(r.Misses.N, r.Misses.Href), reasonList(r.Why),
			countCell(r.Calls), components.Text(components.Amount(r.Tokens)), countCell(r.Runs), components.Text(components.Span(r.Sandbox)), cost,
		)})
	}
	return t
}

func traceTable(rows []FunnelTrace) components.Table {
	t := components.Table{ID: "traces", Caption: "Traces by the stage that decided", Middle: true, Columns: []components.Column{
		{Head: "Trace", Primary: true}, {Head: "Agent"}, {Head: "Truth"}, {Head: "Stage"}, {Head: "Decision"}, {Head: "Reason"},
	}, Empty: components.Empty{Why: "No trace has begun its way yet."}}
	for _, r := range rows {
		t.Rows = append(t.Rows, components.Row{Cells: cells(
			components.TextLink(r.Instance, r.Href), components.Text(r.Agent), components.TruthMark(r.Truth),
			components.StageDots(r.Stages, r.Decided), components.DecisionChip(r.Decision, components.Wrong(r.Decision, r.Truth.Label)), components.Text(r.Why),
		)})
	}
	return t
}

func auditTable(m AuditMatrix) components.Table {
	t := components.Table{ID: "audit", Caption: "Kept tests by outcome on patch and reference", Plain: true, Columns: []components.Column{
		{Head: "On the patch"}, {Head: "On the reference"}, {Head: "Official tests"}, {Head: "Called", Primary: true}, {Head: "Tests", Numeric: true},
	}}
	for _, c := range m.Cells {
		t.Rows = append(t.Rows, components.Row{Faint: c.N == 0, Cells: cells(
			components.Text(c.Patch), components.Text(c.Gold), components.Text(c.Truth), auditNames(c), countCell(c.N),
		)})
	}
	return t
}

// countCell is a plain number.
func countCell(n int) templ.Component { return components.Text(components.Count(n)) }
