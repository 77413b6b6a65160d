package pages

import (
	"plumbline/web/components"
	"plumbline/web/layout"
)

// Compare sets arms side by side: the first is the baseline.
type Compare struct {
	Frame    layout.Frame
	Arms     []CompareArm // the baseline first; fewer than two: only the picker is shown
	Pairs    []Pair       // the baseline with every other arm
	Warnings []string     // e.g. different datasets or splits
	Picker   Picker
	Draws    int // of the permutation tests, for the text
	Interval string
}

// CompareArm is one arm with its rates over all its own traces.
type CompareArm struct {
	ID, Name   string
	Href       string // its experiment
	Experiment string
	Badges     []components.Badge
	Traces     int // labelled traces with a decision
	Rates      map[string]components.Rate
	RemoveURL  string
	FirstURL   string // makes it the baseline; empty for the baseline
}

// Picker is the form that chooses the arms; it works without a script.
type Picker struct {
	Action  string
	Options []PickOption
	Keep    []components.Pair
}

// PickOption is an arm that can be compared.
type PickOption struct {
	ID, Name, Group string // Group is the experiment
	Selected        bool
}

// Pair compares the baseline with another arm on the traces both decided.
type Pair struct {
	Other CompareArm
	// Shared traces have a decision and a label under both arms; Both of them are
	// decided by both.
	Shared, Both, OnlyBase, OnlyOther, Neither int
	OnlyFirst, OnlySecond                      int       // traces that only one of the arms has a decision on
	Sentence                                   string    // what can and what cannot be said
	RightRight, RightWrong                     FlipCount // baseline first
	WrongRight, WrongWrong                     FlipCount
	Flips                                      []Flip // right to wrong first
	More                                       int    // flips that are not listed

	Difference    components.Rate // of the share of right decisions, other minus baseline; K and N unused
	McNemar       *float64        // exact p
	MidP          *float64
	Permuted      *float64
	PermutedBy    string   // "exact" or "10,000 draws, seed 7"
	Q             *float64 // Benjamini–Hochberg over the pairs; nil for a single pair
	Coverage      components.Rate
	CoverBase     components.Rate
	CoverOther    components.Rate
	Detectable    *float64
	DetectableWhy string
	Kappa         *float64
	KappaWhy      string
	Warnings      []string
}

// FlipCount is a cell of the 2×2 table with the traces behind it.
type FlipCount struct {
	N    int
	Href string
}

// Flip is one trace on which exactly one of the two arms is right.
type Flip struct {
	Instance, Href string
	Truth          components.Truth
	Base, Other    components.Mark
	ToWrong        bool // the baseline was right
}

func (c Compare) base() CompareArm {
	if len(c.Arms) == 0 {
		return CompareArm{}
	}
	return c.Arms[0]
}

var compareMetrics = []string{"catch", "miss", "over_rejection", "coverage", "risk", "correct_over_all"}

func (c Compare) armTable() components.Table {
	t := components.Table{ID: "compared", Caption: "Arms", Columns: []components.Column{{Head: "Arm", Primary: true}, {Head: "Traces", Numeric: true}}}
	for _, m := range compareMetrics {
		for _, c := range armColumns {
			if c.Key == m {
				t.Columns = append(t.Columns, c)
			}
		}
	}
	for i, a := range c.Arms {
		row := cells(comparedName(a, i), components.Text(components.Count(a.Traces)))
		for _, m := range compareMetrics {
			row = append(row, components.RateCell(a.Rates[m]))
		}
		t.Rows = append(t.Rows, components.Row{Cells: row})
	}
	return t
}

func (p Pair) flipTable(base string) components.Table {
	t := components.Table{Middle: true, Caption: "Flips", Columns: []components.Column{
		{Head: "Trace", Primary: true}, {Head: "Truth"}, {Head: base}, {Head: p.Other.Name}, {Head: "Flip"},
	}}
	for _, f := range p.Flips {
		t.Rows = append(t.Rows, components.Row{Cells: cells(
			components.TextLink(components.FirstLine(f.Instance, 80), f.Href), components.TruthMark(f.Truth),
			components.DecisionChip(f.Base, components.Wrong(f.Base, f.Truth.Label)),
			components.DecisionChip(f.Other, components.Wrong(f.Other, f.Truth.Label)), flipWord(f),
		)})
	}
	return t
}
