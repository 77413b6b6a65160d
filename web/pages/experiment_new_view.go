package pages

import (
	"plumbline/web/components"
	"plumbline/web/layout"
)

// ExperimentNew is the form of a new experiment with its estimate. The
// estimate is made by the server: a script asks again on every change, and the
// Preview button does the same without one.
type ExperimentNew struct {
	Frame    layout.Frame
	Action   string // POST starts it
	Preview  string // GET shows the estimate of what is chosen
	Refresh  string // POST answers the estimate alone
	Name     components.Input
	Datasets []components.Choice
	Splits   []SplitChoice
	Forms    []FormChoice
	Rows     []ReviewerArms
	NoReview components.Empty // shown instead of the matrix when there is no reviewer
	Votes    components.Input // K
	Seed     components.Input
	Budget   components.Input // tokens of one evidence text
	ArmError string           // of the choice of arms
	Power    PowerForm
	Plan     PowerPlan
	Estimate Estimate
	Error    string
}

// SplitChoice is a split with its class sizes.
type SplitChoice struct {
	Value, Name                            string
	Traces, Acceptable, Defective, Unknown int
	Selected                               bool
}

// FormChoice is a column of the matrix: an evidence form.
type FormChoice struct {
	Name       string
	Class      string
	Says       string
	Deployable bool
	Blocked    string // why it cannot be used here; empty when it can
}

// ReviewerArms is a line of the matrix: a reviewer and, in the order of the
// forms, the arms it can make.
type ReviewerArms struct {
	Name    string
	Model   string
	Href    string
	Version int
	Badges  []components.Badge
	Screen  ScreenMark
	Arms    []ArmChoice
}

// ArmChoice is one box of the matrix. Value names the arm in the form.
type ArmChoice struct {
	Value    string
	Selected bool
	Blocked  string
}

// Estimate is what the chosen experiment will take. Nil is unknown.
type Estimate struct {
	Ready    bool // something is chosen
	Traces   int
	Arms     int
	Votes    int
	Calls    int
	Lines    []EstimateLine
	Input    *int64 // tokens
	Output   *int64
	CostUSD  *float64
	Note     string // how the tokens were estimated
	Warnings []components.Flash
	Blocked  string // why it cannot be started; empty when it can
	Power    string // in a sentence, what it could show; the rest is in the plan
}

// EstimateLine is one arm of the estimate.
type EstimateLine struct {
	Reviewer, Form string
	Calls          int
	Input, Output  *int64
	CostUSD        *float64
}
