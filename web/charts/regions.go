package charts

import (
	"fmt"
	"math"
	"strconv"

	"plumbline/web/components"
)

// BeliefAxis is the belief axis of one state, cut into the intervals in which each
// action is best.
type BeliefAxis struct {
	Title   string // the state in words
	Regions []BeliefRegion
}

// BeliefRegion is an interval of beliefs; Kind selects its look.
type BeliefRegion struct {
	From, To float64
	Action   string
	Kind     ActionKind
	Critic   int // index of a critic, for its colour
}

// ActionKind is what kind of action is best in a region.
type ActionKind string

// The kinds.
const (
	ActionVerify     ActionKind = "verify"
	ActionStop       ActionKind = "stop"
	ActionRegenerate ActionKind = "regenerate"
	ActionCritic     ActionKind = "critic"
)

// BeliefTick is a belief that is marked on every axis.
type BeliefTick struct {
	At   float64
	Text string
}

// DecisionRegions is a drawing of belief axes with the table of its numbers. It is
// drawn by the server: the page changes it by asking again.
type DecisionRegions struct {
	Axes  []BeliefAxis
	Ticks []BeliefTick
}

// class is the look of a region; critics share six colours in their order.
func (r BeliefRegion) class() string {
	if r.Kind == ActionCritic {
		return "region region-critic-" + strconv.Itoa(max(0, r.Critic)%len(colours)+1)
	}
	return "region region-" + string(r.Kind)
}

// percent places a belief on an axis as wide as its box.
func percent(x float64) string {
	if math.IsNaN(x) {
		x = 0
	}
	return strconv.FormatFloat(100*math.Max(0, math.Min(1, x)), 'f', 3, 64) + "%"
}

func (r BeliefRegion) width() string { return percent(r.To - r.From) }

func (r BeliefRegion) middle() string { return percent((r.From + r.To) / 2) }

// room reports whether the name of the action fits into the region on a wide page.
func (r BeliefRegion) room() bool {
	return (r.To-r.From)*760 > float64(14+7*len([]rune(shortAction(r.Action))))
}

func shortAction(s string) string { return components.FirstLine(s, 22) }

func (r BeliefRegion) title() string {
	return fmt.Sprintf("%s from %.4f to %.4f", r.Action, r.From, r.To)
}

func (a BeliefAxis) says() string {
	text := a.Title + ": "
	for i, r := range a.Regions {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s from %.2f to %.2f", r.Action, r.From, r.To)
	}
	return text
}

// table lists every region of every axis.
func (d DecisionRegions) table() components.Table {
	t := components.Table{Plain: true, Compact: true, Caption: "Regions", Columns: []components.Column{
		{Head: "State"}, {Head: "Action"}, {Head: "From belief", Numeric: true}, {Head: "To belief", Numeric: true},
	}}
	for _, a := range d.Axes {
		for _, r := range a.Regions {
			addRow(&t, a.Title, r.Action, strconv.FormatFloat(r.From, 'f', 4, 64), strconv.FormatFloat(r.To, 'f', 4, 64))
		}
	}
	return t
}

// legend lists the actions that are best somewhere, in the order in which they
// first appear.
func (d DecisionRegions) legend() []BeliefRegion {
	var out []BeliefRegion
	seen := map[string]bool{}
	for _, a := range d.Axes {
		for _, r := range a.Regions {
			if !seen[r.Action] {
				seen[r.Action] = true
				out = append(out, r)
			}
		}
	}
	return out
}
