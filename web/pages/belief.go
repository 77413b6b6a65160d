package pages

import (
	"plumbline/web/charts"
	"plumbline/web/components"
	"plumbline/web/layout"
)

// BeliefView names what a belief page shows; it is the value of the view parameter.
type BeliefView string

// Views of a belief page.
const (
	ViewCritics   BeliefView = "critics"
	ViewScores    BeliefView = "scores"
	ViewPolicies  BeliefView = "policies"
	ViewPlan      BeliefView = "plan"
	ViewRegimes   BeliefView = "regimes"
	ViewRobust    BeliefView = "robust"
	ViewTasks     BeliefView = "tasks"
	ViewPublished BeliefView = "published"
)

// ParseBeliefView reads the view parameter; anything unknown is the critics.
func ParseBeliefView(s string) BeliefView {
	switch v := BeliefView(s); v {
	case ViewScores, ViewPolicies, ViewPlan, ViewRegimes, ViewRobust, ViewTasks, ViewPublished:
		return v
	}
	return ViewCritics
}

// Belief is a belief page of an experiment or of an imported table.
type Belief struct {
	Frame    layout.Frame
	View     BeliefView
	Views    []TabLink
	Setup    BeliefSetup
	Sentence string   // the outcome of the view in words
	Trouble  string   // why there is nothing to show in this view
	Notes    []string // how candidates were made and read
	Critics  *CriticsPane
	Scores   *ScoresPane
	Policies *PoliciesPane
	Plan     *PlanPane
	Regimes  *RegimesPane
	Robust   *RobustPane
	Tasks    *TasksPane
	// Published is the replay by the published rules.
	Published *PublishedPane
	Facts     []Fact
	Delete    *layout.Action // of an imported table, for editors
}

// BeliefSetup is the form whose fields are the address of the page.
type BeliefSetup struct {
	Action  string
	View    BeliefView
	Critics []CriticGroup
	Fields  []components.Input // folds, kernel, costs and so on
	Checks  []components.Input
	Costs   []CostField // of the chosen rule; empty for a preset
	Money   []components.Input
	Bad     string // what is wrong as a whole
	Open    bool   // a field is wrong, or nothing was chosen yet
}

// CriticGroup is what can be made of one arm, or of one column.
type CriticGroup struct {
	Name    string
	Badges  []components.Badge
	Choices []CriticChoice
}

// CriticChoice is one critic that can be chosen; Kind is what of its group it is.
type CriticChoice struct {
	Key, Kind string
	Selected  bool
}

// CostField is one line of a cost vector.
type CostField struct {
	Name           string
	Units          *components.Input // own costs
	Money, Seconds *components.Input // costs in money
	Is             string            // what it comes to, in units
}

// CriticsPane describes the chosen critics.
type CriticsPane struct {
	Critics    []CriticRow
	Findings   []string
	Prior      components.Rate
	PriorBasis string // which candidates it is counted on
	Fix, Break components.Rate
	Pairs      int
	Kernel     string // what is used as the kernel, in words
	FixedPoint *float64
	Dependence []DependenceRow
	Joint      []JointRow
	Remedies   []string
	Warnings   []string
	Cuts       []string
	Resamples  int
	Seed       uint64
}

// CriticRow is one critic with what it is estimated to be.
type CriticRow struct {
	Name                string
	Kind                string
	Badges              []components.Badge
	PassCorrect         components.Rate
	PassDefect          components.Rate
	LLRPass, LLRFail    *float64
	Gap, GapLo, GapHi   *float64
	Missing, Unrecorded int
	Cost                string
	Outcomes            []OutcomeRow // of a critic with more than two outcomes
}

// OutcomeRow is one outcome of a critic.
type OutcomeRow struct {
	Outcome                 string
	NCorrect, NDefect       int
	Correct, Defect, LLR    float64
	TotalCorrect, TotalDefe int
}

// DependenceRow is the test of two critics within one class.
type DependenceRow struct {
	A, B, Class string
	N, DF       int
	Chi2, P, V  *float64
	Why         string
	Warning     string
	Rows        []string // outcomes of A
	Cols        []string // outcomes of B
	Counts      [][]int
}

// JointRow is the test of all pass/fail critics together within one class.
type JointRow struct {
	Class  string
	N, DF  int
	Chi2   float64
	P      *float64
	Counts []JointCount
}

// JointCount is a combination of verdicts.
type JointCount struct {
	Verdicts string
	N        int
}

// ScoresPane compares the belief with the scores that are recorded.
type ScoresPane struct {
	How         string // held-out or cross-fitted
	Badge       components.Badge
	Rows        []ScoreRow
	Maps        []MapRow
	Reliability charts.Figure
	Recal       charts.Figure
	Risk        charts.Figure
	Absent      []string
	Notes       []string
	Seed        uint64
	Resamples   int
}

// ScoreRow is one score on held tasks.
type ScoreRow struct {
	Name, Kind                        string
	N, Correct, Absent                int
	Why                               string
	AUROC, PRR50                      Quantity
	PRR, AURC                         Quantity
	ECE, Brier                        Quantity
	ECE10, ECEMass, LogLoss           Quantity
	Reliability, Resolution           Quantity
	Uncertainty, WithinBin, BrierGain Quantity
}

// Quantity is a number with its interval; Why says why there is none.
type Quantity struct {
	Value, Lo, Hi *float64
	Why           string
	Warnings      []string
}

// MapRow is a score before and after recalibration.
type MapRow struct {
	Name, Map           string
	Why                 string
	ECE, Brier, LogLoss Quantity
}
