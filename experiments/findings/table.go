package findings

import (
	"plumbline/experiments/cascade"
	"plumbline/experiments/stats"
)

// Judged is a patch with what static tools found and what the official tests said.
type Judged struct {
	Static   cascade.Static
	Resolved bool
}

// Table sets caused findings against outcomes: how many of the patches in each row
// the official tests accept. A sound rejection rule has 0 in its row.
type Table struct {
	Decisive stats.Rate // at least one caused finding of a decisive class
	Other    stats.Rate // caused findings, none of them decisive
	None     stats.Rate // no caused finding
	NotRun   int        // no tool ran on both trees
}

// Tabulate counts.
func Tabulate(all []Judged) Table {
	var k, n [3]int
	t := Table{}
	for _, j := range all {
		row := 2
		switch {
		case !j.Static.Ran:
			t.NotRun++
			continue
		case j.Static.Decisive > 0:
			row = 0
		case j.Static.Caused > 0:
			row = 1
		}
		n[row]++
		if j.Resolved {
			k[row]++
		}
	}
	t.Decisive = stats.RateOf(k[0], n[0], "no patch caused a decisive finding")
	t.Other = stats.RateOf(k[1], n[1], "no patch caused other findings alone")
	t.None = stats.RateOf(k[2], n[2], "every patch caused a finding")
	return t
}
