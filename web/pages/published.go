package pages

import (
	"plumbline/web/components"
	"plumbline/web/layout"
)

// Published lists the printed results of the papers with their sources.
type Published struct {
	Frame  layout.Frame
	Papers []PublishedPaper
}

// PublishedPaper is a paper with its tables.
type PublishedPaper struct {
	Letter, Authors, Title, Link string
	Tables                       []PublishedTable
}

// PublishedTable is one printed table; the first Heads columns name its rows.
type PublishedTable struct {
	Key, Cite, Title, Source string
	Columns                  []string
	Heads                    int
	Rows                     [][]string
	Notes                    []string
	Overlay                  bool // can be laid over charts
	Counts                   []PublishedCounts
}

// PublishedCounts are the integers behind a row of rates, derived and not printed.
type PublishedCounts struct {
	Name                                 string
	DefectReject, DefectAccept, DefectU  int
	GoodReject, GoodAccept, GoodU        int
	Coverage, Risk, Catch, OverRejection components.Rate
}

func (t PublishedTable) table() components.Table {
	out := components.Table{ID: "t-" + t.Key, Caption: t.Title, Plain: true, Compact: true, Empty: components.Empty{Why: "The table is empty."}}
	for i, c := range t.Columns {
		out.Columns = append(out.Columns, components.Column{Head: c, Numeric: i >= t.Heads, Primary: i == 0})
	}
	for _, r := range t.Rows {
		row := components.Row{}
		for i, text := range r {
			if text == "" && i >= t.Heads {
				row.Cells = append(row.Cells, components.Undefined("not printed"))
				continue
			}
			row.Cells = append(row.Cells, components.Text(text))
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

func (t PublishedTable) countTable() components.Table {
	out := components.Table{ID: "c-" + t.Key, Caption: "Derived counts of " + t.Cite, Plain: true, Compact: true, Columns: []components.Column{
		{Head: "Set", Primary: true}, {Head: "Defects: reject", Numeric: true}, {Head: "Accept", Numeric: true}, {Head: "Uncertain", Numeric: true},
		{Head: "Acceptable: reject", Numeric: true}, {Head: "Accept", Numeric: true}, {Head: "Uncertain", Numeric: true},
		{Head: "Coverage", Metric: "coverage", Numeric: true}, {Head: "Risk", Metric: "risk", Numeric: true}, {Head: "Catch", Metric: "catch", Numeric: true},
		{Head: "Over-rejection", Metric: "over_rejection", Numeric: true},
	}}
	for _, c := range t.Counts {
		row := components.Row{Cells: cells(components.Text(c.Name))}
		for _, n := range []int{c.DefectReject, c.DefectAccept, c.DefectU, c.GoodReject, c.GoodAccept, c.GoodU} {
			row.Cells = append(row.Cells, components.Text(components.Count(n)))
		}
		for _, r := range []components.Rate{c.Coverage, c.Risk, c.Catch, c.OverRejection} {
			row.Cells = append(row.Cells, components.RateCell(r))
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}
