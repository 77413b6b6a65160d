package pages

import (
	"time"

	"plumbline/web/charts"
	"plumbline/web/components"
	"plumbline/web/layout"
)

// Control is the page of a control experiment.
type Control struct {
	Frame    layout.Frame
	Now      time.Time
	State    ExperimentState
	PollURL  string // asked again while it runs; empty: nothing will change
	Sentence string
	Marks    []components.Badge
	Sources  string // how many outcomes come from where
	Rows     []PlayedRow
	Figure   charts.Figure
	Agrees   string // what replaying the log says
	Disagree []string
	Episodes []EpisodeRow
	More     int
	Notes    []string
	Facts    []Fact
	Resume   *ResumeForm // with other limits
}

// ResumeForm goes on with other limits.
type ResumeForm struct {
	Action string
	Fields []components.Input
	Why    string
}

// PlayedRow is one policy as it was played.
type PlayedRow struct {
	Name, Does            string
	Mean, Delta           Quantity
	Upper                 *float64
	N, Total, Solved      int
	Calls, Regenerations  float64
	Censored, Unplayable  int
	Open, Errors, Differs int
}

// EpisodeRow is one episode.
type EpisodeRow struct {
	Href            string
	Task, Policy    string
	Status          string
	Why             string
	Path            string // its actions in short
	Belief          components.Belief
	Utility         *float64
	Cost, Reward    float64
	Solved, Running bool
}

// Episode is the page of one episode: its decision log.
type Episode struct {
	Frame    layout.Frame
	Now      time.Time
	Sentence string
	Steps    []LogStep
	Status   string
	Why      string
	Cost     float64
	Reward   float64
	Facts    []Fact
}

// LogStep is one decision with what came of it and from where.
type LogStep struct {
	PathStep
	Mark  components.Badge // where the outcome comes from
	Item  string           // address of the votes; empty: none
	Note  string
	When  time.Time
	Empty bool // the action has no outcome
}

// Marks of where an outcome of a control experiment comes from.
var (
	LiveOutcome = components.Badge{Key: "live", Text: "live", Tone: components.Good,
		Why: "A reviewer was asked, a patch written or a program run for this experiment."}
	SimulatedOutcome = components.Badge{Key: "simulated", Text: "simulated", Tone: components.Warn,
		Why: "A simulated reviewer with known error rates answered, not a model."}
	RecordedOutcome = components.Badge{Key: "recorded", Text: "recorded", Tone: components.Note,
		Why: "It was recorded earlier and looked up: an official outcome, an attempt of an agent, a check, or a decision of another experiment."}
)

func (c Control) frame() layout.Frame {
	f := c.Frame
	f.Scripts = append(append([]string(nil), f.Scripts...), charts.Scripts...)
	f.Live = c.PollURL != ""
	return f
}

func (c Control) table() components.Table {
	t := components.Table{ID: "played", Caption: "Policies", Columns: []components.Column{
		{Head: "Policy", Primary: true}, {Head: "Utility", Numeric: true, Metric: "utility"}, {Head: "Δ", Numeric: true, Metric: "delta"},
		{Head: "Upper bound", Numeric: true, Metric: "censored"}, {Head: "Solved", Numeric: true}, {Head: "Calls a task", Numeric: true}, {Head: "Regenerations a task", Numeric: true},
		{Head: "Ended", Numeric: true}, {Head: "Cautions"},
	}}
	for _, r := range c.Rows {
		t.Rows = append(t.Rows, components.Row{Cells: cells(
			policyName(PolicyRow{Name: r.Name, Does: r.Does, Reference: r.Name == "always_verify"}), estimateCell(r.Mean, 2), estimateCell(r.Delta, 2),
			estimateCell(Quantity{Value: r.Upper, Why: "no episode has ended"}, 2), components.Text(components.Count(r.Solved)+"/"+components.Count(r.N)),
			components.Text(components.Decimal(&r.Calls, 2)), components.Text(components.Decimal(&r.Regenerations, 2)),
			components.Text(components.Count(r.N+r.Unplayable)+"/"+components.Count(r.Total)), playedCautions(r),
		)})
	}
	return t
}

func (c Control) episodeTable() components.Table {
	t := components.Table{ID: "episodes", Caption: "Episodes", Middle: true, Columns: []components.Column{
		{Head: "Task", Primary: true}, {Head: "Policy"}, {Head: "Actions"}, {Head: "Ended"}, {Head: "Belief", Metric: "belief"}, {Head: "Utility", Numeric: true, Metric: "utility"},
	}}
	for _, r := range c.Episodes {
		t.Rows = append(t.Rows, components.Row{Cells: cells(
			components.TextLink(components.FirstLine(r.Task, 60), r.Href), components.Text(components.FirstLine(r.Policy, 60)), episodePath(r.Path), episodeEnd(r), components.BeliefBar(r.Belief),
			estimateCell(Quantity{Value: r.Utility, Why: "it has not ended"}, 2),
		)})
	}
	return t
}
