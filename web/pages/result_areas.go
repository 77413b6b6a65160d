package pages

import (
	"fmt"

	"github.com/a-h/templ"

	"plumbline/web/components"
)

// AreaRow is the areas under the risk–coverage curve of one arm. With abstentions
// the areas over all coverages are undefined and the partial ones stand.
type AreaRow struct {
	Name                      string
	Index                     int
	N, Decided                int
	AURC, EAURC, AUGRC        Quantity
	AURCPartial, AUGRCPartial Quantity
	AURCDecided               Quantity
}

// OverlayLink switches one set of published points on or off.
type OverlayLink struct {
	Text, Title, Href string
	On                bool
}

func (r Result) areaTable() components.Table {
	t := components.Table{ID: "areas", Caption: "Areas under the risk–coverage curve", Compact: true, Columns: []components.Column{
		{Key: "arm", Head: "Arm", Primary: true}, {Head: "Decided", Metric: "coverage", Numeric: true},
		{Head: "AURC", Metric: "aurc", Numeric: true}, {Head: "E-AURC", Metric: "e_aurc", Numeric: true}, {Head: "AUGRC", Metric: "augrc", Numeric: true},
		{Head: "AURC, partial", Metric: "aurc", Numeric: true, Title: "from coverage 0 to the arm’s own"}, {Head: "AUGRC, partial", Metric: "augrc", Numeric: true, Title: "from coverage 0 to the arm’s own"},
		{Head: "AURC, decided", Metric: "aurc", Numeric: true, Title: "of the decided traces alone"},
	}}
	t.NoLinks = r.Public
	for _, a := range r.Areas {
		t.Rows = append(t.Rows, components.Row{Cells: []templ.Component{
			areaName(a), components.Text(fmt.Sprintf("%d/%d", a.Decided, a.N)), estimateCell(a.AURC, 3), estimateCell(a.EAURC, 3), estimateCell(a.AUGRC, 3),
			estimateCell(a.AURCPartial, 3), estimateCell(a.AUGRCPartial, 3), estimateCell(a.AURCDecided, 3),
		}})
	}
	return t
}

// unequal reports that arms cover different shares, so that their partial areas
// must not be compared.
func (r Result) unequal() bool {
	for _, a := range r.Areas[min(1, len(r.Areas)):] {
		if a.Decided*r.Areas[0].N != r.Areas[0].Decided*a.N {
			return true
		}
	}
	return false
}

func itemTitle(c ArmCount) string {
	if c.Of == 0 {
		return ""
	}
	s := fmt.Sprintf("%s of %s", components.Count(c.N), components.Plural(c.Of, "item", "items"))
	if c.Lo != nil && c.Hi != nil {
		s += ", 95% interval " + components.Fraction(c.Lo) + " to " + components.Fraction(c.Hi) + " (Wilson)"
	}
	return s
}
