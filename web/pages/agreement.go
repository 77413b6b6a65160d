package pages

import (
	"fmt"
	"strconv"

	"plumbline/web/components"
	"plumbline/web/components/visible"
	"plumbline/web/layout"
)

// AgreementView is how far votes and arms agree.
type AgreementView struct {
	Frame layout.Frame
	Arms  []ArmRow
	Pairs []ArmPair // every two arms once
}

// ArmPair is the agreement of the decisions of two arms, by their places in Arms.
type ArmPair struct {
	First, Second int
	Kappa         Quantity
	Observed      *float64 // share of traces with the same decision
	N             int      // traces with a decision of both
	Href          string   // the paired comparison
}

func (v AgreementView) armTable() components.Table {
	t := components.Table{ID: "votes", Caption: "Agreement of the votes of an arm", Empty: components.Empty{Why: "The experiment has no arms."}, Columns: []components.Column{
		{Head: "Arm", Primary: true}, {Head: "No.", Numeric: true}, {Head: "Fleiss’ kappa", Metric: "fleiss_kappa", Numeric: true}, {Head: "Krippendorff’s alpha", Metric: "krippendorff_alpha", Numeric: true},
		{Head: "Unanimous", Metric: "unanimous", Numeric: true}, {Head: "Ties", Metric: "tie", Numeric: true}, {Head: "Unparseable", Metric: "share_unparseable", Numeric: true},
		{Head: "Errors", Metric: "errors", Numeric: true},
	}}
	for i, a := range v.Arms {
		t.Rows = append(t.Rows, components.Row{Arm: a.ID, Cells: cells(armName(a), components.Text(strconv.Itoa(i+1)), agreementCell(a.Fleiss, a.Voted), agreementCell(a.Alpha, a.Voted),
			components.RateCell(a.Unanimous), components.RateCell(a.Ties), components.RateCell(a.Rates["share_unparseable"]), itemCount(a.Errors, a.Errors.Href))})
	}
	return t
}

// pairTable is the matrix of every two arms: kappa with the number of traces; the
// columns are numbered as the rows of the table above.
func (v AgreementView) pairTable() components.Table {
	t := components.Table{ID: "pairs", Caption: "Pairwise kappa of decisions", Plain: true, Compact: true, Columns: []components.Column{{Head: "Arm", Primary: true}, {Head: "No.", Numeric: true}}}
	for j := range v.Arms {
		if j > 0 {
			t.Columns = append(t.Columns, components.Column{Head: "No. " + strconv.Itoa(j+1), Title: visible.String(components.FirstLine(v.Arms[j].Name(), 120)), Numeric: true})
		}
	}
	at := map[[2]int]ArmPair{}
	for _, p := range v.Pairs {
		at[[2]int{p.First, p.Second}] = p
	}
	for i, a := range v.Arms {
		if i == len(v.Arms)-1 {
			break
		}
		row := components.Row{Cells: cells(areaName(AreaRow{Name: a.Name(), Index: a.Index}), components.Text(strconv.Itoa(i+1)))}
		for j := 1; j < len(v.Arms); j++ {
			if p, ok := at[[2]int{i, j}]; ok {
				row.Cells = append(row.Cells, pairKappa(p))
			} else {
				row.Cells = append(row.Cells, components.Text(""))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// under is the interval and the number of traces.
func (p ArmPair) under() string {
	n := "n " + components.Count(p.N)
	if p.Kappa.Lo == nil || p.Kappa.Hi == nil {
		return n
	}
	return components.Decimal(p.Kappa.Lo, 2) + " – " + components.Decimal(p.Kappa.Hi, 2) + ", " + n
}

func (p ArmPair) title() string {
	s := fmt.Sprintf("%s; %s with a decision of both", p.Kappa.title(2), components.Plural(p.N, "trace", "traces"))
	if p.Observed != nil {
		s += ", the same decision on " + components.Fraction(p.Observed)
	}
	return s
}
