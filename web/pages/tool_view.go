package pages

import (
	"strconv"
	"time"

	"plumbline/web/components"
	"plumbline/web/components/logview"
	"plumbline/web/layout"
)

// ToolReview is the page of one review with tools: what the model said, what it had
// done on the patched tree, and what came of it.
type ToolReview struct {
	Frame   layout.Frame
	Truth   components.Truth
	Mark    components.Mark
	Wrong   bool
	Facts   []Fact
	End     string // how it ended, in a sentence
	Problem string // why the vote is unparseable
	Badges  []components.Badge
	Turns   []ToolTurn
	Text    string // the rationale of the verdict
	RawURL  string // the transcript as it is stored
	Others  []Fact // other votes of the same item
	None    string // why there is no transcript
}

// ToolTurn is one reply of the model.
type ToolTurn struct {
	Number   int
	Text     string
	Answer   string // what the model was told about a reply that asked for nothing
	Tokens   string
	Took     time.Duration
	Protocol string
	Uses     []ToolUse
}

// ToolUse is one use of a tool.
type ToolUse struct {
	ID       string // anchor
	Tool     string
	What     string // file and lines, pattern, or command
	Problem  string // why it was not performed
	Result   string // exit code, or the limit that ended it
	Bad      bool   // it was ended by a limit
	Wall     time.Duration
	Output   string
	LeftOut  int
	Verdict  bool
	Untried  bool // the review ended before it was performed
	Backends string
}

func (t ToolTurn) anchor() string { return "turn-" + strconv.Itoa(t.Number) }

func (u ToolUse) log() logview.View { return logview.Window(u.Output, logview.Options{ID: u.ID}) }

// ToolArms is the page of all reviews with tools of an experiment.
type ToolArms struct {
	Frame layout.Frame
	Arms  []ToolArm
	None  string
}

// ToolArm is one arm with tools.
type ToolArm struct {
	ID, Name string
	Policy   string
	Ends     []ToolEnd
	Means    []ToolMean
	Traces   []ToolTrace
	Without  int // items of the arm without a transcript: missing or in error
	Shown    string
}

// ToolEnd is how many reviews ended in one way.
type ToolEnd struct {
	Name, Says string
	Rate       components.Rate
}

// ToolMean is an average with its interval.
type ToolMean struct {
	Metric, Name string
	Value        string
	Interval     string
	N            int
	Why          string
}

// ToolTrace is one review in a list.
type ToolTrace struct {
	Name, Href string
	Attempt    string // agent and model
	Truth      components.Truth
	Mark       components.Mark
	Wrong      bool
	End        string
	Turns      int
	Commands   int
	Prompt     *int64
	Cost       *float64
}
