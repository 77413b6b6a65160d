package cascade

import "plumbline/experiments/vote"

// Kind of an action.
type Kind string

// The actions. LookAtPatch costs nothing; Generate and AskVotes call models;
// RunStatic, RunOnBase and RunOnPatch use the sandbox.
const (
	LookAtPatch Kind = "look at the patch"
	RunStatic   Kind = "run static checks"
	Generate    Kind = "generate a test"
	RunOnBase   Kind = "run the test on the base"
	RunOnPatch  Kind = "run the test on the patch"
	AskVotes    Kind = "ask for votes"
	Stop        Kind = "stop"
)

// Action is the one thing to do next.
type Action struct {
	Kind  Kind
	Stage Stage // that the action belongs to; of Stop, the stage that ended it

	Attempt  int    // of Generate, RunOnBase and RunOnPatch, from 1
	TestID   string // of RunOnBase and RunOnPatch
	Feedback string // of Generate after the first attempt: what the base said

	Votes []int // of AskVotes: the indices that are missing, from 0

	Verdict *Verdict // of Stop: nil when there is Trouble
	Trouble *Failed  // of Stop: nil when there is a verdict
}

// Verdict is a decision and where it comes from.
type Verdict struct {
	Decision vote.Decision `json:"decision"`
	Stage    Stage         `json:"stage"`
	Why      Why           `json:"why"`
}

// Why is the reason of a verdict.
type Why string

// Reasons.
const (
	WhyNoChange   Why = "the patch changes no code"
	WhyStatic     Why = "the patch causes a static error"
	WhyTestFails  Why = "a generated test fails on the patch as it did on the base"
	WhyTestBroken Why = "a generated test that ran on the base does not load on the patch"
	WhyTestPasses Why = "a generated test that failed on the base passes on the patch"
	WhyVotes      Why = "votes of the residual reviewer"
	WhyTie        Why = "the votes of the residual reviewer are tied"
	WhyNoReviewer Why = "no check decided and the policy asks no reviewer"
)
