package cascade

import "plumbline/experiments/vote"

// Outcome is what came of an action. Exactly one concrete type answers each kind
// of action; Failed answers any.
type Outcome interface{ outcome() }

// Change answers LookAtPatch.
type Change struct {
	// None: the patch changes no code, that is, nothing is left of it once test
	// files are taken out, or it never was a diff.
	None bool   `json:"none"`
	Why  string `json:"why,omitempty"` // how it is empty, for people
}

// Static answers RunStatic. Counts are of findings after attribution.
type Static struct {
	Ran      bool   `json:"ran"`               // at least one tool ran on both trees
	Why      string `json:"why,omitempty"`     // why none ran
	Decisive int    `json:"decisive"`          // caused by the patch, of a decisive class
	Caused   int    `json:"caused"`            // caused by the patch, all classes
	Standing int    `json:"standing_decisive"` // decisive on the patched tree, the base's own included
}

// rejects counts the findings that reject under a rule.
func (s Static) rejects(rule StaticRule) int {
	switch rule {
	case Decisive:
		return s.Decisive
	case AnyCaused:
		return s.Caused
	case Unfiltered:
		return s.Standing
	}
	return 0
}

// Generated answers Generate: a test, or why the reply holds none that can be
// used. TestID names the stored text.
type Generated struct {
	TestID string `json:"test,omitempty"`
	Flaw   Flaw   `json:"flaw,omitempty"`
}

// Flaw is why a reply gives no test worth running, told without running it.
type Flaw string

// Flaws.
const (
	NoFlaw      Flaw = ""
	NoTest      Flaw = "no test in the reply"
	Refused     Flaw = "the generator refused"
	CutOff      Flaw = "the reply was cut off"
	Unloadable  Flaw = "the test does not parse"
	NoAssertion Flaw = "the test asserts nothing"
	Trivial     Flaw = "the test asserts a constant"
	Leaks       Flaw = "the test repeats hidden material"
	// The last two say that asking again is of no use.
	NoGenerator Flaw = "no generator is set up"
	NoFramework Flaw = "no test can be run in this language"
)

// final reports a flaw that another attempt cannot mend.
func (f Flaw) final() bool { return f == NoGenerator || f == NoFramework }

// BaseRan answers RunOnBase.
type BaseRan struct {
	Result Result `json:"result"`
	// Feedback is what the generator may see of the run, should it try again. It
	// comes from the base alone: nothing of the patched tree has a way into it.
	Feedback string `json:"feedback,omitempty"`
}

// PatchRan answers RunOnPatch.
type PatchRan struct {
	Result Result `json:"result"`
}

// Result of a generated test on one tree.
type Result string

// Results. Failed is a failed assertion or a wrong exception in the call phase:
// the only failure that says something about behaviour.
const (
	NotRun     Result = ""
	Passed     Result = "passed"
	FailedTest Result = "failed"
	SetUp      Result = "set-up"  // collection, import, fixture, build
	TimedOut   Result = "timeout" // the test hung
	NoneFound  Result = "nothing" // no test was collected, or all were skipped
	Crashed    Result = "crashed" // the runner was killed or its report is unreadable
	Flaky      Result = "flaky"   // repetitions disagree
)

// Voted answers AskVotes, one vote at a time.
type Voted struct {
	Index int       `json:"index"`
	Vote  vote.Vote `json:"vote"`
}

// Failed answers any action that could not be performed. It ends the cascade
// without a verdict.
type Failed struct {
	Trouble Trouble `json:"trouble"`
	Detail  string  `json:"detail,omitempty"`
}

// Trouble is a named end that is no verdict.
type Trouble string

// Troubles.
const (
	PatchNotApplied Trouble = "patch does not apply"
	BaseMissing     Trouble = "no base tree"
	BaseBroken      Trouble = "base does not build"
	NoSandbox       Trouble = "no sandbox"
	GeneratorDown   Trouble = "generator did not answer"
	ReviewerDown    Trouble = "reviewer did not answer"
	EvidenceBlocked Trouble = "evidence blocked by the leakage audit"
	CheckFailed     Trouble = "a check could not be performed"
)

func (Change) outcome()    {}
func (Static) outcome()    {}
func (Generated) outcome() {}
func (BaseRan) outcome()   {}
func (PatchRan) outcome()  {}
func (Voted) outcome()     {}
func (Failed) outcome()    {}
