package pages

import (
	"slices"

	"plumbline/web/components"
	"plumbline/web/layout"
)

// Compare sets arms side by side: the first is the baseline.
type Compare struct {
	Frame       layout.Frame
	Arms        []CompareArm // the baseline first; fewer than two: only the picker is shown
	Several     bool         // the arms are of more than one experiment
	Shared      int          // traces of known truth that all arms have a decision on
	Differences []DeltaRow   // every rate, other arms less the baseline
	Settings    []SettingRow
	AllRows     bool      // rows in which nothing differs are shown too
	RowsURL     string    // the other choice of rows
	Modes       []TabLink // which pairs
	Pairs       []Pair
	Warnings    []string // e.g. different datasets or splits
	Picker      Picker
	Interval    string
}

// DeltaRow is one rate: its differences to the baseline, in the order of the other
// arms.
type DeltaRow struct {
	Metric  string
	Deltas  []Delta
	Differs bool
}

// Delta is the difference of one rate on the traces both arms have a decision on.
type Delta struct {
	Difference  components.Rate // other minus baseline; K and N unused
	Base, Other components.Rate
}

// SettingRow is one setting of the arms, in their order.
type SettingRow struct {
	Name    string
	Values  []string
	Differs bool
	Warn    bool // a difference in it is no part of the question
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
	ID, Name   string
	Experiment string // its id
	Group      string // the name of the experiment
	Selected   bool
}

// Pair compares an arm, the base, with another on the traces both decided.
type Pair struct {
	Base, Other CompareArm
	OpenURL     string // the page with this pair in full
	Opened      bool
	// Shared traces have a decision and a label under both arms; Both of them are
	// decided by both.
	Shared, Both, OnlyBase, OnlyOther, Neither int
	OnlyFirst, OnlySecond                      int       // traces that only one of the arms has a decision on
	Sentence                                   string    // what can and what cannot be said
	RightRight, RightWrong                     FlipCount // baseline first
	WrongRight, WrongWrong                     FlipCount
	Flips                                      []Flip // right to wrong first
	More                                       int    // flips that are not listed

	Method        string          // of the interval of the difference, with resamples and seed
	Difference    components.Rate // of the share of right decisions, other minus baseline; K and N unused
	McNemar       *float64        // exact p
	MidP          *float64
	Permuted      *float64
	PermutedBy    string   // "exact" or "10,000 draws, seed 7"
	Q             *float64 // Benjamini–Hochberg over the pairs; nil for a single pair
	Coverage      components.Rate
	CoverBase     components.Rate
	CoverOther    components.Rate
	AccuracyBase  components.Rate // of the traces both decided
	AccuracyOther components.Rate
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

var compareMetrics = []string{"catch", "miss", "over_rejection", "coverage", "risk", "correct_over_all"}

func (c Compare) armTable() components.Table {
	t := components.Table{ID: "compared", Caption: "Arms", Columns: []components.Column{{Head: "Arm", Primary: true}, {Head: "Traces", Numeric: true, Title: "labelled traces with a decision"}}}
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

func (p Pair) flipTable(several bool) components.Table {
	t := components.Table{Middle: true, Caption: "Flips", Columns: []components.Column{
		{Head: "Trace", Primary: true}, {Head: "Truth"}, {Head: components.FirstLine(p.Base.label(several), 60)}, {Head: components.FirstLine(p.Other.label(several), 60)}, {Head: "Flip"},
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

// label names an arm, with its experiment where several meet.
func (a CompareArm) label(several bool) string {
	if several {
		return a.Name + " (" + a.Experiment + ")"
	}
	return a.Name
}

// fewArms is up to how many arms stand side by side as columns; more are rows.
const fewArms = 6

// deltaTable has a row for each rate, or, with many arms, a row for each arm.
func (c Compare) deltaTable() components.Table {
	t := components.Table{ID: "differences", Caption: "Differences to the baseline", Empty: components.Empty{Why: "No rate differs."}}
	var shown []DeltaRow
	for _, r := range c.Differences {
		if r.Differs || c.AllRows {
			shown = append(shown, r)
		}
	}
	if len(shown) == 0 {
		return t
	}
	if len(c.Arms) <= fewArms {
		t.Columns = []components.Column{{Head: "Rate", Primary: true}}
		for _, a := range c.Arms[1:] {
			t.Columns = append(t.Columns, components.Column{Head: components.FirstLine(a.label(c.Several), 60), Numeric: true, Metric: "delta_rate"})
		}
		for _, r := range shown {
			row := cells(definedName(r.Metric))
			for _, d := range r.Deltas {
				row = append(row, delta(d))
			}
			t.Rows = append(t.Rows, components.Row{Cells: row})
		}
		return t
	}
	shown = slices.DeleteFunc(shown, func(r DeltaRow) bool { return !slices.Contains(compareMetrics, r.Metric) && !c.AllRows })
	t.Columns = []components.Column{{Head: "Arm", Primary: true}}
	for _, r := range shown {
		t.Columns = append(t.Columns, components.Column{Head: metricName(r.Metric), Numeric: true, Metric: r.Metric})
	}
	for i, a := range c.Arms[1:] {
		row := cells(components.Text(components.FirstLine(a.label(c.Several), 80)))
		for _, r := range shown {
			row = append(row, delta(r.Deltas[i]))
		}
		t.Rows = append(t.Rows, components.Row{Cells: row})
	}
	return t
}

// settingTable has a row for each setting, or, with many arms, a row for each arm.
func (c Compare) settingTable() components.Table {
	t := components.Table{ID: "settings", Caption: "Settings", Compact: true, Empty: components.Empty{Why: "No setting differs."}}
	var shown []SettingRow
	for _, r := range c.Settings {
		if r.Differs || c.AllRows {
			shown = append(shown, r)
		}
	}
	if len(shown) == 0 {
		return t
	}
	if len(c.Arms) <= fewArms {
		t.Columns = []components.Column{{Head: "Setting", Primary: true}}
		for _, a := range c.Arms {
			t.Columns = append(t.Columns, components.Column{Head: components.FirstLine(a.label(c.Several), 60)})
		}
		for _, r := range shown {
			row := cells(settingName(r))
			for _, v := range r.Values {
				row = append(row, settingValue(v))
			}
			t.Rows = append(t.Rows, components.Row{Cells: row, Faint: !r.Differs})
		}
		return t
	}
	t.Columns = []components.Column{{Head: "Arm", Primary: true}}
	for _, r := range shown {
		t.Columns = append(t.Columns, components.Column{Head: r.Name})
	}
	for i, a := range c.Arms {
		row := cells(components.Text(components.FirstLine(a.label(c.Several), 80)))
		for _, r := range shown {
			row = append(row, settingValue(r.Values[i]))
		}
		t.Rows = append(t.Rows, components.Row{Cells: row})
	}
	return t
}

// pairTable lists all pairs, flips first.
func (c Compare) pairTable() components.Table {
	t := components.Table{ID: "pairs", Caption: "Pairs", Columns: []components.Column{
		{Head: "Pair", Primary: true}, {Head: "Right → wrong", Numeric: true, Metric: "flips"}, {Head: "Wrong → right", Numeric: true, Metric: "flips"},
		{Head: "Decided by both", Numeric: true}, {Head: "Difference", Numeric: true, Metric: "accuracy_difference"}, {Head: "p", Numeric: true, Metric: "mcnemar"},
		{Head: "q", Numeric: true, Metric: "bh"}, {Head: "Detectable", Numeric: true, Metric: "mde"}, {Head: "Coverage", Numeric: true, Metric: "coverage_difference"},
	}}
	for _, p := range c.Pairs {
		t.Rows = append(t.Rows, components.Row{Current: p.Opened, Cells: cells(
			pairName(c, p), components.CountLink(p.RightWrong.N, p.RightWrong.Href), components.CountLink(p.WrongRight.N, p.WrongRight.Href),
			components.Text(components.Count(p.Both)+"/"+components.Count(p.Shared)), signedCell(p.Difference), components.Text(components.PValue(p.McNemar)),
			components.Text(components.PValue(p.Q)), components.Text(components.Fraction(p.Detectable)), signedCell(p.Coverage),
		)})
	}
	return t
}

// sure reports that the interval of a difference leaves 0 out.
func sure(r components.Rate) bool {
	return r.Lo != nil && r.Hi != nil && (*r.Lo > 0 || *r.Hi < 0)
}

// pickGroup is the arms of one experiment in the picker.
type pickGroup struct {
	id, name string
	options  []PickOption
}

// groups are the options by experiment, both in the order given.
func (p Picker) groups() []pickGroup {
	var out []pickGroup
	for _, o := range p.Options {
		if len(out) == 0 || out[len(out)-1].id != o.Experiment {
			out = append(out, pickGroup{id: o.Experiment, name: o.Group})
		}
		out[len(out)-1].options = append(out[len(out)-1].options, o)
	}
	return out
}
