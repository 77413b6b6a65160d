package pages

import (
	"plumbline/web/charts"
	"plumbline/web/components"
	"plumbline/web/layout"
)

// PoliciesPane compares policies.
type PoliciesPane struct {
	Rows     []PolicyRow
	Figure   charts.Figure
	How      string // what the replay was fitted on
	Badge    components.Badge
	Notes    []string
	Warnings []string
	Prices   []PriceRow
	Reward   string
	Budget   string
	Perfect  *float64
	More     string // address that refits for intervals of exact values; empty: shown
	Refits   int
	Seed     uint64
	Live     *LiveForm // starts a control experiment; nil: not offered
	CSV      string
}

// PolicyRow is one policy.
type PolicyRow struct {
	Name, Does            string
	Reference             bool
	Exact                 Quantity
	Simulated             bool
	SD                    *float64
	Solved, Verify, Calls *float64
	Regenerations         *float64
	Replay                Quantity
	ReplayWhy             string
	N, Tasks              int
	Upper                 *float64
	Delta                 Quantity
	SolvedN               int
	Censored, Mismatched  int
	Absent                int
	Warnings              []string
}

// PriceRow is one line of the cost vector in use.
type PriceRow struct {
	Name, Cost, From string
}

// LiveForm is the form that plays policies with live reviewers.
type LiveForm struct {
	Action   string
	Policies []components.Choice
	Fields   []components.Input
	Keep     []components.Pair
	Why      string // why it cannot be started; empty: it can
}

// PlanPane is the optimal policy.
type PlanPane struct {
	Regions     charts.DecisionRegions
	Thresholds  []ThresholdRow
	Information []InformationRow
	Perfect     float64
	Reason      string // of the first decision
	Value       float64
	Sliders     SliderForm
	Tree        []TreeNode
	TreeCut     string
	Hidden      int     // decisions that are not shown
	HiddenP     float64 // and their probability
	Prices      []PriceRow
	Reward      string
	Budget      string
}

// ThresholdRow is a belief at which a one-step choice turns.
type ThresholdRow struct {
	Choice string
	At     string
	Why    string
}

// InformationRow is what one critic is worth at the prior.
type InformationRow struct {
	Name            string
	EVSI, Cost, Net float64
}

// SliderForm moves the costs; the drawing follows.
type SliderForm struct {
	Action  string
	Keep    []components.Pair
	Sliders []Slider
}

// Slider is one cost.
type Slider struct {
	Name, Label    string
	Value          string
	Min, Max, Step string
}

// TreeNode is a decision of the optimal policy with what may follow.
type TreeNode struct {
	Event       string // what led here; empty at the root
	Probability float64
	Belief      float64
	Action      string
	Value       float64
	Reason      string
	Children    []TreeNode
}

// RegimesPane is the map.
type RegimesPane struct {
	Figure charts.Figure
	Notes  []string
	More   string // address that simulates; empty: simulated
	Exact  string // address without the simulation
	Won    []RegimeCount
}

// RegimeCount is how many cells a policy wins, and how many of them clearly.
type RegimeCount struct {
	Policy     string
	Won, Clear int
}

// RobustPane is what mistakes cost.
type RobustPane struct {
	Rows    []ShiftRow
	Unmoved []string
	Verify  charts.Figure
	Reward  charts.Figure
}

// ShiftRow is one policy under one shift of all likelihoods.
type ShiftRow struct {
	Shift, Mode, Policy           string
	Base, Shifted, Mistaken, Loss float64
}

// TasksPane lists the candidates with their beliefs.
type TasksPane struct {
	Rows    []TaskRow
	More    int
	Critics []string
}

// TaskRow is one candidate.
type TaskRow struct {
	Task, Group string
	Place       string // 1 of 3
	Trace       string // address of its trace; empty: none
	Path        string // address of its belief path
	Truth       components.Truth
	Belief      components.Belief
	Outcomes    []string
}

// PublishedPane is the replay by published rules.
type PublishedPane struct {
	Rows  []PublishedRow
	Notes []string
}

// PublishedRow is one policy by published rules.
type PublishedRow struct {
	Name             string
	Mean, Delta      *float64
	Lo, Hi           *float64
	Solved, N        int
	LeaveOne         *float64
	LeaveOneSolved   int
	CensoredInSample int
	Printed          *Quantity // what was published; nil: unknown
	PrintedDelta     Quantity
	Reached, Of      int // published numbers of the line that are reached
}

// BeliefPath is the page of one candidate: how its belief moves, and why each
// action is taken.
type BeliefPath struct {
	Frame    layout.Frame
	Policy   []TabLink
	Trouble  string
	Sentence string
	Truth    components.Truth
	Start    components.Belief
	Steps    []PathStep
	Status   string
	Why      string
	Cost     float64
	Reward   float64
	All      []ObservedStep
	Final    components.Belief
	Basis    string // what the parameters were fitted on
	Facts    []Fact
	Notes    []string
}

// PathStep is one decision and what came of it.
type PathStep struct {
	Number    int
	Candidate int
	Trace     string // address of the candidate's trace; empty: none
	Before    components.Belief
	Used      []string // critics used on the candidate so far
	Reason    string
	Action    string
	Outcome   string
	After     components.Belief
	Cost      float64
	Values    []NamedValue
}

// NamedValue is the value of an action.
type NamedValue struct {
	Name  string
	Value float64
	Best  bool
}

// ObservedStep is the update by one recorded outcome.
type ObservedStep struct {
	Critic, Outcome string
	LLR             *float64
	Before, After   components.Belief
	Note            string
}
