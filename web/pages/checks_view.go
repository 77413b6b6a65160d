package pages

import (
	"time"

	"github.com/a-h/templ"

	"plumbline/web/components"
	"plumbline/web/layout"
)

// Checks is the page of everything that was checked of one trace, each attempt and
// each discarded test included.
type Checks struct {
	Frame  layout.Frame
	Now    time.Time
	Truth  components.Truth
	Facts  []Fact
	Sets   []CheckSet
	Labels []LabelRunTrace // what label runs found out
	None   string          // why there is nothing
}

// CheckSet is what was observed under one configuration of checks.
type CheckSet struct {
	Title    string // "first checked 3 days ago"
	When     time.Time
	Config   []Fact
	Badges   []components.Badge
	Change   string // what the look at the patch said; empty: not looked at
	Static   string // one sentence about the static checks; empty: not run
	Tools    []StaticTool
	Findings []StaticFinding
	Tests    []GeneratedTest
	Current  bool // the set that the reader came for
}

// StaticTool is one tool on both trees.
type StaticTool struct {
	Name, Version, Backend, Why string
	Wall                        time.Duration
}

// StaticFinding is a finding after attribution.
type StaticFinding struct {
	Side, Place, Rule, Message, Class, Tool, Context string
	Decides                                          bool
}

// GeneratedTest is one attempt at a test.
type GeneratedTest struct {
	Number                          int
	ID                              string // anchor
	State                           string // "kept", or why it was discarded
	Kept                            bool
	Badges                          []components.Badge
	Path, Asserts, Limits           string
	Base, Patched, Gold             TestSide
	ShowGold                        bool
	Audit                           []string // what the audit calls it
	Source, Prompt, Reply, Feedback string
	Raw                             func(part string) string // URL of a whole text; nil: none
	Generator                       string
	Cost                            *float64
	CostWhy                         string
	Tokens                          string
}

// FoldedText is a long text that opens on demand; Raw is the URL of the whole.
type FoldedText struct {
	Title, Place, ID, Raw, Text string
	Open                        bool
}

// texts are the texts of an attempt in the order of reading.
func (t GeneratedTest) texts() []FoldedText {
	var out []FoldedText
	add := func(title, part, text string) {
		x := FoldedText{Title: title, ID: t.ID + "-" + part, Text: text}
		if t.Raw != nil {
			x.Raw = t.Raw(part)
		}
		out = append(out, x)
	}
	add("Test", "source", t.Source)
	out[0].Place, out[0].Open = t.Path, t.Kept
	add("Output on the base", "base", t.Base.Output)
	add("Output on the patch", "patched", t.Patched.Output)
	if t.ShowGold {
		add("Output on the reference", "gold", t.Gold.Output)
	}
	add("What the generator was told of the base", "feedback", t.Feedback)
	add("Reply as it came", "reply", t.Reply)
	add("Prompt as it was sent", "prompt", t.Prompt)
	return out
}

// TestSide is a run on one tree.
type TestSide struct {
	Result, Headline, Output string
}

func toolTable(tools []StaticTool) components.Table {
	t := components.Table{ID: "tools", Caption: "Static tools", Plain: true, Compact: true, Columns: []components.Column{
		{Head: "Tool", Primary: true}, {Head: "Version"}, {Head: "Sandbox"}, {Head: "Time", Numeric: true}, {Head: "Outcome"},
	}}
	for _, x := range tools {
		why := x.Why
		if why == "" {
			why = "ran on both trees"
		}
		t.Rows = append(t.Rows, components.Row{Faint: x.Why != "", Cells: cells(
			components.Text(x.Name), components.Text(x.Version), components.Text(x.Backend), components.Text(components.Span(x.Wall)), components.Text(why),
		)})
	}
	return t
}

func findingTable(all []StaticFinding) components.Table {
	t := components.Table{ID: "findings", Caption: "Static findings", Plain: true, Compact: true, Columns: []components.Column{
		{Head: "on"}, {Head: "Finding", Primary: true}, {Head: "Place"}, {Head: "Class"}, {Head: "Tool"},
	}}
	for _, x := range all {
		t.Rows = append(t.Rows, components.Row{Faint: !x.Decides, Cells: cells(
			components.Text(x.Side), findingText(x), monoText(x.Place), classText(x), components.Text(x.Tool+" "+x.Rule),
		)})
	}
	return t
}

// classText says what the class of a finding comes to.
func classText(x StaticFinding) templ.Component {
	if x.Decides {
		return components.Text(x.Class + ": rejects")
	}
	return components.Text(x.Class)
}
