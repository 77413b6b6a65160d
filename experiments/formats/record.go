package formats

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"plumbline/experiments/trace"
)

// Ref identifies a record inside an import: the path of its file and its number
// in it, counted from 0 over all records of the file but steps and problems.
// Reading the same bytes again gives the same refs, so that a second pass can
// fetch the texts that the first one did not keep.
type Ref struct {
	Path string
	N    int
}

// Pos is where a record stands, for people.
type Pos struct {
	Ref
	Line int    // 1-based line of a line-oriented file; 0 when it does not apply
	Key  string // key or index of the record in a larger document; may be empty
}

func (p Pos) String() string {
	switch {
	case p.Line > 0:
		return p.Path + " line " + strconv.Itoa(p.Line)
	case p.Key != "":
		return fmt.Sprintf("%s (%s)", p.Path, p.Key)
	}
	return p.Path
}

// Record is one thing read from a file: Prediction, Report, RunReport, Row,
// Step, Trajectory, Finding, TestCase, Vote, Critic or Problem, as pointers.
type Record interface{ record() }

// Prediction is a submitted patch without a trajectory. A patch file beside a
// report is one too, with FromFile set.
type Prediction struct {
	Pos
	InstanceID string
	Model      string
	Agent      string
	Attempt    int // 0 when not stated
	State      trace.PatchState
	Patch      string
	Note       string // "not_text:dict" when the patch was an object, or empty
	Status     string
	Usage      trace.Usage
	Resolved   *bool // some result files hold the outcome beside the patch
	Repo, Base string
	FromFile   bool
	// Keyless says that the record had no instance id of its own; the key of the
	// surrounding object or the path gave it.
	Keyless bool
}

// Tests are the outcome counts of one test list.
type Tests struct{ OK, Failed int }

// Report is the outcome of one instance.
type Report struct {
	Pos
	InstanceID string
	Resolved   *bool  // nil when the report does not judge
	Reason     string // a Reason… word
	Applied    *bool
	PatchNone  *bool
	PatchThere *bool
	// Lists are the counts by list name: FAIL_TO_PASS, PASS_TO_PASS …
	Lists map[string]Tests
	// Broke says whether tests broke that passed before, where the report says so
	// without counts.
	Broke *bool
	// Weak marks an outcome read from a log line; a real report wins over it.
	Weak bool
}

// Reasons why an instance is not resolved, or has no outcome.
const (
	ReasonResolved     = "resolved"
	ReasonUnresolved   = "unresolved"
	ReasonEmptyPatch   = "empty_patch"
	ReasonError        = "error"
	ReasonInfra        = "infra"
	ReasonAmbiguous    = "ambiguous"
	ReasonNotSubmitted = "not_submitted"
	ReasonNoLogs       = "no_logs"
	ReasonNotApplied   = "not_applied"
	ReasonTimeout      = "timeout"
	ReasonPending      = "pending"
	ReasonClaimed      = "claimed"
)

// Outcome is one line of a run report.
type Outcome struct {
	InstanceID string
	Resolved   *bool
	Reason     string
	List       string // the list of the report that decided
}

// RunReport is the outcome of a run over many instances.
type RunReport struct {
	Pos
	Run      string // what the file calls the run, or empty
	Arm      string // arm of a file with several; it judges attempts named after it
	Model    string
	Outcomes []Outcome
	// Resolved are the ids of the resolved list in the order of the file.
	Resolved []string
	// Rest is the reason for an attempt of the run that is in no list; it was not
	// resolved. Empty when the report says nothing about such attempts.
	Rest string
	// Claimed marks outcomes that are a claim about a choice among arms rather
	// than an evaluation of one patch.
	Claimed bool
	// Counts are the numbers stated in the file, by their key.
	Counts map[string]int
}

// Row is a row of a dataset.
type Row struct {
	Pos
	Instance trace.Instance
	// FixedTests counts the tests of Multi-SWE-bench that change in any way.
	FixedTests int
	// ListEncoding says how FAIL_TO_PASS was written: list, json string, text, object, or empty when absent.
	ListEncoding string
	HasTestPatch bool
	// Embedded marks a copy inside a trajectory; a row of a dataset wins over it.
	Embedded bool
}

// Step is one step of a trajectory. Steps come before their Trajectory, which
// has the Ref named here.
type Step struct {
	Of Ref
	trace.Step
}

// Trajectory closes an attempt whose steps were emitted before it. Trace.Steps
// is nil; Steps counts the agent's steps by the rule of the format.
type Trajectory struct {
	Pos
	Trace    trace.Trace
	Steps    *int // nil when the source does not show the steps of the agent
	Messages int
	Note     string
	// Folder is the folder whose files together are the attempt, for formats that
	// spread it over several; empty otherwise.
	Folder     string
	Repo, Base string
	// PatchSHA256 is the hash of the patch as it was submitted, where the text is a
	// copy in which bytes that cannot be stored were replaced; else empty.
	PatchSHA256 string
	PatchBytes  int      // length of that patch; only with PatchSHA256
	Splits      []string // the splits of a dataset that the source puts the attempt in
	Claimed     *bool    // the trajectory itself states the outcome
	Finished    time.Time
	// Series is set when a folder holds growing copies of one conversation; the
	// last by Finished counts.
	Series string
	// Shared marks steps that all attempts of the run at the instance have in
	// common; they are no attempt by themselves.
	Shared bool
	// Derived says that the instance id is composed from other fields.
	Derived bool
	Demo    bool // a demonstration, not an attempt
}

// Part is a piece of an attempt that lies in several files of a folder, such as
// the cost or the extracted patch.
type Part struct {
	Pos
	Folder string
	Kind   string // a Part… word
	Trace  trace.Trace
	Steps  int
	Repo   string
	Base   string
}

// Kinds of parts.
const (
	PartMeta   = "meta"   // instance id, repository, base commit
	PartCost   = "cost"   // model and usage
	PartStatus = "status" // exit status
	PartSteps  = "steps"  // step count
	PartPatch  = "patch"
)

// Problem is something in a file that could not be read. The rest was.
type Problem struct {
	Path    string `json:"-"`
	Line    int    `json:"line"`  // 1-based; 0 when it does not apply
	Field   string `json:"field"` // key or place inside the record; may be empty
	Message string `json:"message"`
}

func (p *Problem) Error() string {
	s := p.Path
	if p.Line > 0 {
		s += " line " + strconv.Itoa(p.Line)
	}
	if p.Field != "" {
		s += ", " + p.Field
	}
	return s + ": " + p.Message
}

// MarshalJSON writes an unknown line or field as null.
func (p Problem) MarshalJSON() ([]byte, error) {
	out := struct {
		Line    *int    `json:"line"`
		Field   *string `json:"field"`
		Message string  `json:"message"`
	}{Message: p.Message, Field: known(p.Field)}
	if p.Line > 0 {
		out.Line = &p.Line
	}
	return json.Marshal(out)
}

func (*Prediction) record() {}
func (*Report) record()     {}
func (*RunReport) record()  {}
func (*Row) record()        {}
func (*Step) record()       {}
func (*Trajectory) record() {}
func (*Part) record()       {}
func (*Problem) record()    {}
