package formats

import "time"

// Finding is one message of an analyzer.
type Finding struct {
	Pos
	Tool        string
	Rule        string
	Level       string // error, warning, note, none
	Message     string
	File        string
	Line        int // 1-based, 0 when not stated
	Column      int
	Suppressed  bool
	Baseline    string // new, unchanged, updated, absent; empty when not stated
	Fingerprint string
}

// TestCase is one case of a test report. Status is passed, failed, error or
// skipped: failed is an assertion in the test, error anything around it.
type TestCase struct {
	Pos
	Suite, Class, Name string
	File               string
	Status             string
	Message            string
	Output             string // text of the failure, as given
	Duration           *time.Duration
	Reruns             int // earlier tries that failed before the case passed or failed for good
}

// Statuses of test cases.
const (
	CasePassed  = "passed"
	CaseFailed  = "failed"
	CaseError   = "error"
	CaseSkipped = "skipped"
)

// Vote is one recorded answer of a reviewer. The fields below Error are those of
// the project's own export; nil and empty are unknown.
type Vote struct {
	Pos
	InstanceID string
	Agent      string
	Attempt    int // 0 when not stated
	Reviewer   string
	Evidence   string
	Index      int
	Verdict    string // accept, reject, uncertain, unparseable; empty with Error
	Confidence *float64
	Rationale  string
	Raw        string
	Seed       *int64
	CostUSD    *float64
	Input      *int64
	Output     *int64
	Error      string // a provider error is never a vote

	Names           Names
	Citations       string // JSON
	Problem         string // why the reply could not be read
	RequestAttempts int
	LatencyMS       *int64
	CachedTokens    *int64
	PriceVersion    string
	Cached          bool
	EvidenceSHA256  string
	RequestSHA256   string
	VotedAt         time.Time
}

// Names are what the project's own export calls the parts of an experiment by.
type Names struct {
	Experiment, Trace, Item, Arm string
	Model                        string // of the agent
	ReviewerModel                string
	Label, Bucket, LabelSource   string // of the trace
	Simulated, NotDeployable     bool
}

// Decision is the tally of an arm on a trace. One without a decision has a State
// that says why: the item is in error, blocked or missing.
type Decision struct {
	Pos
	InstanceID, Agent                      string
	Attempt                                int
	Reviewer, Evidence                     string
	Decision                               string
	Accept, Reject, Uncertain, Unparseable int
	State, Error                           string
	CachedVotes                            int
	CostUSD                                *float64
	Names                                  Names
}

// Critic is one row of a table of cheap observations of a candidate with its
// truth. A critic that did not run is absent from Passed.
type Critic struct {
	Pos
	Benchmark, Generator  string
	InstanceID, Candidate string
	Correct               *bool
	Passed                map[string]bool
	Values                map[string]float64 // other numeric columns
}

func (*Finding) record()  {}
func (*TestCase) record() {}
func (*Vote) record()     {}
func (*Decision) record() {}
func (*Critic) record()   {}
