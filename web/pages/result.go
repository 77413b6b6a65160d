// Package pages holds one view model and one template a page. A view model is
// shaped like the page: plain values, rates with their intervals, links as
// strings. Handlers fill it; a template decides nothing but how it looks.
package pages

import (
	"sort"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"plumbline/web/charts"
	"plumbline/web/components"
	"plumbline/web/layout"
)

// Result is what an experiment has shown so far. The experiment page and the
// share page render it alike.
type Result struct {
	Outcome  string             // one sentence in words; Outcome writes it
	Badges   []components.Badge // marks that hold for every figure
	Warnings []string           // what a reader must know before believing a rate
	Arms     []ArmRow           // in the order of the experiment
	Columns  []string           // keys of the columns shown; nil: DefaultColumns
	Sort     string             // column key, with "-" for descending; empty: order of the experiment
	SortURL  func(key string) string
	Choose   components.Chooser // the columns; without options: no chooser
	Interval string             // name of the intervals in the cells
	Switch   []layout.Link      // the other kinds of interval
	Public   bool               // a page for strangers: no prices, no links to other pages
	Problems []Problem          // tries that ended in no vote, by kind; not for strangers

	Areas     []AreaRow // areas under the risk–coverage curves
	Baselines []string  // why a baseline is not on the curve
	// Overlays are the published results that can be laid over the charts, each a
	// switch.
	Overlays []OverlayLink
	// AgreementURL leads to the agreement of the arms with each other, LadderURL to
	// size against quality; empty on a page for strangers.
	AgreementURL, LadderURL string
	// ScalingSwitch is the other way of asking what fewer votes would decide.
	ScalingSays   string
	ScalingSwitch layout.Link

	RiskCoverage, Tradeoff, Composition, Agreement charts.Figure
	Scaling                                        []charts.Figure
	ErrorsBy                                       []charts.Figure
}

// ArmRow is one line of the arm table.
type ArmRow struct {
	ID       string
	Index    int // place in the experiment: its colour on every chart
	Reviewer string
	Model    string
	Form     string
	Badges   []components.Badge
	// UpperBound marks evidence with outcomes of the official tests.
	UpperBound bool
	Rates      map[string]components.Rate // by metric
	Fleiss     Quantity                   // kappa of the votes
	Alpha      Quantity                   // Krippendorff's
	Voted      int                        // traces with votes, which both are of
	Votes      components.Rate            // received of asked; Value is unused
	Ties       components.Rate            // of the voted traces
	Unanimous  components.Rate
	Errors     ArmCount
	Missing    ArmCount
	Blocked    ArmCount
	Misread    *ArmCount // nil: not audited
	Cost       *float64  // US dollars
	CostWhy    string    // why it is unknown
	Tokens     *int64
	Latency    *float64 // mean seconds of a call that was not cached
	Selected   bool
}

// Name is how the arm is called in words and on charts.
func (a ArmRow) Name() string { return a.Reviewer + " · " + a.Form }

// ArmCount is a count with the traces behind it.
type ArmCount struct {
	N    int
	Href string
	Of   int // items of the arm; 0: not said
	// Lo and Hi are the interval of the share, shown on hover.
	Lo, Hi *float64
}

// DefaultColumns are the columns of the arm table unless the reader chose.
var DefaultColumns = []string{"catch", "miss", "over_rejection", "coverage", "risk", "agreement", "votes", "errors", "missing", "cost"}

// AllColumns is the column key that stands for every column.
const AllColumns = "all"

// armColumns are all columns, in their fixed order, with their heads.
var armColumns = []components.Column{
	{Key: "catch", Head: "Catch", Metric: "catch", Numeric: true},
	{Key: "miss", Head: "Miss", Metric: "miss", Numeric: true},
	{Key: "abstain_defect", Head: "Abstains on defects", Metric: "abstain_defect", Numeric: true},
	{Key: "over_rejection", Head: "Over-rejection", Metric: "over_rejection", Numeric: true},
	{Key: "correct_accept", Head: "Good accepts", Metric: "correct_accept", Numeric: true},
	{Key: "abstain_acceptable", Head: "Abstains on good", Metric: "abstain_acceptable", Numeric: true},
	{Key: "coverage", Head: "Coverage", Metric: "coverage", Numeric: true},
	{Key: "risk", Head: "Risk", Metric: "risk", Numeric: true},
	{Key: "accuracy", Head: "Accuracy, decided", Metric: "accuracy", Numeric: true},
	{Key: "error_over_all", Head: "Wrong, all", Metric: "error_over_all", Numeric: true},
	{Key: "correct_over_all", Head: "Correct, all", Metric: "correct_over_all", Numeric: true},
	{Key: "catch_decided", Head: "Catch, decided", Metric: "catch_decided", Numeric: true},
	{Key: "miss_decided", Head: "Miss, decided", Metric: "miss_decided", Numeric: true},
	{Key: "over_rejection_decided", Head: "Over-rej., decided", Metric: "over_rejection_decided", Numeric: true},
	{Key: "reject_precision", Head: "Reject prec.", Metric: "reject_precision", Numeric: true},
	{Key: "accept_precision", Head: "Accept prec.", Metric: "accept_precision", Numeric: true},
	{Key: "share_accept", Head: "Accepts", Metric: "share_accept", Numeric: true},
	{Key: "share_reject", Head: "Rejects", Metric: "share_reject", Numeric: true},
	{Key: "share_uncertain", Head: "Abstains", Metric: "share_uncertain", Numeric: true},
	{Key: "share_unparseable", Head: "Unparseable", Metric: "share_unparseable", Numeric: true},
	{Key: "agreement", Head: "Agreement", Metric: "fleiss_kappa", Title: "Fleiss’ kappa of the votes", Numeric: true},
	{Key: "alpha", Head: "Alpha", Metric: "krippendorff_alpha", Title: "Krippendorff’s alpha of the votes", Numeric: true},
	{Key: "unanimous", Head: "Unanimous", Metric: "unanimous", Numeric: true},
	{Key: "ties", Head: "Ties", Metric: "tie", Numeric: true},
	{Key: "votes", Head: "Votes", Metric: "votes", Numeric: true},
	{Key: "errors", Head: "Errors", Metric: "errors", Numeric: true},
	{Key: "missing", Head: "Missing", Metric: "missing", Numeric: true},
	{Key: "blocked", Head: "Blocked", Metric: "blocked", Numeric: true},
	{Key: "misread", Head: "Misread", Metric: "misread", Numeric: true},
	{Key: "tokens", Head: "Tokens", Metric: "tokens", Numeric: true},
	{Key: "latency", Head: "Latency", Metric: "latency", Numeric: true},
	{Key: "cost", Head: "Cost", Metric: "cost", Numeric: true},
}

// private are the columns a stranger does not see.
var private = map[string]bool{"cost": true, "tokens": true}

// ColumnChoices lists the columns for a chooser, with those of shown selected.
func ColumnChoices(shown []string) []components.Choice {
	if len(shown) == 0 {
		shown = DefaultColumns
	}
	on := map[string]bool{}
	for _, key := range shown {
		on[key] = true
	}
	var all []components.Choice
	for _, c := range armColumns {
		all = append(all, components.Choice{Value: c.Key, Text: c.Head, Selected: on[c.Key] || on[AllColumns]})
	}
	return all
}

// columns are the heads of the arm table in their fixed order.
func (r Result) columns() []components.Column {
	shown := r.Columns
	if len(shown) == 0 {
		shown = DefaultColumns
	}
	on := map[string]bool{}
	for _, key := range shown {
		on[key] = true
	}
	if len(r.Columns) == 0 { // what happened is never hidden by a default
		for _, a := range r.Arms {
			on["blocked"] = on["blocked"] || a.Blocked.N > 0
			on["misread"] = on["misread"] || (a.Misread != nil && a.Misread.N > 0)
		}
	}
	cols := []components.Column{{Key: "arm", Head: "Arm", Primary: true}}
	for _, c := range armColumns {
		if !on[c.Key] && !on[AllColumns] || (r.Public && private[c.Key]) {
			continue
		}
		cols = append(cols, c)
	}
	for i := range cols {
		if r.Public {
			if d, ok := components.Define(cols[i].Metric); ok {
				cols[i].Title = d.Formula
			}
			cols[i].Metric = ""
		} else if r.SortURL != nil {
			cols[i] = r.sorted(cols[i])
		}
	}
	return cols
}

func (r Result) sorted(c components.Column) components.Column {
	next := c.Key
	if c.Numeric {
		next = "-" + c.Key
	}
	if strings.TrimPrefix(r.Sort, "-") == c.Key {
		c.Sorted, next = components.Ascending, "-"+c.Key
		if strings.HasPrefix(r.Sort, "-") {
			c.Sorted, next = components.Descending, c.Key
		}
	}
	c.SortHref = r.SortURL(next)
	return c
}

// value is what the table sorts by; ok is false for what is unknown.
func (a ArmRow) value(key string) (v float64, ok bool) {
	pick := func(p *float64) (float64, bool) {
		if p == nil {
			return 0, false
		}
		return *p, true
	}
	switch key {
	case "agreement":
		return pick(a.Fleiss.Value)
	case "alpha":
		return pick(a.Alpha.Value)
	case "unanimous":
		return pick(a.Unanimous.Value)
	case "cost":
		return pick(a.Cost)
	case "latency":
		return pick(a.Latency)
	case "tokens":
		if a.Tokens == nil {
			return 0, false
		}
		return float64(*a.Tokens), true
	case "misread":
		if a.Misread == nil {
			return 0, false
		}
		return float64(a.Misread.N), true
	case "ties":
		return pick(a.Ties.Value)
	case "votes":
		return float64(a.Votes.K), true
	case "errors":
		return float64(a.Errors.N), true
	case "missing":
		return float64(a.Missing.N), true
	case "blocked":
		return float64(a.Blocked.N), true
	}
	return pick(a.Rates[key].Value)
}

// sortedArms orders a copy of the arms. Unknown values come last in either
// direction; equal ones keep the order of the experiment.
func (r Result) sortedArms() []ArmRow {
	arms := append([]ArmRow(nil), r.Arms...)
	key := strings.TrimPrefix(r.Sort, "-")
	desc := strings.HasPrefix(r.Sort, "-")
	switch key {
	case "":
	case "arm":
		sort.SliceStable(arms, func(i, j int) bool {
			a, b := strings.ToLower(arms[i].Name()), strings.ToLower(arms[j].Name())
			if desc {
				return a > b
			}
			return a < b
		})
	default:
		sort.SliceStable(arms, func(i, j int) bool {
			a, okA := arms[i].value(key)
			b, okB := arms[j].value(key)
			if !okA || !okB {
				return okA && !okB
			}
			if desc {
				return a > b
			}
			return a < b
		})
	}
	return arms
}

// warned reports whether a rate of the table carries a warning.
func (r Result) warned() bool {
	for _, c := range r.columns() {
		for _, a := range r.Arms {
			if len(a.Rates[c.Key].Warnings) > 0 {
				return true
			}
		}
	}
	return false
}

// table is the arm table.
func (r Result) table() components.Table {
	t := components.Table{ID: "arms", Caption: "Arms", Columns: r.columns(), Chooser: r.Choose,
		Empty: components.Empty{Why: "The experiment has no arms."}}
	for _, a := range r.sortedArms() {
		row := components.Row{ID: "arm-" + strconv.Itoa(a.Index+1), Arm: a.ID, Current: a.Selected}
		for _, c := range t.Columns {
			row.Cells = append(row.Cells, a.cell(c.Key, r.Public))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (a ArmRow) cell(key string, public bool) templ.Component {
	href := func(s string) string {
		if public {
			return ""
		}
		return s
	}
	switch key {
	case "arm":
		return armName(a)
	case "agreement":
		return agreementCell(a.Fleiss, a.Voted)
	case "alpha":
		return agreementCell(a.Alpha, a.Voted)
	case "ties", "unanimous":
		rate := a.Ties
		if key == "unanimous" {
			rate = a.Unanimous
		}
		rate.Href = href(rate.Href)
		return components.RateCell(rate)
	case "votes":
		return voteCount(a.Votes)
	case "errors":
		return itemCount(a.Errors, href(a.Errors.Href))
	case "missing":
		return itemCount(a.Missing, href(a.Missing.Href))
	case "blocked":
		return itemCount(a.Blocked, href(a.Blocked.Href))
	case "misread":
		if a.Misread == nil {
			return components.Undefined("the votes of this arm were not audited")
		}
		return itemCount(*a.Misread, href(a.Misread.Href))
	case "tokens":
		if a.Tokens == nil {
			return components.Undefined("the endpoint did not report tokens for every vote")
		}
		return components.Text(components.Count(*a.Tokens))
	case "latency":
		if a.Latency == nil {
			return components.Undefined("no call was timed")
		}
		return components.Text(components.Decimal(a.Latency, 2) + " s")
	case "cost":
		if a.Cost == nil {
			return components.Undefined(a.CostWhy)
		}
		return components.Text(components.Money(a.Cost))
	}
	rate := a.Rates[key]
	rate.Href = href(rate.Href)
	return components.RateCell(rate)
}

// arm is the arm as charts know it.
func (a ArmRow) arm() charts.Arm { return charts.Arm{ID: a.ID, Name: a.Name(), Index: a.Index} }

func (a ArmRow) pick() string { return "select " + a.Name() + " on every chart" }
